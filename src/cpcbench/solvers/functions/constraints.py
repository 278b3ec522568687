"""Constraints beside a function: SciPy's objects, dictionaries, statements as text; and by how much they are missed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cpcbench.entrance.refusal import TraceError
from cpcbench.entrance.trace import formula_of
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import total
from cpcbench.expr.nodes import Expr, num, var
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.constraints import TOLERANCE, Statement, between, checked_tolerance
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.solvers.functions.answers import NOT_CALLED, Answer
from cpcbench.solvers.sources import IDENTITY, function_source

ACCEPTED = (
    "constraints are statements such as 'x1 + x2 <= 1', SciPy's LinearConstraint and NonlinearConstraint, and "
    "dictionaries {'type': 'ineq' or 'eq', 'fun': ..., 'args': ...}"
)

TRIED = 20
"""Points at which a constraint's function is called to learn how many numbers it gives."""

SINGLE = (str, Mapping)


@dataclass(frozen=True)
class Limit:
    """Numbers that a function of a point gives, and between what they have to be."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    low: Any
    high: Any

    def _sides(self, x: Points, tolerance: float) -> tuple[Points, Points]:
        """How far the numbers are above their lower limits, and below their upper ones; NaN where one is not known."""
        try:
            with np.errstate(all="ignore"):
                found = np.atleast_1d(np.asarray(self.function(x.copy(), *self.args), dtype=np.float64))
        except (Exception, SystemExit):  # what cannot be computed is not met
            return np.array([math.nan]), np.array([math.nan])
        low, high = self.low, self.high
        slack = np.where(np.equal(low, high), tolerance, 0.0)
        known = np.where(np.isfinite(found), found, math.nan)
        return (known - low + slack).reshape(-1), (high - known + slack).reshape(-1)

    def rooms(self, x: Points, tolerance: float) -> Points:
        """How far the numbers are above their lower limits, and then below their upper ones, where there are any; NaN
        where one is not known."""
        above, below = self._sides(x, tolerance)
        no_lower, no_upper = np.equal(self.low, -math.inf).reshape(-1), np.equal(self.high, math.inf).reshape(-1)
        one_side = above[np.broadcast_to(~no_lower | no_upper, above.shape)]
        return np.concatenate([one_side, below[np.broadcast_to(~no_upper, below.shape)]])

    def all_rooms(self, points: Points, tolerance: float) -> Points:
        """The same for many points, the rows."""
        rows = [self.rooms(x, tolerance) for x in points]
        most = max(map(len, rows), default=0)
        return np.array([row if len(row) == most else np.full(most, math.nan) for row in rows]).reshape(-1, most)

    def amounts(self, x: Points, tolerance: float) -> Points:
        """By how much each number misses its limits; NaN where that is not known."""
        above, below = self._sides(x, tolerance)
        return np.maximum(np.maximum(-above, -below), 0.0)

    def statements(self, n: int, box: tuple[Points, Points]) -> Iterator[Statement]:
        """The same for a formula: the function is read."""
        sample = np.random.default_rng(0).uniform(*box, (TRIED, n))
        shapes = [shape for x in sample if (shape := self._shape(x)) is not None]
        name = getattr(self.function, "__name__", type(self.function).__name__)
        if not shapes:
            raise CpcbenchError(f"the constraint {name} has no value at {TRIED} points of the box")
        if len(shapes[0]) > 1:
            raise CpcbenchError(
                f"the constraint {name} gives an array of shape {shapes[0]}: a list of numbers is needed"
            )
        count = shapes[0][0] if shapes[0] else 1
        lows, highs = (np.broadcast_to(side, (count,)).tolist() for side in (self.low, self.high))
        for place, (low, high) in enumerate(zip(lows, highs, strict=True)):
            yield from between(low, self._read(n, place if shapes[0] else None), high, f"{name}(x)[{place}]")

    def _shape(self, x: Points) -> tuple[int, ...] | None:
        try:
            return tuple(np.shape(self.function(x.copy(), *self.args)))
        except Exception:  # a user's function may fail at a point
            return None

    def _read(self, n: int, place: int | None) -> Expr:
        function, args = self.function, self.args
        if place is None:
            return formula_of(function, n, args)
        return formula_of(lambda x: function(x, *args)[place], n)


@dataclass(frozen=True)
class Straight:
    """SciPy's LinearConstraint."""

    matrix: Any
    low: Any
    high: Any

    @property
    def _limit(self) -> Limit:
        return Limit(lambda point: self.matrix @ point, (), self.low, self.high)

    def all_rooms(self, points: Points, tolerance: float) -> Points:
        return self._limit.all_rooms(points, tolerance)

    def amounts(self, x: Points, tolerance: float) -> Points:
        return self._limit.amounts(x, tolerance)

    def statements(self, n: int, _box: tuple[Points, Points]) -> Iterator[Statement]:
        if self.matrix.shape[1] != n:
            raise CpcbenchError(f"the matrix of a constraint has {self.matrix.shape[1]} columns for {n} variables")
        lows, highs = (np.broadcast_to(side, len(self.matrix)).tolist() for side in (self.low, self.high))
        for row, low, high in zip(self.matrix.tolist(), lows, highs, strict=True):
            terms = [var(i) if factor == 1.0 else num(factor) * var(i) for i, factor in enumerate(row) if factor]
            yield from between(low, total(terms), high)


