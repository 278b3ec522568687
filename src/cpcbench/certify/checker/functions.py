"""The functions of the language on intervals; those with a domain also say how much of the operand is inside it."""

from __future__ import annotations

import math

import flint

from cpcbench.certify.checker.intervals import (
    EVERYWHERE,
    INFINITE,
    MAYBE,
    MINUS_INFINITE,
    NOWHERE,
    ONE,
    WHOLE,
    ZERO,
    Ball,
    Interval,
    bounded,
    div,
    intersection,
    magnitude,
    neg,
    single,
    sub,
)

TURN_ERROR = 4e-15
"""More than the relative error of a number of turns as a double."""

SINC_RANGE: Interval = (flint.arb("-0.2173").lower(), ONE)
"""sin(v)/v is nowhere outside; its least value is -0.21723..."""

SINC_SLOPE: Interval = (flint.arb("-0.4363").lower(), flint.arb("0.4363").upper())
"""Nor its slope: the steepest is 0.43618..."""

SINC_FALLS_TO = flint.arb(4.49)
"""sin(v)/v falls from 0 to here (to 4.4934...)."""

SINC_BENDS_AT = flint.arb(2)
"""The slope of sin(v)/v falls from 0 to here (to 2.0815...)."""

SMALL = flint.arb(2.0**-10)


def sqrt(a: Interval) -> tuple[Interval, int]:
    low, high = a
    if high < ZERO:
        return WHOLE, NOWHERE
    if low >= ZERO:
        least = low.sqrt() if low.is_finite() else ZERO
        return (least, least if low is high else _sqrt_above(high)), EVERYWHERE
    return (ZERO, _sqrt_above(high)), MAYBE


def _sqrt_above(high: Ball) -> Ball:
    return high.upper().sqrt() if high.is_finite() else INFINITE


def ln(a: Interval) -> tuple[Interval, int]:
    low, high = a
    if high <= ZERO:
        return WHOLE, NOWHERE
    if low > ZERO and low is high:
        return single(low.log()), EVERYWHERE
    top = high.upper().log() if high.is_finite() else INFINITE
    return ((low.log(), top), EVERYWHERE) if low > ZERO else ((MINUS_INFINITE, top), MAYBE)


def exp(a: Interval) -> Interval:
    least = a[0].exp() if a[0].is_finite() else ZERO
    most = least if a[0] is a[1] else a[1].exp() if a[1].is_finite() else INFINITE
    if least.is_finite() and most.is_finite():
        return least, most
    return (least if least.is_finite() else ZERO), INFINITE  # too large to be computed


def arcsin(a: Interval) -> tuple[Interval, int]:
    low, high = a
    if high < -ONE or low > ONE:
        return WHOLE, NOWHERE
    inside = low >= -ONE and high <= ONE
    if inside and low is high:
        return single(low.asin()), EVERYWHERE
    least = low.asin() if low >= -ONE and low <= ONE else (-ONE).asin()
    most = high.asin() if high <= ONE and high >= -ONE else ONE.asin()
    return (least, most), EVERYWHERE if inside else MAYBE


def sin(a: Interval) -> Interval:
    if a[0] is a[1]:
        return single(a[0].sin())
    return _wave(a, 0.25, a[0].sin(), a[1].sin())


def cos(a: Interval) -> Interval:
    if a[0] is a[1]:
        return single(a[0].cos())
    return _wave(a, 0.0, a[0].cos(), a[1].cos())


def _wave(a: Interval, top: float, first: Ball, last: Ball) -> Interval:
    """A wave of period 2 pi from its values at the ends; it is 1 at `top` plus whole turns."""
    turns = _turns(a)
    if turns is None:
        return -ONE, ONE
    low = -ONE if _holds_whole(turns, top + 0.5) else first.min(last)
    high = ONE if _holds_whole(turns, top) else first.max(last)
    return low, high


def _turns(a: Interval, length: float = 2.0) -> tuple[float, float] | None:
    """The ends as multiples of `length` pi, a little further apart; None if they say nothing."""
    turn = flint.arb.pi() * length
    low, high = float((a[0] / turn).lower()), float((a[1] / turn).upper())
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    return low - TURN_ERROR * (1.0 + abs(low)), high + TURN_ERROR * (1.0 + abs(high))


def _holds_whole(turns: tuple[float, float], shift: float) -> bool:
    """Whether a whole number plus the shift may lie between the two."""
    return math.ceil(turns[0] - shift) <= math.floor(turns[1] - shift)


def tan(a: Interval) -> tuple[Interval, int]:
    turns = _turns(a, 1.0)
    if turns is None or _holds_whole(turns, 0.5):
        return WHOLE, MAYBE
    if a[0] is a[1]:
        return single(a[0].tan()), EVERYWHERE
    return bounded(a[0].tan(), a[1].tan()), EVERYWHERE


def floor(a: Interval) -> Interval:
    low, high = a
    least = low.lower().floor() if low.is_finite() else MINUS_INFINITE
    return least, (high.upper().floor() if high.is_finite() else INFINITE)


def sign(a: Interval) -> Interval:
    low, high = a
    least = ONE if low > ZERO else ZERO if low >= ZERO else -ONE
    return least, (-ONE if high < ZERO else ZERO if high <= ZERO else ONE)


def sinc(a: Interval) -> Interval:
    """sin(v)/v, 1 at 0."""
    low, high = magnitude(a)
    if not high.is_finite():
        return SINC_RANGE
    if low is high:
        return single(low.sinc())
    if high <= SINC_FALLS_TO:
        return high.upper().sinc(), low.sinc()
    if not low > ZERO:
        return SINC_RANGE
    return intersection(div(sin((low, high)), (low, high))[0], SINC_RANGE) or SINC_RANGE


def sinc_slope(a: Interval) -> Interval:
    """The derivative of sin(v)/v; it is odd."""
    low, high = a
    if low >= -SINC_BENDS_AT and high <= SINC_BENDS_AT:
        return _sinc_slope_at(high)[0], _sinc_slope_at(low)[1]
    if low > ZERO:
        return _sinc_slope_away(a)
    return neg(_sinc_slope_away(neg(a))) if high < ZERO else SINC_SLOPE


def _sinc_slope_away(a: Interval) -> Interval:
    if not a[1].is_finite():
        return SINC_SLOPE
    return intersection(div(sub(cos(a), sinc(a)), a)[0], SINC_SLOPE) or SINC_SLOPE


def _sinc_slope_at(v: Ball) -> Interval:
    """At one place; near 0 the alternating series -v/3 + v^3/30 - ..., cut off after two terms."""
    size = abs(v)
    if size > SMALL:
        return single((v.cos() - v.sinc()) / v)
    middle, error = v**3 / 30 - v / 3, (size**5 / 840).upper()
    return middle - error, middle + error
