"""Branch and bound over boxes: finds low points and proves how low the objective can be at most.

Best first: the tree of boxes that the prover grows, too, with the boxes that opened last sampled as it grows. Boxes on
which the formula is defined nowhere, or cannot be lower than the best point, are closed. The lower bound is a proof
about the real formula, so a point counts as the best only if the real formula confirms its value: a low value that is
there in doubles only closes nothing.
"""

from __future__ import annotations

import math
import time

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import var
from cpcbench.intervals.boxes import cut_boxes
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.growth import Growth
from cpcbench.intervals.tree.store import BOXES, NODES, OPEN
from cpcbench.points import Points
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.paper.refine import CLOUD, refine
from cpcbench.solvers.registry import Solver

FEW, ROUNDS = 64, 3
"""Boxes worked on at a time, at least, and how often before those that are open then are sampled."""

SHORT, LONG = 25, 150
"""Rounds of refinement from a fair point, and from a new best one."""

SHARE = 3
"""Evaluations in refinement for each box that is sampled."""

CUTS = 3
"""How often a box is cut down to where the formula is defined and low enough, before it is sampled."""

PROMISING = 8
"""One in so many of the boxes sampled, those with the lowest values, comes next whatever its bound."""

OFFERS = 4
"""How many of the lowest points of a batch are checked in the reals, at some milliseconds each."""

RETREATS = 12
"""Halvings on the way back from a point that only doubles know."""

SEED = 20
"""Of the points drawn in boxes: always the same, whatever the generator of the run."""


def solve(
    objective: Objective,
    _rng: np.random.Generator,
    *,
    tolerance: float = 1e-9,
    seconds: float | None = None,
    batch: int = 2048,
    max_boxes: int = 1_000_000,
) -> OptimizeResult:
    """Minimises until the gap, absolute or relative, is within the tolerance, or time or budget is spent.

    The result also has `lower_bound` (no real value of the formula on the box is below it), `gap`
    (fun - lower_bound) and `boxes` (how many were looked at); at most `batch` are split at a time. `max_boxes`
    limits the memory: beyond it the boxes with the highest bounds are given up, and count in the lower bound from
    then on.
    """
    if not tolerance >= 0.0 or (seconds is not None and not seconds > 0.0) or batch < 1 or max_boxes < 2:
        raise CpcbenchError(
            "branch and bound takes tolerance >= 0, seconds > 0, batch >= 1 and max_boxes >= 2, not "
            f"tolerance={tolerance!r}, seconds={seconds!r}, batch={batch!r}, max_boxes={max_boxes!r}"
        )
    search = _Search(objective, tolerance, batch, max_boxes)
    deadline = math.inf if seconds is None else time.perf_counter() + seconds
    with np.errstate(all="ignore"):  # sides of a box of 1e308 may overflow
        try:
            search.start()
            while not search.grow(deadline):
                search.sample()
            reason = ""
        except StopRun as stop:
            reason = stop.reason
    return search.result(reason)


class _Search:
    """The tree, the best point, and what is known of the boxes that were given up."""

    def __init__(self, objective: Objective, tolerance: float, batch: int, max_boxes: int) -> None:
        problem = objective.problem
        self.objective, self.rng = objective, np.random.default_rng(SEED)
        self.tolerance, self.batch, self.max_boxes = tolerance, batch, max_boxes
        tape = Tape.of_formula(problem.expression, problem.dim, rule=problem.rule)
        self.tree = Growth(tape, objective.lower.copy(), objective.upper.copy())
        self.floor = math.inf  # no value in a closed box, or in one given up, is below this
        self._sampled = 0  # nodes before this one
        self._promising = np.zeros(0, dtype=np.int64)
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
        return min(float(self.tree.keys().min(initial=math.inf)), self.floor)

    def start(self) -> None:
        """Looks at the whole box, in parts if its sides overflow."""
        lower, upper = self.objective.lower[None], self.objective.upper[None]
        for i in np.flatnonzero(np.isinf(upper[0] - lower[0])):
            middle = 0.5 * lower[0, i] + 0.5 * upper[0, i]
            lower, upper = np.repeat(lower, 2, axis=0), np.repeat(upper, 2, axis=0)
            upper[::2, i] = lower[1::2, i] = middle
        for low, high in zip(lower, upper, strict=True):
            self.tree.plant(low.copy(), high.copy(), -math.inf)
        self.sample()

    def grow(self, deadline: float) -> bool:
        """Looks at some boxes, the lowest first; whether none is left that counts."""
        if self.tree.store.count[OPEN] > self.max_boxes or self.tree.store.count[NODES] > 2 * self.max_boxes:
            self.floor = min(self.floor, self.tree.forget(3 * self.max_boxes // 4))
            self._sampled, self._promising = int(self.tree.store.count[NODES]), self._promising[:0]
        for _ in range(ROUNDS):
            count = min(self.batch, max(FEW, int(self.tree.store.count[OPEN]) // 4))
            nodes = np.union1d(self.tree.lowest(count, self.enough), self._promising)
            self._promising = self._promising[:0]
            if not len(nodes):
                return True
            size = FEW + int(self.tree.store.count[OPEN]) // 500
            for first in range(0, len(nodes), size):
                if min(self.objective.seconds_left, deadline - time.perf_counter()) <= 0.0:
                    raise StopRun("time")
                self.floor = min(self.floor, self.enough)
                self.tree.work_on(nodes[first : first + size], self.enough)
        return False

    def sample(self) -> None:
        """Evaluates the middle and another point of each box that has opened, and refines the best of them."""
        nodes, lower, upper = self.tree.opened_since(self._sampled)
        for _ in range(CUTS):
            lower, upper, alive = cut_boxes(self.tree.tape, lower, upper, self.best)
            nodes, lower, upper = nodes[alive], lower[alive], upper[alive]
        self.tree.shrink(nodes, lower, upper)
        self._sampled = int(self.tree.store.count[NODES])
        if not len(lower):
            return
        width = upper - lower
        points = np.concatenate([_middle(lower, upper), lower + self.rng.random(width.shape) * width])
        points = np.clip(points, np.tile(lower, (2, 1)), np.tile(upper, (2, 1)))
        values = self.objective(points)
        values = np.where(np.isnan(values), math.inf, values)
        seen = np.minimum(values[: len(lower)], values[len(lower) :])
        fair = np.argsort(seen, kind="stable")[: len(seen) // PROMISING]
        self._promising = nodes[fair[seen[fair] < math.inf]]
        self._allowance += SHARE * len(lower)
        if self._offer_lowest(points, values):
            self._refine(points, values, width, int(np.argmin(values)), LONG if self._allowance > 0 else SHORT)
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
            boxes=int(self.tree.store.count[BOXES]),
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


def _prepare() -> None:
    """Compiles, or loads, what grows the tree."""
    growth = Growth(Tape.of_formula(var(0), 1), np.zeros(1), np.ones(1))
    growth.plant(np.zeros(1), np.ones(1), -math.inf)
    growth.work_on(np.zeros(1, dtype=np.int64), 0.0)
    cut_boxes(growth.tape, np.zeros((1, 1)), np.ones((1, 1)), 0.0)


SOLVER = Solver(
    name="B&B",
    solve=solve,
    undefined="nan",
    deterministic=True,
    expression=True,
    seconds=30.0,
    prepare=_prepare,
    summary="interval branch and bound: the best point found and a proven lower bound",
)
