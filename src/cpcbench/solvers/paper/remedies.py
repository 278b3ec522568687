"""The paper's two remedies, for any solver: admissible start points, and the hidden conditions made explicit.

The first needs nothing but the objective. The second is a white box: it reads the formula.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.points import Points, as_points
from cpcbench.problems.undefined import POLICIES
from cpcbench.readings.domain.requirements import SPANS, Span
from cpcbench.readings.doubles.arrays import array_values
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import UNDEFINED, check_whole
from cpcbench.solvers.registry import Solver

if TYPE_CHECKING:
    from cpcbench.readings.domain.conditions import Condition


def monte_carlo_start(
    solver: Solver, samples: int = 1_000_000, *, points: int = 1, share: float = 0.5, batch: int = 1000
) -> Solver:
    """The solver, begun at admissible points found by uniform sampling.

    Samples are drawn until `points` admissible ones are found, but at most `samples` and at most the
    `share` of a budget; all of them count as evaluations. Without a find the solver starts as ever.
    """
    if "start" not in inspect.signature(solver.solve).parameters:
        raise CpcbenchError(f"{solver.name} cannot be given a start: its function has no parameter 'start'")
    check_whole(samples=samples, points=points, batch=batch)
    if not 0.0 < share <= 1.0:
        raise CpcbenchError(f"the share of the budget is above 0 and at most 1, not {share!r}")
    summary = f"{solver.summary} Begun at admissible points found by sampling."
    return _wrapped(solver, _Started(solver.solve, samples, points, share, batch), "+start", summary)


@dataclass(frozen=True)
class _Started:
    """A solve function that samples for its start points first; an object, so that it can be pickled."""

    solve: Callable[..., Any]
    samples: int
    points: int
    share: float
    batch: int

    @property
    def __signature__(self) -> inspect.Signature:
        whole = inspect.signature(self.solve)
        return whole.replace(parameters=[p for name, p in whole.parameters.items() if name != "start"])

    def __call__(self, objective: Objective, rng: np.random.Generator, **parameters: Any) -> Any:
        before = objective.evaluations
        most = int(min(self.samples, self.share * objective.remaining))
        start = admissible_points(objective, rng, most, self.points, self.batch)
        drawn = objective.evaluations - before
        given = {"start": start} if len(start) else {}
        result = self.solve(objective, rng, **given, **parameters)
        if isinstance(getattr(result, "nfev", None), int):
            result.nfev += drawn
        return _noted(result, f"{len(start)} admissible start points from {drawn} samples")


def admissible_points(objective: Objective, rng: np.random.Generator, most: int, points: int, batch: int) -> Points:
    """Up to `points` admissible points among at most `most` uniform samples, lowest values first."""
    found = np.empty((0, objective.dim))
    values = np.empty(0)
    drawn = 0
    while drawn < most and len(found) < points:
        size = min(batch, most - drawn)
        drawn += size
        sample = rng.uniform(objective.lower, objective.upper, size=(size, objective.dim))
        sampled = np.asarray(objective(sample))
        admissible = sampled < UNDEFINED
        found = np.concatenate([found, sample[admissible]])
        values = np.concatenate([values, sampled[admissible]])
    return found[np.argsort(values, kind="stable")[:points]]


def explicit_conditions(solver: Solver) -> Solver:
    """The solver, shown how far an undefined point is from meeting the hidden conditions.

    See `GradedObjective`. The solver then reads the formula, through the conditions derived from it.
    """
    summary = f"{solver.summary} Undefined points graded by their violated conditions."
    return _wrapped(solver, _Conditioned(solver.solve), "+conditions", summary, undefined="nan", expression=True)


@dataclass(frozen=True)
class _Conditioned:
    """A solve function that sees the graded objective; an object, so that it can be pickled."""

    solve: Callable[..., Any]

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.solve)

    def __call__(self, objective: Objective, rng: np.random.Generator, **parameters: Any) -> Any:
        graded = GradedObjective(objective)
        result = self.solve(graded, rng, **parameters)
        return _noted(result, f"the conditions were computed at {graded.condition_points} points")


class GradedObjective:
    """An objective whose undefined points are graded: 1e100 (1 + violation), the violation from 0 to 1.

    The violation is the mean over the hidden conditions: nothing for one that holds, a / (1 + a) for
    one missed by the amount a, one for a condition that cannot be computed because an inner one
    fails. So every undefined point stays above every admissible one, and meeting inner conditions
    uncovers the outer ones. Points outside the box cost twice the penalty.

    A power with a variable exponent counts by its cases of no whole number: its base is to be >= 0.
    Thin sets, where the exponent is an exact whole number and a negative base is admissible (CPC-DF14
    at x1 = -0.5), are no violation once met, the value there being defined, but nothing leads to them:
    this is where conditions handed over as constraints are not the same problem any more.

    Budget, evaluations, best point and trajectory are those of the objective inside;
    `condition_points` counts the points at which the conditions were computed.
    """

    def __init__(self, objective: Objective) -> None:
        self.inner = objective
        self.undefined = "penalty"
        self.condition_points = 0
        self._substitute = POLICIES[objective.undefined]
        self._conditions: list[Condition] = objective.problem.conditions

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # not there yet, as while being copied
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __call__(self, x: ArrayLike) -> Any:
        """The value, or the graded penalty where it is undefined; for one point or a batch."""
        found = self.inner(x)
        if isinstance(found, float):
            if not self._is_undefined(np.float64(found)):
                return found
            return float(self._graded(as_points(x, self.inner.dim).reshape(1, -1))[0])
        undefined = self._is_undefined(found)
        if not undefined.any():
            return found
        values = found.copy()
        values[undefined] = self._graded(np.asarray(x, dtype=np.float64)[undefined])
        return values

    def _is_undefined(self, values: Any) -> Any:
        return np.isnan(values) | (values == self._substitute)

    def _graded(self, points: Points) -> Points:
        self.condition_points += len(points)
        inside = ((self.inner.lower <= points) & (points <= self.inner.upper)).all(axis=1)
        grade = violation(self.inner.problem.expression, self._conditions, points)
        return np.where(inside, UNDEFINED * (1.0 + grade), 2.0 * UNDEFINED)


def violation(expression: Expr, conditions: list[Condition], points: Points) -> Points:
    """How far points are from meeting the conditions, from 0 (all hold) to 1 (none can be computed)."""
    total = np.zeros(len(points))
    counted = [c for c in conditions if c.relation != "finite"]
    values = array_values(expression, np.ascontiguousarray(points.T))
    with np.errstate(all="ignore"):
        for condition in counted:
            amount = _AMOUNT[condition.relation](np.asarray(values[id(condition.operand)], dtype=np.float64))
            if condition.exponent is not None:  # an exponent that cannot be computed leaves the power unknown
                amount = amount + 0.0 * np.asarray(values[id(condition.exponent)], dtype=np.float64)
            total += np.where(np.isfinite(amount), amount / (1.0 + amount), 1.0)
    return total / max(1, len(counted))


def _outside(span: Span) -> Callable[[Points], Points]:
    if span.is_half_line:
        return lambda a: np.maximum(span.low - a, 0.0)
    return lambda a: np.maximum(np.abs(a) - span.high, 0.0)


_AMOUNT: dict[str, Callable[[Points], Points]] = {
    **{relation: _outside(span) for relation, span in SPANS.items()},
    "nonzero": lambda a: np.where(a == 0.0, math.ulp(0.0), 0.0 * a),
    "whole": lambda a: np.abs(a - np.rint(a)),
    "power": lambda a: np.maximum(-a, 0.0),
    "strict power": lambda a: np.maximum(-a, 0.0),
}
"""By how much a condition is missed; NaN where its value cannot be computed (np.maximum keeps NaN)."""


def _wrapped(solver: Solver, solve: Any, suffix: str, summary: str, **changes: Any) -> Solver:
    settings = {**solver.__dict__, "name": f"{solver.name}{suffix}", "solve": solve, "summary": summary.strip()}
    return Solver(**{**settings, **changes})


def _noted(result: Any, note: str) -> Any:
    """The result with a remark added to its message, if it has one."""
    message = getattr(result, "message", None)
    if isinstance(message, str):
        result.message = f"{message}; {note}"
    return result
