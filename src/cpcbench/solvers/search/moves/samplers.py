"""Draws from the whole box, each with another idea of where an admissible point may be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, between, chance, normal, power_of_ten, sign, unit
from cpcbench.solvers.search.state import BY_SAMPLER, HIT, LOWER, MIDDLE, SAMPLERS, SPREAD, UPPER, WIDTH
from cpcbench.solvers.search.tuning import SHARES_OF_SAMPLERS

UNIFORM, WINDOW, SHRUNK, SORTED, RATIO, MAGNITUDES, EQUAL, SPARSE, ROUNDED, MIXED, NEAR, RESAMPLED, FOCUSED = range(13)
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
        _uniform(s, out)
    elif kind == WINDOW:
        _window(s, out)
    elif kind == SHRUNK:
        _shrunk(s, out)
    elif kind == SORTED:
        _base(s, out)
        _sort(out, chance(s.seed, 0.5))
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
def _sort(out: Any, falling: bool) -> None:
    for i in range(1, out.size):
        x, j = out[i], i
        while j > 0 and (out[j - 1] < x if falling else out[j - 1] > x):
            out[j] = out[j - 1]
            j -= 1
        out[j] = x


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
    """All coordinates in the same part of their range."""
    t, size, flip = unit(s.seed), _small(s), chance(s.seed, 0.25)
    for j in range(out.size):
        out[j] = s.points[LOWER, j] + s.points[WIDTH, j] * (t + size * (unit(s.seed) - 0.5))
        if flip:
            out[j] *= sign(s.seed)


@compiled
def _shrunk(s: Any, out: Any) -> None:
    """A smaller box about the middle or about the origin."""
    size, middle = _small(s), chance(s.seed, 0.5)
    for j in range(out.size):
        low, high, width = s.points[LOWER, j], s.points[UPPER, j], s.points[WIDTH, j]
        centre = low + 0.5 * width if middle else min(max(0.0, low), high)
        out[j] = centre + size * width * (unit(s.seed) - 0.5)


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
    """Every coordinate about a fixed multiple of the one before."""
    n = out.size
    factor, spread = math.exp(between(s.seed, -2.5, 2.5)), 0.3 * unit(s.seed)
    x = 0.5 * s.points[WIDTH, 0] * power_of_ten(s.seed, -4.0, 0.0) * sign(s.seed)
    backwards = chance(s.seed, 0.5)
    for i in range(n):
        out[n - 1 - i if backwards else i] = x
        x *= factor * math.exp(spread * normal(s.seed))


@compiled
def _magnitudes(s: Any, out: Any) -> None:
    """Every order of magnitude as likely as any other, for each coordinate by itself."""
    for j in range(out.size):
        out[j] = max(abs(s.points[LOWER, j]), abs(s.points[UPPER, j])) * power_of_ten(s.seed, -4.0, 0.0) * sign(s.seed)
        if not s.points[LOWER, j] <= out[j] <= s.points[UPPER, j]:
            out[j] = -out[j]


@compiled
def _equal(s: Any, out: Any) -> None:
    """All coordinates equal up to sign, or nearly."""
    t, signs = unit(s.seed), chance(s.seed, 0.4)
    jitter = 0.0 if chance(s.seed, 0.5) else power_of_ten(s.seed, -6.0, -1.0)
    for j in range(out.size):
        out[j] = s.points[LOWER, j] + s.points[WIDTH, j] * (t + jitter * normal(s.seed))
        if signs:
            out[j] *= sign(s.seed)


@compiled
def _sparse(s: Any, out: Any) -> None:
    """Some coordinates at zero or at a bound."""
    _base(s, out)
    share, zero = unit(s.seed), chance(s.seed, 0.5)
    for j in range(out.size):
        if chance(s.seed, share):
            out[j] = 0.0 if zero else (s.points[LOWER, j] if chance(s.seed, 0.5) else s.points[UPPER, j])


@compiled
def round_to(value: float, digits: int) -> float:
    """The value with so many decimal digits."""
    if value == 0.0 or not abs(value) < 1e300:
        return value
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    if abs(decimals) > 300:
        return value
    factor = 10.0 ** abs(decimals)
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
