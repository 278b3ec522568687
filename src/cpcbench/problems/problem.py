"""A problem: an expression on a box under an admissibility rule, and the ways to read it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.points import Points, as_point, as_points, check_finite, default_names
from cpcbench.problems.bridges import Bridges
from cpcbench.problems.checked import (
    checked_box,
    checked_expression,
    checked_names,
    checked_workers,
    identifier,
    shown_box,
    skips_variables,
)
from cpcbench.problems.facts import BestKnown, Facts
from cpcbench.problems.proven import infimum_of
from cpcbench.problems.records import Known, best_of, records_of
from cpcbench.readings.domain.constraints import TOLERANCE, Constraint, Statement, limited, words_of
from cpcbench.readings.text.notebook import InNotebooks
from cpcbench.rules import RULES, check_rule

if TYPE_CHECKING:
    from cpcbench.readings.domain.conditions import Condition
    from cpcbench.readings.doubles.fast import FastReading
    from cpcbench.readings.reals.enclosure import Enclosure
    from cpcbench.readings.reals.error_bound import Bound
    from cpcbench.readings.text import Exported

_FLOAT64 = np.dtype(np.float64)
_NDARRAY = np.ndarray


class Problem(Known, Bridges, InNotebooks):
    """An objective to be minimised over a box, undefined (NaN) outside its hidden domain.

    Call it with a point, or with many: the last axis is the point. It cannot be changed; other settings make another
    problem (`with_rule`).

    Parameters
    ----------
    id : str
        What it is called.
    expression : Expr
        The formula, of `cpcbench.expr`.
    lower, upper : array_like
        The box.
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    names : sequence of str, optional
        The variables in their order; unless given, x1 to xn.
    facts : Facts, optional
        What is published about it.
    smallest_dim : int, optional
        The fewest variables of a scalable formula; None if it is not scalable.
    best_known : BestKnown, optional
        The lowest value known; unless given, from facts, records and proofs.
    constraints : sequence of Constraint
        Those that the formula holds.
    """

    id: str
    expression: Expr
    lower: Points
    upper: Points
    rule: str
    names: tuple[str, ...]
    dim: int
    smallest_dim: int | None
    best_known: BestKnown | None
    constraints: tuple[Constraint, ...]
    facts: Facts | None
    _shape: tuple[int]
    _skips: bool

    def __init__(
        self,
        id: str,  # noqa: A002
        expression: Expr,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        rule: str = "ieee",
        names: Sequence[str] | None = None,
        facts: Facts | None = None,
        smallest_dim: int | None = None,
        best_known: BestKnown | None = None,
        constraints: Sequence[Constraint] = (),
    ) -> None:
        low, high = checked_box(lower, upper)
        n = len(low)
        if best_known is None and facts is not None:
            proof = infimum_of(facts.id, n) if facts.on_box(low, high) else None
            best_known = best_of(facts.best_known(n), records_of(facts.id, n).faithful, high - low, proof)
        self.__dict__.update(
            id=identifier(id),
            expression=checked_expression(expression, n),
            lower=low,
            upper=high,
            rule=check_rule(rule),
            names=checked_names(names, n),
            dim=n,
            smallest_dim=smallest_dim,
            best_known=best_known,
            constraints=tuple(constraints),
            facts=facts,
            _shape=(n,),
            _skips=skips_variables(expression, n),
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a problem cannot be changed ({name} was assigned)")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a problem cannot be changed ({name} was deleted)")

    def _settings(self) -> dict[str, Any]:
        names = ("id", "expression", "lower", "upper", "rule", "names", "smallest_dim", "best_known", "constraints")
        return {name: getattr(self, name) for name in (*names, "facts")}

    def __reduce__(self) -> tuple[Callable[[], Problem], tuple[()]]:
        return partial(Problem, **self._settings()), ()  # compiled kernels stay behind

    def _key(self) -> tuple[object, ...]:
        return self.id, self.expression, self.lower.tobytes(), self.upper.tobytes(), self.rule, self.names

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Problem) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"<Problem {self.id}: n = {self.dim}, box {shown_box(self.lower, self.upper)}, rule {self.rule}>"

    def __str__(self) -> str:
        name = self.id if self.title == self.id else f"{self.id} ({self.title})"
        return f"{name}, n = {self.dim}, box {shown_box(self.lower, self.upper)}, rule {self.rule}"

    # Its box

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """(lower, upper) of each variable, as SciPy wants them."""
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))

    @property
    def bounded(self) -> bool:
        """Whether every variable has two finite bounds."""
        return bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())

    def needs_box(self, what: str) -> None:
        """Raises an error, which names what needs it, unless the problem is bounded."""
        if not self.bounded:
            raise CpcbenchError(f"{self.id} has no box, some variable is unbounded: {what} needs finite bounds")

    # Readings

    @overload
    def __call__(self, x: Sequence[float], workers: int = 1) -> float: ...

    @overload
    def __call__(self, x: Sequence[Sequence[float]] | Sequence[Points], workers: int = 1) -> Points: ...

    @overload
    def __call__(self, x: ArrayLike, workers: int = 1) -> Any: ...

    def __call__(self, x: ArrayLike, workers: int = 1) -> Any:
        """The value in doubles: a float for one point, an array for (..., n); NaN where undefined.

        A data frame or a series is read by its labels, which are the `names` of the variables. Many points are shared
        out to so many threads as there are `workers`.
        """
        if type(x) is _NDARRAY and x.dtype is _FLOAT64 and x.shape == self._shape and x.flags.carray:
            value = self._point(x)
            if (value != value or self._skips) and not all(map(math.isfinite, x.tolist())):
                check_finite(x)  # names the coordinate
            return value
        points = as_points(x, self.dim, self.names)
        if points.ndim == 1:
            return self._point(points)
        return self.fast.batch(points.reshape(-1, self.dim), checked_workers(workers)).reshape(points.shape[:-1])

    def admissible(self, x: ArrayLike, workers: int = 1) -> Any:
        """Whether the value is defined: a bool for one point, an array for (..., n)."""
        points = as_points(x, self.dim, self.names)
        found = self.fast.admissible(points.reshape(-1, self.dim), checked_workers(workers))
        return bool(found[0]) if points.ndim == 1 else found.reshape(points.shape[:-1])

    def gradient(self, x: ArrayLike) -> Points:
        """The gradient in doubles, of the shape of `x`; NaN where undefined."""
        points = as_points(x, self.dim, self.names)
        return self.fast.gradient(points.reshape(-1, self.dim)).reshape(points.shape)

    def reference(self, x: ArrayLike) -> Any:
        """The verdict: as a call, with every operation correctly rounded, the same bits everywhere."""
        points = as_points(x, self.dim, self.names)
        if points.ndim == 1:
            return self._reference(points.tolist())
        values = [self._reference(point) for point in points.reshape(-1, self.dim).tolist()]
        return np.array(values, dtype=np.float64).reshape(points.shape[:-1])

    def enclosure(self, x: ArrayLike, constants: str = "decimal") -> Enclosure:
        """What the real number at this point is, rigorously; constants as the decimals written or as doubles."""
        from cpcbench.readings.reals.enclosure import enclose

        return enclose(self.expression, as_point(x, self.dim, self.names).tolist(), rule=self.rule, constants=constants)

    def error_bound(self, x: ArrayLike, constants: str = "decimal") -> Bound:
        """How far the value in doubles can be from the real one at this point."""
        from cpcbench.readings.reals.error_bound import error_bound

        return error_bound(
            self.expression, as_point(x, self.dim, self.names).tolist(), rule=self.rule, constants=constants
        )

    @property
    def conditions(self) -> list[Condition]:
        """The conditions a point must meet to be admissible: hidden ones, and those of the `constraints`."""
        return list(self._conditions)

    def violation(self, x: ArrayLike) -> Any:
        """By how much a point misses its conditions, all together: 0 where it is admissible, a number or an array.

        It is infinite where that is not known: where an operation overflows, or a branch of `where` is undefined.
        """
        points = as_points(x, self.dim, self.names)
        rows = points.reshape(-1, self.dim)
        missed = np.nansum(self.fast.violations(rows), axis=1)
        found = np.where(self.fast.admissible(rows), 0.0, np.where(missed > 0.0, missed, np.inf))
        return float(found[0]) if points.ndim == 1 else found.reshape(points.shape[:-1])

    def subject_to(self, *statements: str | Statement, tolerance: float = TOLERANCE) -> Problem:
        """The problem under constraints: undefined where a statement such as "x1 + x2 <= 1" does not hold.

        The sides of an equation, "x1*x2 == 0.5", may be apart by the tolerance, and 0 means exactly.
        """
        expression, more = limited(self.expression, statements, tolerance, n=self.dim, names=self._given_names)
        changed = {"expression": expression, "constraints": (*self.constraints, *more), "facts": None}
        return Problem(**{**self._settings(), **changed, "best_known": None}) if more else self

    @cached_property
    def formula(self) -> str:
        """The formula as text that `cpcbench.parse` reads."""
        from cpcbench.readings.text import formula

        return formula(self.expression, names=self._given_names)

    @cached_property
    def latex(self) -> str:
        """The formula as LaTeX."""
        from cpcbench.readings.text import latex

        return latex(self.expression, names=self._given_names)

    @cached_property
    def mathml(self) -> str:
        """The formula as a MathML element, for web pages."""
        from cpcbench.readings.text import mathml

        return mathml(self.expression, names=self._given_names)

    def to_sympy(self) -> Any:
        """The formula as a SymPy expression of symbols with the problem's names, nothing simplified."""
        from cpcbench.readings.text.symbolic import symbolic

        return symbolic(self.expression, self.names)

    def export(self, language: str, undefined: float | None = None) -> Exported:
        """The problem as source text of another language; programs return NaN, or `undefined`, where undefined."""
        from cpcbench.readings.text import export

        lower, upper = self.lower.tolist(), self.upper.tolist()
        given = {"lower": lower, "upper": upper, "names": self._given_names, "undefined": undefined}
        text = export(self.expression, language, name=self.id, **given)
        if self.rule == "strict":
            text.warnings.append("the exported formula follows the rule ieee, this problem the rule strict")
        return text

    def with_rule(self, rule: str) -> Problem:
        """The same problem under the rule "ieee" or "strict"."""
        return self if check_rule(rule) == self.rule else self._other_rule

    def in_box(self, x: ArrayLike) -> Any:
        """Whether every coordinate lies within its bounds: a bool, or an array for (..., n)."""
        points = as_points(x, self.dim, self.names)
        inside = ((self.lower <= points) & (points <= self.upper)).all(axis=-1)
        return bool(inside) if points.ndim == 1 else inside

    # Readings are made when first used and kept

    def _point(self, x: Points) -> float:
        self.__dict__["_point"] = self.fast.point  # later calls go straight to the kernel
        return self.fast.point(x)

    @cached_property
    def fast(self) -> FastReading:
        """The compiled kernels, for loops of one's own over arrays that are known to be right."""
        from cpcbench.readings.doubles.fast import FastReading

        return FastReading(self.expression, self.lower, self.upper, self.rule)

    @cached_property
    def _other_rule(self) -> Problem:
        rule = next(r for r in RULES if r != self.rule)
        return Problem(**{**self._settings(), "rule": rule})

    @cached_property
    def _reference(self) -> Callable[[Sequence[float]], float]:
        from cpcbench.readings.reals.reference import Reference

        return Reference(self.expression, self.rule)

    @cached_property
    def _conditions(self) -> tuple[Condition, ...]:
        from cpcbench.readings.domain.conditions import conditions

        lower, upper = self.lower.tolist(), self.upper.tolist()
        names, stated = self._given_names, words_of(self.constraints)
        return conditions(self.expression, rule=self.rule, lower=lower, upper=upper, names=names, stated=stated)

    @property
    def _given_names(self) -> tuple[str, ...] | None:
        """The user's names of the variables; None if they are x1 to xn."""
        return None if self.names == default_names(self.dim) else self.names
