"""Draws from the whole box, each with another idea of where an admissible point may be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, between, chance, normal, power_of_ten, sign, unit
from cpcbench.solvers.search.state import BY_SAMPLER, EVEN, HIT, LOWER, MIDDLE, SAMPLERS, SPREAD, STRIDE, UPPER, WIDTH
from cpcbench.solvers.search.tuning import SHARES_OF_SAMPLERS

UNIFORM, WINDOW, SHRUNK, SORTED, RATIO, MAGNITUDES, EQUAL, SPARSE, ROUNDED = range(9)
MIXED, NEAR, RESAMPLED, FOCUSED, SPANNED = range(9, 14)
WITHOUT_HITS = 9
"""All of them, and how many need no hit to start from."""

_SHARES = np.array(SHARES_OF_SAMPLERS)


@compiled
def sampler_weights(s: Any) -> None:
    """The better a sampler's rate of hits the more it draws, but none is ever silent."""
    known = s.counts[0].hits > 0
    count = SAMPLERS if known else WITHOUT_HITS
    most = 0.0
    for k in range(SAMPLERS):
        s.tallies[BY_SAMPLER + k].weight = 0.0
    for k in range(count):
        draws = s.tallies[BY_SAMPLER + k]
        draws.weight = math.sqrt((draws.gains + 0.5) / (draws.tries + 50.0)) if known else 1.0
        most = max(most, draws.weight)
    for k in range(count):
        draws = s.tallies[BY_SAMPLER + k]
        draws.weight = max(draws.weight, 0.1 * most) * _SHARES[k]


@compiled
def sample(s: Any, kind: int, out: Any) -> None:
    """Writes one point into `out`; it may lie outside the box, or be no number where a box is huge."""
    if kind == UNIFORM:
        _even(s, out)
    elif kind == WINDOW:
        _window(s, out)
    elif kind == SHRUNK:
        _shrunk(s, out)
    elif kind == SORTED:
        _base(s, out)
        _sort(s, out, chance(s.seed, 0.5))
    elif kind == RATIO:
        _ratio(s, out)
    elif kind == MAGNITUDES:
        _magnitudes(s, out)
    elif kind == EQUAL:
        _equal(s, out)
    elif kind == SPARSE:
        _sparse(s, out)
    elif kind == ROUNDED:
        _rounded(s, out)
    else:
        _from_hits(s, kind, out)


@compiled
def _sort(s: Any, out: Any, falling: bool) -> None:
    """The places that coordinates have in their ranges, in order."""
    for j in range(out.size):
        out[j] = place(s, j, out[j])
    for i in range(1, out.size):
        x, j = out[i], i
        while j > 0 and (out[j - 1] < x if falling else out[j - 1] > x):
            out[j] = out[j - 1]
            j -= 1
        out[j] = x
    for j in range(out.size):
        out[j] = at_place(s, j, out[j])


@compiled
def which_anchor(s: Any) -> int:
    """What distances are measured from: the middle of the box mostly, the origin, a corner or bounds at random."""
    draw = unit(s.seed)
    return 0 if draw < 0.6 else 1 if draw < 0.8 else 2 if draw < 0.9 else 3


@compiled
def anchor(s: Any, choice: int, j: int) -> float:
    """The anchor's coordinate j."""
    low, high = s.points[LOWER, j], s.points[UPPER, j]
    if choice == 0:
        return at_place(s, j, 0.0)
    if choice == 1:
        return float(min(max(0.0, low), high))
    return float(low if choice == 2 or chance(s.seed, 0.5) else high)


@compiled
def place(s: Any, j: int, x: float) -> float:
    """Where x is in the range of coordinate j, from -1 to 1: what shifts, factors and reflections leave as it is."""
    half = 0.5 * s.points[WIDTH, j]
    return float((x - (s.points[LOWER, j] + half)) / half) if half > 0.0 else 0.0


@compiled
def at_place(s: Any, j: int, at: float) -> float:
    """The coordinate j at such a place."""
    half = 0.5 * s.points[WIDTH, j]
    return float(s.points[LOWER, j] + half + half * at)


@compiled
def _even(s: Any, out: Any) -> None:
    """The next point of a sequence that leaves smaller holes than chance does."""
    for j in range(out.size):
        at = s.points[EVEN, j] + s.points[STRIDE, j]
        s.points[EVEN, j] = at - 1.0 if at >= 1.0 else at
        out[j] = s.points[LOWER, j] + s.points[WIDTH, j] * s.points[EVEN, j]


@compiled
def _uniform(s: Any, out: Any) -> None:
    for j in range(out.size):
        out[j] = s.points[LOWER, j] + s.points[WIDTH, j] * unit(s.seed)


@compiled
def _small(s: Any) -> float:
    """A share of the box: one order of magnitude is the most likely, five are possible."""
    return float(10.0 ** (0.8 * math.log(1.0 - unit(s.seed))))


@compiled
def _window(s: Any, out: Any) -> None:
    """All coordinates in the same part of their range, some of them perhaps seen from the other end."""
    t, size, flip = 2.0 * unit(s.seed) - 1.0, 2.0 * _small(s), chance(s.seed, 0.5)
    for j in range(out.size):
        at = t + size * (unit(s.seed) - 0.5)
        out[j] = at_place(s, j, at * sign(s.seed) if flip else at)


@compiled
def _shrunk(s: Any, out: Any) -> None:
    """A smaller box about the middle, the origin or a corner."""
    size, choice = _small(s), which_anchor(s)
    for j in range(out.size):
        out[j] = anchor(s, choice, j) + size * s.points[WIDTH, j] * (unit(s.seed) - 0.5)


