"""What was tuned: the settings of the search, how much it keeps, and what follows from a budget.

The settings were chosen by hand, then by a random search, and at last as `python -m benchmarks.disguise.settings`
does: by how many runs with 100,000 evaluations on the problems that are sometimes solved, two thirds in disguise,
reach the published value; those for few evaluations are the ones by hand. Lengths of fresh starts were chosen with a
million evaluations. Settings about these differ by little more than noise (docs/search.md has the figures). They are
the same for every problem.
"""

from __future__ import annotations

from typing import NamedTuple

HITS_KEPT, FRESH_KEPT, ELITES_KEPT, POOL_KEPT = 256, 48, 32, 12
"""Points kept: of the draws that were admissible, of those not climbed from yet, elites, landed hops of each kind."""
CLIMBERS, SLIDERS = 24, 16
"""Climbers and sliders at work at the same time."""
RUNGS, MEMORY = 24, 24
"""Rungs of the race, and how many values are remembered at each."""
ENTRIES = 8
"""Times that the domain is entered before draws for their own sake end: it may have rare islands."""

SHARES_OF_SAMPLERS = (5.0, 3.0, 2.0, 1.5, 1.0, 1.0, 1.5, 0.5, 0.4, 1.0, 1.0, 1.0, 1.0, 1.0)
"""How much each sampler draws, before anything is known."""

SWEEPERS, LOOKS, STARTS = 4, 40, 3
"""Lines looked at at the same time, places looked at on each, and slides that begin there at most."""
WHOLE_LINES = 0.5
"""The part of sweeps along the whole line; the others look at a window about the elite."""

LONGEST_WAIT = 1000
"""Values told to others before a slider or sweep no longer waits for those that it asked for."""
TRIES_TO_ENTER = 9
"""Evaluations of a slider to find a value on its first line."""
EVALUATIONS_A_LINE, LONG_LINE, LONG_DIVE = 26, 70, 80
"""Evaluations of a line at most: of most, of a few, and of a dive."""
LINES = 4
"""Lines of a trial at most."""

ALONE = 100_000
"""Evaluations of the long search before there is another."""
FIRST = 100_000
"""Evaluations of the first fresh start."""
LONG_SHARE = 0.5
"""What the long search has of all evaluations."""
JOINING = 4
"""Points that a fresh start leaves."""


WALK_SHARE = 0.4
"""What walks have at most of the evaluations in which there are any, while they win."""


class Settings(NamedTuple):
    """The knobs; all are numbers, and shares are parts of 1."""

    sample_share: float = 0.075
    """Evaluations that are draws from the whole box."""
    hop_share: float = 0.4
    """Evaluations that are hops from elites."""
    fresh_share: float = 0.5
    """Climbs that start at fresh hits instead of at a landed hop."""
    first_rung: float = 30.0
    """Evaluations of a climber before it is judged, and so many more for each variable:"""
    rung_per_dim: float = 11.5
    keep: float = 0.32
    """Of the climbers that came to a rung, the part that may go on."""
    cma_share: float = 0.28
    """Of a climber's steps, the part that is adapted ones."""
    niche: float = 0.1
    """The size of a neighbourhood with one elite, relative to the spread of the hits."""
    shade: float = 0.01
    """How far a better elite may be, as a part of the box, for one to make place before lonely ones do."""
    patience: float = 45.0
    """Hops from an elite for each variable, after which it is chosen half as often."""
    outlook: float = 1.4
    """Gains like its last one that a climber may hope for when it is judged."""
    slide_share: float = 0.8
    """Of what is left after sweeps, the part of the sliders; the rest is the climbers'."""
    polish_share: float = 0.25
    """Climbs that start at an elite."""
    at_once: float = CLIMBERS
    """Climbers at work at the same time, at most `CLIMBERS`; fewer get further with few evaluations."""
    scan_share: float = 0.15
    """Slides that begin with one coordinate elsewhere."""
    whole_share: float = 0.1
    """Differences of elites that are taken whole."""
    budget: float = 0.0
    """Evaluations in all, 0 where that is not known: the last part of them, `late_share`, belongs to the best."""
    late_share: float = 0.35
    line_outlook: float = 3.0
    """Gains like its last line's that a slide may hope for."""
    dive_share: float = 0.25
    """Lines that dive."""
    sweep_share: float = 0.35
    """Of what is left after draws and hops, the part of the sweeps."""
    axis_share: float = 0.6
    """Sweeps along a coordinate; half of the others are along differences of elites."""
    start_share: float = 0.7
    """Slides that begin where a sweep was low, if there is such a place."""
    entry_share: float = 0.0
    """Draws that go on, hits or not, until the domain was entered `ENTRIES` times."""
    walk_share: float = WALK_SHARE
    """Of the evaluations in which there are walks along edges, what these have at most."""


FEW = 30_000
"""Below so many evaluations a search climbs more, hops and slides less:"""
CLIMBING = {
    "sample_share": 0.1,
    "hop_share": 0.25,
    "fresh_share": 0.25,
    "first_rung": 25.0,
    "rung_per_dim": 8.0,
    "keep": 0.4,
    "cma_share": 0.5,
    "niche": 0.05,
    "shade": 0.0,
    "patience": 15.0,
    "outlook": 3.0,
    "slide_share": 0.35,
    "polish_share": 0.15,
    "scan_share": 0.15,
    "whole_share": 0.3,
    "late_share": 0.1,
    "dive_share": 0.0,
    "line_outlook": 1e9,
    "sweep_share": 0.2,
    "axis_share": 0.6,
    "start_share": 0.7,
    "walk_share": WALK_SHARE,
}


def climbers_for(budget: float) -> int:
    """How many climbers share a budget: with few evaluations fewer of them get somewhere."""
    return int(min(max(budget / 50_000, 2), CLIMBERS))


def for_budget(budget: float) -> dict[str, float]:
    """The settings that follow from how many evaluations there are."""
    entry_share = 0.2 * min(budget / 1_000_000, 1.0)  # looking for rare islands pays only in a long search
    shares = CLIMBING if budget < FEW else {}
    return {**shares, "at_once": climbers_for(budget), "budget": budget, "entry_share": entry_share}
