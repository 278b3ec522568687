"""All that the search remembers, in a few tables whose columns have names that compiled code can read and write.

`points` holds one point a row, and the rows come in blocks; what is known of the points stands in tables of their own,
such as `climbers.value`. Their lengths are fixed, because every table handed to a compiled function costs time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.search.tuning import (
    CLIMBERS,
    ELITES_KEPT,
    FRESH_KEPT,
    HITS_KEPT,
    LOOKS,
    MEMORY,
    POOL_KEPT,
    RUNGS,
    SLIDERS,
    SWEEPERS,
    Settings,
)

SAMPLERS, HOPS, STEPS = 14, 10, 8
"""Kinds of draws, of hops and of steps."""

# Blocks of rows of points and facts: samplers' hits, hits not climbed from yet, elites, landed hops, climbers, the path
# of their adapted steps, where they met undefined points and their last move, a scratch row, middle and spread of the
# hits, the box, where the last even draw was in it and how far the next one is, what may become an elite, sliders
# (where they come from), where their lines begin and where they lead, sweepers (the elites that they sweep through) and
# where their lines lead, and what was asked for (with the adapted step to it, if it is one)
HIT = 0
FRESH = HIT + HITS_KEPT
ELITE = FRESH + FRESH_KEPT
POOL = ELITE + ELITES_KEPT
CLIMBER = POOL + HOPS * POOL_KEPT
PATH = CLIMBER + CLIMBERS
WALL = PATH + CLIMBERS
MOVE = WALL + CLIMBERS
SCRATCH = MOVE + CLIMBERS
MIDDLE, SPREAD, LOWER, UPPER, WIDTH, EVEN, STRIDE, NEWCOMER = range(SCRATCH + 1, SCRATCH + 9)
SLIDER = NEWCOMER + 1
FOOT = SLIDER + SLIDERS
AIM = FOOT + SLIDERS
SWEEPER = AIM + SLIDERS
BEARING = SWEEPER + SWEEPERS
PENDING = BEARING + SWEEPERS

# Blocks of rows of tallies: kinds of draws, hops and steps, and the rungs of climbers by where they started
BY_SAMPLER = 0
BY_HOP = BY_SAMPLER + SAMPLERS
BY_STEP = BY_HOP + HOPS
AT_RUNG = BY_STEP + STEPS

SHAPE, INVERSE = range(2)
SAMPLE, HOP, CLIMB, SLIDE, SWEEP = range(5)
"""What a point was asked for by."""
FROM_HIT, FROM_HOP, FROM_ELITE = range(3)
"""Where a climber started."""


def _row(reals: str, whole: str = "", flags: str = "") -> np.dtype[Any]:
    columns = ((reals, np.float64), (whole, np.int64), (flags, np.bool_))
    return np.dtype([(name, kind) for names, kind in columns for name in names.split()])


FACTS = _row(
    "value sigma parent tries weight"  # of what is kept
    " success mark gained"  # of climbers
    " at low high side reach deepest",  # of sliders
    "kind how who"  # of what was asked for
    " age goal rung origin"  # of climbers
    " left lines axis ticket since"  # of sliders
    " told own starts",  # of sweepers
    "alive dives",
)
"""What is known of a point; a row uses those that make sense for its block."""
TALLIES = _row("tries gains weight", "count")
"""How often something was tried, what it gained, its share by that, and how many wait or came."""
LOOKED_AT = _row("at value", "", "taken")
"""A place on a sweeper's line, and whether it is the elite's or a slide began there."""
COUNTS = _row("", "hits new elites turn told slider_turn sweeper_turn entered ticket")
SETTINGS = _row(" ".join(Settings._fields))


class State(NamedTuple):
    """`counts` and `settings` have one row, and the columns of these, of `facts`, `tallies` and `looks` have names.

    `forms` are the shapes of the climbers' adapted steps and their inverses, `rungs` values of those that came so far.
    """

    seed: Any
    points: Floats
    facts: Any
    forms: Floats
    tallies: Any
    rungs: Floats
    looks: Any
    counts: Any
    settings: Any


def new_state(lower: Floats, upper: Floats, seed: int, settings: Settings, room: int = 64) -> State:
    n = len(lower)
    state = State(
        seed=np.array([seed], dtype=np.uint64),
        points=np.zeros((PENDING + room, n)),
        facts=np.zeros(PENDING + room, FACTS),
        forms=np.zeros((2, CLIMBERS, n, n)),
        tallies=np.zeros(AT_RUNG + 3 * RUNGS, TALLIES),
        rungs=np.zeros((3 * RUNGS, MEMORY)),
        looks=np.zeros(SWEEPERS * (LOOKS + 1), LOOKED_AT),
        counts=np.zeros(1, COUNTS),
        settings=np.array([tuple(settings)], SETTINGS),
    )
    with np.errstate(all="ignore"):
        width = np.minimum(upper / 2 - lower / 2, np.finfo(float).max / 4) * 2
    state.points[LOWER], state.points[UPPER], state.points[WIDTH] = lower, upper, width
    even = np.random.default_rng(seed).random(n)
    state.points[EVEN], state.points[STRIDE] = even, strides(n)
    return state


def strides(n: int) -> Floats:
    """By how much each coordinate goes on, modulo 1, so that any so many points on end are spread evenly: powers of the
    root above 1 of r^(n+1) = r + 1 (Roberts' sequence, the golden ratio for one coordinate)."""
    root = 2.0
    for _ in range(100):
        root = (1.0 + root) ** (1.0 / (n + 1))
    return np.asarray(root ** -np.arange(1.0, n + 1))


def with_room(state: State, m: int) -> State:
    """The state with rows for at least m points that are asked for."""
    more = m - (len(state.points) - PENDING)
    if more <= 0:
        return state
    facts = np.concatenate([state.facts, np.zeros(more, FACTS)])
    return state._replace(points=np.pad(state.points, ((0, more), (0, 0))), facts=facts)


def as_plain(state: State) -> State:
    """The state with tables whose rows plain Python reads and writes by name, as compiled code does."""
    tables: list[Any] = [table if table.dtype.names is None else _rows(table) for table in state]
    return State(*tables)


def _rows(table: Any) -> list[Any]:
    """One object for each row of a table; its attributes are the columns."""
    names = table.dtype.names
    row = type("Row", (), {"__slots__": ("place",), **{name: _column(table[name]) for name in names}})
    rows = [row() for _ in table]
    for place, made in enumerate(rows):
        made.place = place
    return rows


def _column(values: Any) -> property:
    def read(row: Any) -> Any:
        return values[row.place]

    def write(row: Any, value: Any) -> None:
        values[row.place] = value

    return property(read, write)
