"""What is evaluated next: a draw, a hop, a slide or a step, in fixed shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, chance, unit, weighted
from cpcbench.solvers.search.compiled import entry
from cpcbench.solvers.search.moves.archive import late
from cpcbench.solvers.search.moves.hops import hop, hop_weights, pick_elite
from cpcbench.solvers.search.moves.samplers import WITHOUT_HITS, inside, sample, sampler_weights
from cpcbench.solvers.search.moves.sliders import slide
from cpcbench.solvers.search.moves.steps import AGAIN, EDGE, step, step_weights
from cpcbench.solvers.search.state import (
    AGE,
    ALIVE,
    AT_ONCE,
    BUSY,
    CLIMB,
    CLIMBER,
    ELITE,
    ELITES,
    ENTERED,
    ENTRIES,
    ENTRY_SHARE,
    HITS,
    HOP,
    HOP_SHARE,
    HOPS,
    HOW,
    KIND,
    LOWER,
    MOVE,
    PARENT,
    PENDING,
    SAMPLE,
    SAMPLE_SHARE,
    SAMPLERS,
    SETTINGS,
    SIGMA,
    SLIDE,
    SLIDE_SHARE,
    SLIDER,
    SLIDER_TURN,
    SLIDERS,
    STEPS,
    TOLD,
    TURN,
    UPPER,
    VALUE,
    WALL,
    WEIGHTS,
    WHO,
    State,
)

LONGEST_WAIT = 1000
"""Values told to others before a slider no longer waits for the one that it asked for."""


@entry
def propose(s: State, m: int, out: Any) -> None:
    climbers = int(s.credit[SETTINGS, AT_ONCE])
    part = 0.3 if late(s) else 1.0
    for i in range(m):
        if s.counts[ENTERED] < ENTRIES and chance(s.seed, s.credit[SETTINGS, ENTRY_SHARE]):
            _propose_sample(s, i, WITHOUT_HITS, out[i])
            continue
        live = -1
        draw = unit(s.seed)
        if s.counts[HITS] > 0 and draw >= part * s.credit[SETTINGS, SAMPLE_SHARE]:
            if (
                draw < part * (s.credit[SETTINGS, SAMPLE_SHARE] + s.credit[SETTINGS, HOP_SHARE])
                and s.counts[ELITES] > 0
            ):
                _propose_hop(s, i, out[i])
                continue
            if unit(s.seed) < s.credit[SETTINGS, SLIDE_SHARE] and s.counts[ELITES] > 0 and _propose_slide(s, i, out[i]):
                continue
            for _ in range(climbers):
                s.counts[TURN] = (s.counts[TURN] + 1) % climbers
                if s.facts[CLIMBER + s.counts[TURN], ALIVE] > 0.0:
                    live = s.counts[TURN]
                    break
        if live >= 0:
            _propose_step(s, i, live, out[i])
        else:
            _propose_sample(s, i, SAMPLERS if s.counts[HITS] > 0 else WITHOUT_HITS, out[i])


@compiled
def _propose_sample(s: State, i: int, kinds: int, out: Any) -> None:
    sampler_weights(s)
    kind = weighted(s.seed, s.credit[WEIGHTS], kinds)
    sample(s, kind, out)
    inside(s, out)
    s.facts[PENDING + i, KIND], s.facts[PENDING + i, HOW] = SAMPLE, kind


@compiled
def _propose_hop(s: State, i: int, out: Any) -> None:
    hop_weights(s)
    kind = weighted(s.seed, s.credit[WEIGHTS], HOPS)
    elite = pick_elite(s)
    s.facts[PENDING + i, SIGMA] = hop(s, kind, elite, out)
    inside(s, out)
    s.facts[PENDING + i, KIND], s.facts[PENDING + i, HOW], s.facts[PENDING + i, WHO] = HOP, kind, elite
    s.facts[PENDING + i, PARENT] = s.facts[ELITE + elite, VALUE]


@compiled
def _propose_slide(s: State, i: int, out: Any) -> bool:
    """The next slider that waits for no value, or has waited too long, if there is one."""
    for _ in range(SLIDERS):
        s.counts[SLIDER_TURN] = (s.counts[SLIDER_TURN] + 1) % SLIDERS
        k = s.counts[SLIDER_TURN]
        if s.facts[SLIDER + k, BUSY] == 0.0 or s.counts[TOLD] - s.facts[SLIDER + k, AGE] > LONGEST_WAIT:
            s.facts[PENDING + i, SIGMA] = slide(s, k, out)
            s.facts[PENDING + i, KIND], s.facts[PENDING + i, WHO] = SLIDE, k
            s.facts[PENDING + i, HOW] = s.facts[SLIDER + k, BUSY]
            return True
    return False


@compiled
def _propose_step(s: State, i: int, k: int, out: Any) -> None:
    step_weights(s)
    kind = weighted(s.seed, s.credit[WEIGHTS], STEPS)
    if (kind == AGAIN and _zero(s.points[MOVE + k])) or (kind == EDGE and _zero(s.points[WALL + k])):
        kind = 0
    step(s, k, kind, out, s.points[PENDING + i])
    inside(s, out)
    _never_the_same(s, s.points[CLIMBER + k], out)
    s.facts[PENDING + i, KIND], s.facts[PENDING + i, HOW], s.facts[PENDING + i, WHO] = CLIMB, kind, k
    s.facts[PENDING + i, PARENT] = s.facts[CLIMBER + k, PARENT]


@compiled
def _zero(v: Any) -> bool:
    for j in range(v.size):  # noqa: SIM110 - compiled
        if v[j] != 0.0:
            return False
    return True


@compiled
def _never_the_same(s: State, x: Any, out: Any) -> None:
    """A step too short to show becomes one of a few last bits."""
    for j in range(x.size):
        if out[j] != x[j]:
            return
    j = below(s.seed, x.size)
    bits = math.floor(2.0 ** (5.0 * unit(s.seed))) * (1.0 if chance(s.seed, 0.5) else -1.0)
    out[j] = min(max(out[j] + bits * np.spacing(abs(out[j])), s.box[LOWER, j]), s.box[UPPER, j])
