"""The race of the climbers: who goes on at a rung, who begins anew and where, and the credit of hops."""

from __future__ import annotations

import math

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, chance, power_of_ten, weighted
from cpcbench.solvers.search.moves.archive import late, move, to_archive
from cpcbench.solvers.search.moves.hops import LEAP, NUDGE, hop_weights, pick_elite
from cpcbench.solvers.search.moves.steps import start
from cpcbench.solvers.search.state import (
    ALIVE,
    CLIMBER,
    ELITE,
    ELITES,
    FIRST_RUNG,
    FRESH,
    FRESH_SHARE,
    FROM_ELITE,
    FROM_HIT,
    FROM_HOP,
    GAINED,
    GOAL,
    HOP_COST,
    HOP_GAIN,
    HOPS,
    HOW,
    KEEP,
    MARK,
    MEMORY,
    NEW,
    ORIGIN,
    OUTLOOK,
    PARENT,
    POLISH_SHARE,
    POOL,
    POOL_KEPT,
    POOLED,
    REACHED,
    RUNG,
    RUNG_PER_DIM,
    RUNGS,
    SETTINGS,
    SIGMA,
    VALUE,
    WEIGHTS,
    State,
)


@compiled
def reward(s: State, how: int, gain: float) -> None:
    """Credit for an elite improved by more than a trifle."""
    low, high = math.inf, -math.inf
    for i in range(s.counts[ELITES]):
        low, high = min(low, s.facts[ELITE + i, VALUE]), max(high, s.facts[ELITE + i, VALUE])
    if not gain > 1e-6 * (high - low):
        return
    s.credit[HOP_GAIN, how] += 1.0
    if s.credit[HOP_GAIN, how] > 20.0:
        for k in range(HOPS):
            s.credit[HOP_GAIN, k] *= 0.5
            s.credit[HOP_COST, k] *= 0.5


@compiled
def at_rung(s: State, k: int) -> None:
    """A climber goes on if it is among the better ones that came this far, or has beaten its parent."""
    origin, rung = int(s.facts[CLIMBER + k, ORIGIN]), int(s.facts[CLIMBER + k, RUNG])
    seen = min(s.counts[REACHED + origin * RUNGS + rung], MEMORY)
    worse = 0
    for i in range(seen):
        worse += s.rungs[origin * RUNGS + rung, i] < s.facts[CLIMBER + k, VALUE]
    s.rungs[origin * RUNGS + rung, s.counts[REACHED + origin * RUNGS + rung] % MEMORY] = s.facts[CLIMBER + k, VALUE]
    s.counts[REACHED + origin * RUNGS + rung] += 1
    ahead = worse <= s.credit[SETTINGS, KEEP] * seen
    if ahead and _promising(s, k, rung):
        s.facts[CLIMBER + k, RUNG] += 1
        s.facts[CLIMBER + k, GOAL] *= 2
        s.facts[CLIMBER + k, GAINED] = s.facts[CLIMBER + k, MARK] - s.facts[CLIMBER + k, VALUE]
        s.facts[CLIMBER + k, MARK] = s.facts[CLIMBER + k, VALUE]
        if rung >= 2:
            to_archive(s, s.points[CLIMBER + k], s.facts[CLIMBER + k, VALUE])
        return
    if origin == FROM_HOP:
        reward(s, int(s.facts[CLIMBER + k, HOW]), s.facts[CLIMBER + k, PARENT] - s.facts[CLIMBER + k, VALUE])
    to_archive(s, s.points[CLIMBER + k], s.facts[CLIMBER + k, VALUE])
    s.facts[CLIMBER + k, ALIVE] = 0.0


@compiled
def _promising(s: State, k: int, rung: int) -> bool:
    """Whether a few more gains like the last one would bring the climber below the best elite."""
    if rung >= RUNGS - 1:
        return False
    if s.counts[ELITES] == 0 or rung == 0:
        return True
    value = s.facts[CLIMBER + k, VALUE]
    gain = s.facts[CLIMBER + k, MARK] - value
    best = math.inf
    for i in range(s.counts[ELITES]):
        best = min(best, s.facts[ELITE + i, VALUE])
    if gain <= 1e-11 * abs(value):
        return False
    return bool(s.credit[SETTINGS, OUTLOOK] * gain >= value - best)


@compiled
def restart(s: State, k: int) -> None:
    if s.counts[ELITES] > 0 and chance(s.seed, 0.6 if late(s) else s.credit[SETTINGS, POLISH_SHARE]):
        elite = ELITE + pick_elite(s)
        start(s, k, s.points[elite], s.facts[elite, VALUE], power_of_ten(s.seed, -9.0, -2.0))
        _enter(s, k, FROM_ELITE, 0, s.facts[elite, VALUE])
        return
    fresh = s.counts[NEW] > 0 and chance(s.seed, s.credit[SETTINGS, FRESH_SHARE])
    if not fresh and _restart_from_hop(s, k):
        return
    if s.counts[NEW] == 0:
        return
    best = below(s.seed, s.counts[NEW])
    for _ in range((1, 3, 8)[below(s.seed, 3)] - 1):
        other = below(s.seed, s.counts[NEW])
        if s.facts[FRESH + other, VALUE] < s.facts[FRESH + best, VALUE]:
            best = other
    start(s, k, s.points[FRESH + best], s.facts[FRESH + best, VALUE], power_of_ten(s.seed, -4.0, -1.0))
    _enter(s, k, FROM_HIT, 0, s.facts[FRESH + best, VALUE])
    s.counts[NEW] -= 1
    move(s, FRESH + s.counts[NEW], FRESH + best)


@compiled
def _enter(s: State, k: int, origin: int, how: int, parent: float) -> None:
    s.facts[CLIMBER + k, ALIVE] = 1.0
    s.facts[CLIMBER + k, ORIGIN] = origin
    s.facts[CLIMBER + k, HOW] = how
    s.facts[CLIMBER + k, PARENT] = parent
    s.facts[CLIMBER + k, MARK] = s.facts[CLIMBER + k, VALUE]
    s.facts[CLIMBER + k, GAINED] = 0.0
    s.facts[CLIMBER + k, RUNG] = 0
    s.facts[CLIMBER + k, GOAL] = int(s.credit[SETTINGS, FIRST_RUNG] + s.credit[SETTINGS, RUNG_PER_DIM] * s.box.shape[1])


@compiled
def _restart_from_hop(s: State, k: int) -> bool:
    hop_weights(s)
    for how in range(HOPS):
        if s.counts[POOLED + how] == 0:
            s.credit[WEIGHTS, how] = 0.0
    how = weighted(s.seed, s.credit[WEIGHTS], HOPS)
    count = s.counts[POOLED + how]
    if count == 0:
        return False
    best = below(s.seed, count)
    if how not in (NUDGE, LEAP):
        for _ in range((0, 2, 8)[below(s.seed, 3)]):
            other = below(s.seed, count)
            if s.facts[POOL + how * POOL_KEPT + other, VALUE] < s.facts[POOL + how * POOL_KEPT + best, VALUE]:
                best = other
    start(
        s,
        k,
        s.points[POOL + how * POOL_KEPT + best],
        s.facts[POOL + how * POOL_KEPT + best, VALUE],
        s.facts[POOL + how * POOL_KEPT + best, SIGMA],
    )
    _enter(s, k, FROM_HOP, how, s.facts[POOL + how * POOL_KEPT + best, PARENT])
    s.counts[POOLED + how] -= 1
    end = s.counts[POOLED + how]
    move(s, POOL + how * POOL_KEPT + end, POOL + how * POOL_KEPT + best)
    return True
