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
from cpcbench.solvers.search.moves.dives import LONG_DIVE, at_the_edge, dive, surface
from cpcbench.solvers.search.moves.hops import pick_elite
from cpcbench.solvers.search.state import (
    AGE,
    AIM,
    ALIVE,
    AT,
    AT_ONCE,
    AXIS,
    BASE,
    BUSY,
    CLIMBER,
    DEEPEST,
    DIVE_SHARE,
    DIVES,
    ELITE,
    ELITES,
    FOOT,
    HIGH,
    HIT,
    HITS,
    LEFT,
    LINE_OUTLOOK,
    LINES,
    LOW,
    LOWER,
    MARK,
    PARENT,
    RUNG,
    SCAN_SHARE,
    SETTINGS,
    SIDE,
    SIGMA,
    SIZE,
    SLIDER,
    TICKET,
    TOLD,
    UPPER,
    VALUE,
    WIDTH,
)

TRIES_TO_ENTER = 9
EVALUATIONS_A_LINE, LONG_LINE = 26, 70


@compiled
def slide(s: Any, k: int, out: Any) -> float:
    """Writes slider k's next point into `out`; returns its place on the line."""
    if s.facts[SLIDER + k, ALIVE] == 0.0:
        _begin(s, k)
    row = SLIDER + k
    at = s.facts[row, AT]
    if s.facts[row, VALUE] == math.inf:
        tried = TRIES_TO_ENTER - int(s.facts[row, LEFT])
        if tried > 0:
            size = s.facts[row, SIZE] * 2.0 ** ((tried + 1) // 2 - 2)
            at = size if tried % 2 == 1 else -size
    elif s.facts[row, SIDE] > 0.0:
        open_end = s.facts[row, HIGH] == math.inf
        at = at + s.facts[row, SIZE] if open_end else at + 0.5 * (s.facts[row, HIGH] - at)
    else:
        open_end = s.facts[row, LOW] == -math.inf
        at = at - s.facts[row, SIZE] if open_end else at - 0.5 * (at - s.facts[row, LOW])
    for j in range(out.size):
        out[j] = _on_line(s, k, j, at)
    s.counts[TICKET] += 1
    s.facts[row, BUSY] = float(s.counts[TICKET])
    s.facts[row, AGE] = float(s.counts[TOLD])
    return float(at)


@compiled
def _on_line(s: Any, k: int, j: int, at: float) -> float:
    """Coordinate j of a point on slider k's line, no further than the box."""
    x = s.points[FOOT + k, j] + at * s.points[AIM + k, j]
    if not math.isfinite(x):
        x = s.points[BASE + k, j]
    return float(min(max(x, s.box[LOWER, j]), s.box[UPPER, j]))


@compiled
def _begin(s: Any, k: int) -> None:
    """A new trial from an elite, or from a climber that has come some way."""
    row, n = SLIDER + k, s.points.shape[1]
    source = ELITE + pick_elite(s)
    climber = below(s.seed, int(s.credit[SETTINGS, AT_ONCE]))
    if s.facts[CLIMBER + climber, ALIVE] > 0.0 and s.facts[CLIMBER + climber, RUNG] > 0.0 and chance(s.seed, 0.3):
        source = CLIMBER + climber
    size = power_of_ten(s.seed, -7.0, -0.5)
    for j in range(n):
        s.points[BASE + k, j] = s.points[source, j]
        s.points[FOOT + k, j] = 0.0
    size = _displacement(s, k, size)
    for j in range(n):
        s.points[FOOT + k, j] += s.points[BASE + k, j]
    s.facts[row, PARENT] = s.facts[source, VALUE]
    _begin_trial(s, k, size)


@compiled
def _line_length(s: Any, row: int) -> float:
    if s.facts[row, DIVES] > 0.0:
        return float(LONG_DIVE)
    return float(LONG_LINE if chance(s.seed, 0.15) else EVALUATIONS_A_LINE)


@compiled
def _begin_trial(s: Any, k: int, size: float) -> None:
    row, n = SLIDER + k, s.points.shape[1]
    s.facts[row, ALIVE] = 1.0
    s.facts[row, SIGMA] = size
    s.facts[row, VALUE] = math.inf
    s.facts[row, LINES] = 1 + below(s.seed, min(n, 4) if n > 1 else 1)
    _begin_line(s, k)
    s.facts[row, LEFT] = TRIES_TO_ENTER


@compiled
def _displacement(s: Any, k: int, size: float) -> float:
    """From the base aside; returns the size of the steps along the lines back."""
    n = s.points.shape[1]
    choice, j = below(s.seed, 4), below(s.seed, n)
    s.facts[SLIDER + k, AXIS] = -1.0
    if chance(s.seed, s.credit[SETTINGS, SCAN_SHARE]):
        return _scan(s, k, j, size)
    if choice == 0:
        s.points[FOOT + k, j] = size * s.box[WIDTH, j] * normal(s.seed)
    elif choice == 1:
        for i in range(n):
            s.points[FOOT + k, i] = size * s.box[WIDTH, i] * normal(s.seed)
    elif choice == 2:
        factor = 3.0 * size * sign(s.seed)
        first = below(s.seed, n) if chance(s.seed, 0.5) else 0
        for i in range(first, n):
            s.points[FOOT + k, i] = factor * s.points[BASE + k, i]
    else:
        a = ELITE + below(s.seed, s.counts[ELITES])
        b = HIT + below(s.seed, s.counts[HITS]) if chance(s.seed, 0.3) else ELITE + below(s.seed, s.counts[ELITES])
        factor = min(1.0, 10.0 * size) * normal(s.seed)
        for i in range(n):
            s.points[FOOT + k, i] = factor * (s.points[a, i] - s.points[b, i])
    return size


@compiled
def _scan(s: Any, k: int, j: int, size: float) -> float:
    """One coordinate elsewhere: drawn anew, another elite's, or aside by any order; the first line is along it."""
    s.facts[SLIDER + k, AXIS] = float(j)
    choice = below(s.seed, 4)
    if choice == 0:
        new = s.box[LOWER, j] + s.box[WIDTH, j] * unit(s.seed)
        s.points[FOOT + k, j] = new - s.points[BASE + k, j]
        return power_of_ten(s.seed, -5.0, -1.5)
    if choice == 1:
        donor = ELITE + below(s.seed, s.counts[ELITES])
        if chance(s.seed, 0.3):
            donor = HIT + below(s.seed, s.counts[HITS])
        s.points[FOOT + k, j] = s.points[donor, j] - s.points[BASE + k, j]
        return power_of_ten(s.seed, -6.0, -2.0)
    s.points[FOOT + k, j] = size * s.box[WIDTH, j] * sign(s.seed)
    return size * 0.3


@compiled
def _begin_line(s: Any, k: int) -> None:
    """Directions are a coordinate's, or any."""
    row, n = SLIDER + k, s.points.shape[1]
    axis, j = chance(s.seed, 0.6), below(s.seed, n)
    if s.facts[row, AXIS] >= 0.0:
        axis, j = True, int(s.facts[row, AXIS])
        s.facts[row, AXIS] = -1.0
    for i in range(n):
        s.points[AIM + k, i] = s.box[WIDTH, i] * (normal(s.seed) if not axis else 1.0 if i == j else 0.0)
    s.facts[row, DIVES] = 1.0 if chance(s.seed, s.credit[SETTINGS, DIVE_SHARE]) else 0.0
    s.facts[row, DEEPEST] = 0.0
    s.facts[row, AT] = 0.0
    s.facts[row, LOW] = -math.inf
    s.facts[row, HIGH] = math.inf
    s.facts[row, SIDE] = sign(s.seed)
    s.facts[row, SIZE] = s.facts[row, SIGMA] * power_of_ten(s.seed, -1.0, 0.3)
    s.facts[row, LEFT] = _line_length(s, row)


@compiled
def told_slide(s: Any, k: int, at: float, value: float) -> None:
    row = SLIDER + k
    s.facts[row, BUSY] = 0.0
    s.facts[row, LEFT] -= 1.0
    before = s.facts[row, VALUE]
    if s.facts[row, DIVES] > 0.0 and before < math.inf:
        dive(s, row, at, value)
    elif value < before:
        if before < math.inf:
            if s.facts[row, SIDE] > 0.0:
                s.facts[row, LOW] = s.facts[row, AT]
            else:
                s.facts[row, HIGH] = s.facts[row, AT]
            s.facts[row, SIZE] *= 2.0
        else:
            s.facts[row, LEFT] = _line_length(s, row)
            s.facts[row, MARK] = value
            s.facts[row, DEEPEST] = at
        s.facts[row, AT] = at
        s.facts[row, VALUE] = value
    elif before < math.inf:
        _blocked(s, row, at)
    if s.facts[row, LEFT] <= 0.0 or _closed(s, row):
        _end_line(s, k)


@compiled
def _blocked(s: Any, row: int, at: float) -> None:
    if s.facts[row, SIDE] > 0.0:
        s.facts[row, HIGH] = at
        other_open = s.facts[row, LOW] == -math.inf
    else:
        s.facts[row, LOW] = at
        other_open = s.facts[row, HIGH] == math.inf
    above, under = s.facts[row, HIGH] - s.facts[row, AT], s.facts[row, AT] - s.facts[row, LOW]
    if other_open:
        s.facts[row, SIDE] = -s.facts[row, SIDE]
    elif chance(s.seed, 0.3):
        s.facts[row, SIDE] = 1.0 if above > under else -1.0


@compiled
def _closed(s: Any, row: int) -> bool:
    if s.facts[row, DIVES] > 0.0:
        return at_the_edge(s, row)
    gap = s.facts[row, HIGH] - s.facts[row, LOW]
    return bool(gap < 1e-17 or (gap < 1e-8 * s.facts[row, SIGMA] and s.facts[row, LEFT] < EVALUATIONS_A_LINE // 2))


@compiled
def _hopeless(s: Any, row: int) -> bool:
    """Whether a few more lines that gain like the last one would still not reach the parent's value."""
    gain = s.facts[row, MARK] - s.facts[row, VALUE]
    s.facts[row, MARK] = s.facts[row, VALUE]
    return bool(s.facts[row, VALUE] - s.credit[SETTINGS, LINE_OUTLOOK] * gain > s.facts[row, PARENT])


@compiled
def _end_line(s: Any, k: int) -> None:
    row, n = SLIDER + k, s.points.shape[1]
    if s.facts[row, VALUE] == math.inf:
        s.facts[row, ALIVE] = 0.0
        return
    if s.facts[row, DIVES] > 0.0:
        surface(s, row)
    for j in range(n):
        s.points[FOOT + k, j] = _on_line(s, k, j, s.facts[row, AT])
    s.facts[row, LINES] -= 1.0
    if not _hopeless(s, row) and s.facts[row, LINES] > 0.0:
        _begin_line(s, k)
        return
    if not s.facts[row, VALUE] < s.facts[row, PARENT]:
        to_archive(s, s.points[FOOT + k], s.facts[row, VALUE])
        s.facts[row, ALIVE] = 0.0
        return
    to_archive(s, s.points[FOOT + k], s.facts[row, VALUE])
    _again(s, k)


@compiled
def _again(s: Any, k: int) -> None:
    """After a gain on in the same direction: the chord of a curved edge is a good guess of where it goes."""
    row, n = SLIDER + k, s.points.shape[1]
    factor, longest = math.exp(between(s.seed, -1.0, 1.5)), 0.0
    for j in range(n):
        end = s.points[FOOT + k, j]
        move = factor * (end - s.points[BASE + k, j])
        if s.box[WIDTH, j] > 0.0:
            longest = max(longest, abs(move) / s.box[WIDTH, j])
        s.points[BASE + k, j] = end
        s.points[FOOT + k, j] = end + move
    s.facts[row, PARENT] = s.facts[row, VALUE]
    _begin_trial(s, k, min(max(longest, 1e-12), 0.5))
