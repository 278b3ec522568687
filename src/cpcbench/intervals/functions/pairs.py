"""The functions of two operands over intervals: all that compiled code knows of one is its entry here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import (
    INF,
    Part,
    divided,
    down,
    either_sign,
    far_down,
    far_up,
    magnitude,
    multiplied,
    squared,
    sum_down,
    sum_up,
    up,
)
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.functions.entry import chosen
from cpcbench.intervals.functions.waves import HALF_PI_UP, PI_UP
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE

Two = tuple[float, float, float, float]
"""The ends for the first operand, then those for the second."""


class Pair(NamedTuple):
    """What compiled code does with the operands [a, b] and [c, d] and the result [r, s] of a function.

    As for `entry.Function`; where the function jumps, the ends of its first slope are the wrong way round.
    """

    range: Callable[[float, float, float, float], Part]
    inverse: Callable[[float, float, float, float, float, float], Two]
    slope: Callable[[float, float, float, float, float, float], Two]
    asks: int = ops.PLAIN


def _min_inverse(r: float, s: float, a: float, _b: float, c: float, _d: float) -> Two:
    """Both are at least r, and one is at most s if the other is not."""
    return r, s if c > s else INF, r, s if a > s else INF


def _max_inverse(r: float, s: float, _a: float, b: float, _c: float, d: float) -> Two:
    return r if d < r else -INF, s, r if b < r else -INF, s


def _min_slope(a: float, b: float, c: float, d: float, _r: float, _s: float) -> Two:
    if b <= c:
        return 1.0, 1.0, 0.0, 0.0
    if d <= a:
        return 0.0, 0.0, 1.0, 1.0
    return 0.0, 1.0, 0.0, 1.0


def _max_slope(a: float, b: float, c: float, d: float, _r: float, _s: float) -> Two:
    if d <= a:
        return 1.0, 1.0, 0.0, 0.0
    if b <= c:
        return 0.0, 0.0, 1.0, 1.0
    return 0.0, 1.0, 0.0, 1.0


def _hypot(a: float, b: float, c: float, d: float) -> Part:
    e, f = magnitude(a, b)
    g, h = magnitude(c, d)
    return max(far_down(math.hypot(e, g)), 0.0), far_up(math.hypot(f, h)), EVERYWHERE


@compiled
def _other_leg(r: float, far: float) -> float:
    """Below the length of one leg, if the long side has at least r and the other leg at most far."""
    return max(down(math.sqrt(max(down(down(r * r) - up(far * far)), 0.0))), 0.0) if r > far else 0.0


def _hypot_inverse(r: float, s: float, a: float, b: float, c: float, d: float) -> Two:
    e, f = either_sign(_other_leg(r, max(-c, d)), s, a, b)
    g, h = either_sign(_other_leg(r, max(-a, b)), s, c, d)
    return e, f, g, h


def _hypot_slope(a: float, b: float, c: float, d: float, r: float, s: float) -> Two:
    e, f = divided(a, b, max(r, 0.0), s)
    g, h = divided(c, d, max(r, 0.0), s)
    return max(e, -1.0), min(f, 1.0), max(g, -1.0), min(h, 1.0)


@compiled
def _goes_round(a: float, b: float, c: float, d: float) -> bool:
    """Whether an angle may jump, or take all values, on the box: it has the origin, or y = 0 > x and numbers y < 0."""
    return a <= 0.0 <= b and c <= 0.0 and (d >= 0.0 or a < 0.0)


def _angle(a: float, b: float, c: float, d: float) -> Part:
    """The angle of (x, y) with y in [a, b] and x in [c, d]; else it is extreme at corners."""
    if _goes_round(a, b, c, d):
        if c >= 0.0:
            return -HALF_PI_UP if a < 0.0 else 0.0, HALF_PI_UP if b > 0.0 else 0.0, EVERYWHERE
        return -PI_UP if a < 0.0 else 0.0, PI_UP, EVERYWHERE
    a, b, c, d = a + 0.0, b + 0.0, c + 0.0, d + 0.0  # no -0.0
    e, f, g, h = math.atan2(a, c), math.atan2(a, d), math.atan2(b, c), math.atan2(b, d)
    return max(far_down(min(e, f, g, h)), -PI_UP), min(far_up(max(e, f, g, h)), PI_UP), EVERYWHERE


def _angle_inverse(r: float, s: float, _a: float, _b: float, _c: float, _d: float) -> Two:
    """From the quadrants: an angle above 0 has y >= 0, one below y <= 0, one within a quarter of a turn x >= 0."""
    e, f, g, h = -INF, INF, -INF, INF
    if r > 0.0:
        e = 0.0
    if s < 0.0:
        f = 0.0
    if r > -1.57 and s < 1.57:
        g = 0.0
    if r > HALF_PI_UP or s < -HALF_PI_UP:
        h = 0.0
    return e, f, g, h


def _angle_slope(a: float, b: float, c: float, d: float, _r: float, _s: float) -> Two:
    if _goes_round(a, b, c, d):
        return INF, -INF, INF, -INF
    e, f = squared(a, b)
    g, h = squared(c, d)
    low, high = max(down(e + g), 0.0), up(f + h)
    e, f = divided(c, d, low, high)
    g, h = divided(a, b, low, high)
    return e, f, -h, -g


@compiled
def _turns(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """The least and the largest whole part of a quotient."""
    low, high = divided(a, b, c, d)
    return np.floor(low), np.floor(high)


def _mod(a: float, b: float, c: float, d: float) -> Part:
    if c == 0.0 and d == 0.0:
        return -INF, INF, NOWHERE
    least, most = min(c, 0.0), max(d, 0.0)
    if c <= 0.0 <= d:
        return least, most, MAYBE
    k, last = _turns(a, b, c, d)
    if k != last:
        return least, most, EVERYWHERE
    e, f = multiplied(c, d, k, k)
    return max(sum_down(a, -f), least), min(sum_up(b, -e), most), EVERYWHERE


def _mod_inverse(r: float, s: float, a: float, b: float, c: float, d: float) -> Two:
    k, last = _turns(a, b, c, d)
    if k != last or c <= 0.0 <= d:
        return -INF, INF, -INF, INF
    e, f = multiplied(c, d, k, k)
    return sum_down(r, e), sum_up(s, f), -INF, INF


def _mod_slope(a: float, b: float, c: float, d: float, _r: float, _s: float) -> Two:
    k, last = _turns(a, b, c, d)
    if k != last or c <= 0.0 <= d:
        return INF, -INF, INF, -INF
    return 1.0, 1.0, -k, -k


PAIRS: dict[str, Pair] = {
    "min": Pair(lambda a, b, c, d: (min(a, c), min(b, d), EVERYWHERE), _min_inverse, _min_slope),
    "max": Pair(lambda a, b, c, d: (max(a, c), max(b, d), EVERYWHERE), _max_inverse, _max_slope),
    "hypot": Pair(_hypot, _hypot_inverse, _hypot_slope),
    "arctan2": Pair(_angle, _angle_inverse, _angle_slope),
    "mod": Pair(_mod, _mod_inverse, _mod_slope, ops.OTHER),
}
"""By their names in the language."""

_BY_NUMBER = dict(enumerate(PAIRS.values(), start=ops.PAIR))

range_of_pair = chosen({number: pair.range for number, pair in _BY_NUMBER.items()}, "a, b, c, d")
inverse_of_pair = chosen({number: pair.inverse for number, pair in _BY_NUMBER.items()}, "r, s, a, b, c, d")
slope_of_pair = chosen({number: pair.slope for number, pair in _BY_NUMBER.items()}, "a, b, c, d, r, s")
