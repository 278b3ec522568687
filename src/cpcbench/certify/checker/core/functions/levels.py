"""Absolute values and steps: ranges, slopes, and what they do next to a number."""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.core.facts import Beside, Place, Reach, level, number
from cpcbench.certify.checker.core.intervals import Interval, add, made, neg, single, sub, whole_line
from cpcbench.certify.checker.core.numbers import DOWN, UP, End, infinite, of_double
from cpcbench.certify.checker.core.numbers import floor as floor_of

HALF = Fraction(1, 2)


def abs_slope(a: Interval, _value: Interval) -> Interval:
    one = single(1)
    return one if a[0] >= 0 else neg(one) if a[1] <= 0 else (neg(one)[0], one[1])


def floor(a: Interval) -> Interval:
    low, high = floor_of(a[0]), floor_of(a[1])
    least = infinite(-1) if low is None else DOWN.rational(Fraction(low))
    return made(least, infinite(1) if high is None else UP.rational(Fraction(high)))


def floor_beside(x: Place) -> Beside | None:
    if x[1]:
        return None
    whole = x[0].numerator // x[0].denominator
    return level(whole) if x[0] != whole else level(whole)._replace(below=Reach(number(whole - 1), 0))


def sign(a: Interval) -> Interval:
    def of(end: End) -> End:
        return of_double(1 if end > 0 else -1 if end < 0 else 0)

    return of(a[0]), of(a[1])


def sign_beside(x: Place) -> Beside | None:
    if x[0] and x[1]:
        return None
    below, at, above = (Reach(number(way), 0) for way in (-1, 0, 1))
    part = x[0] or x[1]
    return Beside(below, at, above) if not part else level(1 if part > 0 else -1)


def step_slope(_a: Interval, value: Interval) -> Interval:
    """Of what is constant between jumps: 0 where the value is one number."""
    return single(0) if value[0] == value[1] else whole_line()


def ceil(a: Interval) -> Interval:
    return neg(floor(neg(a)))


def ceil_beside(x: Place) -> Beside | None:
    if x[1]:
        return None
    whole = -(-x[0].numerator // x[0].denominator)
    return level(whole) if x[0] != whole else level(whole)._replace(above=Reach(number(whole + 1), 0))


def nearest(a: Interval) -> Interval:
    """Whole numbers at most 1/2 away: from the least of them for the lower end to the largest for the upper one."""
    return made(ceil(sub(a, single(HALF)))[0], floor(add(a, single(HALF)))[1])
