"""The cheapest way over one link to each of some points, by looking at many points of the other end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cpcbench.certify.lower.sums.link_search import KEPT, search
from cpcbench.certify.threads import in_threads, slices
from cpcbench.clock import look_at_clock
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.rewriting import replaced
from cpcbench.intervals.boxes import natural_ranges
from cpcbench.intervals.tape import Tape
from cpcbench.points import Floats
from cpcbench.readings.doubles.fast import FastReading

Ints = npt.NDArray[np.int64]

FIRST_NODES = 600
"""Even steps of a variable's first grid."""
FINER = 5
"""Even steps of the points of the other end that are always looked at, beside its nodes, for one of these."""
HIDDEN = 1e-4
"""How much lower than in doubles, relatively, a value can be: a root at the edge of a domain loses half the digits."""
SAMPLE = 700
"""Of each end, the points looked at to know how low a link can be."""


def link_costs(
    terms: Sequence[tuple[int, Expr]],
    pair: tuple[int, int],
    bounds: Sequence[tuple[float, float]],
    made: dict[object, LinkCosts],
) -> LinkCosts:
    """The costs of a link given by signed terms; links with the same formula and ranges share one, kept in `made`."""
    look_at_clock()
    renamed = {id(var(v)): var(i) for i, v in enumerate(pair)}
    parts = [(sign, replaced(term, renamed)) for sign, term in terms]
    sign, total = parts[0]
    total = total if sign > 0 else -total
    for sign, part in parts[1:]:
        total = total + part if sign > 0 else total - part
    ranges = tuple((float(bounds[v][0]), float(bounds[v][1])) for v in pair)
    key = (total, ranges)
    if key not in made:
        made[key] = LinkCosts(total, ranges)
    return made[key]


class LinkCosts:
    """A link as a function of its two variables, at pairs of their values; inf where it is undefined."""

    def __init__(self, total: Expr, ranges: Sequence[tuple[float, float]]) -> None:
        low, high = np.array(ranges, dtype=np.float64).T.copy()
        self.range = low, high
        self.kernel = FastReading(total, low, high, "strict").kernel
        self._tape = Tape.of([(1, total)], [0, 1])
        self.least = self._lowest()
        self._known: dict[bool, npt.NDArray[np.float32]] = {}

    def columns(self, ahead: bool) -> Floats:
        """The points of the other end that are always looked at."""
        low, high = (side[0 if ahead else 1] for side in self.range)
        return first_columns(low, high)

    def rows(self, ahead: bool) -> Floats:
        """The even nodes of the end that is asked for."""
        low, high = (side[1 if ahead else 0] for side in self.range)
        return first_nodes(low, high)

    def known(self, ahead: bool) -> npt.NDArray[np.float32]:
        """The link at these rows and columns; they tell where to look closer, for which single precision is enough."""
        if ahead not in self._known:
            rows, columns = self.rows(ahead), self.columns(ahead)
            found = np.empty((len(rows), len(columns)), dtype=np.float32)
            for row, x in enumerate(rows):
                look_at_clock()
                pair = (columns, np.full(len(columns), x)) if ahead else (np.full(len(columns), x), columns)
                with np.errstate(over="ignore"):
                    found[row] = self(np.stack(pair, axis=1))
            self._known[ahead] = found
        return self._known[ahead]

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
            self.kernel(np.ascontiguousarray(pairs).reshape(-1), out.reshape(-1))
        out[~np.isfinite(out)] = np.inf
        return out


def first_nodes(low: float, high: float) -> Floats:
    """The even nodes that every grid of a variable has."""
    return np.unique(np.linspace(low, high, FIRST_NODES + 1))


def first_columns(low: float, high: float) -> Floats:
    """The even nodes with more in between."""
    nodes = first_nodes(low, high)
    parts = [nodes[:-1] + np.diff(nodes) * (i / FINER) for i in range(FINER)]
    return np.unique(np.concatenate([*parts, nodes]))


def least(
    link: LinkCosts, ahead: bool, nodes: Floats, costs: Floats, at: Floats, starts: Floats, fine: bool, workers: int = 1
) -> tuple[Floats, Floats]:
    """The least of cost plus link over the other end, for each point `at` of the end that is asked for, and where.

    `nodes` and `costs` are those of the other end: the left one if `ahead`, else the right one. Each row of
    `starts` has guesses where the least is (NaN: none). Beside the nodes more points are looked at if `fine`.
    """
    find = _Search(link, ahead, nodes, costs, fine)
    parts = in_threads(lambda part: find(at[part], starts[part]), slices(len(at), workers), workers)
    parts += [(np.zeros(0), np.zeros(0))]
    values, places = (np.concatenate(side) for side in zip(*parts, strict=True))
    return values, places


class _Search:
    def __init__(self, link: LinkCosts, ahead: bool, nodes: Floats, costs: Floats, fine: bool) -> None:
        self._link, self._ahead = link, ahead
        self._nodes, self._costs = np.ascontiguousarray(nodes), np.where(np.isfinite(costs), costs, np.inf)
        first = link.columns(ahead)
        self._columns = np.unique(np.concatenate([first, nodes])) if fine else self._nodes
        self._column_of = _places(first, self._columns)
        self._own = self._cost(self._columns)

    def _cost(self, x: Floats) -> Floats:
        """Straight lines between the nodes; inf in a cell with an end at which the cost is."""
        known = np.isfinite(self._costs)
        if known.all():
            return np.interp(x, self._nodes, self._costs)
        found: Floats = np.interp(x, self._nodes, np.where(known, self._costs, 0.0))
        return np.where(np.interp(x, self._nodes, np.where(known, 0.0, 1.0)) > 0.0, np.inf, found)

    def __call__(self, at: Floats, starts: Floats) -> tuple[Floats, Floats]:
        places, values = np.empty((len(at), KEPT)), np.empty((len(at), KEPT))
        search()(
            self._link.kernel, self._ahead, self._nodes, self._costs, self._columns, self._own,
            self._link.known(self._ahead), self._column_of, _places(self._link.rows(self._ahead), at),
            np.ascontiguousarray(at), np.ascontiguousarray(starts), places, values,
        )  # fmt: skip
        near = HIDDEN * np.maximum(1.0, np.abs(values[:, :1]))
        with np.errstate(invalid="ignore"):
            rows, ranks = np.nonzero(values <= values[:, :1] + near)
        seen = values[rows, ranks] < np.inf
        rows, ranks = rows[seen], ranks[seen]
        x, value = places[rows, ranks], values[rows, ranks]
        cost = self._cost(x)
        pairs = np.stack([x, at[rows]] if self._ahead else [at[rows], x], axis=1)
        values[rows, ranks] = self._link.sure(pairs, value - cost) + cost
        best, every = np.argmin(values, axis=1), np.arange(len(at))
        return values[every, best], places[every, best]


def _places(among: Floats, x: Floats) -> Ints:
    """Where each number is among ascending ones; -1 if it is not."""
    place = np.minimum(np.searchsorted(among, x), len(among) - 1)
    return np.where(among[place] == x, place, -1).astype(np.int64)
