"""Powers of intervals, compiled: whole, fractional and varying exponents, and their roots."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.intervals.arithmetic import INF, Pair, Part, far_down, far_up, magnitude, squared
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE


@compiled
def power_down(a: float, p: float) -> float:
    return max(far_down(math.pow(a, p)), 0.0)


@compiled
def power_up(a: float, p: float) -> float:
    return far_up(math.pow(a, p))


@compiled
def is_even(n: float) -> bool:
    """Whether a whole number is; a remainder would take ten times as long."""
    return bool(0.5 * n == np.floor(0.5 * n))


@compiled
def corners(bottom: float, top: float, p_low: float, p_high: float) -> Pair:
    """The hull of a^p for 0 <= bottom <= a <= top: monotone in each of the two, so that corners suffice.

    A power rises with its base if the exponent is positive, and with its exponent if the base is above 1.
    """
    bottom, top = abs(bottom), abs(top)
    if p_low >= 0.0:
        low = math.pow(bottom, p_low if bottom >= 1.0 else p_high)
        high = math.pow(top, p_high if top >= 1.0 else p_low)
    elif p_high <= 0.0:
        low = math.pow(top, p_low if top >= 1.0 else p_high)
        high = math.pow(bottom, p_high if bottom >= 1.0 else p_low)
    else:
        low, high = 1.0, 1.0
        if bottom < 1.0:
            low, high = math.pow(bottom, p_high), math.pow(bottom, p_low)
        if top > 1.0:
            low, high = min(low, math.pow(top, p_low)), max(high, math.pow(top, p_high))
    return max(far_down(low), 0.0), far_up(high)


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
    if is_even(n):
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
    """[a, b]^p where a negative base is possible with a whole exponent."""
    first, last = np.ceil(p_low), np.floor(p_high)
    if a >= 0.0 or first > last:
        return varying_power(a, b, p_low, p_high)
    if p_low == p_high:
        return whole_power(a, b, p_low)
    near, far = corners(max(-b, 0.0), -a, first, last)
    low, high = -far, far
    if first == last:
        low, high = (near, far) if is_even(first) else (-far, -near)
    lo, hi, state = varying_power(a, b, p_low, p_high)
    if state == NOWHERE:
        return low, high, MAYBE
    return min(lo, low), max(hi, high), MAYBE


@compiled
def root(low: float, high: float, p_low: float, p_high: float) -> Pair:
    """All a >= 0 with low <= a^p <= high, for an exponent that is not 0."""
    first, last = 1.0 / p_high, 1.0 / p_low
    first, last = first - abs(first) * 2.0**-52, last + abs(last) * 2.0**-52
    return corners(low, high, first, last)
