"""What is evaluated next: a draw, a hop, a slide or a step, in fixed shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, chance, unit
from cpcbench.solvers.search.compiled import entry
from cpcbench.solvers.search.moves.archive import late, weighted
from cpcbench.solvers.search.moves.hops import hop, hop_weights, pick_elite
from cpcbench.solvers.search.moves.samplers import WITHOUT_HITS, inside, sample, sampler_weights
from cpcbench.solvers.search.moves.sliders import slide
from cpcbench.solvers.search.moves.steps import AGAIN, EDGE, step, step_weights
from cpcbench.solvers.search.moves.sweeps import look, sweeper
from cpcbench.solvers.search.state import (
    BY_HOP,
    BY_SAMPLER,
    BY_STEP,
    CLIMB,
    CLIMBER,
    ELITE,
    HOP,
    HOPS,
    LOWER,
    MOVE,
    PENDING,
    SAMPLE,
    SAMPLERS,
    SLIDE,
    SLIDER,
    STEPS,
    SWEEP,
    SWEEPER,
    UPPER,
    WALL,
    State,
)
from cpcbench.solvers.search.tuning import ENTRIES, LONGEST_WAIT, SLIDERS


@entry
def propose(s: State, m: int, out: Any) -> None:
    climbers = int(s.settings[0].at_once)
    part = 0.3 if late(s) else 1.0
    for i in range(m):
        if s.counts[0].entered < ENTRIES and chance(s.seed, s.settings[0].entry_share):
            _propose_sample(s, i, WITHOUT_HITS, out[i])
            continue
        live = -1
        draw = unit(s.seed)
        if s.counts[0].hits > 0 and draw >= part * s.settings[0].sample_share:
            if draw < part * (s.settings[0].sample_share + s.settings[0].hop_share) and s.counts[0].elites > 0:
                _propose_hop(s, i, out[i])
                continue
            if unit(s.seed) < s.settings[0].sweep_share and s.counts[0].elites > 0 and _propose_look(s, i, out[i]):
                continue
            if unit(s.seed) < s.settings[0].slide_share and s.counts[0].elites > 0 and _propose_slide(s, i, out[i]):
                continue
            for _ in range(climbers):
                s.counts[0].turn = (s.counts[0].turn + 1) % climbers
                if s.facts[CLIMBER + s.counts[0].turn].alive:
                    live = s.counts[0].turn
                    break
        if live >= 0:
            _propose_step(s, i, live, out[i])
        else:
            _propose_sample(s, i, SAMPLERS if s.counts[0].hits > 0 else WITHOUT_HITS, out[i])


@compiled
def _propose_sample(s: State, i: int, kinds: int, out: Any) -> None:
    asked = s.facts[PENDING + i]
    sampler_weights(s)
    kind = weighted(s.seed, s.tallies, BY_SAMPLER, kinds)
    sample(s, kind, out)
    inside(s, out)
    asked.kind, asked.how = SAMPLE, kind


@compiled
def _propose_hop(s: State, i: int, out: Any) -> None:
    asked = s.facts[PENDING + i]
    hop_weights(s)
    kind = weighted(s.seed, s.tallies, BY_HOP, HOPS)
    elite = pick_elite(s)
    asked.sigma = hop(s, kind, elite, out)
    inside(s, out)
    asked.kind, asked.how, asked.who = HOP, kind, elite
    asked.parent = s.facts[ELITE + elite].value


@compiled
def _propose_slide(s: State, i: int, out: Any) -> bool:
    """The next slider that waits for no value, or has waited too long, if there is one."""
    asked = s.facts[PENDING + i]
    for _ in range(SLIDERS):
        s.counts[0].slider_turn = (s.counts[0].slider_turn + 1) % SLIDERS
        k = s.counts[0].slider_turn
        if s.facts[SLIDER + k].ticket == 0 or s.counts[0].told - s.facts[SLIDER + k].since > LONGEST_WAIT:
            asked.sigma = slide(s, k, out)
            asked.kind, asked.who = SLIDE, k
            asked.how = s.facts[SLIDER + k].ticket
            return True
    return False


@compiled
def _propose_look(s: State, i: int, out: Any) -> bool:
    """The next place of a sweep, if one has any left."""
    asked = s.facts[PENDING + i]
    k = sweeper(s)
    if k < 0:
        return False
    asked.at = look(s, k, out)
    asked.kind, asked.who, asked.how = SWEEP, k, s.facts[SWEEPER + k].ticket
    return True


@compiled
def _propose_step(s: State, i: int, k: int, out: Any) -> None:
    asked = s.facts[PENDING + i]
    step_weights(s)
    kind = weighted(s.seed, s.tallies, BY_STEP, STEPS)
    if (kind == AGAIN and _zero(s.points[MOVE + k])) or (kind == EDGE and _zero(s.points[WALL + k])):
        kind = 0
    step(s, k, kind, out, s.points[PENDING + i])
    inside(s, out)
    _never_the_same(s, s.points[CLIMBER + k], out)
    asked.kind, asked.how, asked.who = CLIMB, kind, k
    asked.parent = s.facts[CLIMBER + k].parent


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
    out[j] = min(max(out[j] + bits * np.spacing(abs(out[j])), s.points[LOWER, j]), s.points[UPPER, j])
