"""The function u^p ln(u), p > 0, and 0 for u <= 0, over an interval, compiled: it is continuous, falls from 0 to
-1/(p e) at exp(-1/p) and rises from there on."""

from __future__ import annotations

import math

from cpcbench.intervals.arithmetic import INF, Pair, down, far_down, far_up, multiplied, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.powers import corners

INVERSE_OF_E_UP = 0.36787944117144239


@compiled
def _at(u: float, p: float, q: float) -> Pair:
    """At one number of at least 0."""
    if u == 0.0:
        return 0.0, 0.0
    if u == INF:
        return 0.0, INF
    log = math.log(u)
    c, d = corners(u, u, p, q)
    return multiplied(c, d, far_down(log), far_up(log))


@compiled
def log_power(a: float, b: float, p: float, q: float) -> Pair:
    """The range over [a, b] for an exponent between p > 0 and q."""
    a, b = abs(max(a, 0.0)), abs(max(b, 0.0))
    least = down(-INVERSE_OF_E_UP / p)
    c, d = _at(a, p, q)
    e, f = _at(b, p, q)
    low = least
    if b <= far_down(far_down(math.exp(down(-1.0 / p)))):
        low = max(e, least)
    elif a >= far_up(far_up(math.exp(up(-1.0 / q)))):
        low = max(c, least)
    return low, max(d, f)


@compiled
def log_power_slope(a: float, b: float, p: float, q: float) -> Pair:
    """u^(p-1) (p ln(u) + 1), which is also p u^(p-1) ln(u) + u^(p-1); 0 for u < 0."""
    if b <= 0.0:
        return 0.0, 0.0
    bottom = abs(max(a, 0.0))
    c, d = 1.0, 1.0
    if p != 1.0 or q != 1.0:
        c, d = corners(bottom, b, down(p - 1.0), up(q - 1.0))
    e = far_down(math.log(bottom)) if bottom > 0.0 else -INF
    e, f = multiplied(e, far_up(math.log(b)), p, q)
    low, high = multiplied(c, d, down(e + 1.0), up(f + 1.0))
    less = down(p - 1.0)
    if less > 0.0:
        e, f = log_power(bottom, b, less, up(q - 1.0))
        e, f = multiplied(e, f, p, q)
        low, high = max(low, down(c + e)), min(high, up(d + f))
    if a < 0.0:
        low, high = min(low, 0.0), max(high, 0.0)
    return low, high