@compiled
def _base(s: Any, out: Any) -> None:
    choice = below(s.seed, 4)
    if choice <= 1:
        _uniform(s, out)
    elif choice == 2:
        _window(s, out)
    else:
        _magnitudes(s, out)


@compiled
def _ratio(s: Any, out: Any) -> None:
    """Distances from one anchor that are each about a fixed multiple of another, in order or in any."""
    n, choice = out.size, which_anchor(s)
    factor, spread = math.exp(between(s.seed, -2.5, 2.5)), 0.3 * unit(s.seed)
    x = power_of_ten(s.seed, -4.0, 0.0) * sign(s.seed)
    for i in range(n):
        out[i] = x
        x *= factor * math.exp(spread * normal(s.seed))
    ordered, signs = chance(s.seed, 0.3), chance(s.seed, 0.5)
    for i in range(n):
        j = i if ordered else i + below(s.seed, n - i)
        out[i], out[j] = out[j], out[i]
        if signs:
            out[i] *= sign(s.seed)
    for j in range(n):
        out[j] = anchor(s, choice, j) + 0.5 * s.points[WIDTH, j] * out[j]


@compiled
def _magnitudes(s: Any, out: Any) -> None:
    """Distances from one anchor of any order of magnitude, for each coordinate by itself."""
    choice = which_anchor(s)
    for j in range(out.size):
        start, reach = anchor(s, choice, j), s.points[WIDTH, j] * (0.5 if choice == 0 else 1.0)
        away = reach * power_of_ten(s.seed, -4.0, 0.0) * sign(s.seed)
        out[j] = start + away
        if not s.points[LOWER, j] <= out[j] <= s.points[UPPER, j]:
            out[j] = start - away


@compiled
def _equal(s: Any, out: Any) -> None:
    """All coordinates at the same place of their ranges, or nearly, some perhaps seen from the other end."""
    t, signs = 2.0 * unit(s.seed) - 1.0, chance(s.seed, 0.5)
    jitter = 0.0 if chance(s.seed, 0.5) else power_of_ten(s.seed, -6.0, -1.0)
    for j in range(out.size):
        at = t + 2.0 * jitter * normal(s.seed)
        out[j] = at_place(s, j, at * sign(s.seed) if signs else at)


@compiled
def _sparse(s: Any, out: Any) -> None:
    """Some coordinates at an anchor or at a bound."""
    _base(s, out)
    share, choice = unit(s.seed), which_anchor(s)
    for j in range(out.size):
        if chance(s.seed, share):
            out[j] = anchor(s, choice, j)


@compiled
def round_to(value: float, digits: int) -> float:
    """The value with so many decimal digits."""
    if value == 0.0 or not abs(value) < 1e300:
        return value
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    if abs(decimals) > 300:
        return value
    factor = 10.0 ** float(abs(decimals))  # by a whole exponent compiled code multiplies, and rounds otherwise
    return float(np.rint(value * factor) / factor if decimals >= 0 else np.rint(value / factor) * factor)


@compiled
def _rounded(s: Any, out: Any) -> None:
    """Round numbers in some coordinates."""
    _base(s, out)
    share, digits = unit(s.seed), 1 + below(s.seed, 2)
    for j in range(out.size):
        if chance(s.seed, share):
            out[j] = np.rint(out[j]) if chance(s.seed, 0.5) else round_to(out[j], digits)


@compiled
def _from_hits(s: Any, kind: int, out: Any) -> None:
    a, b = below(s.seed, s.counts[0].hits), below(s.seed, s.counts[0].hits)
    if kind == NEAR:
        size = power_of_ten(s.seed, -5.0, -0.3)
        for j in range(out.size):
            out[j] = s.points[HIT + a, j] + size * s.points[WIDTH, j] * normal(s.seed)
    elif kind == FOCUSED:
        for j in range(out.size):
            out[j] = s.points[MIDDLE, j] + s.points[SPREAD, j] * between(s.seed, -3.0, 3.0)
    elif kind == SPANNED:
        for j in range(out.size):
            out[j] = s.points[HIT + a, j]
        for _ in range(2):
            b, c = below(s.seed, s.counts[0].hits), below(s.seed, s.counts[0].hits)
            factor = normal(s.seed)
            for j in range(out.size):
                out[j] += factor * (s.points[HIT + b, j] - s.points[HIT + c, j])
    elif kind == MIXED:
        size = 0.0 if chance(s.seed, 0.5) else power_of_ten(s.seed, -6.0, -1.0)
        for j in range(out.size):
            out[j] = s.points[HIT + (a if chance(s.seed, 0.5) else b), j] + size * s.points[WIDTH, j] * normal(s.seed)
    else:
        _base(s, out)
        share = max(1.0 / out.size, 0.6 * unit(s.seed))
        for j in range(out.size):
            if not chance(s.seed, share):
                out[j] = s.points[HIT + a, j]


@compiled
def inside(s: Any, out: Any) -> None:
    """Coordinates outside the box are drawn anew, put on the bound or mirrored, all by one choice."""
    choice = below(s.seed, 3)
    for j in range(out.size):
        if s.points[LOWER, j] <= out[j] <= s.points[UPPER, j]:
            continue
        if choice == 0 or not math.isfinite(out[j]):
            out[j] = s.points[LOWER, j] + s.points[WIDTH, j] * unit(s.seed)
        bound = s.points[LOWER, j] if out[j] < s.points[LOWER, j] else s.points[UPPER, j]
        out[j] = bound if choice == 1 else 2.0 * bound - out[j] if choice == 2 else out[j]
        out[j] = min(max(out[j], s.points[LOWER, j]), s.points[UPPER, j])
