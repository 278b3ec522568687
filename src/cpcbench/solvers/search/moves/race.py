"""The race of the climbers: who goes on at a rung, who begins anew and where, and the credit of hops."""

from __future__ import annotations

import math

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, chance, power_of_ten
from cpcbench.solvers.search.moves.archive import late, move, to_archive, weighted
from cpcbench.solvers.search.moves.hops import LEAP, NUDGE, hop_weights, pick_elite
from cpcbench.solvers.search.moves.steps import start
from cpcbench.solvers.search.state import (
    AT_RUNG,
    BY_HOP,
    CLIMBER,
    ELITE,
    FRESH,
    FROM_ELITE,
    FROM_HIT,
    FROM_HOP,
    HOPS,
    POOL,
    State,
)
from cpcbench.solvers.search.tuning import MEMORY, POOL_KEPT, RUNGS


@compiled
def reward(s: State, how: int, gain: float) -> None:
    """Credit for an elite improved by more than a trifle."""
    low, high = math.inf, -math.inf
    for i in range(s.counts[0].elites):
        low, high = min(low, s.facts[ELITE + i].value), max(high, s.facts[ELITE + i].value)
    if not gain > 1e-6 * (high - low):
        return
    s.tallies[BY_HOP + how].gains += 1.0
    if s.tallies[BY_HOP + how].gains > 20.0:
        for k in range(HOPS):
            s.tallies[BY_HOP + k].gains *= 0.5
            s.tallies[BY_HOP + k].tries *= 0.5


@compiled
def at_rung(s: State, k: int) -> None:
    """A climber goes on if it is among the better ones that came this far, or has beaten its parent."""
    climber = s.facts[CLIMBER + k]
    origin, rung = climber.origin, climber.rung
    row = origin * RUNGS + rung
    seen = min(s.tallies[AT_RUNG + row].count, MEMORY)
    worse = 0
    for i in range(seen):
        worse += s.rungs[row, i] < climber.value
    s.rungs[row, s.tallies[AT_RUNG + row].count % MEMORY] = climber.value
    s.tallies[AT_RUNG + row].count += 1
    ahead = worse <= s.settings[0].keep * seen
    if ahead and _promising(s, k, rung):
        climber.rung += 1
        climber.goal *= 2
        climber.gained = climber.mark - climber.value
        climber.mark = climber.value
        if rung >= 2:
            to_archive(s, s.points[CLIMBER + k], climber.value)
        return
    if origin == FROM_HOP:
        reward(s, climber.how, climber.parent - climber.value)
    to_archive(s, s.points[CLIMBER + k], climber.value)
    climber.alive = False


@compiled
def _promising(s: State, k: int, rung: int) -> bool:
    """Whether a few more gains like the last one would bring the climber below the best elite."""
    climber = s.facts[CLIMBER + k]
    if rung >= RUNGS - 1:
        return False
    if s.counts[0].elites == 0 or rung == 0:
        return True
    value = climber.value
    gain = climber.mark - value
    best = math.inf
    for i in range(s.counts[0].elites):
        best = min(best, s.facts[ELITE + i].value)
    if gain <= 1e-11 * abs(value):
        return False
    return bool(s.settings[0].outlook * gain >= value - best)


@compiled
def restart(s: State, k: int) -> None:
    if s.counts[0].elites > 0 and chance(s.seed, 0.6 if late(s) else s.settings[0].polish_share):
        elite = ELITE + pick_elite(s)
        start(s, k, s.points[elite], s.facts[elite].value, power_of_ten(s.seed, -9.0, -2.0))
        _enter(s, k, FROM_ELITE, 0, s.facts[elite].value)
        return
    fresh = s.counts[0].new > 0 and chance(s.seed, s.settings[0].fresh_share)
    if not fresh and _restart_from_hop(s, k):
        return
    if s.counts[0].new == 0:
        return
    best = FRESH + below(s.seed, s.counts[0].new)
    for _ in range((1, 3, 8)[below(s.seed, 3)] - 1):
        other = FRESH + below(s.seed, s.counts[0].new)
        if s.facts[other].value < s.facts[best].value:
            best = other
    start(s, k, s.points[best], s.facts[best].value, power_of_ten(s.seed, -4.0, -1.0))
    _enter(s, k, FROM_HIT, 0, s.facts[best].value)
    s.counts[0].new -= 1
    move(s, FRESH + s.counts[0].new, best)


@compiled
def _enter(s: State, k: int, origin: int, how: int, parent: float) -> None:
    climber = s.facts[CLIMBER + k]
    climber.alive = True
    climber.origin = origin
    climber.how = how
    climber.parent = parent
    climber.mark = climber.value
    climber.gained = 0.0
    climber.rung = 0
    climber.goal = int(s.settings[0].first_rung + s.settings[0].rung_per_dim * s.points.shape[1])


@compiled
def _restart_from_hop(s: State, k: int) -> bool:
    hop_weights(s)
    for how in range(HOPS):
        if s.tallies[BY_HOP + how].count == 0:
            s.tallies[BY_HOP + how].weight = 0.0
    how = weighted(s.seed, s.tallies, BY_HOP, HOPS)
    count = s.tallies[BY_HOP + how].count
    if count == 0:
        return False
    first = POOL + how * POOL_KEPT
    best = first + below(s.seed, count)
    if how not in (NUDGE, LEAP):
        for _ in range((0, 2, 8)[below(s.seed, 3)]):
            other = first + below(s.seed, count)
            if s.facts[other].value < s.facts[best].value:
                best = other
    start(s, k, s.points[best], s.facts[best].value, s.facts[best].sigma)
    _enter(s, k, FROM_HOP, how, s.facts[best].parent)
    s.tallies[BY_HOP + how].count -= 1
    move(s, first + s.tallies[BY_HOP + how].count, best)
    return True
