"""Branch and bound over boxes: finds low points and proves how low the objective can be at most.

Best first: the boxes with the lowest bounds are halved and bounded again by the interval reading of
the formula; those on which it is defined nowhere, or cannot be lower than the best point, are
discarded. The lower bound is a proof about the real formula, so a point counts as the best only if
the real formula confirms its value: a low value that is there in doubles only discards nothing.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
import numpy.typing as npt
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.paper.box_bounds import Bounded, BoxBounds
from cpcbench.solvers.paper.box_pool import Batch, BoxPool
from cpcbench.solvers.paper.refine import CLOUD, refine
from cpcbench.solvers.registry import Solver

Counts = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

FEW = 64
"""Boxes cost about the same up to this number, so that few are halved at a time only if there are no more."""

SHORT, LONG = 25, 150
"""Rounds of refinement from a fair point, and from a new best one."""

SHARE = 3
"""Evaluations in refinement for each box that is sampled: they cost far less than its bound."""


OFFERS = 4
"""How many of the lowest points of a batch are checked in the reals, at some milliseconds each."""

RETREATS = 12
"""Halvings on the way back from a point that only doubles know."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    tolerance: float = 1e-9,
    seconds: float | None = None,
    batch: int = 2048,
    max_boxes: int = 1_000_000,
) -> OptimizeResult:
    """Minimises until the gap, absolute or relative, is within the tolerance, or time or budget is spent.

    The result also has `lower_bound` (no real value of the formula on the box is below it), `gap`
    (fun - lower_bound) and `boxes` (how many were bounded). `max_boxes` limits the memory: beyond it
    the boxes with the highest bounds are given up, and count in the lower bound from then on.
    """
    if not tolerance >= 0.0 or (seconds is not None and not seconds > 0.0) or batch < 1 or max_boxes < 2:
        raise CpcbenchError(
            "branch and bound takes tolerance >= 0, seconds > 0, batch >= 1 and max_boxes >= 2, not "
            f"tolerance={tolerance!r}, seconds={seconds!r}, batch={batch!r}, max_boxes={max_boxes!r}"
        )
    search = _Search(objective, rng, tolerance, batch, max_boxes)
    deadline = math.inf if seconds is None else time.perf_counter() + seconds
    with np.errstate(all="ignore"):  # sides of a box of 1e308 may overflow
        try:
            search.start()
            while search.pool.size and not search.closed:
                if objective.seconds_left <= 0.0 or time.perf_counter() >= deadline:
                    raise StopRun("time")
                search.step()
            reason = ""
        except StopRun as stop:
            reason = stop.reason
    return search.result(reason)


