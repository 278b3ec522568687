"""Hops from an elite: far or structured moves that begin a new climb where they land."""

from __future__ import annotations

from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, between, chance, normal, power_of_ten, sign, unit
from cpcbench.solvers.search.moves.archive import late, weighted
from cpcbench.solvers.search.moves.samplers import anchor, at_place, round_to, which_anchor
from cpcbench.solvers.search.state import BY_HOP, ELITE, HIT, HOPS, LOWER, WIDTH

NUDGE, LEAP, SCAN, CROSS, DIFFERENCE, TIE, ROUND, SCALE, LINE, SHIFT = range(10)


@compiled
def pick_elite(s: Any) -> int:
    """Better elites more often, exhausted ones less."""
    count, end, n = s.counts[0].elites, late(s), s.points.shape[1]
    for i in range(count):
        rank = 0
        for other in range(count):
            rank += s.facts[ELITE + other].value < s.facts[ELITE + i].value
        s.facts[ELITE + i].weight = 1.0 / (1.0 + rank) / (1.0 + s.facts[ELITE + i].tries / (s.settings[0].patience * n))
        if end:
            s.facts[ELITE + i].weight = 1.0 / (1.0 + rank) ** 3
    return weighted(s.seed, s.facts, ELITE, count)


@compiled
def hop(s: Any, kind: int, elite: int, out: Any) -> float:
    """Writes a point into `out` and returns the size of the steps to begin with there."""
    n = out.size
    x = s.points[ELITE + elite]
    for i in range(n):
        out[i] = x[i]
    j = below(s.seed, n)
    if kind in (NUDGE, LEAP):
        size = power_of_ten(s.seed, -9.0, -3.0) if kind == NUDGE else power_of_ten(s.seed, -3.5, -0.5)
        everywhere = chance(s.seed, 0.5)
        for i in range(n):
            if everywhere or i == j or chance(s.seed, 1.0 / n):
                out[i] += size * s.points[WIDTH, i] * normal(s.seed)
        return size * 0.3
    if kind == SCAN:
        out[j] = s.points[LOWER, j] + s.points[WIDTH, j] * unit(s.seed)
        if n > 1 and chance(s.seed, 0.2):
            i = below(s.seed, n)
            out[i] = s.points[LOWER, i] + s.points[WIDTH, i] * unit(s.seed)
        return power_of_ten(s.seed, -5.0, -2.0)
    if kind == CROSS:
        other = below(s.seed, s.counts[0].elites)
        donor = s.points[HIT + below(s.seed, s.counts[0].hits)] if chance(s.seed, 0.3) else s.points[ELITE + other]
        share = unit(s.seed)
        for i in range(n):
            if i == j or chance(s.seed, share):
                out[i] = donor[i]
        return power_of_ten(s.seed, -6.0, -2.0)
    if kind in (DIFFERENCE, LINE):
        a, b = s.points[ELITE + below(s.seed, s.counts[0].elites)], s.points[ELITE + below(s.seed, s.counts[0].elites)]
        if kind == LINE:
            b = x
        factor = between(s.seed, -1.0, 2.0) if chance(s.seed, 0.5) else power_of_ten(s.seed, -3.0, 0.0) * sign(s.seed)
        if chance(s.seed, s.settings[0].whole_share):
            factor = sign(s.seed)  # the difference as it is: from one island to the next where they lie on a lattice
        share = 1.0 if chance(s.seed, 0.5) else unit(s.seed)
        for i in range(n):
            if i == j or chance(s.seed, share):
                out[i] += factor * (a[i] - b[i])
        return power_of_ten(s.seed, -5.0, -2.0)
    if kind == TIE:
        return _tie(s, j, out)
    if kind == ROUND:
        digits, everywhere = 1 + below(s.seed, 6), chance(s.seed, 0.5)
        for i in range(n):
            if everywhere or i == j or chance(s.seed, 1.0 / n):
                out[i] = round_to(out[i], digits)
        return power_of_ten(s.seed, -10.0, -3.0)
    if kind == SCALE:
        factor = 1.0 + sign(s.seed) * power_of_ten(s.seed, -6.0, -0.3)
        share, choice = (unit(s.seed) if chance(s.seed, 0.5) else 1.0), which_anchor(s)
        for i in range(n):
            if i == j or chance(s.seed, share):
                out[i] += (factor - 1.0) * (out[i] - anchor(s, choice, i))
        return power_of_ten(s.seed, -6.0, -2.0)
    # SHIFT: the same share of their ranges in several coordinates, up to sign, or many times the same amount in one
    size = power_of_ten(s.seed, -5.0, -0.3)
    share, signs = unit(s.seed), chance(s.seed, 0.5)
    for i in range(n):
        if i == j or chance(s.seed, share):
            out[i] += size * s.points[WIDTH, i] * (sign(s.seed) if signs else 1.0)
    return size * 0.1


@compiled
def _tie(s: Any, j: int, out: Any) -> float:
    """Places in the ranges of coordinates made equal up to sign, exchanged, or turned about."""
    n = out.size
    choice = below(s.seed, 4) if n > 1 else 3
    i = (j + 1 + below(s.seed, max(n - 1, 1))) % n
    if choice <= 1:
        out[i] = _carried(s, j, i, out[j], 1.0 if choice == 0 else -1.0)
    elif choice == 2:
        mirror = sign(s.seed)
        out[i], out[j] = _carried(s, j, i, out[j], mirror), _carried(s, i, j, out[i], mirror)
    else:
        out[j] = _carried(s, j, j, out[j], -1.0)
        for k in range(n):
            if k != j and chance(s.seed, 0.3):
                out[k] = _carried(s, k, k, out[k], -1.0)
    return power_of_ten(s.seed, -6.0, -2.0)


@compiled
def _carried(s: Any, j: int, i: int, x: float, mirror: float) -> float:
    """Coordinate i at the place of x in the range of j, or at its mirror image: the same number on equal ranges."""
    scale = s.points[WIDTH, i] / s.points[WIDTH, j] if s.points[WIDTH, j] > 0.0 else 0.0
    return at_place(s, i, 0.0) + mirror * (x - at_place(s, j, 0.0)) * scale


@compiled
def hop_weights(s: Any) -> None:
    """The more improved elites for its evaluations, the more often a kind is used."""
    most = 0.0
    for k in range(HOPS):
        hops = s.tallies[BY_HOP + k]
        hops.weight = (hops.gains + 1.0) / (hops.tries + 500.0)
        most = max(most, hops.weight)
    for k in range(HOPS):
        s.tallies[BY_HOP + k].weight = max(s.tallies[BY_HOP + k].weight, 0.1 * most)
