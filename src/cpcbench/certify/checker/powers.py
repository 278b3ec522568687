"""Powers of intervals: whole, fixed and varying exponents, under either rule for the base."""

from __future__ import annotations

from typing import Any

from cpcbench.certify.checker.intervals import (
    EVERYWHERE,
    INFINITE,
    MAYBE,
    NOWHERE,
    ONE,
    WHOLE,
    ZERO,
    Ball,
    Interval,
    bounded,
    div,
    hull,
    is_single,
    magnitude,
    neg,
    single,
    square,
)


def whole_power(a: Interval, n: int) -> tuple[Interval, int]:
    """a^n for a whole number n; a negative one needs a base that is not 0."""
    if n < 0:
        return div(single(ONE), _natural_power(a, -n))
    return _natural_power(a, n), EVERYWHERE


def _natural_power(a: Interval, n: int) -> Interval:
    if n == 0:
        return single(ONE)
    if n == 2:
        return square(a)
    low, high = magnitude(a) if n % 2 == 0 else a
    least = low**n
    return bounded(least, least if low is high else high**n)


def fixed_power(a: Interval, exponent: Ball) -> tuple[Interval, int]:
    """a^p for a number p that is not whole: the base is at least 0, and not 0 if p is negative."""
    low, high = a
    positive = bool(exponent > ZERO)
    if high < ZERO or (not positive and high <= ZERO):
        return WHOLE, NOWHERE
    if low is high and low > ZERO:
        power = low**exponent
        return single(power) if power.is_finite() else (ZERO, INFINITE), EVERYWHERE
    everywhere = bool(low >= ZERO if positive else low > ZERO)
    at_low, at_high = corner(_clipped(low), exponent), corner(_upper(high), exponent)
    least, most = (at_low, at_high) if positive else (at_high, at_low)
    return _not_negative(least, most), EVERYWHERE if everywhere else MAYBE


def _not_negative(least: Ball, most: Ball) -> Interval:
    """The pair, an end that is not finite (none, or too large to be computed) giving no other bound than 0."""
    return least if least.is_finite() else ZERO, most if most.is_finite() else INFINITE


def _clipped(low: Ball) -> Ball:
    return low if low > ZERO else ZERO


def _upper(high: Ball) -> Ball:
    """The upper end itself, so that a ball which reaches below 0 does not spoil a power."""
    return high.upper() if high.is_finite() else INFINITE


def corner(base: Ball, exponent: Ball) -> Ball:
    """base^exponent for 0 <= base <= infinity, 0^0 = 1; what cannot be bounded is infinite."""
    if base.is_zero():
        return ZERO if exponent > ZERO else ONE if exponent.is_zero() else INFINITE
    if not base.is_finite():
        return ZERO if exponent < ZERO else ONE if exponent.is_zero() else INFINITE
    return base**exponent


def varying_power(a: Interval, p: Interval, ieee: bool) -> tuple[Interval, int]:
    """a^p where the exponent depends on variables.

    The base is positive, or 0 with an exponent of at least 0. Under the rule `ieee` a whole exponent takes
    any base, but for 0 to a negative power.
    """
    low, high = a
    if low >= ZERO:
        return _positive_power(a, p)
    whole = _whole_numbers(p) if ieee else ()
    if whole is not None and len(whole) == 1 and is_single(p) and p[0].is_exact():
        return whole_power(a, whole[0])
    if whole == ():
        return (WHOLE, NOWHERE) if high < ZERO else (_positive_power(a, p)[0], MAYBE)
    return _mirrored_power(a, p), MAYBE


def _positive_power(a: Interval, p: Interval) -> tuple[Interval, int]:
    low, high = a
    if high <= ZERO and p[1] < ZERO:
        return WHOLE, NOWHERE
    everywhere = bool(low > ZERO or (low >= ZERO and p[0] >= ZERO))
    if low is high and low > ZERO and is_single(p):
        power = low ** p[0]
        return single(power) if power.is_finite() else (ZERO, INFINITE), EVERYWHERE
    ends = _clipped(low), _upper(high)
    if not (p[0].is_finite() and p[1].is_finite()):
        return (ZERO, INFINITE), EVERYWHERE if everywhere else MAYBE
    corners = [corner(base, exponent) for base in ends for exponent in p]
    if all(c.is_finite() for c in corners):
        return hull([single(c) for c in corners]), EVERYWHERE if everywhere else MAYBE
    return (_least(ends, p), INFINITE), EVERYWHERE if everywhere else MAYBE


def _least(ends: tuple[Ball, Ball], p: Interval) -> Ball:
    """A lower bound of a power that has no upper one: it falls with the base if no exponent is positive."""
    base = ends[1] if p[1] <= ZERO else ends[0] if p[0] >= ZERO else ZERO
    if base.is_zero() or not base.is_finite():
        return ZERO
    found = corner(base, p[0]).min(corner(base, p[1]))
    return found if found.is_finite() else ZERO


def _whole_numbers(p: Interval) -> tuple[int, ...] | None:
    """No whole number, the only one, or None for perhaps several, in the range of an exponent."""
    if not (p[0].is_finite() and p[1].is_finite()):
        return None
    first, last = p[0].lower().ceil(), p[1].upper().floor()
    if first > last:
        return ()
    found: Any = first.unique_fmpz()
    return (int(found),) if found is not None and first >= last else None


def _mirrored_power(a: Interval, p: Interval) -> Interval:
    """Bases of both signs with exponents that may be whole: the values of either sign."""
    low, high = a
    size = neg(a) if high <= ZERO else (ZERO, -low)
    parts = [_positive_power(size, p)[0]]
    parts.append(neg(parts[0]))
    if not high < ZERO:
        parts.append(_positive_power((ZERO, high), p)[0])
    return hull([bounded(*part) for part in parts])
