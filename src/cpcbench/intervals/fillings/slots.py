"""The slots of a tape that know a quotient with holes by Taylor series from its holes on."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from cpcbench.expr.nodes import Expr
from cpcbench.intervals import operations as ops
from cpcbench.intervals.fillings.holes import TERMS, Hole, HoledQuotient
from cpcbench.intervals.fillings.taylor import coefficients
from cpcbench.intervals.functions.table import ASKS, NUMBERS

HIDDEN = -2
"""The owner of a slot whose condition is none of the formula's."""

Emit = Callable[..., int]


class HoleSlots:
    """`emit` gives the slot for an operation, `constant` that of a constant, `power` that of a constant power."""

    def __init__(self, emit: Emit, constant: Callable[[Expr], int], power: Callable[[int, Expr, int], int]) -> None:
        self._emit, self._constant, self._power = emit, constant, power
        self._known: dict[Expr, int] = {}

    def constant(self, node: Expr) -> int:
        if node not in self._known:
            self._known[node] = self._constant(node)
        return self._known[node]

    def power(self, base: int, exponent: Expr) -> int:
        return self._power(base, exponent, HIDDEN)

    def of(self, op: str, *args: int) -> int:
        if op == "mul" and args[0] == args[1]:
            return self._emit(ops.SQUARE, args[0])
        return self._emit(NUMBERS[op], *args, owner=HIDDEN if ASKS.get(NUMBERS[op]) else -1)

    def filled(self, quotient: HoledQuotient, numerator: int, divisor: int, u: int, owner: int) -> int:
        """The slot of the quotient of two slots with its holes filled."""
        value = slope = -1
        for hole in quotient.holes:
            known, steepness = self._around(quotient, hole, u)
            value = known if value < 0 else self._emit(ops.EITHER, value, known)
            slope = steepness if slope < 0 else self._emit(ops.EITHER, slope, steepness)
        plain = self._plain_slope(quotient, u)
        slope = self._emit(ops.EITHER, slope, plain)
        filled = self._emit(ops.FILLED, numerator, divisor, value)
        return self._emit(ops.SLOPED, filled, u, slope, owner=owner)

    def _around(self, quotient: HoledQuotient, hole: Hole, u: int) -> tuple[int, int]:
        """The quotient and its slope from the Taylor series at a hole."""
        low, high = ends(hole.place)
        between = self._emit(ops.HULL, u, low=low, high=high)
        distance = u if hole.place == 0 else self.of("sub", u, self._emit(ops.CONST, low=low, high=high))
        last = hole.order + TERMS
        g, g_slope = self._half(quotient.numerator, quotient.u, between, last, hole.above, distance)
        h, h_slope = self._half(quotient.divisor, quotient.u, between, last, hole.below, distance)
        return self._with_slope(g, g_slope, h, h_slope)

    def _half(
        self, root: Expr, u: Expr, between: int, last: int, first: list[Any], distance: int
    ) -> tuple[int | None, int | None]:
        """The sum of first[k] t^k and the remainder, and its derivative, at distances t from the hole."""
        found = coefficients(root, u, between, last, self)
        value = None if found is None else found[last]
        slope = self._times(value, TERMS)
        for k in range(TERMS - 1, -1, -1):
            value = self._plus(first[k], 1, distance, value)
            if k:
                slope = self._plus(first[k], k, distance, slope)
        return value, slope

    def _times(self, slot: int | None, k: int) -> int | None:
        return None if slot is None else self.of("mul", self._emit(ops.CONST, low=float(k), high=float(k)), slot)

    def _plus(self, coefficient: Any, k: int, distance: int, rest: int | None) -> int | None:
        """k times a coefficient plus the distance times the rest."""
        product = None if rest is None else self.of("mul", distance, rest)
        if coefficient is None or coefficient == 0:
            return product
        low, high = ends(k * coefficient)
        constant = self._emit(ops.CONST, low=low, high=high)
        return constant if product is None else self.of("add", constant, product)

    def _plain_slope(self, quotient: HoledQuotient, u: int) -> int:
        """The slope by the quotient rule."""
        g = coefficients(quotient.numerator, quotient.u, u, 1, self) or [None, None]
        h = coefficients(quotient.divisor, quotient.u, u, 1, self) or [None, None]
        return self._with_slope(*g, *h)[1]

    def _with_slope(self, g: int | None, g_slope: int | None, h: int | None, h_slope: int | None) -> tuple[int, int]:
        """The quotient g/h and its slope (g' - q h')/h."""
        zero = self._emit(ops.CONST, low=0.0, high=0.0)
        divisor = zero if h is None else h
        value = self.of("div", zero if g is None else g, divisor)
        bend = zero if h_slope is None else self.of("mul", value, h_slope)
        return value, self.of("div", self.of("sub", zero if g_slope is None else g_slope, bend), divisor)


def ends(value: Any) -> tuple[float, float]:
    """Doubles around a fraction or a ball."""
    if isinstance(value, Fraction):
        near = value.numerator / value.denominator
        if Fraction(near) == value:
            return near, near
        return math.nextafter(near, -math.inf), math.nextafter(near, math.inf)
    return math.nextafter(float(value.lower()), -math.inf), math.nextafter(float(value.upper()), math.inf)
