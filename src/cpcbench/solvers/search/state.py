"""All that the search remembers, in a few tables that compiled code can read and write.

`points` holds one point a row and `facts` what is known of it, row by row; the rows come in blocks.
Few tables and fixed blocks, because every table handed to a compiled function costs time to compile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# How much is kept
HITS_KEPT, FRESH_KEPT, ELITES_KEPT, POOL_KEPT, CLIMBERS, SLIDERS = 256, 48, 32, 12, 24, 16
SAMPLERS, HOPS, STEPS, RUNGS, MEMORY = 13, 10, 8, 24, 24
ENTRIES = 8

# Blocks of rows: samplers' hits, hits not climbed from yet, elites, landed hops, climbers with the path of their
# adapted steps, where they met undefined points and their last move, a scratch row, and what was asked
HIT = 0
FRESH = HIT + HITS_KEPT
ELITE = FRESH + FRESH_KEPT
POOL = ELITE + ELITES_KEPT
CLIMBER = POOL + HOPS * POOL_KEPT
PATH = CLIMBER + CLIMBERS
WALL = PATH + CLIMBERS
MOVE = WALL + CLIMBERS
SCRATCH = MOVE + CLIMBERS
MIDDLE = SCRATCH + 1
SPREAD = MIDDLE + 1
SLIDER = SPREAD + 1
BASE = SLIDER + SLIDERS
FOOT = BASE + SLIDERS
AIM = FOOT + SLIDERS
PENDING = AIM + SLIDERS

# Columns of facts; a row uses those that make sense for its block
VALUE, SIGMA, SUCCESS, AGE, GOAL, RUNG, ORIGIN, HOW, PARENT, MARK, ALIVE, KIND, WHO, TRIES, GAINED = range(15)
AT, LOW, HIGH, SIDE, SIZE, LEFT, LINES, BUSY, AXIS, DIVES, DEEPEST = range(15, 26)
COLUMNS = 26

# Rows of the box, of credit, and places in counts
LOWER, UPPER, WIDTH = range(3)
SETTINGS, WEIGHTS, SAMPLER_TRIES, SAMPLER_HITS, HOP_COST, HOP_GAIN, STEP_TRIES, STEP_GAINS = range(8)
HITS, NEW, ELITES, TURN, TOLD, SLIDER_TURN, ENTERED, TICKET, POOLED = range(9)
REACHED = POOLED + HOPS

# Kinds of pending points, and where a climber started
SAMPLE, HOP, CLIMB, SLIDE = range(4)
FROM_HIT, FROM_HOP, FROM_ELITE = range(3)

SAMPLE_SHARE, HOP_SHARE, FRESH_SHARE, FIRST_RUNG, RUNG_PER_DIM = range(5)
KEEP, CMA_SHARE, NICHE, PATIENCE, OUTLOOK, SLIDE_SHARE, POLISH_SHARE, AT_ONCE = range(5, 13)
SCAN_SHARE, WHOLE_SHARE, BUDGET, LATE_SHARE, LINE_OUTLOOK, DIVE_SHARE, ENTRY_SHARE = range(13, 20)


class Settings(NamedTuple):
    """The knobs; the same for every problem."""

    sample_share: float = 0.075
    hop_share: float = 0.42
    fresh_share: float = 0.5
    first_rung: float = 30.0
    rung_per_dim: float = 11.5
    keep: float = 0.32
    cma_share: float = 0.28
    niche: float = 0.09
    patience: float = 28.0
    outlook: float = 1.4
    slide_share: float = 0.8
    polish_share: float = 0.17
    at_once: float = CLIMBERS
    """Climbers at work at the same time, at most `CLIMBERS`; fewer get further with few evaluations."""
    scan_share: float = 0.2
    whole_share: float = 0.15
    budget: float = 0.0
    """Evaluations in all, 0 where that is not known: the last part of them, `late_share`, belongs to the best."""
    late_share: float = 0.2
    line_outlook: float = 3.0
    dive_share: float = 0.25
    entry_share: float = 0.0
    """Draws that go on, hits or not, until the domain was entered `ENTRIES` times: it may have rare islands."""


class State(NamedTuple):
    seed: Any
    box: Floats
    points: Floats
    facts: Floats
    forms: Floats
    counts: Any
    credit: Floats
    rungs: Floats


def new_state(lower: Floats, upper: Floats, seed: int, settings: Settings, room: int = 64) -> State:
    n = len(lower)
    width = np.minimum(upper / 2 - lower / 2, np.finfo(float).max / 4) * 2
    state = State(
        seed=np.array([seed], dtype=np.uint64),
        box=np.array([lower, upper, width]),
        points=np.zeros((PENDING + room, n)),
        facts=np.zeros((PENDING + room, COLUMNS)),
        forms=np.zeros((2, CLIMBERS, n, n)),
        counts=np.zeros(REACHED + 3 * RUNGS, dtype=np.int64),
        credit=np.zeros((8, 64)),
        rungs=np.zeros((3 * RUNGS, MEMORY)),
    )
    state.credit[SETTINGS, : len(settings)] = settings
    return state


def with_room(state: State, m: int) -> State:
    """The state with rows for at least m pending points."""
    more = m - (len(state.points) - PENDING)
    if more <= 0:
        return state
    grown = {name: np.pad(getattr(state, name), ((0, more), (0, 0))) for name in ("points", "facts")}
    return state._replace(**grown)
