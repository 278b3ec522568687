"""Inverse hyperbolic functions, logarithms, the cube root and the error function over intervals; what is not marked is
compiled by the table."""

from __future__ import annotations

import math

from cpcbench.intervals.arithmetic import INF, Pair, Part, divided, down, far_down, far_up, magnitude, squared, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE

LOG10_E, LOG10_E_UP = 0.4342944819032518, 0.43429448190325187
LOG2_E, LOG2_E_UP = 1.4426950408889634, 1.4426950408889636
"""1 / ln(10) and 1 / ln(2), from below and above."""
TWO_OVER_ROOT_PI = 1.1283791670955126
"""2 / sqrt(pi), to within 2 ulps."""
SMALL = 1e-250
"""Below this the cube of a cube root loses digits."""


def arccosh(a: float, b: float) -> Part:
    if b < 1.0:
        return -INF, INF, NOWHERE
    low = max(far_down(math.acosh(max(a, 1.0))), 0.0)
    return low, far_up(math.acosh(b)), EVERYWHERE if a >= 1.0 else MAYBE


def arccosh_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    return max(far_down(math.cosh(max(r, 0.0))), 1.0), far_up(math.cosh(max(s, 0.0)))


def arccosh_slope(_a: float, _b: float, r: float, s: float) -> Pair:
    """1 / sinh of the value."""
    return divided(1.0, 1.0, max(far_down(math.sinh(max(r, 0.0))), 0.0), far_up(math.sinh(max(s, 0.0))))


def arctanh(a: float, b: float) -> Part:
    if b <= -1.0 or a >= 1.0:
        return -INF, INF, NOWHERE
    low = far_down(math.atanh(a)) if a > -1.0 else -INF
    high = far_up(math.atanh(b)) if b < 1.0 else INF
    return low, high, EVERYWHERE if a > -1.0 and b < 1.0 else MAYBE


def arctanh_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    return max(far_down(math.tanh(r)), -1.0), min(far_up(math.tanh(s)), 1.0)


def arctanh_slope(a: float, b: float, _r: float, _s: float) -> Pair:
    c, d = squared(max(a, -1.0), min(b, 1.0))
    return divided(1.0, 1.0, max(down(1.0 - d), 0.0), up(1.0 - c))


def log10(a: float, b: float) -> Part:
    if b <= 0.0:
        return -INF, INF, NOWHERE
    low = far_down(math.log10(a)) if a > 0.0 else -INF
    return low, far_up(math.log10(b)), EVERYWHERE if a > 0.0 else MAYBE


def log2(a: float, b: float) -> Part:
    if b <= 0.0:
        return -INF, INF, NOWHERE
    low = far_down(math.log2(a)) if a > 0.0 else -INF
    return low, far_up(math.log2(b)), EVERYWHERE if a > 0.0 else MAYBE


def log1p(a: float, b: float) -> Part:
    if b <= -1.0:
        return -INF, INF, NOWHERE
    low = far_down(math.log1p(a)) if a > -1.0 else -INF
    return low, far_up(math.log1p(b)), EVERYWHERE if a > -1.0 else MAYBE


def expm1_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    low = far_down(math.log1p(r)) if r > -1.0 else -INF
    return low, far_up(math.log1p(s)) if s > -1.0 else INF


@compiled
def cube_root(x: float) -> float:
    """Within 4 ulps: a power, and a step of Newton's method."""
    size = abs(x)
    if not 0.0 < size < INF:
        return x
    scale = 1.0
    if size < SMALL:
        size, scale = size * 2.0**300, 2.0**-100
    root = size ** (1.0 / 3.0)
    root -= (root * root * root - size) / (3.0 * root * root)
    return math.copysign(root * scale, x)


def cube_root_slope(_a: float, _b: float, r: float, s: float) -> Pair:
    c, d = squared(r, s)
    return divided(1.0, 1.0, max(down(3.0 * c), 0.0), up(3.0 * d))


def erf_inverse(r: float, s: float, a: float, b: float) -> Pair:
    return _erf_reaches(r, a, b, False), _erf_reaches(s, a, b, True)


@compiled
def _erf_reaches(value: float, a: float, b: float, above: bool) -> float:
    """Below (or above) where erf has a value, by halving what is left of [a, b]."""
    low, high = max(a, -6.0), min(b, 6.0)
    end = b if above else a
    for _ in range(60):
        middle = 0.5 * (low + high)
        if above and far_down(math.erf(middle)) > value:
            high = end = middle
        elif not above and far_up(math.erf(middle)) < value:
            low = end = middle
        elif above:
            low = middle
        else:
            high = middle
    return end


def erf_slope(a: float, b: float, _r: float, _s: float) -> Pair:
    near, far = magnitude(a, b)
    low, high = down(-(far * far)), up(-(near * near))
    least = max(far_down(far_down(TWO_OVER_ROOT_PI * far_down(math.exp(low)))), 0.0)
    return least, far_up(far_up(TWO_OVER_ROOT_PI * far_up(math.exp(high))))
