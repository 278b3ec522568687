"""Sliders: a displacement from an elite, then a few line searches that press the point against the edge again.

Optima of partly defined objectives often lie on an edge of the domain, or where edges meet, and the slope towards
the edge is steep or infinite: hardly any random step along the edge is an improvement. A slider goes aside first and
back to the edge afterwards; only then it compares. Each evaluation of a line search halves an interval that ends
where the objective is undefined or worse, so the singular slope does not matter. Some lines are dives: they halve the
interval to the nearest undefined point whatever the values are, down to the last double, and keep the best on the way.
"""

from __future__ import annotations

import math
from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, between, chance, normal, power_of_ten, sign, unit
from cpcbench.solvers.search.moves.archive import to_archive
from cpcbench.solvers.search.moves.dives import at_the_edge, dive, surface
from cpcbench.solvers.search.moves.hops import pick_elite
from cpcbench.solvers.search.moves.samplers import anchor, which_anchor
from cpcbench.solvers.search.moves.sweeps import on_sweep, row, take_place, waiting
from cpcbench.solvers.search.state import (
    AIM,
    BEARING,
    CLIMBER,
    ELITE,
    FOOT,
    HIT,
    LOWER,
    SLIDER,
    SWEEPER,
    UPPER,
    WIDTH,
)
from cpcbench.solvers.search.tuning import EVALUATIONS_A_LINE, LINES, LONG_DIVE, LONG_LINE, LOOKS, TRIES_TO_ENTER