@dataclass(frozen=True)
class Stated:
    """A statement as text, about the variables x1 to xn."""

    text: str
    n: int
    tolerance: float

    @cached_property
    def problem(self) -> Problem:
        """The number 0 under the statement."""
        free = Problem("constraint", num(0), [-math.inf] * self.n, [math.inf] * self.n)
        return free.subject_to(self.text, tolerance=self.tolerance)

    def amounts(self, x: Points, _tolerance: float) -> Points:
        missed = self.problem.violation(x)
        return np.array([missed if missed < math.inf else math.nan])

    def all_rooms(self, points: Points, tolerance: float) -> Points:
        parts = [part for stated in self.problem.constraints for part, _ in stated.parts]
        if not parts:  # of `or`, `not`, `<` and `!=` it is known only whether they hold
            return np.array([0.0 * self.amounts(x, tolerance) for x in points])
        return np.stack([evaluate(part, points) for part in parts], axis=1)

    def statements(self, _n: int, _box: tuple[Points, Points]) -> Iterator[str]:
        yield self.text


class Limits:
    """All constraints of a problem; as a function it is 0 where they hold, and grows with what is missed."""

    def __init__(self, given: Any, n: int, tolerance: float = TOLERANCE) -> None:
        self.tolerance = checked_tolerance(tolerance)
        single = isinstance(given, SINGLE) or not isinstance(given, Iterable)
        self._members = [_member(item, n, self.tolerance) for item in ([given] if single else given)]

    def __bool__(self) -> bool:
        return bool(self._members)

    def amounts(self, x: Points) -> Points:
        """By how much the constraints are missed, one after the other; NaN where that cannot be computed."""
        return np.concatenate([member.amounts(x, self.tolerance) for member in self._members])

    def rooms(self, points: Points) -> Points:
        """By how much points, the rows, meet each limit: negative where one is missed, NaN where nothing is known."""
        return np.concatenate([member.all_rooms(points, self.tolerance) for member in self._members], axis=1)

    def __call__(self, x: Points, *_args: Any) -> float:
        missed = self.amounts(x)
        if missed.any():
            return float(np.log1p(missed).sum())  # NaN where one of them has no value
        return 0.0

    def applied(self, problem: Problem) -> Problem:
        """The problem under the constraints, which have to be formulas or functions that can be read."""
        box = np.maximum(problem.lower, -1e6), np.minimum(problem.upper, 1e6)
        try:
            found = [s for member in self._members for s in member.statements(problem.dim, box)]
        except TraceError as error:
            raise TraceError(f"a constraint cannot be read, so method='black-box' has to call it: {error}") from error
        return problem.subject_to(*found, tolerance=self.tolerance)

    @property
    def identity(self) -> dict[str, Any]:
        """What they are, in JSON's kinds, to be compared with those of another search."""
        return {"tolerance": self.tolerance, "constraints": [_identity(member) for member in self._members]}


