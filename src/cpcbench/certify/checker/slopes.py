"""How fast each operation changes with its operands, over the ranges of the operands."""

from __future__ import annotations

from collections.abc import Callable

from cpcbench.certify.checker.functions import arcsin, cos, sin, sinc_slope
from cpcbench.certify.checker.intervals import (
    MINUS_INFINITE,
    ONE,
    WHOLE,
    ZERO,
    Ball,
    Interval,
    add,
    bounded,
    div,
    mul,
    neg,
    reciprocal_of_positive,
    scale,
    single,
    square,
    sub,
)
from cpcbench.certify.checker.powers import fixed_power, varying_power, whole_power

UNIT, FLAT = single(ONE), single(ZERO)


def _not_negative(a: Interval) -> Interval:
    return a if a[0] >= ZERO else (ZERO, a[1])


def sqrt_slope(value: Interval) -> Interval:
    """From the value of the square root."""
    return scale(ONE / 2, reciprocal_of_positive(_not_negative(value)))


def ln_slope(a: Interval) -> Interval:
    return reciprocal_of_positive(_not_negative(a))


def arcsin_slope(a: Interval) -> Interval:
    return reciprocal_of_positive(_not_negative(cos(arcsin(a)[0])))


def abs_slope(a: Interval) -> Interval:
    if a[0] >= ZERO:
        return UNIT
    return neg(UNIT) if a[1] <= ZERO else (-ONE, ONE)


def step_slope(value: Interval) -> Interval:
    """Of floor and sign: 0 where the value is one number, else nothing is known, as it jumps."""
    low, high = value
    return FLAT if low.is_exact() and high.is_exact() and low >= high else WHOLE


FROM_OPERAND: dict[str, Callable[[Interval], Interval]] = {
    "ln": ln_slope,
    "sin": cos,
    "cos": lambda a: neg(sin(a)),
    "arcsin": arcsin_slope,
    "abs": abs_slope,
    "sinc": sinc_slope,
}
"""The slope of a function from the range of its operand."""

FROM_VALUE: dict[str, Callable[[Interval], Interval]] = {
    "sqrt": sqrt_slope,
    "exp": lambda value: value,
    "tan": lambda value: add(UNIT, square(value)),
    "floor": step_slope,
    "sign": step_slope,
}
"""The slope of a function from the range of its value."""


def whole_power_slope(a: Interval, n: int) -> Interval:
    if n == 0:
        return FLAT
    return scale(ONE * n, whole_power(a, n - 1)[0])


def fixed_power_slope(a: Interval, exponent: Ball) -> Interval:
    return scale(exponent, fixed_power(_not_negative(a), exponent - 1)[0])


def varying_power_slopes(a: Interval, p: Interval, value: Interval) -> tuple[Interval, Interval]:
    """p a^(p-1) and a^p ln(a), for a base that is not negative."""
    base = _not_negative(a)
    by_base = mul(p, varying_power(base, sub(p, UNIT), False)[0])
    if base[0] > ZERO:
        logarithm = single(base[0].log()) if base[0] is base[1] else bounded(base[0].log(), base[1].log())
    else:
        logarithm = bounded(MINUS_INFINITE, base[1].upper().log())
    return by_base, mul(value, logarithm)


def quotient_slopes(b: Interval, value: Interval) -> tuple[Interval, Interval]:
    """1/b and -(a/b)/b."""
    inverse = div(UNIT, b)[0]
    return inverse, neg(mul(value, inverse))