class _Search:
    """The open boxes, and what is known of those that are no longer open."""

    def __init__(
        self, objective: Objective, rng: np.random.Generator, tolerance: float, batch: int, max_boxes: int
    ) -> None:
        problem = objective.problem
        self.objective, self.rng = objective, rng
        self.tolerance, self.batch, self.max_boxes = tolerance, batch, max_boxes
        with np.errstate(over="ignore"):
            widths = np.minimum(problem.upper - problem.lower, sys.float_info.max)
        self.bounds = BoxBounds(problem.expression, problem.rule, widths)
        self.pool = BoxPool(problem.dim)
        self.floor = math.inf  # the lowest bound of the boxes that are neither open nor empty
        self.boxes = 0
        self.smallest = 2.0**-60 * widths
        self._allowance = 0  # evaluations that may go into refinement
        self.best = math.inf  # what the real value at the best point is at most
        self.x: Points | None = None
        self.fun = math.nan  # its value in doubles

    @property
    def enough(self) -> float:
        """A box whose bound is above this cannot improve on the best value by more than the tolerance."""
        best = self.best
        return best - self.tolerance * max(1.0, abs(best)) if math.isfinite(best) else math.inf

    @property
    def lower_bound(self) -> float:
        return min(self.pool.lowest, self.floor)

    @property
    def closed(self) -> bool:
        return self.pool.lowest > self.enough

    def start(self) -> None:
        """Looks at the whole box."""
        lower, upper = self.objective.lower[None, :].copy(), self.objective.upper[None, :].copy()
        self._look(lower, upper, np.full(1, -math.inf), np.zeros(1, dtype=np.int32))

    def step(self) -> None:
        """Halves the most urgent boxes and looks at the halves."""
        count = min(self.batch, max(FEW, self.pool.size // 4))
        self._look(*_halves(self.pool.pop(count, promising=count // 4)))
        if self.pool.size > self.max_boxes:
            self.floor = min(self.floor, self.pool.discard_above(self.enough))
        if self.pool.size > self.max_boxes:
            self.floor = min(self.floor, self.pool.shrink(3 * self.max_boxes // 4))

    def _look(self, lower: Points, upper: Points, inherited: Points, depth: Counts) -> None:
        """Bounds the boxes, samples those that matter and keeps those that can be halved again."""
        found = self.bounds(lower, upper, self.best)
        self.boxes += len(lower)
        self.floor = min(self.floor, self.best)  # what was left out has no value, or only higher ones
        bound = np.maximum(found.bound, inherited[found.row])
        axis, divisible = _axes(found, self.smallest)
        hopeful = bound <= self.enough
        seen = np.full(len(bound), math.inf)
        boxes = Batch(found.lower, found.upper, bound, seen, depth[found.row], axis).pick(hopeful)
        open_ = divisible[hopeful]
        closed = np.concatenate([bound[~hopeful], boxes.bound[~open_]])
        self.floor = min(self.floor, float(closed.min(initial=math.inf)))
        try:
            if len(boxes.bound):
                self._sample(boxes)
        finally:  # a spent budget must not lose a box
            self.pool.push(boxes.pick(open_))

    def _sample(self, boxes: Batch) -> None:
        """Evaluates the middle and a random point of each box, and refines the best of them."""
        count = len(boxes.bound)
        width = boxes.upper - boxes.lower
        points = np.concatenate([_middle(boxes.lower, boxes.upper), boxes.lower + self.rng.random(width.shape) * width])
        points = np.clip(points, np.tile(boxes.lower, (2, 1)), np.tile(boxes.upper, (2, 1)))
        values = self.objective(points)
        values = np.where(np.isnan(values), math.inf, values)
        np.minimum(values[:count], values[count:], out=boxes.seen)
        self._allowance += SHARE * count
        if self._offer_lowest(points, values):
            self._refine(points, values, width, int(np.argmin(values)), LONG)
        defined = np.flatnonzero(np.isfinite(values))
        while len(defined) and self._allowance >= SHORT * CLOUD:
            best, some = self.best, self.rng.choice(defined, 1 + len(defined) // 8)
            leader = int(some[np.argmin(values[some])])  # not always the same one: there may be several basins
            self._refine(points, values, width, leader, SHORT)
            if self.best < best:
                self._refine(points, values, width, leader, LONG)

    def _refine(self, points: Points, values: Points, width: Points, leader: int, rounds: int) -> None:
        """Improves one of the points sampled, in place; the first steps are of the size of its box."""
        before = self.objective.evaluations
        step = width[leader % len(width)]
        point, value = refine(self.objective, self.rng, points[leader], float(values[leader]), step, rounds)
        points[leader], values[leader] = point, value
        if not self._offer(point, value) and value < self.best and self.x is not None:
            self._retreat(self.x, point)
        self._allowance -= self.objective.evaluations - before

    def _offer_lowest(self, points: Points, values: Points) -> bool:
        """Offers a few of the lowest points; whether any is lower than the best, if only in doubles."""
        lower = np.flatnonzero(values < self.best)
        for i in lower[np.argsort(values[lower], kind="stable")][:OFFERS].tolist():
            if self._offer(points[i], float(values[i])):
                break
        return len(lower) > 0

    def _offer(self, x: Points, value: float) -> bool:
        """Takes the point as the best one if its real value is proven to be lower."""
        if not value < self.best:
            return False
        real = self.objective.problem.enclosure(x)
        if real.defined is not True or not real.upper < self.best:
            return False
        self.best, self.x, self.fun = real.upper, x.copy(), value
        return True

    def _retreat(self, inside: Points, outside: Points) -> None:
        """From a low point that only doubles know towards the best one, halving, as long as it helps.

        The optimum often lies on the edge of the domain, and doubles step over the edge.
        """
        for _ in range(RETREATS):
            middle = _middle(np.minimum(inside, outside), np.maximum(inside, outside))
            value = float(self.objective(middle))
            if self._offer(middle, value):
                inside = middle
            else:
                outside = middle

    def result(self, reason: str) -> OptimizeResult:
        """What was found and proven; `reason` is what was spent, if anything."""
        x, fun, bound = self.x, self.fun, self.lower_bound
        if x is None:  # nothing confirmed: what doubles found, with a word of doubt
            x, fun = self.objective.best_x, self.objective.best_value
        closed = x is not None and fun - bound <= self.tolerance * max(1.0, abs(fun)) * (1.0 + 1e-6)
        message = _message(bound, closed or bound == math.inf, reason)
        doubt = "" if x is None else self._doubt(x, fun)
        return OptimizeResult(
            x=None if x is None else x.copy(),
            fun=fun,
            lower_bound=bound,
            gap=fun - bound,
            boxes=self.boxes,
            nfev=self.objective.evaluations,
            success=(closed or bound == math.inf) and not doubt,
            message=f"{message}{doubt}",
        )

    def _doubt(self, x: Points, fun: float) -> str:
        """Says so if the value found is there in doubles only: the bound is about the real formula."""
        real = self.objective.problem.enclosure(x)
        if real.defined is False:
            return "; in the reals the formula is undefined at the point found"
        if real.lower - fun > self.tolerance * max(1.0, abs(fun)):
            return f"; in the reals the value at the point found is {real.midpoint!r}"
        return ""


def _message(bound: float, proven: bool, reason: str) -> str:
    if bound == math.inf:
        return "proven: the formula is defined nowhere on the box"
    if proven:
        return "proven: no value is lower by more than the tolerance"
    why = f"the {reason} is spent" if reason else "the boxes left are too small to halve, or were given up"
    return f"{why}; no real value is below {bound!r}"


def _middle(lower: Points, upper: Points) -> Points:
    return np.clip(0.5 * lower + 0.5 * upper, lower, upper)


def _halves(boxes: Batch) -> tuple[Points, Points, Points, Counts]:
    """The two halves of each box, with the bounds and one more than the depth of their parents."""
    rows = np.arange(len(boxes.bound))
    middle = _middle(boxes.lower, boxes.upper)[rows, boxes.axis]
    lower, upper = np.concatenate([boxes.lower, boxes.lower]), np.concatenate([boxes.upper, boxes.upper])
    upper[rows, boxes.axis] = middle
    lower[rows + len(rows), boxes.axis] = middle
    return lower, upper, np.tile(boxes.bound, 2), np.tile(boxes.depth + np.int32(1), 2)


def _axes(boxes: Bounded, smallest: Points) -> tuple[Counts, Flags]:
    """The axis to halve each box along, the one that contributes most; and whether there is one."""
    middle = _middle(boxes.lower, boxes.upper)
    wide: Flags = (boxes.lower < middle) & (middle < boxes.upper) & (boxes.upper - boxes.lower > smallest)
    axis = np.argmax(np.where(wide, boxes.share, -1.0), axis=1).astype(np.int32)
    return axis, np.logical_or.reduce(wide, axis=1)


SOLVER = Solver(
    name="B&B",
    solve=solve,
    undefined="nan",
    deterministic=True,
    expression=True,
    seconds=30.0,
    summary="interval branch and bound: the best point found and a proven lower bound",
)
