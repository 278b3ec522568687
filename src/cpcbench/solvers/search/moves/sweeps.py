"""Sweeps: one line through an elite is looked at all along, and its lowest places are where slides begin.

A climb ends in the basin where it began. A line through a good point cuts many other basins, and along one coordinate
those of a sum of terms in few variables each are the good ones. Some sweeps look at all of the line, some at a window
about the elite, since basins may be small.
"""

from __future__ import annotations

import math
from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, chance, normal, power_of_ten, unit
from cpcbench.solvers.search.moves.hops import pick_elite
from cpcbench.solvers.search.state import BEARING, ELITE, HIT, LOWER, SWEEPER, UPPER, WIDTH
from cpcbench.solvers.search.tuning import LONGEST_WAIT, LOOKS, STARTS, SWEEPERS, WHOLE_LINES


@compiled
def sweeper(s: Any) -> int:
    """One that has a place to look at; -1 if all wait, for values or for slides to begin at what they found."""
    for _ in range(SWEEPERS):
        s.counts[0].sweeper_turn = (s.counts[0].sweeper_turn + 1) % SWEEPERS
        k = int(s.counts[0].sweeper_turn)
        sweep = s.facts[SWEEPER + k]
        if not sweep.alive or (sweep.left == 0 and s.counts[0].told - sweep.since > LONGEST_WAIT):
            _begin(s, k)
        if sweep.left > 0:
            return k
    return -1


@compiled
def look(s: Any, k: int, out: Any) -> int:
    """Writes sweeper k's next point into `out`; returns which of its places that is."""
    sweep = s.facts[SWEEPER + k]
    which = LOOKS - sweep.left
    which += which >= sweep.own
    sweep.left -= 1
    sweep.since = s.counts[0].told
    for j in range(out.size):
        out[j] = on_sweep(s, k, which, j)
    return int(which)


@compiled
def row(k: int, which: int) -> int:
    """Where a place of sweeper k stands among all places."""
    return k * (LOOKS + 1) + which


@compiled
def on_sweep(s: Any, k: int, which: int, j: int) -> float:
    """Coordinate j of a place of sweeper k, no further than the box."""
    x = s.points[SWEEPER + k, j] + s.looks[row(k, which)].at * s.points[BEARING + k, j]
    return float(min(max(x, s.points[LOWER, j]), s.points[UPPER, j]))


@compiled
def _begin(s: Any, k: int) -> None:
    sweep = s.facts[SWEEPER + k]
    elite = ELITE + pick_elite(s)
    for j in range(s.points.shape[1]):
        s.points[SWEEPER + k, j] = s.points[elite, j]
    sweep.value = s.facts[elite].value
    s.counts[0].ticket += 1
    sweep.ticket, sweep.since = s.counts[0].ticket, s.counts[0].told
    sweep.alive = True
    sweep.left, sweep.told, sweep.starts = LOOKS, 0, 0
    _bear(s, k)
    _places(s, k)


@compiled
def _bear(s: Any, k: int) -> None:
    """The direction of the line: mostly a coordinate, else the difference of two elites, or any; a unit of it is a side
    of the box in the coordinate that changes most."""
    n = s.points.shape[1]
    draw, i = unit(s.seed), below(s.seed, n)
    a = ELITE + below(s.seed, s.counts[0].elites)
    b = ELITE + below(s.seed, s.counts[0].elites)
    if a == b:
        b = HIT + below(s.seed, s.counts[0].hits)
    most = 0.0
    for j in range(n):
        if draw < s.settings[0].axis_share:
            way = 1.0 if j == i else 0.0
        elif draw < 0.5 + 0.5 * s.settings[0].axis_share:
            half = 0.5 * s.points[WIDTH, j]
            way = (0.5 * s.points[a, j] - 0.5 * s.points[b, j]) / half if half > 0.0 else 0.0
        else:
            way = normal(s.seed)
        s.points[BEARING + k, j] = way
        most = max(most, abs(way))
    for j in range(n):
        way = s.points[BEARING + k, j] / most if most > 0.0 else 1.0 if j == i else 0.0
        s.points[BEARING + k, j] = s.points[WIDTH, j] * way


@compiled
def _places(s: Any, k: int) -> None:
    """Where to look, in order and one in each of as many equal parts; the elite's own place, 0, stands among them."""
    low, high = _ends(s, k)
    if not chance(s.seed, WHOLE_LINES):
        size = power_of_ten(s.seed, -4.0, -0.5) * (high - low)
        low, high = max(low, -size), min(high, size)
    own, sweep = 0, s.facts[SWEEPER + k]
    for i in range(LOOKS):
        at = low + (high - low) * (i + unit(s.seed)) / LOOKS
        own += at <= 0.0
        place = s.looks[row(k, i + (at > 0.0))]
        place.at, place.value, place.taken = at, math.nan, False
    place = s.looks[row(k, own)]
    place.at, place.value, place.taken = 0.0, sweep.value, True
    sweep.own = own


@compiled
def _ends(s: Any, k: int) -> tuple[float, float]:
    """Between which places the line is in the box."""
    low, high = -math.inf, math.inf
    for j in range(s.points.shape[1]):
        aim = s.points[BEARING + k, j]
        if aim != 0.0:
            to_lower = 2.0 * ((0.5 * s.points[LOWER, j] - 0.5 * s.points[SWEEPER + k, j]) / aim)
            to_upper = 2.0 * ((0.5 * s.points[UPPER, j] - 0.5 * s.points[SWEEPER + k, j]) / aim)
            low, high = max(low, min(to_lower, to_upper)), min(high, max(to_lower, to_upper))
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = -1.0, 1.0
    return min(low, 0.0), max(high, 0.0)


@compiled
def told_look(s: Any, k: int, which: int, value: float) -> None:
    """The value at a place; after the last one slides may begin."""
    sweep = s.facts[SWEEPER + k]
    s.looks[row(k, which)].value = value
    sweep.told += 1
    if sweep.told < LOOKS:
        return
    for i in range(LOOKS + 1):
        sweep.starts += _is_low(s, k, i)
    sweep.starts = min(sweep.starts, STARTS)
    sweep.alive = sweep.starts > 0


@compiled
def _is_low(s: Any, k: int, which: int) -> bool:
    """Whether a place is lower than those beside it, or these are undefined, and no slide has begun there."""
    place = s.looks[row(k, which)]
    if place.taken or math.isnan(place.value):
        return False
    if which > 0 and s.looks[row(k, which - 1)].value <= place.value:
        return False
    return not (which < LOOKS and s.looks[row(k, which + 1)].value < place.value)


@compiled
def waiting(s: Any) -> int:
    """A sweeper that found places for slides to begin; -1 if there is none."""
    for k in range(SWEEPERS):
        if s.facts[SWEEPER + k].alive and s.facts[SWEEPER + k].starts > 0:
            return k
    return -1


@compiled
def take_place(s: Any, k: int) -> int:
    """The lowest place of sweeper k that is left, which is nobody else's from now on."""
    sweep, best = s.facts[SWEEPER + k], -1
    for i in range(LOOKS + 1):
        if _is_low(s, k, i) and (best < 0 or s.looks[row(k, i)].value < s.looks[row(k, best)].value):
            best = i
    s.looks[row(k, best)].taken = True
    sweep.starts -= 1
    sweep.alive = sweep.starts > 0
    return best
