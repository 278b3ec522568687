"""The formula as the search evaluates it: every point counts, and the lowest are kept whatever ends the search."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.clock import OutOfTimeError
from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.requirements import domain_requirements
from cpcbench.solvers.white_box.extended import looks_faithful
from cpcbench.solvers.white_box.limits import Limits


def regular_part(problem: Problem) -> Problem:
    """The problem without its thin sets: under the rule strict, where that makes a difference."""
    strict, given = (domain_requirements(problem.expression, rule=rule) for rule in ("strict", problem.rule))
    same = [(r.relation, *map(id, r.operands)) for r in strict] == [(r.relation, *map(id, r.operands)) for r in given]
    return problem if same else problem.with_rule("strict")


class Lowest:
    """The lowest of all points evaluated, and the lowest of those that look faithful in extended precision.

    Each point that is the lowest so far is looked at, so that a faithful one stays although an accident of
    rounding is lower later; `faithful` are all that were the lowest such ones in their turn. `rounded` is the
    lowest of those that look faithful only with the formula's constants as doubles, such as 0.3 in sqrt(x1 - 0.3).
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self._root, self._limits = problem.expression, limits
        self.value = self.faithful_value = math.inf
        self.x: Floats | None = None
        self.faithful: list[tuple[float, Floats]] = []
        self.rounded: tuple[float, Floats | None] = math.inf, None

    def records(self, points: Floats, values: Floats, numbers: Places) -> None:
        """Points each lower than all before it, and which evaluations they were: the user is told of each."""
        self.x, self.value = points[-1].copy(), float(values[-1])
        for i in self._faithful_ones(points, values):
            self._lower(points[i], float(values[i]), int(numbers[i]))

    def consider(self, points: Floats, values: Floats) -> None:
        """Points that were evaluated before and may be the lowest faithful ones."""
        low = self._faithful_ones(points, values)
        if len(low):
            best = int(low[np.argmin(values[low])])
            self._lower(points[best], float(values[best]), self._limits.evaluations)

    def _lower(self, x: Floats, value: float, number: int) -> None:
        self.faithful_value = value
        self.faithful.append((value, x.copy()))
        self._limits.improved(x.copy(), value, number)

    def _faithful_ones(self, points: Floats, values: Floats) -> Places:
        """Which of them are lower than the lowest faithful one and look so, too."""
        low = np.flatnonzero(values < self.faithful_value)
        if not len(low):
            return low
        so = looks_faithful(self._root, points[low], values[low])
        self._consider_rounded(points[low[~so]], values[low[~so]])
        return low[so]

    def _consider_rounded(self, points: Floats, values: Floats) -> None:
        low = np.flatnonzero(values < self.rounded[0])
        low = low[looks_faithful(self._root, points[low], values[low], "double")]
        if len(low):
            best = int(low[np.argmin(values[low])])
            self.rounded = float(values[best]), points[best].copy()


class Counted:
    """`counted(points, out)` as the kernel of a problem; what the limits leave is evaluated, and then it raises."""

    def __init__(self, problem: Problem, limits: Limits, lowest: Lowest) -> None:
        self._tallied, self._n = problem.fast.tallied, problem.dim
        self._limits, self._lowest = limits, lowest
        self._lows = np.empty(64, dtype=np.int64)

    def __call__(self, flat: Floats, out: Floats) -> float:
        allowed = self._limits.room(len(out))
        if len(self._lows) < allowed:
            self._lows = np.empty(allowed, dtype=np.int64)
        points, values = flat[: allowed * self._n], out[:allowed]
        undefined, improved = self._tallied(points, values, self._lows, self._lowest.value, math.nan)
        self._limits.evaluations += allowed
        self._limits.undefined += undefined
        if improved:
            rows = self._lows[:improved]
            numbers = self._limits.evaluations - allowed + 1 + rows
            self._lowest.records(flat.reshape(-1, self._n)[rows], out[rows], numbers)
        if allowed < len(out):
            raise OutOfTimeError
        return 0.0


class ThinPart:
    """Values on thin sets: where the rule of the problem gives one and the rule strict does not. Keeps the lowest."""

    def __init__(self, problem: Problem) -> None:
        self._wide = problem.fast.boxed  # what counts is the evaluation of the regular part at the same points
        self.value = math.inf
        self.x: Floats | None = None

    def __call__(self, points: Floats, regular: Floats) -> Floats:
        """The values at points whose regular ones are these; NaN where that is one, or where there is none."""
        found = np.full(len(points), np.nan)
        rows = np.flatnonzero(np.isnan(regular))
        if len(rows):
            values = np.empty(len(rows))
            self._wide(np.ascontiguousarray(points[rows]).reshape(-1), values)
            found[rows] = values
            best = int(np.argmin(np.where(np.isnan(values), np.inf, values)))
            if values[best] < self.value:
                self.x, self.value = points[rows[best]].copy(), float(values[best])
        return found
