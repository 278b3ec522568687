"""Intervals of doubles, rounded outward: the arithmetic of one operation on one box, compiled.

`+ - * /` and the square root are rounded to nearest by IEEE 754; the elementary functions of the platform's
libm are taken to be within 4 ulps. A lower end is never +inf and an upper end never -inf.
"""

from __future__ import annotations

import math

import numpy as np

from cpcbench.intervals.compiled import compiled

INF = math.inf
LARGEST = 1.7976931348623157e308
TINIEST = 2e-323
ROUNDING = 2.0**-53 * (1.0 + 2.0**-52)
ELEMENTARY = 2.0**-50
TURNS_ERROR = 2.0**-50
"""More than the error of x / pi - shift, relative to 1 + |x / pi|."""

HALF_PI_UP = 1.5707963267948968
Pair = tuple[float, float]


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
def has_pole(a: float, b: float) -> bool:
    """Whether [a, b] may contain an odd multiple of pi/2; in doubt it may."""
    lo, hi = a / math.pi, b / math.pi
    lo -= 0.5 + TURNS_ERROR * (1.0 + abs(lo))
    hi -= 0.5 - TURNS_ERROR * (1.0 + abs(hi))
    return bool(np.ceil(lo) <= np.floor(hi))


@compiled
def wave(cosine_: bool, a: float, b: float) -> Pair:
    """The range of sine or cosine: 1 at (top + 2k) pi, -1 one further on, else by its values at the two ends."""
    if not b - a < 8.0:
        return -1.0, 1.0
    top = 0.0 if cosine_ else 0.5
    first, last = a / math.pi, b / math.pi
    before, after = TURNS_ERROR * (1.0 + abs(first)), TURNS_ERROR * (1.0 + abs(last))
    low = np.ceil((first - (top + 1.0 + before)) * 0.5) <= np.floor((last - (top + 1.0 - after)) * 0.5)
    high = np.ceil((first - (top + before)) * 0.5) <= np.floor((last - (top - after)) * 0.5)
    if low and high:
        return -1.0, 1.0
    at_a, at_b = (math.cos(a), math.cos(b)) if cosine_ else (math.sin(a), math.sin(b))
    return (
        -1.0 if low else max(far_down(min(at_a, at_b)), -1.0),
        1.0 if high else min(far_up(max(at_a, at_b)), 1.0),
    )


@compiled
def sine(a: float, b: float) -> Pair:
    return wave(False, a, b)


@compiled
def cosine(a: float, b: float) -> Pair:
    return wave(True, a, b)


FALLS_TO = 4.49
"""sin(v) / v falls from v = 0 to beyond here."""
LEAST = -0.2173
"""Below every value of sin(v) / v."""
STEEPEST = 0.4363
"""Above the size of every slope of sin(v) / v."""


@compiled
def _cardinal(v: float) -> float:
    return math.sin(v) / v if v != 0.0 else 1.0


@compiled
def cardinal_sine(a: float, b: float) -> Pair:
    """The range of sin(v) / v, which is 1 at 0."""
    near, far = magnitude(a, b)
    if far <= FALLS_TO:
        return far_down(far_down(_cardinal(far))), min(far_up(far_up(_cardinal(near))), 1.0)
    if near == 0.0:
        return LEAST, 1.0
    s, t = sine(near, far)
    lo, hi = divided(s, t, near, far)
    return max(lo, LEAST), min(hi, 1.0)


@compiled
def _cardinal_slope(v: float) -> Pair:
    """Bounds of the slope of sin(v) / v at one v from 0 to 2, where it falls."""
    if v < 0.01:
        third = v / 3.0
        return far_down(-third), far_up(far_up(-third + v * v * v / 30.0))
    slope = (math.cos(v) - math.sin(v) / v) / v
    error = 2.0**-49 / v
    return down(slope - error), up(slope + error)


@compiled
def cardinal_slope(a: float, b: float) -> Pair:
    """The range of the derivative of sin(v) / v."""
    near, far = magnitude(a, b)
    if far <= 2.0:
        lo = _cardinal_slope(b)[0] if b >= 0.0 else -_cardinal_slope(-b)[1]
        hi = _cardinal_slope(a)[1] if a >= 0.0 else -_cardinal_slope(-a)[0]
        return lo, hi
    if near == 0.0:
        return -STEEPEST, STEEPEST
    c, d = cosine(a, b)
    s, t = cardinal_sine(a, b)
    lo, hi = divided(down(c - t), up(d - s), a, b)
    return max(lo, -STEEPEST), min(hi, STEEPEST)
