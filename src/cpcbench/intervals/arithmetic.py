"""Intervals of doubles, rounded outward: the arithmetic of one operation on one box, compiled.

`+ - * /` and the square root are rounded to nearest by IEEE 754; the elementary functions of the platform's
libm are taken to be within 4 ulps. A lower end is never +inf and an upper end never -inf.
"""

from __future__ import annotations

import math

from cpcbench.intervals.compiled import compiled

INF = math.inf
LARGEST = 1.7976931348623157e308
TINIEST = 2e-323
ROUNDING = 2.0**-53 * (1.0 + 2.0**-52)
ELEMENTARY = 2.0**-50

Pair = tuple[float, float]
"""The ends of an interval."""
Part = tuple[float, float, int]
"""The ends, and on how much of the box the operation's own condition holds."""


@compiled
def down(x: float) -> float:
    """A lower bound of the real number that was computed as x."""
    if x == INF:
        return LARGEST
    return x - (abs(x) * ROUNDING + TINIEST)


@compiled
def up(x: float) -> float:
    """An upper bound of the real number that was computed as x."""
    if x == -INF:
        return -LARGEST
    return x + (abs(x) * ROUNDING + TINIEST)


@compiled
def far_down(x: float) -> float:
    """A lower bound of what an elementary function gave as x."""
    if x == INF:
        return LARGEST
    return x - (abs(x) * ELEMENTARY + TINIEST)


@compiled
def far_up(x: float) -> float:
    """An upper bound of what an elementary function gave as x."""
    if x == -INF:
        return -LARGEST
    return x + (abs(x) * ELEMENTARY + TINIEST)


@compiled
def _lost(a: float, b: float, s: float) -> float:
    """What a + b, computed as s, has lost to rounding (D. E. Knuth's sum of two); NaN where something is infinite."""
    c = s - a
    return (a - (s - c)) + (b - c)


@compiled
def sum_down(a: float, b: float) -> float:
    """A lower bound of a + b, exact where the sum is: conditions often hold with equality at round numbers."""
    s = a + b
    return s if _lost(a, b, s) >= 0.0 else down(s)


@compiled
def sum_up(a: float, b: float) -> float:
    """An upper bound of a + b, exact where the sum is."""
    s = a + b
    return s if _lost(a, b, s) <= 0.0 else up(s)


@compiled
def times(a: float, b: float) -> float:
    """The product of two ends of intervals: 0 times the whole line is 0."""
    if a == 0.0 or b == 0.0:
        return 0.0
    return a * b


@compiled
def multiplied(a: float, b: float, c: float, d: float) -> Pair:
    """[a, b] times [c, d]."""
    ac, ad, bc, bd = times(a, c), times(a, d), times(b, c), times(b, d)
    low, high = down(min(ac, ad, bc, bd)), up(max(ac, ad, bc, bd))
    if (a >= 0.0 and c >= 0.0) or (b <= 0.0 and d <= 0.0):
        low = max(low, 0.0)
    elif (a >= 0.0 and d <= 0.0) or (b <= 0.0 and c >= 0.0):
        high = min(high, 0.0)
    return low, high


@compiled
def magnitude(a: float, b: float) -> Pair:
    """The smallest and the largest distance from 0."""
    return abs(max(a, -b, 0.0)), max(-a, b)  # abs: no -0.0


@compiled
def squared(a: float, b: float) -> Pair:
    low, high = magnitude(a, b)
    return max(down(low * low), 0.0), up(high * high)


@compiled
def divided(a: float, b: float, c: float, d: float) -> Pair:
    """[a, b] over [c, d]: the hull of the quotients with a denominator that is not 0."""
    if c < 0.0 < d:
        return -INF, INF
    if d <= 0.0:
        a, b, c, d = -b, -a, -d, -c
    c = c + 0.0  # no -0.0
    lo = a / (d if a >= 0.0 else c) if a != 0.0 else 0.0
    hi = b / (c if b >= 0.0 else d) if b != 0.0 else 0.0
    if lo != lo:
        lo = 0.0 if a > 0.0 else -INF  # inf / inf
    if hi != hi:
        hi = INF if b > 0.0 else 0.0
    return max(down(lo), 0.0) if a >= 0.0 else down(lo), min(up(hi), 0.0) if b <= 0.0 else up(hi)


@compiled
def either_sign(smallest: float, largest: float, a: float, b: float) -> Pair:
    """smallest <= |x| <= largest for x in [a, b]."""
    smallest = max(smallest, 0.0)
    lo = smallest if a > -smallest else -largest
    hi = -smallest if b < smallest else largest
    return lo, hi
