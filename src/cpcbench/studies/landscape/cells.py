"""An admissible point in every cell that has one, as far as a bounded search finds it.

A domain much thinner than a cell is missed by any one point of the cell. So cells are searched: a few
points drawn in each, then halves of halves, where interval arithmetic drops the parts that are proven
to be undefined throughout. A thin domain mostly lies between points that fail different conditions, so it is
also looked for by halving the way from one such point to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cpcbench.intervals.boxes import Boxes, ManyBoxes
from cpcbench.intervals.operations import NOWHERE
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.requirements import domain_requirements

Places = npt.NDArray[np.intp]

MOST_BOXES = 40_000
"""Boxes searched at a time, after the cells themselves; if there are more, each cell keeps its share."""
MOST_READ, MOST_READ_A_CELL = 600_000, 60
"""Boxes read by interval arithmetic besides the cells: in all, and for a cell on average."""
MOST_DRAWN = 1_000_000
"""Points drawn in each round, between 8 and 128 a box: the kernel is far quicker than interval arithmetic."""
LEVELS = 28
EDGE_LEVELS = (0, 3, 6)
"""After how many halvings of the cells the way between points that fail differently is searched."""
HALVINGS = 30


def points_in_cells(
    problem: Problem, lower: Floats, upper: Floats, rng: np.random.Generator, effort: float = 1.0
) -> tuple[Floats, Floats]:
    """For each cell (row) the lowest admissible point met in it, and its value; NaN where none was met.

    Sides of no width are coordinates held fixed. The search of a cell ends with its first find: the point
    is admissible, but hardly the lowest of the cell. `effort` is the share of the usual search that is made.
    """
    search = _Search(problem, lower, upper, int(effort * MOST_DRAWN))
    boxes = _Parts(np.arange(len(lower)), lower, upper)
    search.try_points(boxes, rng)
    boxes = search.unfound(boxes)
    reading, read = Boxes(problem.expression, problem.rule), 0
    for level in range(LEVELS):
        if len(boxes.cell) == 0:
            break
        boxes = boxes.only(reading(boxes.lower, boxes.upper)[2] != NOWHERE)  # all cells, the first time
        search.try_points(boxes, rng)
        if level in EDGE_LEVELS:
            boxes = search.unfound(boxes)
            search.try_between(boxes, rng)
        boxes = _fair_share(search.unfound(boxes).halves(search.sides), rng)
        read += len(boxes.cell)
        if read > effort * min(MOST_READ, MOST_READ_A_CELL * len(lower)):
            break
    return search.points, search.values


def roundest(lower: Floats, upper: Floats) -> Floats:
    """In each interval the number with the fewest binary digits, or nearly: exponents may be whole only there."""
    width = upper - lower
    with np.errstate(divide="ignore"):
        step = np.exp2(np.floor(np.log2(width)))
    best = lower.copy()
    for doublings in range(24):
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            size = step * 2.0**doublings
            tried = np.ceil(lower / size) * size
        fits = (lower <= tried) & (tried <= upper)
        best[fits] = tried[fits]
    return best


class _Parts:
    """Boxes, and the cell that each is a part of."""

    def __init__(self, cell: Places, lower: Floats, upper: Floats) -> None:
        self.cell, self.lower, self.upper = cell, lower, upper

    def only(self, chosen: npt.NDArray[np.bool_] | Places) -> _Parts:
        return _Parts(self.cell[chosen], self.lower[chosen], self.upper[chosen])

    def halves(self, sides: Floats) -> _Parts:
        """Both halves of each box, cut across the side that has been cut least."""
        row, widest = np.arange(len(self.cell)), np.argmax((self.upper - self.lower) / sides, axis=1)
        middle = self.lower[row, widest] / 2 + self.upper[row, widest] / 2
        left, right = self.upper.copy(), self.lower.copy()
        left[row, widest] = right[row, widest] = middle
        lower, upper = np.concatenate([self.lower, right]), np.concatenate([left, self.upper])
        return _Parts(np.concatenate([self.cell, self.cell]), lower, upper)


class _Search:
    """What has been found in each cell so far."""

    def __init__(self, problem: Problem, lower: Floats, upper: Floats, drawn: int) -> None:
        self.problem, self.drawn = problem, drawn
        self.points = np.full(lower.shape, np.nan)
        self.values = np.full(len(lower), np.nan)
        widths = (upper - lower).max(axis=0, initial=0.0)
        self.sides = np.where(widths > 0, widths, 1.0)

    def unfound(self, boxes: _Parts) -> _Parts:
        return boxes.only(np.isnan(self.values[boxes.cell]))

    def try_points(self, boxes: _Parts, rng: np.random.Generator) -> None:
        for points in _candidates(boxes, rng, self.drawn):
            self._take(boxes.cell, points)

    def try_between(self, boxes: _Parts, rng: np.random.Generator) -> None:
        """Points between two of a box that fail different conditions, the way halved towards the change."""
        ends = [_between(boxes.lower, boxes.upper, rng.random(boxes.lower.shape)) for _ in range(6)]
        fails = [self.failing(points) for points in ends]
        a, b, at_a = ends[0], ends[0].copy(), fails[0]
        for points, other in zip(ends[1:], fails[1:], strict=True):
            b[other != at_a] = points[other != at_a]
        chosen = (a != b).any(axis=1)
        cell, a, b, at_a = boxes.cell[chosen], a[chosen], b[chosen], at_a[chosen]
        for _ in range(HALVINGS):
            middle = a / 2 + b / 2
            self._take(cell, middle)
            open_ = np.isnan(self.values[cell])
            cell, a, b, at_a, middle = cell[open_], a[open_], b[open_], at_a[open_], middle[open_]
            same = self.failing(middle) == at_a
            a[same], b[~same] = middle[same], middle[~same]

    def failing(self, points: Floats) -> Places:
        """The number of the first operation that is undefined at each point; the number of operations if none is."""
        states = np.array([state for _, _, state in self._operations(points, points)])
        undefined = np.vstack([states == NOWHERE, np.ones(len(points), dtype=bool)])
        return np.asarray(np.argmax(undefined, axis=0))

    @cached_property
    def _operations(self) -> ManyBoxes:
        requirements = domain_requirements(self.problem.expression, rule=self.problem.rule)
        nodes = [*dict.fromkeys(r.node for r in requirements), self.problem.expression]
        return ManyBoxes(nodes, self.problem.rule)

    def _take(self, cell: Places, points: Floats) -> None:
        values = np.asarray(self.problem(points))
        defined = np.flatnonzero(~np.isnan(values))
        order = defined[np.argsort(-values[defined], kind="stable")]  # the lowest is written last, and stays
        home = cell[order]
        better = np.isnan(self.values[home]) | (values[order] < self.values[home])
        self.points[home[better]] = points[order[better]]
        self.values[home[better]] = values[order[better]]


def _candidates(boxes: _Parts, rng: np.random.Generator, drawn: int) -> Iterator[Floats]:
    """Points of each box: its middle, ones with round coordinates, all or some, and random ones."""
    low, high = boxes.lower, boxes.upper
    tidy = roundest(low, high)
    yield low / 2 + high / 2
    yield tidy
    for _ in range(2):
        yield np.where(rng.random(low.shape) < 0.5, tidy, _between(low, high, rng.random(low.shape)))
    for _ in range(min(max(drawn // max(len(low), 1), 8), 128)):
        yield _between(low, high, rng.random(low.shape))


def _between(low: Floats, high: Floats, share: Floats) -> Floats:
    return np.clip(low + share * (high - low), low, high)


def _fair_share(boxes: _Parts, rng: np.random.Generator) -> _Parts:
    """At most MOST_BOXES boxes, as many of each cell, chosen at random."""
    count = len(boxes.cell)
    if count <= MOST_BOXES:
        return boxes
    order = rng.permutation(count)
    order = order[np.argsort(boxes.cell[order], kind="stable")]
    cell = boxes.cell[order]
    first = np.r_[0, np.flatnonzero(np.diff(cell)) + 1]
    turn = np.arange(count) - np.repeat(first, np.diff(np.r_[first, count]))
    return boxes.only(np.sort(order[np.argsort(turn, kind="stable")[:MOST_BOXES]]))
