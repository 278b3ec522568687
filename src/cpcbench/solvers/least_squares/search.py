"""Rounds of starts on many scales, descents of which the better ones go on, and starts near what was found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from cpcbench.clock import OutOfTimeError
from cpcbench.expr.nodes import Expr
from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.solvers.ending import BUDGET_SPENT, BY_CALLBACK, BY_INTERRUPT, TIME_SPENT, Ending
from cpcbench.solvers.least_squares.descent import descend
from cpcbench.solvers.least_squares.model import Model, State
from cpcbench.solvers.least_squares.starts import Starts
from cpcbench.solvers.white_box.judge import Judge
from cpcbench.solvers.white_box.limits import Limits, Watch
from cpcbench.solvers.white_box.result import WhiteBoxResult

STARTS, CUTS = 6000, (8, 32, 128, 512, 2048)
"""Points that a round begins with; the first ones are looked at in parts that end here, for small budgets."""
STAGES = ((800, 12), (200, 60), (50, 200))
"""How many go on, and for how many steps."""
KEPT = 60
"""Different points that later rounds begin near."""
LOW = 20
"""The lowest ones of a round, where all low points are asked for."""
ANEW = 5
"""Rounds without a lower value after which only new starts are drawn, as at the beginning."""
PATIENCE, SAME = 40, 1e-9
"""Rounds without a lower value after which the search ends, and the share of the value that is not lower."""


def solve_squares(
    problem: Problem,
    parts: Sequence[Expr],
    rng: np.random.Generator,
    *,
    seconds: float,
    budget: int | None,
    watch: Watch | None,
    starts: Floats | None = None,
) -> WhiteBoxResult:
    """The lowest sum of squares found; a model evaluated at a point, or its slopes there, is an evaluation."""
    limits = Limits(seconds, budget, watch)
    lowest = _Lowest(problem, limits)
    result = WhiteBoxResult()
    result.ending = TIME_SPENT
    try:
        model = Model(parts, problem.dim, limits.take, lowest.seen)
        idle = 0
        for _ in _rounds(model, Starts(model, parts), rng, starts):
            result.epochs += 1
            idle = 0 if lowest.lower() else idle + 1
            if idle >= PATIENCE or lowest.value == 0.0:
                result.ending = Ending(f"nothing lower was found in {idle} rounds")
                break
    except OutOfTimeError:
        result.ending = BY_CALLBACK if limits.stopped else TIME_SPENT if limits.out_of_time else BUDGET_SPENT
    except KeyboardInterrupt:
        if not limits.evaluations:
            raise
        result.ending = BY_INTERRUPT
    judge = Judge(problem)
    for x in reversed(lowest.points):
        result.offer(judge(x))
        if result.x is not None:
            result.optima.append(judge(x))
            break
    result.evaluations, result.seconds = limits.evaluations, limits.seconds
    result.message = f"{result.summary()}; {result.ending.message}"
    return result


def low_points(
    parts: Sequence[Expr], lower: Floats, upper: Floats, rng: np.random.Generator, seconds: float, most: int
) -> Iterator[Floats]:
    """Points at which the sum of squares is small, from so many rounds; raises OutOfTimeError if that takes longer."""
    limits = Limits(seconds)
    model = Model(parts, len(lower), limits.take, lambda _state: None)
    begin = rng.uniform(lower, upper, (STARTS // 2, model.n))
    seen: set[bytes] = set()
    for best in islice(_rounds(model, Starts(model, parts), rng, begin), most):
        for x in best.points[:LOW]:
            if x.tobytes() not in seen:
                seen.add(x.tobytes())
                yield x


class _Lowest:
    """The points that were the lowest when they were seen, by the problem's own value."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self._problem, self._limits = problem, limits
        self._sum = self._before = self.value = math.inf
        self.points: list[Floats] = []

    def seen(self, found: State) -> None:
        """Looks at a state's lowest point, if it is lower than all before."""
        if not len(found.sums) or not found.sums.min() < self._sum:
            return
        place = int(found.sums.argmin())
        self._sum, x = float(found.sums[place]), found.points[place].copy()
        value = self._problem(x)
        if value < self.value and self._problem.in_box(x):
            self.value = value
            self.points.append(x)
            self._limits.improved(x, value, self._limits.evaluations)

    def lower(self) -> bool:
        """Whether the value is lower than when this was last asked, by more than rounding."""
        new = self.value < self._before * (1.0 - SAME)
        self._before = min(self._before, self.value)
        return new


def _rounds(model: Model, begin: Starts, rng: np.random.Generator, given: Floats | None) -> Iterator[State]:
    """The best points so far, after each round, the lowest first."""
    first = begin.drawn(rng, STARTS)
    if given is not None:
        first[: len(given)] = given[:STARTS]
    found = State.joined([model.state(part) for part in np.split(first, CUTS)])
    best, idle = found[:0], 0
    while True:
        for count, steps in STAGES:
            found = descend(model, found[_winners(found.sums, count, rng)], steps)
        before, best = best, _apart(State.joined([best, found]))
        yield best
        lower = not len(before.sums) or (len(best.sums) and best.sums[0] < before.sums[0] * (1.0 - SAME))
        idle = 0 if lower else idle + 1
        if idle >= ANEW:
            best, idle = best[:0], 0
        half = STARTS // 2
        found = model.state(np.concatenate([begin.drawn(rng, half), _near(begin, best, rng, half)]))


def _winners(sums: Floats, count: int, rng: np.random.Generator) -> Places:
    """The lowest of each of so many groups, made by chance; a group without a value has none."""
    groups = [group for group in np.array_split(rng.permutation(len(sums)), count) if len(group)]
    chosen = np.array([group[sums[group].argmin()] for group in groups], dtype=np.int64)
    return chosen[np.isfinite(sums[chosen])]


def _apart(found: State) -> State:
    """The lowest ones, each sum of squares once."""
    order = np.argsort(found.sums)
    order = order[np.isfinite(found.sums[order])]
    sums = found.sums[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = sums[1:] > sums[:-1] * (1.0 + 1e-6)
    return found[order[new][:KEPT]]


def _near(begin: Starts, best: State, rng: np.random.Generator, count: int) -> Floats:
    """Points near the best ones, near on a scale of logarithms; some coordinates of another, or with the other sign."""
    if not len(best.points):
        return begin.drawn(rng, count)
    ranks = np.minimum(rng.geometric(0.1, count) - 1, len(best.points) - 1)
    points = best.points[ranks].copy()
    width = 10.0 ** rng.uniform(-4, 0.5, (count, 1))
    moved = rng.random(points.shape) < 0.5
    points = np.where(moved, points * np.exp(width * rng.normal(size=points.shape)), points)
    other = best.points[rng.integers(len(best.points), size=count)]
    points = np.where(rng.random(points.shape) < 0.1, other, points)
    fresh = begin.drawn(rng, count)
    points = np.where(rng.random(points.shape) < 0.1, fresh, points)
    made: Floats = np.where(rng.random(points.shape) < 0.03, -points, points)
    return made
