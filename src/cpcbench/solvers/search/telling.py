"""What is learnt from values: each goes to whoever asked for it."""

from __future__ import annotations

import math
from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below
from cpcbench.solvers.search.compiled import entry
from cpcbench.solvers.search.moves.archive import put, to_archive
from cpcbench.solvers.search.moves.hops import LEAP, NUDGE
from cpcbench.solvers.search.moves.race import at_rung, restart, reward
from cpcbench.solvers.search.moves.samplers import WITHOUT_HITS
from cpcbench.solvers.search.moves.sliders import told_slide
from cpcbench.solvers.search.moves.steps import learn
from cpcbench.solvers.search.moves.sweeps import told_look
from cpcbench.solvers.search.state import (
    BY_HOP,
    BY_SAMPLER,
    BY_STEP,
    CLIMBER,
    ELITE,
    FRESH,
    FROM_HOP,
    HIT,
    HOP,
    MIDDLE,
    PENDING,
    POOL,
    SAMPLE,
    SLIDE,
    SLIDER,
    SPREAD,
    SWEEP,
    SWEEPER,
    State,
)
from cpcbench.solvers.search.tuning import FRESH_KEPT, HITS_KEPT, POOL_KEPT


@entry
def absorb(s: State, points: Any, values: Any) -> None:
    for i in range(values.size):
        value = values[i] if math.isfinite(values[i]) else math.nan
        kind, how = s.facts[PENDING + i].kind, s.facts[PENDING + i].how
        s.counts[0].told += 1
        if kind == SAMPLE:
            _told_sample(s, how, points[i], value)
        elif kind == HOP:
            _told_hop(s, i, how, points[i], value)
        elif kind == SLIDE:
            _told_slide(s, i, points[i], value)
        elif kind == SWEEP:
            _told_sweep(s, i, points[i], value)
        else:
            _told_step(s, i, points[i], value)
    for k in range(int(s.settings[0].at_once)):
        if not s.facts[CLIMBER + k].alive:
            restart(s, k)


@compiled
def _told_sample(s: State, how: int, x: Any, value: float) -> None:
    draws = s.tallies[BY_SAMPLER + how]
    draws.tries += 1.0
    if s.counts[0].hits > 0 and draws.tries > 2000.0:
        draws.tries *= 0.5
        draws.gains *= 0.5
    if value != value:
        return
    draws.gains += 1.0
    s.counts[0].entered += how < WITHOUT_HITS
    _keep_hit(s, x, value)
    if s.counts[0].new < FRESH_KEPT:
        at = s.counts[0].new
        s.counts[0].new += 1
    else:
        a, b = below(s.seed, FRESH_KEPT), below(s.seed, FRESH_KEPT)
        at = a if s.facts[FRESH + a].value > s.facts[FRESH + b].value else b
    put(s, FRESH + at, x, value)


@compiled
def _keep_hit(s: State, x: Any, value: float) -> None:
    if s.counts[0].hits < HITS_KEPT:
        at = s.counts[0].hits
        s.counts[0].hits += 1
    else:
        at = below(s.seed, HITS_KEPT)
    put(s, HIT + at, x, value)
    weight = 1.0 / min(s.counts[0].hits, 100)
    for j in range(x.size):
        s.points[MIDDLE, j] += weight * (x[j] - s.points[MIDDLE, j])
        s.points[SPREAD, j] += weight * (abs(x[j] - s.points[MIDDLE, j]) - s.points[SPREAD, j])


@compiled
def _told_hop(s: State, i: int, how: int, x: Any, value: float) -> None:
    asked = s.facts[PENDING + i]
    s.tallies[BY_HOP + how].tries += 1.0
    elite = asked.who
    if elite < s.counts[0].elites:
        s.facts[ELITE + elite].tries += 1.0
    if value != value:
        return
    if value < asked.parent:
        reward(s, how, asked.parent - value)
        to_archive(s, x, value)
    row = POOL + how * POOL_KEPT
    if s.tallies[BY_HOP + how].count < POOL_KEPT:
        row += s.tallies[BY_HOP + how].count
        s.tallies[BY_HOP + how].count += 1
    else:
        row += below(s.seed, POOL_KEPT)
        if how not in (NUDGE, LEAP) and s.facts[row].value < value:
            return
    put(s, row, x, value)
    s.facts[row].parent, s.facts[row].sigma = asked.parent, asked.sigma


@compiled
def _told_slide(s: State, i: int, x: Any, value: float) -> None:
    asked = s.facts[PENDING + i]
    k = asked.who
    if s.facts[SLIDER + k].ticket == asked.how:
        told_slide(s, k, asked.sigma, value)
    elif value == value:  # that slider has waited too long and gone on
        to_archive(s, x, value)


@compiled
def _told_sweep(s: State, i: int, x: Any, value: float) -> None:
    asked = s.facts[PENDING + i]
    if value < s.facts[SWEEPER + asked.who].value:
        to_archive(s, x, value)
    if s.facts[SWEEPER + asked.who].ticket == asked.how:
        told_look(s, asked.who, int(asked.at), value)


@compiled
def _told_step(s: State, i: int, x: Any, value: float) -> None:
    asked = s.facts[PENDING + i]
    k, how = asked.who, asked.how
    climber, steps = s.facts[CLIMBER + k], s.tallies[BY_STEP + how]
    if not climber.alive or climber.parent != asked.parent:
        return  # that climber has ended since
    steps.tries += 1.0
    climber.age += 1
    if climber.origin == FROM_HOP:
        s.tallies[BY_HOP + climber.how].tries += 1.0
    before = climber.value
    if learn(s, k, how, x, value, s.points[PENDING + i]):
        # a gain counts by its share in what this climber has gained of late: trifles earn nothing
        steps.gains += (before - value) / (climber.mark - value + climber.gained + 1e-300)
    if steps.tries > 4000.0:
        steps.tries *= 0.5
        steps.gains *= 0.5
    if climber.age >= climber.goal:
        at_rung(s, k)
