"""The objective a solver sees: the one home of budget, count, undefined values, best-so-far and time."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.limits import checked_budget, checked_seconds
from cpcbench.points import Points, as_points, search_box
from cpcbench.problems.problem import Problem
from cpcbench.problems.undefined import POLICIES, check_policy
from cpcbench.solvers.functions.black_box import BlackBox

_FLOAT64 = np.dtype(np.float64)

CLOCK_EVERY = 256
"""Single evaluations between two looks at the clock; those of a function, which may take long, have one each."""


class StopRun(BaseException):
    """Raised by the objective when the budget or the time is spent; solvers let it pass.

    `reason` is "budget" or "time". What was found so far stays in the objective.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the run's {reason} is spent")
        self.reason = reason

    def __reduce__(self) -> tuple[type[StopRun], tuple[str]]:
        return StopRun, (self.reason,)


class Objective:
    """A problem to be minimised within a budget; call it with one point or a batch of points.

    Points outside the box are undefined here; where the problem has no bound, the objective's `lower` and `upper` are
    where to begin, and points beyond them count. `best_value` and `best_x` are the lowest defined value
    seen and its point (NaN and None before there is one), `trajectory` the improvements as pairs
    (number of evaluations, value).
    """

    def __init__(
        self,
        problem: Problem,
        *,
        budget: int | None = None,
        undefined: str = "nan",
        seconds: float | None = None,
    ) -> None:
        if budget is not None:
            checked_budget(budget)
        if seconds is not None:
            checked_seconds(seconds)
        self.problem = problem
        self.dim = problem.dim
        box = (problem.lower, problem.upper) if problem.bounded else search_box(problem.lower, problem.upper)
        self.lower, self.upper = box
        self.bounds = list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))
        self.budget = budget
        self.undefined = check_policy(undefined)
        self.evaluations = 0
        self.undefined_count = 0
        self.best_value = math.nan
        self.best_x: Points | None = None
        self.trajectory: list[tuple[int, float]] = []
        self._least = math.inf  # best_value for comparisons: strict < then rejects NaN by itself
        self._limit = math.inf if budget is None else budget
        self._substitute = POLICIES[undefined]
        self._reading = problem.fast
        self._kernel = self._reading.boxed
        self._scratch = np.empty(1)
        self._lows = np.empty(0, dtype=np.int64)
        self._shape = (problem.dim,)
        self.started = time.perf_counter()
        self._deadline = math.inf if seconds is None else self.started + seconds
        self._each = isinstance(problem, BlackBox)
        self._next_look = 0 if self._each else CLOCK_EVERY

    @property
    def remaining(self) -> float:
        """Evaluations left; infinite without a budget."""
        return self._limit - self.evaluations

    @property
    def seconds_left(self) -> float:
        """Time left; infinite without a limit."""
        return self._deadline - time.perf_counter()

    def __call__(self, x: ArrayLike) -> Any:
        """The value, or an array of values for points of shape (m, n)."""
        if type(x) is not np.ndarray or x.dtype is not _FLOAT64 or x.shape != self._shape or not x.flags.carray:
            return self._general(x)
        if self.evaluations >= self._next_look:
            self._look_at_clock()
        if self.evaluations >= self._limit:
            raise StopRun("budget")
        self.evaluations += 1
        value = self._kernel(x, self._scratch)
        if value < self._least:
            self._improve(value, x, self.evaluations)
        elif value != value:
            self.undefined_count += 1
            return self._substitute
        return value

    def _general(self, x: ArrayLike) -> Any:
        points = as_points(x, self.dim, self.problem.names) if not _is_ready(x) else np.asarray(x)
        if points.ndim == 1:
            return self(points)
        if points.ndim != 2:
            raise CpcbenchError(f"a batch has the shape (m, {self.dim}), not {points.shape}")
        return self._batch(points)

    def _batch(self, points: Points) -> Points:
        if self._each:
            return np.array([self(point) for point in points])
        self._look_at_clock()
        allowed = int(min(len(points), self.remaining))
        values = np.empty(allowed)
        if len(self._lows) < allowed:
            self._lows = np.empty(allowed, dtype=np.int64)
        undefined, improved = self._reading.tallied(
            points[:allowed].reshape(-1), values, self._lows, self._least, self._substitute
        )
        for i in self._lows[:improved].tolist():
            self._improve(values[i], points[i], self.evaluations + i + 1)
        self.evaluations += allowed
        self.undefined_count += undefined
        if allowed < len(points):
            raise StopRun("budget")
        return values

    def _improve(self, value: float, x: Points, evaluation: int) -> None:
        self._least = self.best_value = float(value)
        self.best_x = x.copy()
        self.trajectory.append((evaluation, self.best_value))

    def _look_at_clock(self) -> None:
        self._next_look = self.evaluations + (0 if self._each else CLOCK_EVERY)
        if time.perf_counter() >= self._deadline:
            raise StopRun("time")


def _is_ready(x: ArrayLike) -> bool:
    """Whether the kernel can read the array as it is; a NaN in it comes out as undefined."""
    return type(x) is np.ndarray and x.dtype is _FLOAT64 and x.flags.carray and x.ndim == 2
