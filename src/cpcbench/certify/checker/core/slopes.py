"""How fast each operation changes with its operands: every difference quotient between two points of the ranges.

For numbers u, v of an operand's range there is an s in the slope with f(u) - f(v) = s (u - v). At places where the
derivative has no bound, such as a square root's at 0, neither has the slope, on that side.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from cpcbench.certify.checker.core.functions import arcsin, cos, ln, natural_power, positive_power, sin, whole_power
from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    Interval,
    add,
    div,
    mul,
    neg,
    not_negative,
    reciprocal,
    single,
    square,
    sub,
    whole_line,
)


def abs_slope(a: Interval) -> Interval:
    one = single(1)
    return one if a[0] >= 0 else neg(one) if a[1] <= 0 else (neg(one)[0], one[1])


def step_slope(value: Interval) -> Interval:
    """Of floor and sign: 0 where the value is one number, else nothing is known, as it jumps."""
    return single(0) if value[0] == value[1] else whole_line()


FROM_OPERAND: dict[str, Callable[[Interval], Interval]] = {
    "ln": lambda a: reciprocal(not_negative(a)),
    "sin": cos,
    "cos": lambda a: neg(sin(a)),
    "arcsin": lambda a: reciprocal(not_negative(cos(arcsin(a)[0]))),
    "abs": abs_slope,
    "neg": lambda _a: single(-1),
}
"""The slope of a function from the range of its operand."""

FROM_VALUE: dict[str, Callable[[Interval], Interval]] = {
    "sqrt": lambda value: mul(single(Fraction(1, 2)), reciprocal(not_negative(value))),
    "exp": lambda value: value,
    "tan": lambda value: add(single(1), square(value)),
    "floor": step_slope,
    "sign": step_slope,
}
"""The slope of a function from the range of its value."""


def whole_power_slope(a: Interval, n: int) -> Interval:
    """n a^(n-1), for a base that is not 0 if n is negative."""
    if n < 0 and whole_power(a, n)[1] != EVERYWHERE:
        return whole_line()
    return mul(single(n), natural_power(a, n - 1) if n > 0 else whole_power(a, n - 1)[0]) if n else single(0)


def fixed_power_slope(a: Interval, p: Interval, less: Interval) -> Interval:
    """p a^(p-1), with the range of p - 1, for a base that is not negative."""
    return mul(p, positive_power(not_negative(a), less))


def varying_power_slopes(a: Interval, p: Interval, value: Interval) -> tuple[Interval, Interval]:
    """p a^(p-1) and a^p ln(a), where the base is positive, or not negative and the exponent positive."""
    base = not_negative(a)
    by_base = mul(p, positive_power(base, sub(p, single(1))))
    return by_base, mul(value, ln(base)[0] if base[1] > 0 else whole_line())


def quotient_slopes(b: Interval, value: Interval) -> tuple[Interval, Interval]:
    """1/b and -(a/b)/b."""
    inverse = div(single(1), b)[0]
    return inverse, neg(mul(value, inverse))
