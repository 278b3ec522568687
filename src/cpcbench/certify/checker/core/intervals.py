"""Intervals with plain ends: pairs of ends, low <= high, low below infinity and high above minus infinity.

An infinite end means no bound on that side; an interval holds real numbers only, so 0 times anything in it is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import inf

from cpcbench.certify.checker.core.numbers import DOWN, UP, End, infinite, of_double

Interval = tuple[End, End]

NOWHERE, MAYBE, EVERYWHERE = 0, 1, 2
"""How much of its operand's range is inside the domain of an operation."""


def whole_line() -> Interval:
    return infinite(-1), infinite(1)


def single(value: Fraction | int) -> Interval:
    """The smallest interval around a rational number."""
    exact = Fraction(value)
    return DOWN.rational(exact), UP.rational(exact)


def between(low: float, high: float) -> Interval:
    """The interval from one double to another."""
    return of_double(low), of_double(high)


def made(low: End, high: End) -> Interval:
    """The pair; the whole line if it is no interval, as it holds everything."""
    return (low, high) if low <= high and low < inf and high > -inf else whole_line()


def hull(parts: Iterable[Interval]) -> Interval:
    """The smallest interval around some; the whole line if one is none."""
    pairs = list(parts)
    if not all(low <= high for low, high in pairs):
        return whole_line()
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def meet(a: Interval, b: Interval) -> Interval | None:
    """What two intervals share; None if nothing."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else None


def not_negative(a: Interval) -> Interval:
    """The part of an interval from 0 on, where that is all that counts."""
    return a if a[0] >= 0 else (of_double(0), max(a[1], of_double(0)))


def add(a: Interval, b: Interval) -> Interval:
    return DOWN.add(a[0], b[0]), UP.add(a[1], b[1])


def sub(a: Interval, b: Interval) -> Interval:
    return DOWN.sub(a[0], b[1]), UP.sub(a[1], b[0])


def neg(a: Interval) -> Interval:
    return DOWN.neg(a[1]), UP.neg(a[0])


def mul(a: Interval, b: Interval) -> Interval:
    (al, ah), (bl, bh) = a, b
    if al >= 0:
        low, high = DOWN.mul(al if bl >= 0 else ah, bl), UP.mul(al if bh <= 0 else ah, bh)
    elif ah <= 0:
        low, high = DOWN.mul(ah if bh <= 0 else al, bh), UP.mul(ah if bl >= 0 else al, bl)
    elif bl >= 0:
        low, high = DOWN.mul(al, bh), UP.mul(ah, bh)
    elif bh <= 0:
        low, high = DOWN.mul(ah, bl), UP.mul(al, bl)
    else:
        low, high = min(DOWN.mul(al, bh), DOWN.mul(ah, bl)), max(UP.mul(al, bl), UP.mul(ah, bh))
    return (low, high) if -inf < low <= high < inf else _mul_infinite(a, b)


def _mul_infinite(a: Interval, b: Interval) -> Interval:
    """A product with an infinite end; the whole line if there are ends that are no numbers."""
    if not (a[0] <= a[1] and b[0] <= b[1]):
        return whole_line()
    return min(_times(DOWN.mul, x, y) for x in a for y in b), max(_times(UP.mul, x, y) for x in a for y in b)


def _times(product: Callable[[End, End], End], x: End, y: End) -> End:
    if x == 0 or y == 0:
        return of_double(0)
    if -inf < x < inf and -inf < y < inf:
        return product(x, y)
    return infinite(1 if (x > 0) == (y > 0) else -1)


def scale(factor: End, a: Interval) -> Interval:
    """One number times an interval."""
    return mul((factor, factor), a)


def magnitude(a: Interval) -> Interval:
    """The absolute values."""
    if a[0] >= 0:
        return a
    return neg(a) if a[1] <= 0 else (of_double(0), max(UP.neg(a[0]), a[1]))


def square(a: Interval) -> Interval:
    low, high = magnitude(a)
    return max(DOWN.mul(low, low), of_double(0)), UP.mul(high, high)


def div(a: Interval, b: Interval) -> tuple[Interval, int]:
    """The quotient where the divisor is not 0, and how much of the divisor that is."""
    if b[0] > 0:
        return _div_positive(a, b), EVERYWHERE
    if b[1] < 0:
        return _div_positive(neg(a), neg(b)), EVERYWHERE
    if b[0] == b[1]:
        return whole_line(), NOWHERE
    if a[0] == a[1] == 0:
        return a, MAYBE
    if b[0] == 0:
        return _div_up_to(a, b[1]), MAYBE
    if b[1] == 0:
        return _div_up_to(neg(a), UP.neg(b[0])), MAYBE
    return whole_line(), MAYBE


def _div_positive(a: Interval, b: Interval) -> Interval:
    low = DOWN.div(a[0], b[1] if a[0] >= 0 else b[0])
    return made(low, UP.div(a[1], b[0] if a[1] >= 0 else b[1]))


def _div_up_to(a: Interval, most: End) -> Interval:
    """a / b for 0 < b <= most."""
    low = DOWN.div(a[0], most) if a[0] >= 0 else infinite(-1)
    return made(low, infinite(1) if a[1] > 0 else UP.div(a[1], most))


def reciprocal(a: Interval) -> Interval:
    """1 / a for the positive numbers of an interval that has some and none below 0."""
    return div(single(1), a)[0] if a[1] > 0 else whole_line()
