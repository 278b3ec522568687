"""The cheapest way over one link to each of some points, by looking at many points of the other end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cpcbench.certify.bounding import natural_ranges
from cpcbench.certify.structure import replaced
from cpcbench.certify.tape import Tape
from cpcbench.expr.nodes import Expr, var
from cpcbench.readings.fast import FastReading

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

COLUMNS = 2500
"""Points of the other end that are always looked at, beside its nodes."""
STARTS, LOOKS, SHRINKS = 3, 8, 19
"""The lowest valleys looked into, with so many points at a time, so many times: to 1e-12 of the first width."""
HALVINGS = 45
"""How often the interval with an edge of the domain is halved."""
HIDDEN = 1e-4
"""How much lower than in doubles, relatively, a value can be: a root at the edge of a domain loses half the digits."""
CHUNK = 3_000_000
SAMPLE = 700
"""Of each end, the points looked at to know how low a link can be."""


class LinkCosts:
    """The sum of the terms of a link, at pairs of values of its two variables; inf where it is undefined."""

    def __init__(
        self, terms: Sequence[tuple[int, Expr]], pair: tuple[int, int], bounds: Sequence[tuple[float, float]]
    ) -> None:
        renamed = {id(var(v)): var(i) for i, v in enumerate(pair)}
        parts = [(sign, replaced(term, renamed)) for sign, term in terms]
        sign, total = parts[0]
        total = total if sign > 0 else -total
        for sign, part in parts[1:]:
            total = total + part if sign > 0 else total - part
        low, high = (np.array([bounds[v][side] for v in pair], dtype=np.float64) for side in (0, 1))
        self.range = low, high
        self._kernel = FastReading(total, low, high, "strict").kernel
        self._tape = Tape.of([(1, total)], [0, 1])
        self.least = self._lowest()

    def sure(self, pairs: Floats, values: Floats) -> Floats:
        """The values at the pairs, or what they may be over the reals where rounding hides something lower."""
        low, _, state = natural_ranges(self._tape, *(np.nextafter(pairs, end) for end in (-np.inf, np.inf)))
        with np.errstate(invalid="ignore"):
            near = (state > 0) & (low < values) & (low > values - HIDDEN * np.maximum(1.0, np.abs(values)))
        return np.where(near, low, values)

    def _lowest(self) -> float:
        """The least of many values of the link alone; 0 if none is defined."""
        left, right = (np.linspace(a, b, SAMPLE) for a, b in zip(*self.range, strict=True))
        values = self(np.stack(np.meshgrid(left, right), axis=-1))
        found = float(values.min())
        return found if np.isfinite(found) else 0.0

    def __call__(self, pairs: Floats) -> Floats:
        """`pairs` has the shape (..., 2), the left variable first."""
        out = np.empty(pairs.shape[:-1])
        if out.size:
            self._kernel(np.ascontiguousarray(pairs).reshape(-1), out.reshape(-1))
        out[~np.isfinite(out)] = np.inf
        return out


def least(
    link: LinkCosts, ahead: bool, nodes: Floats, costs: Floats, at: Floats, starts: Floats, scan: bool
) -> tuple[Floats, Floats]:
    """The least of cost plus link over the other end, for each point `at` of the end that is asked for, and where.

    `nodes` and `costs` are those of the other end: the left one if `ahead`, else the right one. Each row of
    `starts` has guesses where the least is (NaN: none); unless `scan`, it is looked for near these only.
    """
    search = _Search(link, ahead, nodes, costs)
    rows = max(1, (CHUNK if scan else 6 * CHUNK) // len(search.columns))
    parts = [search.least(at[i : i + rows], starts[i : i + rows], scan) for i in range(0, len(at), rows)]
    parts += [(np.zeros(0), np.zeros(0))]
    values, places = (np.concatenate(side) for side in zip(*parts, strict=True))
    return values, places


class _Search:
    def __init__(self, link: LinkCosts, ahead: bool, nodes: Floats, costs: Floats) -> None:
        self._link, self._ahead, self._nodes, self._costs = link, ahead, nodes, costs
        self._known = np.isfinite(costs)
        even = np.linspace(nodes[0], nodes[-1], COLUMNS) if len(nodes) > 1 else nodes
        self.columns = np.unique(np.concatenate([even, nodes]))
        self._own = self._cost(self.columns)
        gaps = np.diff(self.columns)
        self._width = np.maximum(np.append(gaps, 0.0), np.insert(gaps, 0, 0.0))

    def _cost(self, x: Floats) -> Floats:
        """Straight lines between the nodes; inf in a cell with an end at which the cost is."""
        if self._known.all():
            return np.interp(x, self._nodes, self._costs)
        found: Floats = np.interp(x, self._nodes, np.where(self._known, self._costs, 0.0))
        return np.where(np.interp(x, self._nodes, np.where(self._known, 0.0, 1.0)) > 0.0, np.inf, found)

    def _values(self, other: Floats, at: Floats) -> Floats:
        first, second = (other, at) if self._ahead else (at, other)
        pairs = np.empty((*np.broadcast_shapes(other.shape, at.shape), 2))
        pairs[..., 0], pairs[..., 1] = first, second
        return self._link(pairs)

    def least(self, at: Floats, starts: Floats, scan: bool) -> tuple[Floats, Floats]:
        rows, guesses = np.nonzero(~np.isnan(starts))
        x = starts[rows, guesses]
        width = self._width[np.minimum(np.searchsorted(self.columns, x), len(self.columns) - 1)]
        value = self._values(x, at[rows]) + self._cost(x)
        if scan:
            values = self._values(self.columns[None, :], at[:, None]) + self._own
            more, cols = _valleys(values)
            ends, at_end, end_width, at_end_value = self._edges(values, at)
            rows, x = np.concatenate([rows, more, ends]), np.concatenate([x, self.columns[cols], at_end])
            width = np.concatenate([width, self._width[cols], end_width])
            value = np.concatenate([value, values[more, cols], at_end_value])
        x, value = self._settled(x, width, value, at[rows])
        return _best_of_rows(rows, x, value, len(at))

    def _edges(self, values: Floats, at: Floats) -> tuple[Ints, Floats, Floats, Floats]:
        """Row, place, width and value at the edges of the domain between two columns: the lowest of each row."""
        some = np.isfinite(values)
        rows, cols = np.nonzero(some[:, 1:] != some[:, :-1])
        inner = self.columns[np.where(some[rows, cols], cols, cols + 1)]
        outer = self.columns[np.where(some[rows, cols], cols + 1, cols)]
        width = np.abs(outer - inner)
        for _ in range(HALVINGS):
            middle = 0.5 * (inner + outer)
            good = np.isfinite(self._values(middle, at[rows]))
            inner, outer = np.where(good, middle, inner), np.where(good, outer, middle)
        value = self._values(inner, at[rows]) + self._cost(inner)
        order = np.lexsort((value, rows))
        rows, inner, width, value = rows[order], inner[order], width[order], value[order]
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        low = rank < STARTS
        return rows[low], inner[low], width[low], value[low]

    def _settled(self, x: Floats, width: Floats, value: Floats, at: Floats) -> tuple[Floats, Floats]:
        """The least value near each start, and where: points are looked at ever closer to the best one."""
        steps = np.linspace(-1.0, 1.0, LOOKS)
        low, high = self._nodes[0], self._nodes[-1]
        for _ in range(SHRINKS):
            near = np.clip(x[:, None] + width[:, None] * steps, low, high)
            found = self._values(near, at[:, None]) + self._cost(near)
            pick = np.argmin(found, axis=1)
            rows = np.arange(len(x))
            better = found[rows, pick] < value
            x = np.where(better, near[rows, pick], x)
            value = np.where(better, found[rows, pick], value)
            width = width * (2.0 / (LOOKS - 1))
        cost = self._cost(x)
        pairs = np.stack([x, at] if self._ahead else [at, x], axis=1)
        return x, self._link.sure(pairs, value - cost) + cost


def _best_of_rows(rows: Ints, x: Floats, value: Floats, count: int) -> tuple[Floats, Floats]:
    """For each row the least of its values, inf if it has none, and where; NaN if nowhere."""
    order = np.lexsort((value, rows))
    rows, x, value = rows[order], x[order], value[order]
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))[: len(rows)]
    values, places = np.full(count, np.inf), np.full(count, np.nan)
    values[rows[first]] = value[first]
    places[rows[first]] = np.where(np.isfinite(value[first]), x[first], np.nan)
    return values, places


def _valleys(values: Floats) -> tuple[Ints, Ints]:
    """The places of the lowest local minima of each row."""
    wide = np.pad(values, ((0, 0), (1, 1)), constant_values=np.inf)
    low = (values <= wide[:, :-2]) & (values <= wide[:, 2:]) & (values < np.inf)
    only = np.where(low, values, np.inf)
    count = min(STARTS, values.shape[1])
    cols = np.argpartition(only, count - 1, axis=1)[:, :count].ravel()
    rows = np.repeat(np.arange(len(values)), count)
    real = np.isfinite(only[rows, cols])
    return rows[real], cols[real]