@compiled
def slide(s: Any, k: int, out: Any) -> float:
    """Writes slider k's next point into `out`; returns its place on the line."""
    slider = s.facts[SLIDER + k]
    if not slider.alive:
        _begin(s, k)
    at = slider.at
    if slider.value == math.inf:
        tried = TRIES_TO_ENTER - slider.left
        if tried > 0:
            size = slider.reach * 2.0 ** ((tried + 1) // 2 - 2)
            at = size if tried % 2 == 1 else -size
    elif slider.side > 0.0:
        open_end = slider.high == math.inf
        at = at + slider.reach if open_end else at + 0.5 * (slider.high - at)
    else:
        open_end = slider.low == -math.inf
        at = at - slider.reach if open_end else at - 0.5 * (at - slider.low)
    for j in range(out.size):
        out[j] = _on_line(s, k, j, at)
    s.counts[0].ticket += 1
    slider.ticket, slider.since = s.counts[0].ticket, s.counts[0].told
    return float(at)


@compiled
def _on_line(s: Any, k: int, j: int, at: float) -> float:
    """Coordinate j of a point on slider k's line, no further than the box."""
    x = s.points[FOOT + k, j] + at * s.points[AIM + k, j]
    if not math.isfinite(x):
        x = s.points[SLIDER + k, j]
    return float(min(max(x, s.points[LOWER, j]), s.points[UPPER, j]))


@compiled
def _begin(s: Any, k: int) -> None:
    """A new trial from a low place of a sweep, from an elite, or from a climber that has come some way."""
    slider = s.facts[SLIDER + k]
    n = s.points.shape[1]
    sweep = waiting(s)
    if sweep >= 0 and chance(s.seed, s.settings[0].start_share):
        _begin_low(s, k, sweep, take_place(s, sweep))
        return
    source = ELITE + pick_elite(s)
    climber = below(s.seed, int(s.settings[0].at_once))
    if s.facts[CLIMBER + climber].alive and s.facts[CLIMBER + climber].rung > 0 and chance(s.seed, 0.3):
        source = CLIMBER + climber
    size = power_of_ten(s.seed, -7.0, -0.5)
    for j in range(n):
        s.points[SLIDER + k, j] = s.points[source, j]
        s.points[FOOT + k, j] = 0.0
    size = _displacement(s, k, size)
    for j in range(n):
        s.points[FOOT + k, j] += s.points[SLIDER + k, j]
    slider.parent = s.facts[source].value
    _begin_trial(s, k, size)


@compiled
def _begin_low(s: Any, k: int, sweep: int, which: int) -> None:
    """A trial from a low place of a sweep, along its line and between the places beside it."""
    slider, place = s.facts[SLIDER + k], s.looks[row(sweep, which)]
    before = place.at - s.looks[row(sweep, which - 1)].at if which > 0 else 0.0
    after = s.looks[row(sweep, which + 1)].at - place.at if which < LOOKS else 0.0
    for j in range(s.points.shape[1]):
        s.points[SLIDER + k, j] = s.points[SWEEPER + sweep, j]
        s.points[FOOT + k, j] = on_sweep(s, sweep, which, j)
    slider.parent = s.facts[SWEEPER + sweep].value
    _begin_trial(s, k, max(before, after))
    for j in range(s.points.shape[1]):
        s.points[AIM + k, j] = s.points[BEARING + sweep, j]
    slider.value = slider.mark = place.value
    slider.low, slider.high = -before, after
    beside = which + int(slider.side)
    if 0 <= beside <= LOOKS and not math.isnan(s.looks[row(sweep, beside)].value):
        slider.dives = False
    slider.left = _line_length(s, k)


@compiled
def _line_length(s: Any, k: int) -> int:
    if s.facts[SLIDER + k].dives:
        return LONG_DIVE
    return LONG_LINE if chance(s.seed, 0.15) else EVALUATIONS_A_LINE


@compiled
def _begin_trial(s: Any, k: int, size: float) -> None:
    slider = s.facts[SLIDER + k]
    n = s.points.shape[1]
    slider.alive = True
    slider.sigma = size
    slider.value = math.inf
    slider.lines = 1 + below(s.seed, min(n, LINES))
    _begin_line(s, k)
    slider.left = TRIES_TO_ENTER


@compiled
def _displacement(s: Any, k: int, size: float) -> float:
    """From the base aside; returns the size of the steps along the lines back."""
    n = s.points.shape[1]
    choice, j = below(s.seed, 4), below(s.seed, n)
    s.facts[SLIDER + k].axis = -1
    if chance(s.seed, s.settings[0].scan_share):
        return _scan(s, k, j, size)
    if choice == 0:
        s.points[FOOT + k, j] = size * s.points[WIDTH, j] * normal(s.seed)
    elif choice == 1:
        for i in range(n):
            s.points[FOOT + k, i] = size * s.points[WIDTH, i] * normal(s.seed)
    elif choice == 2:
        factor = 3.0 * size * sign(s.seed)
        share, which = (unit(s.seed) if chance(s.seed, 0.5) else 1.0), which_anchor(s)
        for i in range(n):
            if i == j or chance(s.seed, share):
                s.points[FOOT + k, i] = factor * (s.points[SLIDER + k, i] - anchor(s, which, i))
    else:
        a = ELITE + below(s.seed, s.counts[0].elites)
        b = HIT + below(s.seed, s.counts[0].hits) if chance(s.seed, 0.3) else ELITE + below(s.seed, s.counts[0].elites)
        factor = min(1.0, 10.0 * size) * normal(s.seed)
        for i in range(n):
            s.points[FOOT + k, i] = factor * (s.points[a, i] - s.points[b, i])
    return size


@compiled
def _scan(s: Any, k: int, j: int, size: float) -> float:
    """One coordinate elsewhere: drawn anew, another elite's, or aside by any order; the first line is along it."""
    s.facts[SLIDER + k].axis = j
    choice = below(s.seed, 4)
    if choice == 0:
        new = s.points[LOWER, j] + s.points[WIDTH, j] * unit(s.seed)
        s.points[FOOT + k, j] = new - s.points[SLIDER + k, j]
        return power_of_ten(s.seed, -5.0, -1.5)
    if choice == 1:
        donor = ELITE + below(s.seed, s.counts[0].elites)
        if chance(s.seed, 0.3):
            donor = HIT + below(s.seed, s.counts[0].hits)
        s.points[FOOT + k, j] = s.points[donor, j] - s.points[SLIDER + k, j]
        return power_of_ten(s.seed, -6.0, -2.0)
    s.points[FOOT + k, j] = size * s.points[WIDTH, j] * sign(s.seed)
    return size * 0.3


@compiled
def _begin_line(s: Any, k: int) -> None:
    """Directions are a coordinate's, or any."""
    slider = s.facts[SLIDER + k]
    n = s.points.shape[1]
    axis, j = chance(s.seed, 0.6), below(s.seed, n)
    if slider.axis >= 0:
        axis, j = True, slider.axis
        slider.axis = -1
    for i in range(n):
        s.points[AIM + k, i] = s.points[WIDTH, i] * (normal(s.seed) if not axis else 1.0 if i == j else 0.0)
    slider.dives = chance(s.seed, s.settings[0].dive_share)
    slider.deepest = 0.0
    slider.at = 0.0
    slider.low = -math.inf
    slider.high = math.inf
    slider.side = sign(s.seed)
    slider.reach = slider.sigma * power_of_ten(s.seed, -1.0, 0.3)
    slider.left = _line_length(s, k)


@compiled
def told_slide(s: Any, k: int, at: float, value: float) -> None:
    slider = s.facts[SLIDER + k]
    slider.ticket = 0
    slider.left -= 1
    before = slider.value
    if slider.dives and before < math.inf:
        dive(s, k, at, value)
    elif value < before:
        if before < math.inf:
            if slider.side > 0.0:
                slider.low = slider.at
            else:
                slider.high = slider.at
            slider.reach *= 2.0
        else:
            slider.left = _line_length(s, k)
            slider.mark = value
            slider.deepest = at
        slider.at = at
        slider.value = value
    elif before < math.inf:
        _blocked(s, k, at)
    if slider.left <= 0 or _closed(s, k):
        _end_line(s, k)


@compiled
def _blocked(s: Any, k: int, at: float) -> None:
    slider = s.facts[SLIDER + k]
    if slider.side > 0.0:
        slider.high = at
        other_open = slider.low == -math.inf
    else:
        slider.low = at
        other_open = slider.high == math.inf
    above, under = slider.high - slider.at, slider.at - slider.low
    if other_open:
        slider.side = -slider.side
    elif chance(s.seed, 0.3):
        slider.side = 1.0 if above > under else -1.0


@compiled
def _closed(s: Any, k: int) -> bool:
    slider = s.facts[SLIDER + k]
    if slider.dives:
        return at_the_edge(s, k)
    gap = slider.high - slider.low
    return bool(gap < 1e-17 or (gap < 1e-8 * slider.sigma and slider.left < EVALUATIONS_A_LINE // 2))


@compiled
def _hopeless(s: Any, k: int) -> bool:
    """Whether a few more lines that gain like the last one would still not reach the parent's value."""
    slider = s.facts[SLIDER + k]
    gain = slider.mark - slider.value
    slider.mark = slider.value
    return bool(slider.value - s.settings[0].line_outlook * gain > slider.parent)


@compiled
def _end_line(s: Any, k: int) -> None:
    slider = s.facts[SLIDER + k]
    n = s.points.shape[1]
    if slider.value == math.inf:
        slider.alive = False
        return
    if slider.dives:
        surface(s, k)
    for j in range(n):
        s.points[FOOT + k, j] = _on_line(s, k, j, slider.at)
    slider.lines -= 1
    if not _hopeless(s, k) and slider.lines > 0:
        _begin_line(s, k)
        return
    to_archive(s, s.points[FOOT + k], slider.value)
    if slider.value < slider.parent:
        _again(s, k)
    else:
        slider.alive = False


@compiled
def _again(s: Any, k: int) -> None:
    """After a gain on in the same direction: the chord of a curved edge is a good guess of where it goes."""
    slider = s.facts[SLIDER + k]
    n = s.points.shape[1]
    factor, longest = math.exp(between(s.seed, -1.0, 1.5)), 0.0
    for j in range(n):
        end = s.points[FOOT + k, j]
        move = factor * (end - s.points[SLIDER + k, j])
        if s.points[WIDTH, j] > 0.0:
            longest = max(longest, abs(move) / s.points[WIDTH, j])
        s.points[SLIDER + k, j] = end
        s.points[FOOT + k, j] = end + move
    slider.parent = slider.value
    _begin_trial(s, k, min(max(longest, 1e-12), 0.5))
