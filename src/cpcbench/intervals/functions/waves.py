"""Sine, cosine, tangent, arcsine and sin(v) / v over intervals; what is not marked is compiled by the table."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.intervals.arithmetic import INF, Pair, Part, divided, down, far_down, far_up, magnitude, squared, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE

TURN = 2.0 * math.pi
PI_UP = 3.1415926535897936
HALF_PI_UP = 1.5707963267948968
TURNS_ERROR = 2.0**-50
"""More than the error of x / pi - shift, relative to 1 + |x / pi|."""
TURN_ERROR = 2.0**-47
"""More than all errors in going round the circle, relative to 1 + |angle|."""


@compiled
def _has_pole(a: float, b: float) -> bool:
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


def sine(a: float, b: float) -> Part:
    low, high = wave(False, a, b)
    return low, high, EVERYWHERE


def cosine(a: float, b: float) -> Part:
    low, high = wave(True, a, b)
    return low, high, EVERYWHERE


def cosine_slope(a: float, b: float, _r: float, _s: float) -> Pair:
    low, high = wave(False, a, b)
    return -high, -low


def tangent(a: float, b: float) -> Part:
    if not b - a < 4.0 or _has_pole(a, b):
        return -INF, INF, MAYBE
    return far_down(math.tan(a)), far_up(math.tan(b)), EVERYWHERE


def tangent_slope(_a: float, _b: float, r: float, s: float) -> Pair:
    c, d = squared(r, s)
    return down(1.0 + c), up(1.0 + d)


def arcsine(a: float, b: float) -> Part:
    if b < -1.0 or a > 1.0:
        return -INF, INF, NOWHERE
    low = max(far_down(math.asin(max(a, -1.0))), -HALF_PI_UP)
    high = min(far_up(math.asin(min(b, 1.0))), HALF_PI_UP)
    return low, high, EVERYWHERE if a >= -1.0 and b <= 1.0 else MAYBE


def arcsine_slope(a: float, b: float, _r: float, _s: float) -> Pair:
    c, d = squared(a, b)
    c, d = max(down(1.0 - d), 0.0), up(1.0 - c)
    return divided(1.0, 1.0, max(down(math.sqrt(c)), 0.0), up(math.sqrt(d)))


def arccosine(a: float, b: float) -> Part:
    if b < -1.0 or a > 1.0:
        return -INF, INF, NOWHERE
    low = max(far_down(math.acos(min(b, 1.0))), 0.0)
    high = min(far_up(math.acos(max(a, -1.0))), PI_UP)
    return low, high, EVERYWHERE if a >= -1.0 and b <= 1.0 else MAYBE


def arccosine_slope(a: float, b: float, _r: float, _s: float) -> Pair:
    c, d = squared(a, b)
    c, d = max(down(1.0 - d), 0.0), up(1.0 - c)
    low, high = divided(1.0, 1.0, max(down(math.sqrt(c)), 0.0), up(math.sqrt(d)))
    return -high, -low


def arccosine_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    low = max(far_down(math.cos(max(s, 0.0))), -1.0) if s < math.pi else -1.0
    return low, min(far_up(math.cos(r)), 1.0) if 0.0 < r < math.pi else 1.0


def arcsine_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    quarter = 0.5 * math.pi
    low, high = min(max(r, -quarter), quarter), min(max(s, -quarter), quarter)
    return max(far_down(math.sin(low)), -1.0), min(far_up(math.sin(high)), 1.0)


@compiled
def _on_arc(a: float, b: float, first: float, last: float) -> Pair:
    """From the first to the last angle of [a, b] that lies on an arc, up to whole turns."""
    slack = TURN_ERROR * (1.0 + abs(a))
    start = first + TURN * np.ceil((a - last) / TURN - slack) - slack
    low = max(start - TURN_ERROR * abs(start), a)
    slack = TURN_ERROR * (1.0 + abs(b))
    end = last + TURN * np.floor((b - first) / TURN + slack) + slack
    return low, min(end + TURN_ERROR * abs(end), b)


@compiled
def _on_arcs(a: float, b: float, first: float, last: float, other_first: float, other_last: float) -> Pair:
    """Where in [a, b] one of two arcs is."""
    if not math.isfinite(b - a):
        return -INF, INF
    low, high = _on_arc(a, b, first, last)
    low2, high2 = _on_arc(a, b, other_first, other_last)
    return min(low, low2), max(high, high2)


def sine_inverse(r: float, s: float, a: float, b: float) -> Pair:
    first, last = math.asin(min(max(r, -1.0), 1.0)), math.asin(min(max(s, -1.0), 1.0))
    return _on_arcs(a, b, first, last, math.pi - last, math.pi - first)


def cosine_inverse(r: float, s: float, a: float, b: float) -> Pair:
    first, last = math.acos(min(max(s, -1.0), 1.0)), math.acos(min(max(r, -1.0), 1.0))
    return _on_arcs(a, b, first, last, -last, -first)


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
def _cardinal_range(a: float, b: float) -> Pair:
    near, far = magnitude(a, b)
    if far <= FALLS_TO:
        return far_down(far_down(_cardinal(far))), min(far_up(far_up(_cardinal(near))), 1.0)
    if near == 0.0:
        return LEAST, 1.0
    s, t = wave(False, near, far)
    lo, hi = divided(s, t, near, far)
    return max(lo, LEAST), min(hi, 1.0)


def cardinal_sine(a: float, b: float) -> Part:
    """The range of sin(v) / v, which is 1 at 0."""
    low, high = _cardinal_range(a, b)
    return low, high, EVERYWHERE


@compiled
def _cardinal_slope_at(v: float) -> Pair:
    """Bounds of the slope of sin(v) / v at one v from 0 to 2, where it falls."""
    if v < 0.01:
        third = v / 3.0
        return far_down(-third), far_up(far_up(-third + v * v * v / 30.0))
    slope = (math.cos(v) - math.sin(v) / v) / v
    error = 2.0**-49 / v
    return down(slope - error), up(slope + error)


def cardinal_slope(a: float, b: float, _r: float, _s: float) -> Pair:
    """The range of the derivative of sin(v) / v."""
    near, far = magnitude(a, b)
    if far <= 2.0:
        lo = _cardinal_slope_at(b)[0] if b >= 0.0 else -_cardinal_slope_at(-b)[1]
        hi = _cardinal_slope_at(a)[1] if a >= 0.0 else -_cardinal_slope_at(-a)[0]
        return lo, hi
    if near == 0.0:
        return -STEEPEST, STEEPEST
    c, d = wave(True, a, b)
    s, t = _cardinal_range(a, b)
    lo, hi = divided(down(c - t), up(d - s), a, b)
    return max(lo, -STEEPEST), min(hi, STEEPEST)
