"""The search of the branch and bound: the tree of boxes, the points sampled in them, and the best one confirmed."""

from __future__ import annotations

import math
import time

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.expr.nodes import var
from cpcbench.intervals.boxes import cut_boxes
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.growth import Growth
from cpcbench.intervals.tree.store import BOXES, NODES, OPEN
from cpcbench.points import Points
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.paper.refine import CLOUD, refine

FEW, ROUNDS, BLIND = 64, 2, 3
"""Boxes worked on at a time, at least, and how often before those that are open then are sampled; more often as long
as no point is confirmed."""

SHORT, LONG = 25, 150
"""Rounds of refinement from a fair point, and from a new best one."""

SHARE = 5
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


class BoxSearch:
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
        for _ in range(BLIND if self.x is None else ROUNDS):
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


def compile_growth() -> None:
    """Compiles, or loads, what grows the tree."""
    growth = Growth(Tape.of_formula(var(0), 1), np.zeros(1), np.ones(1))
    growth.plant(np.zeros(1), np.ones(1), -math.inf)
    growth.work_on(np.zeros(1, dtype=np.int64), 0.0)
    cut_boxes(growth.tape, np.zeros((1, 1)), np.ones((1, 1)), 0.0)
