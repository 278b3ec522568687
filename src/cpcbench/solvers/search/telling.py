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
from cpcbench.solvers.search.state import (
    AGE,
    ALIVE,
    AT_ONCE,
    BUSY,
    CLIMBER,
    ELITE,
    ELITES,
    ENTERED,
    FRESH,
    FRESH_KEPT,
    FROM_HOP,
    GAINED,
    GOAL,
    HIT,
    HITS,
    HITS_KEPT,
    HOP,
    HOP_COST,
    HOW,
    KIND,
    MARK,
    MIDDLE,
    NEW,
    ORIGIN,
    PARENT,
    PENDING,
    POOL,
    POOL_KEPT,
    POOLED,
    SAMPLE,
    SAMPLER_HITS,
    SAMPLER_TRIES,
    SETTINGS,
    SIGMA,
    SLIDE,
    SLIDER,
    SPREAD,
    STEP_GAINS,
    STEP_TRIES,
    TOLD,
    TRIES,
    VALUE,
    WHO,
    State,
)


@entry
def absorb(s: State, points: Any, values: Any) -> None:
    for i in range(values.size):
        value = values[i] if math.isfinite(values[i]) else math.nan
        kind, how = int(s.facts[PENDING + i, KIND]), int(s.facts[PENDING + i, HOW])
        s.counts[TOLD] += 1
        if kind == SAMPLE:
            _told_sample(s, how, points[i], value)
        elif kind == HOP:
            _told_hop(s, i, how, points[i], value)
        elif kind == SLIDE:
            _told_slide(s, i, points[i], value)
        else:
            _told_step(s, i, points[i], value)
    for k in range(int(s.credit[SETTINGS, AT_ONCE])):
        if s.facts[CLIMBER + k, ALIVE] == 0.0:
            restart(s, k)


@compiled
def _told_sample(s: State, how: int, x: Any, value: float) -> None:
    s.credit[SAMPLER_TRIES, how] += 1.0
    if s.counts[HITS] > 0 and s.credit[SAMPLER_TRIES, how] > 2000.0:
        s.credit[SAMPLER_TRIES, how] *= 0.5
        s.credit[SAMPLER_HITS, how] *= 0.5
    if value != value:
        return
    s.credit[SAMPLER_HITS, how] += 1.0
    s.counts[ENTERED] += how < WITHOUT_HITS
    _keep_hit(s, x, value)
    if s.counts[NEW] < FRESH_KEPT:
        at = s.counts[NEW]
        s.counts[NEW] += 1
    else:
        a, b = below(s.seed, FRESH_KEPT), below(s.seed, FRESH_KEPT)
        at = a if s.facts[FRESH + a, VALUE] > s.facts[FRESH + b, VALUE] else b
    put(s, FRESH + at, x, value)


@compiled
def _keep_hit(s: State, x: Any, value: float) -> None:
    if s.counts[HITS] < HITS_KEPT:
        at = s.counts[HITS]
        s.counts[HITS] += 1
    else:
        at = below(s.seed, HITS_KEPT)
    put(s, HIT + at, x, value)
    weight = 1.0 / min(s.counts[HITS], 100)
    for j in range(x.size):
        s.points[MIDDLE, j] += weight * (x[j] - s.points[MIDDLE, j])
        s.points[SPREAD, j] += weight * (abs(x[j] - s.points[MIDDLE, j]) - s.points[SPREAD, j])


@compiled
def _told_hop(s: State, i: int, how: int, x: Any, value: float) -> None:
    s.credit[HOP_COST, how] += 1.0
    elite = int(s.facts[PENDING + i, WHO])
    if elite < s.counts[ELITES]:
        s.facts[ELITE + elite, TRIES] += 1.0
    if value != value:
        return
    if value < s.facts[PENDING + i, PARENT]:
        reward(s, how, s.facts[PENDING + i, PARENT] - value)
        to_archive(s, x, value)
    count = POOL_KEPT
    if s.counts[POOLED + how] < count:
        at = s.counts[POOLED + how]
        s.counts[POOLED + how] += 1
    else:
        at = below(s.seed, count)
        if how not in (NUDGE, LEAP) and s.facts[POOL + how * POOL_KEPT + at, VALUE] < value:
            return
    put(s, POOL + how * POOL_KEPT + at, x, value)
    s.facts[POOL + how * POOL_KEPT + at, PARENT] = s.facts[PENDING + i, PARENT]
    s.facts[POOL + how * POOL_KEPT + at, SIGMA] = s.facts[PENDING + i, SIGMA]


@compiled
def _told_slide(s: State, i: int, x: Any, value: float) -> None:
    k = int(s.facts[PENDING + i, WHO])
    if s.facts[SLIDER + k, BUSY] == s.facts[PENDING + i, HOW]:
        told_slide(s, k, s.facts[PENDING + i, SIGMA], value)
    elif value == value:  # that slider has waited too long and gone on
        to_archive(s, x, value)


@compiled
def _told_step(s: State, i: int, x: Any, value: float) -> None:
    k, how = int(s.facts[PENDING + i, WHO]), int(s.facts[PENDING + i, HOW])
    if s.facts[CLIMBER + k, ALIVE] == 0.0 or s.facts[CLIMBER + k, PARENT] != s.facts[PENDING + i, PARENT]:
        return  # that climber has ended since
    s.credit[STEP_TRIES, how] += 1.0
    s.facts[CLIMBER + k, AGE] += 1
    if s.facts[CLIMBER + k, ORIGIN] == FROM_HOP:
        s.credit[HOP_COST, int(s.facts[CLIMBER + k, HOW])] += 1.0
    before = s.facts[CLIMBER + k, VALUE]
    if learn(s, k, how, x, value, s.points[PENDING + i]):
        # a gain counts by its share in what this climber has gained of late: trifles earn nothing
        s.credit[STEP_GAINS, how] += (before - value) / (
            s.facts[CLIMBER + k, MARK] - value + s.facts[CLIMBER + k, GAINED] + 1e-300
        )
    if s.credit[STEP_TRIES, how] > 4000.0:
        s.credit[STEP_TRIES, how] *= 0.5
        s.credit[STEP_GAINS, how] *= 0.5
    if s.facts[CLIMBER + k, AGE] >= s.facts[CLIMBER + k, GOAL]:
        at_rung(s, k)
