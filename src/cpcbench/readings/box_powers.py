"""Powers of spans under the admissibility rules: constant whole and fractional exponents, and varying ones."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.readings.box_steps import square
from cpcbench.readings.spans import (
    ELEMENTARY,
    EVERYWHERE,
    Flags,
    Floats,
    Span,
    States,
    both,
    down,
    magnitude,
    restricted,
    settled,
    span,
    up,
)


def constant_power(a: Span, p: Span) -> Span:
    """a^p for a number p: the same enclosure of it for all boxes."""
    low, high = float(p.lo[0]), float(p.hi[0])
    if p.state[0] != EVERYWHERE or not math.isfinite(low) or not math.isfinite(high):
        return varying_power(a, p, strict=False)
    if low == high and low == math.floor(low):
        return _whole_power(a, low)
    if math.ceil(low) > math.floor(high) and low * high > 0.0:
        return _fractional_power(a, low, high)
    return varying_power(a, p, strict=False)


def _whole_power(a: Span, n: float) -> Span:
    """a^n for a whole number n."""
    if n == 0.0:
        one = span(1.0, 1.0)
        return Span(one.lo, one.hi, a.state)
    if n == 1.0:
        return a
    if n == 2.0:
        return square(a)
    smallest, largest = magnitude(a)
    if n > 0.0:
        state = a.state
        low, high = _power_down(smallest, n), _power_up(largest, n)
    else:
        state = restricted(a.state, largest != 0.0, smallest > 0.0)
        low, high = _power_down(largest, n), _power_up(smallest, n)
    if n % 2.0 == 0.0:
        return settled(low, high, state)
    return _odd_power(a, n, low, high, state)


def _odd_power(a: Span, n: float, low: Floats, high: Floats, state: States) -> Span:
    """The sizes of a^n lie in [low, high]; its sign is that of a."""
    across = (a.lo < 0.0) & (a.hi > 0.0)
    if n > 0.0:
        below, above = -_power_up(np.maximum(-a.lo, 0.0), n), _power_up(np.maximum(a.hi, 0.0), n)
    else:
        below, above = np.full(1, -math.inf), np.full(1, math.inf)
    lo = np.where(across, below, np.where(a.hi <= 0.0, -high, low))
    hi = np.where(across, above, np.where(a.hi <= 0.0, -low, high))
    return settled(lo, hi, state)


def _power_down(a: Floats, p: Floats | float) -> Floats:
    return np.maximum(down(np.power(a, p), ELEMENTARY), 0.0)


def _power_up(a: Floats, p: Floats | float) -> Floats:
    return up(np.power(a, p), ELEMENTARY)


def _fractional_power(a: Span, p_low: float, p_high: float) -> Span:
    """a^p for a number p in [p_low, p_high] that is not whole: the base is cut off at 0."""
    bottom, top = np.abs(np.maximum(a.lo, 0.0)), np.abs(np.maximum(a.hi, 0.0))  # abs: no -0.0
    if p_low > 0.0:
        state = restricted(a.state, a.hi >= 0.0, a.lo >= 0.0)
    else:
        state = restricted(a.state, a.hi > 0.0, a.lo > 0.0)
        bottom, top = top, bottom
    lo = _power_down(bottom, np.where(bottom >= 1.0, p_low, p_high))  # above 1 a power rises with its exponent
    hi = _power_up(top, np.where(top >= 1.0, p_high, p_low))
    return settled(lo, hi, state)


def varying_power(a: Span, p: Span, *, strict: bool) -> Span:
    """a^p for any exponent.

    A negative base is possible where the exponent is a whole number, unless the rule is strict;
    such a power has the size of |a|^p and, the exponent not being known, either sign.
    """
    first, last = np.ceil(p.lo), np.floor(p.hi)
    thin = (a.lo < 0.0) & (first <= last) & (not strict)
    lo, hi = _positive_power(np.maximum(a.lo, 0.0), np.maximum(a.hi, 0.0), p.lo, p.hi)
    zero = (a.lo <= 0.0) & (a.hi >= 0.0)
    plain = (a.hi > 0.0) | (zero & (p.hi >= 0.0))
    if thin.any():
        n_lo, n_hi = _negative_power(a, np.where(thin, first, 0.0), np.where(thin, last, 0.0))
        lo = np.where(thin, np.where(plain, np.minimum(lo, n_lo), n_lo), lo)
        hi = np.where(thin, np.where(plain, np.maximum(hi, n_hi), n_hi), hi)
    whole = (p.lo == p.hi) & (first == p.lo) & (not strict)
    always = (a.lo > 0.0) | ((a.lo == 0.0) & (p.lo >= 0.0)) | (whole & ((p.lo >= 0.0) | (a.hi < 0.0)))
    return settled(lo, hi, restricted(both(a, p), plain | thin, always))


def _positive_power(bottom: Floats, top: Floats, p_low: Floats, p_high: Floats) -> tuple[Floats, Floats]:
    """The hull of a^p, 0 <= bottom <= a <= top: it is monotone in each of the two, so the corners suffice."""
    bottom, top = np.abs(bottom), np.abs(top)
    corners = [np.power(base, exponent) for base in (bottom, top) for exponent in (p_low, p_high)]
    lo = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
    hi = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
    return np.maximum(down(lo, ELEMENTARY), 0.0), up(hi, ELEMENTARY)


def _negative_power(a: Span, first: Floats, last: Floats) -> tuple[Floats, Floats]:
    """The hull of a^k for a < 0 and whole k from first to last."""
    sizes = _positive_power(np.maximum(-a.hi, 0.0), np.maximum(-a.lo, 0.0), first, last)
    one = first == last
    odd: Flags = np.mod(first, 2.0) != 0.0
    lo = np.where(one & ~odd, sizes[0], -sizes[1])
    hi = np.where(one & odd, -sizes[0], sizes[1])
    return lo, hi
