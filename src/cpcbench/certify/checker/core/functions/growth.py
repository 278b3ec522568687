"""Roots, logarithms, exponentials, hyperbolic functions and their inverses, and the error function."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from cpcbench.certify.checker.core.facts import AWAY, BACK, Beside, Place, Reach, number, rises_at_0, rising
from cpcbench.certify.checker.core.functions.waves import pi
from cpcbench.certify.checker.core.intervals import (
    Interval,
    add,
    div,
    made,
    magnitude,
    mul,
    neg,
    not_negative,
    reciprocal,
    single,
    square,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import DOWN, UP, infinite, is_finite, of_double


def sqrt(a: Interval) -> Interval:
    least = max(DOWN.of("sqrt", a[0]), of_double(0)) if a[0] > 0 else of_double(0)
    return made(least, UP.of("sqrt", a[1]))


def squared(value: Interval) -> Interval:
    return square(not_negative(value)) if is_finite(value[1]) else (of_double(0), infinite(1))


def root_beside(x: Place) -> Beside | None:
    if x == number(0):
        return Beside(None, Reach(x, 0), Reach(x, 1))
    root = Fraction(isqrt(x[0].numerator), isqrt(x[0].denominator)) if x[0] > 0 and not x[1] else Fraction(0)
    return rising(number(root)) if root * root == x[0] and root else None


def ln(a: Interval) -> Interval:
    """For operands from 0 on."""
    return made(DOWN.of("log", a[0]) if a[0] > 0 else infinite(-1), UP.of("log", a[1]))


def ln_beside(x: Place) -> Beside | None:
    if x == number(0):
        return Beside(None, None, BACK)
    return rising(number(0)) if x == number(1) else None


def exp(a: Interval) -> Interval:
    return made(max(DOWN.of("exp", a[0]), of_double(0)), UP.of("exp", a[1]))


def exp_inverse(value: Interval) -> Interval:
    return ln(not_negative(value)) if value[1] > 0 else whole_line()


def exp_beside(x: Place) -> Beside | None:
    return rising(number(1)) if x == number(0) else None


def log(base: int) -> Callable[[Interval], Interval]:
    """The logarithm to a base above 1, for operands from 0 on."""
    return lambda a: mul(ln(a), reciprocal(ln(single(base))))


def log_slope(base: int) -> Callable[[Interval, Interval], Interval]:
    return lambda a, _value: reciprocal(mul(not_negative(a), ln(single(base))))


def log_inverse(base: int) -> Callable[[Interval], Interval]:
    return lambda value: exp(mul(value, ln(single(base))))


def log1p(a: Interval) -> Interval:
    """For operands from -1 on."""
    return made(DOWN.of("log1p", a[0]) if a[0] > -1 else infinite(-1), UP.of("log1p", a[1]))


def log1p_slope(a: Interval, _value: Interval) -> Interval:
    return reciprocal(not_negative(add(single(1), a)))


def log1p_beside(x: Place) -> Beside | None:
    return Beside(None, None, BACK) if x == number(-1) else rises_at_0(x)


def expm1(a: Interval) -> Interval:
    return made(max(DOWN.of("expm1", a[0]), of_double(-1)), UP.of("expm1", a[1]))


def expm1_inverse(value: Interval) -> Interval:
    return log1p(value) if value[1] > -1 else whole_line()


def cbrt(a: Interval) -> Interval:
    if a[0] < 0:
        below = neg(cbrt(neg((a[0], min(a[1], of_double(0))))))
        return below if a[1] <= 0 else (below[0], cbrt((of_double(0), a[1]))[1])
    if a[1] == 0:
        return a
    low, high = exp(mul(ln(a), single(Fraction(1, 3))))
    return (low if a[0] > 0 else of_double(0)), high


def cbrt_slope(_a: Interval, value: Interval) -> Interval:
    return reciprocal(mul(single(3), square(value)))


def cubed(value: Interval) -> Interval:
    low = DOWN.whole_power(value[0], 3) if is_finite(value[0]) else infinite(-1)
    return made(low, UP.whole_power(value[1], 3) if is_finite(value[1]) else infinite(1))


def sinh(a: Interval) -> Interval:
    return made(DOWN.of("sinh", a[0]), UP.of("sinh", a[1]))


def sinh_inverse(value: Interval) -> Interval:
    return made(DOWN.of("asinh", value[0]), UP.of("asinh", value[1]))


def cosh(a: Interval) -> Interval:
    low, high = magnitude(a)
    return made(max(DOWN.of("cosh", low), of_double(1)), UP.of("cosh", high))


def cosh_inverse(value: Interval) -> Interval:
    most = UP.of("acosh", max(value[1], of_double(1)))
    return made(DOWN.neg(most), most)


def tanh(a: Interval) -> Interval:
    return made(max(DOWN.of("tanh", a[0]), of_double(-1)), min(UP.of("tanh", a[1]), of_double(1)))


def tanh_inverse(value: Interval) -> Interval:
    low, high = value
    bottom = DOWN.of("atanh", low) if -1 < low < 1 else infinite(-1)
    return bottom, UP.of("atanh", high) if -1 < high < 1 else infinite(1)


def arcsinh_slope(a: Interval, _value: Interval) -> Interval:
    return reciprocal(sqrt(add(single(1), square(a))))


def arccosh(a: Interval) -> Interval:
    """For operands from 1 on."""
    return made(max(DOWN.of("acosh", a[0]), of_double(0)) if a[0] > 1 else of_double(0), UP.of("acosh", a[1]))


def arccosh_beside(x: Place) -> Beside | None:
    return Beside(None, Reach(number(0), 0), Reach(number(0), 1)) if x == number(1) else None


def arctanh(a: Interval) -> Interval:
    """For operands from -1 to 1."""
    low = DOWN.of("atanh", a[0]) if a[0] > -1 else infinite(-1)
    return made(low, UP.of("atanh", a[1]) if a[1] < 1 else infinite(1))


def arctanh_slope(a: Interval, _value: Interval) -> Interval:
    return reciprocal(not_negative(sub(single(1), square(a))))


def arctanh_beside(x: Place) -> Beside | None:
    if x == number(1):
        return Beside(AWAY, None, None)
    return Beside(None, None, BACK) if x == number(-1) else rises_at_0(x)


def erf(a: Interval) -> Interval:
    return made(max(DOWN.of("erf", a[0]), of_double(-1)), min(UP.of("erf", a[1]), of_double(1)))


def erf_slope(a: Interval, _value: Interval) -> Interval:
    """2 / sqrt(pi) exp(-a^2)."""
    return mul(div(single(2), sqrt(pi()))[0], exp(neg(square(a))))
