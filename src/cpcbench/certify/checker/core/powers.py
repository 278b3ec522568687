"""Powers of intervals, with how much of the operands is inside the domain, and their slopes.

For numbers u, v of an operand's range there is an s in the slope with f(u) - f(v) = s (u - v). Where the derivative has
no bound, such as a root's at 0, neither has the slope, on that side.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from cpcbench.certify.checker.core.functions.growth import ln
from cpcbench.certify.checker.core.functions.waves import holds_whole
from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    MAYBE,
    NOWHERE,
    Interval,
    div,
    hull,
    made,
    magnitude,
    mul,
    neg,
    not_negative,
    single,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import DOWN, UP, End, infinite, is_finite, of_double
from cpcbench.certify.checker.core.numbers import floor as floor_of


def whole_power(a: Interval, n: int) -> tuple[Interval, int]:
    """a^n for a whole number n; a negative one needs a base that is not 0."""
    if n < 0:
        return div(single(1), natural_power(a, -n))
    return natural_power(a, n), EVERYWHERE


def natural_power(a: Interval, n: int) -> Interval:
    if n == 0:
        return single(1)
    low, high = magnitude(a) if n % 2 == 0 else a
    least = DOWN.whole_power(low, n) if is_finite(low) else infinite(-1)
    most = UP.whole_power(high, n) if is_finite(high) else infinite(1)
    return made(max(least, of_double(0)) if low >= 0 else least, most)


def positive_power(a: Interval, p: Interval) -> Interval:
    """All x^y with x in a, not negative, and y in p; x^y is monotone in each, so the corners hold it between them."""
    corners = [(base, exponent) for base in a for exponent in p]
    low = min(_corner(base, exponent, DOWN.power) for base, exponent in corners)
    high = max(_corner(base, exponent, UP.power) for base, exponent in corners)
    return made(max(low, of_double(0)), high)


def _corner(base: End, exponent: End, power: Callable[[End, End], End]) -> End:
    """What x^y tends to at base >= 0 and exponent, either of which may be infinite; 0^0 and 1^infinity are 1."""
    if base == 1 or exponent == 0:
        return of_double(1)
    if base == 0 or not is_finite(base) or not is_finite(exponent):
        return infinite(1) if (base > 1) == (exponent > 0) else of_double(0)
    return power(base, exponent)


def fixed_power(a: Interval, p: Interval, positive: bool) -> tuple[Interval, int]:
    """a^p for one number p in an interval, not whole and of known sign: the base is at least 0, and not 0 if p < 0."""
    low, high = a
    if high < 0 or (high <= 0 and not positive):
        return whole_line(), NOWHERE
    return positive_power(not_negative(a), p), EVERYWHERE if low > 0 or (low >= 0 and positive) else MAYBE


def varying_power(a: Interval, p: Interval, ieee: bool) -> tuple[Interval, int]:
    """a^p where the exponent depends on variables.

    The base is positive, or 0 with an exponent of at least 0. Under the rule `ieee` a whole exponent takes
    any base, but for 0 to a negative power.
    """
    low, high = a
    if low >= 0:
        if high <= 0 and p[1] < 0:
            return whole_line(), NOWHERE
        return positive_power(a, p), EVERYWHERE if low > 0 or p[0] >= 0 else MAYBE
    if not ieee or not may_be_whole(p):
        nowhere = high < 0 or (high <= 0 and p[1] < 0)
        return (whole_line(), NOWHERE) if nowhere else (positive_power(not_negative(a), p), MAYBE)
    n = floor_of(p[0])
    if n is not None and p[0] == p[1] == n:
        return whole_power(a, n)
    size = positive_power(magnitude((low, min(high, of_double(0)))), p)
    parts = [size, neg(size)]
    return hull(parts if high < 0 else [*parts, positive_power(not_negative(a), p)]), MAYBE


def may_be_whole(p: Interval) -> bool:
    """Whether a whole number may be in an interval."""
    return holds_whole(p, Fraction(0)) if is_finite(p[0]) and is_finite(p[1]) else True


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
    return by_base, mul(value, ln(base) if base[1] > 0 else whole_line())