def _identity(member: Limit | Straight | Stated) -> Any:
    if isinstance(member, Stated):
        return member.text
    sides = [np.asarray(side).tolist() for side in (member.low, member.high)]
    if isinstance(member, Straight):
        return [member.matrix.tolist(), *sides]
    source = function_source(member.function)
    return [{name: source[name] for name in IDENTITY if name in source}, repr(member.args), *sides]


def _member(item: Any, n: int, tolerance: float) -> Limit | Straight | Stated:
    if isinstance(item, str):
        stated = Stated(item, n, tolerance)
        _ = stated.problem  # read now: trouble with the text is not the point's
        return stated
    if isinstance(item, Mapping):
        return _of_dictionary(item)
    if hasattr(item, "A") and hasattr(item, "lb"):
        matrix = np.atleast_2d(item.A.toarray() if hasattr(item.A, "toarray") else np.asarray(item.A, dtype=np.float64))
        return Straight(matrix, _side(item.lb), _side(item.ub))
    if callable(getattr(item, "fun", None)) and hasattr(item, "lb"):
        return Limit(item.fun, (), _side(item.lb), _side(item.ub))
    raise CpcbenchError(f"{ACCEPTED}, not {item!r}")


def _of_dictionary(item: Mapping[str, Any]) -> Limit:
    kind, function, args = item.get("type"), item.get("fun"), item.get("args", ())
    if kind not in ("ineq", "eq") or not callable(function) or not isinstance(args, Sequence):
        raise CpcbenchError(f"{ACCEPTED}, not {dict(item)!r}")
    return Limit(function, tuple(args), np.float64(0.0), np.float64(0.0 if kind == "eq" else math.inf))


def _side(bound: Any) -> Any:
    side = np.asarray(bound, dtype=np.float64)
    if np.isnan(side).any():
        raise CpcbenchError(f"a constraint's limits are numbers or infinite, not {bound!r}")
    return side


class Limited:
    """A function where the constraints hold; elsewhere it is not called, and undefined. It takes one point, or rows."""

    def __init__(self, function: Callable[..., Any], limits: Limits) -> None:
        self.function, self.limits = function, limits

    def __call__(self, x: Points, *args: Any) -> Any:
        if x.ndim == 2:
            return self._rows(x, args)
        return self.function(x, *args) if self.limits(x) == 0.0 else Answer(math.nan, returned=NOT_CALLED)

    def _rows(self, points: Points, args: tuple[Any, ...]) -> Any:
        """An answer for each row; the function is called once, with the rows at which the constraints hold."""
        inside = np.array([self.limits(x) == 0.0 for x in points])
        found = np.empty(len(points), dtype=object)
        for row in np.flatnonzero(~inside):
            found[row] = Answer(math.nan, returned=NOT_CALLED)
        if inside.any():
            values = np.asarray(self.function(points[inside], *args))
            count = int(inside.sum())
            if values.shape not in ((count,), (count, 1)):
                raise TypeError(f"{count} values are expected for as many points, not an array of shape {values.shape}")
            found[inside] = values.reshape(-1)
        return found


class Both:
    """How far a point is from the constraints and from where a function is defined, together."""

    def __init__(self, limits: Limits, other: Callable[..., float]) -> None:
        self.limits, self.other = limits, other

    def __call__(self, x: Points, *args: Any) -> float:
        return self.limits(x) + self.other(x, *args)
