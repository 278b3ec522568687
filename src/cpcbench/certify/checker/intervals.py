"""Intervals as pairs of balls, and the arithmetic on them.

A pair (a, b) means every number from the lower end of the ball a to the upper end of the ball b. An
operation that is monotone on each end is then sound without a thought to rounding, as Arb's balls carry
it; a comparison of balls is true only when it is certain. A pair whose two balls are one object is a single
number. An end that is not finite means no bound on that side.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint

Ball = Any
"""A `flint.arb`; the library has no types."""

Interval = tuple[Any, Any]

ZERO, ONE = flint.arb(0), flint.arb(1)
INFINITE, MINUS_INFINITE = flint.arb.pos_inf(), flint.arb.neg_inf()
WHOLE: Interval = (MINUS_INFINITE, INFINITE)

NOWHERE, MAYBE, EVERYWHERE = 0, 1, 2
"""How much of its operand's range is inside the domain of an operation."""

exact = lru_cache(maxsize=1 << 16)(flint.arb)
"""A double as a ball, without error."""


def rational(value: Fraction) -> Ball:
    """A rational number as a ball at the present precision."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def single(ball: Ball) -> Interval:
    """One number as an interval."""
    return ball, ball


def between(low: float, high: float) -> Interval:
    """The interval from one double to another."""
    return single(exact(low)) if low == high else (exact(low), exact(high))


def bounded(low: Ball, high: Ball) -> Interval:
    """The pair, an end that is not finite standing for no bound."""
    return low if low.is_finite() else MINUS_INFINITE, high if high.is_finite() else INFINITE


def hull(parts: Iterable[Interval]) -> Interval:
    """The smallest interval around some."""
    (low, high), *rest = parts
    for other_low, other_high in rest:
        low, high = low.min(other_low), high.max(other_high)
    return bounded(low, high)


def intersection(a: Interval, b: Interval) -> Interval | None:
    """What two intervals share; None if certainly nothing."""
    low, high = _higher(a[0], b[0]), _lower(a[1], b[1])
    return None if low > high else (low, high)


def _higher(a: Ball, b: Ball) -> Ball:
    """Of two lower ends one that is no lower than needed: both are true bounds."""
    return b if b.is_finite() and not (a.is_finite() and a >= b) else a


def _lower(a: Ball, b: Ball) -> Ball:
    return b if b.is_finite() and not (a.is_finite() and a <= b) else a


def is_single(a: Interval) -> bool:
    return a[0] is a[1]


def add(a: Interval, b: Interval) -> Interval:
    low = a[0] + b[0]
    return low, (low if a[0] is a[1] and b[0] is b[1] else a[1] + b[1])


def sub(a: Interval, b: Interval) -> Interval:
    low = a[0] - b[1]
    return low, (low if a[0] is a[1] and b[0] is b[1] else a[1] - b[0])


def neg(a: Interval) -> Interval:
    low = -a[1]
    return low, (low if a[0] is a[1] else -a[0])


def mul(a: Interval, b: Interval) -> Interval:
    (al, ah), (bl, bh) = a, b
    if al is ah and bl is bh:
        low = high = al * bl
    elif al >= ZERO:
        low = (al if bl >= ZERO else ah) * bl
        high = (al if bh <= ZERO else ah) * bh
    elif ah <= ZERO:
        low = (ah if bh <= ZERO else al) * bh
        high = (ah if bl >= ZERO else al) * bl
    elif bl >= ZERO:
        low, high = al * bh, ah * bh
    elif bh <= ZERO:
        low, high = ah * bl, al * bl
    else:
        low, high = (al * bh).min(ah * bl), (al * bl).max(ah * bh)
    return (low, high) if low.is_finite() and high.is_finite() else _mul_infinite(a, b)


def _mul_infinite(a: Interval, b: Interval) -> Interval:
    """A product with an end that is not finite; 0 times the whole line is 0."""
    products = [_times(x, y) for x in bounded(*a) for y in bounded(*b)]
    if any(p.is_nan() for p in products):
        return WHOLE
    low, high = products[0], products[0]
    for product in products[1:]:
        low, high = low.min(product), high.max(product)
    return bounded(low, high)


def _times(x: Ball, y: Ball) -> Ball:
    return ZERO if x.is_zero() or y.is_zero() else x * y


def scale(factor: Ball, a: Interval) -> Interval:
    """A number that is not infinite times an interval."""
    return mul(single(factor), a)


def square(a: Interval) -> Interval:
    low, high = magnitude(a)
    least = low * low
    return least, (least if low is high else high * high)


def magnitude(a: Interval) -> Interval:
    """The absolute values."""
    low, high = a
    if low >= ZERO:
        return a
    if high <= ZERO:
        return neg(a)
    if low is high:
        return single(abs(low))
    return ZERO, (-low).max(high)


def reciprocal_of_positive(a: Interval) -> Interval:
    """1 / a for the positive part of an interval that has one and no negative part."""
    low, high = a
    if low is high and low > ZERO:
        return single(ONE / low)
    return (ONE / high if high.is_finite() else ZERO), (ONE / low if low > ZERO else INFINITE)


def div(a: Interval, b: Interval) -> tuple[Interval, int]:
    """The quotient where the denominator is not 0."""
    low, high = b
    if low > ZERO:
        return _div_positive(a, b), EVERYWHERE
    if high < ZERO:
        return _div_positive(neg(a), neg(b)), EVERYWHERE
    if low.is_zero() and high.is_zero():
        return WHOLE, NOWHERE
    if low >= ZERO:
        return mul(a, reciprocal_of_positive(b)), MAYBE
    if high <= ZERO:
        return mul(neg(a), reciprocal_of_positive(neg(b))), MAYBE
    return WHOLE, MAYBE


def _div_positive(a: Interval, b: Interval) -> Interval:
    if a[0] is a[1] and b[0] is b[1]:
        low = high = a[0] / b[0]
    else:
        low = a[0] / (b[1] if a[0] >= ZERO else b[0])
        high = a[1] / (b[0] if a[1] >= ZERO else b[1])
    return (low, high) if low.is_finite() and high.is_finite() else mul(a, reciprocal_of_positive(b))
