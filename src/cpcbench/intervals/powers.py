"""Powers of intervals, compiled: whole, fractional and varying exponents, and their roots."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.intervals.arithmetic import INF, Pair, far_down, far_up, magnitude, squared
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE

Part = tuple[float, float, int]
"""The ends of an interval and on how much of the box the operation's own condition holds."""


@compiled
def power_down(a: float, p: float) -> float:
    return max(far_down(math.pow(a, p)), 0.0)


@compiled
def power_up(a: float, p: float) -> float:
    return far_up(math.pow(a, p))


@compiled
def corners(bottom: float, top: float, p_low: float, p_high: float) -> Pair:
    """The hull of a^p for 0 <= bottom <= a <= top: monotone in each of the two, so the corners suffice."""
    bottom, top = abs(bottom), abs(top)
    s, t = math.pow(bottom, p_low), math.pow(bottom, p_high)
    u, v = math.pow(top, p_low), math.pow(top, p_high)
    return max(far_down(min(s, t, u, v)), 0.0), far_up(max(s, t, u, v))


@compiled
def whole_power(a: float, b: float, n: float) -> Part:
    """[a, b]^n for a whole number n."""
    if n == 0.0:
        return 1.0, 1.0, EVERYWHERE
    if n == 1.0:
        return a, b, EVERYWHERE
    if n == 2.0:
        low, high = squared(a, b)
        return low, high, EVERYWHERE
    smallest, largest = magnitude(a, b)
    state = EVERYWHERE
    if n > 0.0:
        low, high = power_down(smallest, n), power_up(largest, n)
    else:
        if largest == 0.0:
            return -INF, INF, NOWHERE
        state = EVERYWHERE if smallest > 0.0 else MAYBE
        low, high = power_down(largest, n), power_up(smallest, n)
    if n % 2.0 == 0.0:
        return low, high, state
    if a < 0.0 < b:
        if n < 0.0:
            return -INF, INF, state
        return -power_up(-a, n), power_up(b, n), state
    if b <= 0.0:
        return -high, -low, state
    return low, high, state


@compiled
def fractional_power(a: float, b: float, p_low: float, p_high: float) -> Part:
    """[a, b]^p for a number p between the two that is not whole: the base is cut off at 0."""
    if b < 0.0 or (b == 0.0 and p_low < 0.0):
        return -INF, INF, NOWHERE
    bottom, top = abs(max(a, 0.0)), abs(b)
    if p_low > 0.0:
        state = EVERYWHERE if a >= 0.0 else MAYBE
    else:
        state = EVERYWHERE if a > 0.0 else MAYBE
        bottom, top = top, bottom
    lo = power_down(bottom, p_low if bottom >= 1.0 else p_high)  # above 1 a power rises with its exponent
    hi = power_up(top, p_high if top >= 1.0 else p_low)
    return lo, hi, state


@compiled
def varying_power(a: float, b: float, p_low: float, p_high: float) -> Part:
    """[a, b]^p for an exponent that varies: the base is cut off at 0."""
    if b < 0.0 or (b == 0.0 and p_high < 0.0):
        return -INF, INF, NOWHERE
    lo, hi = corners(max(a, 0.0), b, p_low, p_high)
    state = EVERYWHERE if a > 0.0 or (a == 0.0 and p_low >= 0.0) else MAYBE
    return lo, hi, state


@compiled
def thin_power(a: float, b: float, p_low: float, p_high: float) -> Part:
    """[a, b]^p where a negative base is possible with a whole exponent: its sign is then open."""
    lo, hi, state = varying_power(a, b, p_low, p_high)
    first, last = np.ceil(p_low), np.floor(p_high)
    if a >= 0.0 or first > last:
        return lo, hi, state
    size = corners(max(-b, 0.0), -a, first, last)[1]
    if state == NOWHERE:
        return -size, size, MAYBE
    return min(lo, -size), max(hi, size), MAYBE


@compiled
def root(low: float, high: float, p_low: float, p_high: float) -> Pair:
    """All a >= 0 with low <= a^p <= high, for an exponent that is not 0."""
    first, last = 1.0 / p_high, 1.0 / p_low
    first, last = first - abs(first) * 2.0**-52, last + abs(last) * 2.0**-52
    return corners(low, high, first, last)
