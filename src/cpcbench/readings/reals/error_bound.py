"""How far the correctly rounded double can be from the real value: a rigorous running error bound.

Every node carries its double and a radius around it that contains the node's real value; the next
operation is applied to the whole ball, and its own rounding is added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from cpcbench.errors import PointError
from cpcbench.expr.nodes import COMPARISONS, Expr
from cpcbench.expr.walk import walk
from cpcbench.readings.reals.enclosure import rounded_up
from cpcbench.readings.reals.exact import NEGATIVE, POSITIVE, ZERO, Number, rational, working_precision
from cpcbench.readings.reals.outcomes import is_open
from cpcbench.readings.reals.reference import Reference
from cpcbench.readings.reals.steps import Facts, RealSteps, Step, exact_point

BITS = 128
"""Enough that the radius is rounding error of the doubles, not of the balls."""


@dataclass(frozen=True)
class Bound:
    """The double `value` (NaN if undefined) and a `radius` around it that holds the real value.

    The radius holds under the assumption that the formula is defined at the point in the reals. If
    not `straddles`, doubles and reals agree on that (overflow apart); otherwise some condition was
    so near its boundary that rounding could decide it, first in the operation `decisive`.
    """

    value: float
    radius: float
    straddles: bool
    decisive: str | None = None

    def contains(self, value: float) -> bool:
        """Whether a double lies within the radius."""
        if not math.isfinite(value) or not math.isfinite(self.value):
            return False
        return self.radius == math.inf or abs(Fraction(value) - Fraction(self.value)) <= Fraction(self.radius)

    def __str__(self) -> str:
        doubt = f", rounding may decide {self.decisive}" if self.straddles else ""
        return f"{self.value!r} ± {self.radius:.3g}{doubt}"


def error_bound(root: Expr, point: Sequence[float], *, rule: str = "ieee", constants: str = "decimal") -> Bound:
    """The double that the reference reading gives at a point, and how far from it the real value can be."""
    facts = Facts.of(root, rule, constants)
    doubles = _doubles(root, point)
    values = Reference(root, rule).values(doubles)
    with working_precision(BITS):
        steps = _RoundedSteps(facts, [Fraction(x) for x in doubles], values)
        last = walk(root, steps.table())
        value = values[id(root)]
        radius = (
            rounded_up(_distance(last.number, value)) if last.number is not None and math.isfinite(value) else math.inf
        )
    straddles = is_open(last.outcome)
    return Bound(value, radius, straddles, last.doubt.op if straddles and last.doubt is not None else None)


class _RoundedSteps(RealSteps):
    """The steps in the reals, each result widened to a ball around the double of its node."""

    def __init__(self, facts: Facts, point: Sequence[Fraction], values: dict[int, float]) -> None:
        super().__init__(facts, point)
        self._values = values

    def step(self, node: Expr, *arguments: Step) -> Step:
        real = super().step(node, *arguments)
        value = self._values[id(node)]
        if node.op in COMPARISONS or real.number is None or not math.isfinite(value):
            return real
        return Step(self._around(node, value, real.number), real.outcome, real.doubt)

    def _around(self, node: Expr, value: float, real: Number) -> Number:
        radius = _distance(real, value)
        # The signs cover the double as well: exp is positive in the reals, yet may round to 0.
        signs = real.signs | (POSITIVE if value > 0.0 else NEGATIVE if value < 0.0 else ZERO)
        exact = None if not radius.is_zero() else (rational(value), flint.fmpq(0))
        return Number(flint.arb(value, radius), signs, self.reals.keys("node", id(node)), exact=exact)


def _distance(number: Number, value: float) -> Any:
    """An upper bound, as an exact ball, on the distance of the number from a double."""
    ball = number.ball - flint.arb(value)
    return ball.abs_upper() if ball.is_finite() else flint.arb("inf")


def _doubles(root: Expr, point: Sequence[float]) -> list[float]:
    doubles = []
    for place, (exact, given) in enumerate(zip(exact_point(root, point), point, strict=True), start=1):
        try:
            doubles.append(float(given))  # not float(exact): a fraction has no -0.0
        except OverflowError:
            doubles.append(math.inf)
        if doubles[-1] != exact:
            raise PointError(f"coordinate {place} is {given}, and an error bound takes IEEE doubles")
    return doubles
