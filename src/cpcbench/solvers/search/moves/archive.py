"""The archive of elites: the best points found, one for each neighbourhood.

Where it is full, one near a better one makes place before those that are far from all better ones: where the domain is
rare, neighbourhoods are small, and all elites would soon lie in one basin.
"""

from __future__ import annotations

from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import unit
from cpcbench.solvers.search.state import ELITE, NEWCOMER, SPREAD, WIDTH
from cpcbench.solvers.search.tuning import ELITES_KEPT


@compiled
def to_archive(s: Any, x: Any, value: float) -> None:
    """Keeps the best elites, one for each small neighbourhood."""
    at, i = -1, 0
    while i < s.counts[0].elites:
        if not _neighbours(s, ELITE + i, x):
            i += 1
            continue
        if not value < s.facts[ELITE + i].value:
            return
        if at < 0:
            at = i
            i += 1
        else:
            s.counts[0].elites -= 1
            move(s, ELITE + s.counts[0].elites, ELITE + i)
    if at < 0 and s.counts[0].elites < ELITES_KEPT:
        at = s.counts[0].elites
        s.counts[0].elites += 1
    elif at < 0:
        put(s, NEWCOMER, x, value)
        at = _least(s)
        if at < 0:
            return
    put(s, ELITE + at, x, value)
    s.facts[ELITE + at].tries = 0.0


@compiled
def _least(s: Any) -> int:
    """Which of the elites makes place for the newcomer; -1 if none does."""
    least, in_shade, value = -1, _in_shade(s, NEWCOMER), s.facts[NEWCOMER].value
    for i in range(ELITES_KEPT):
        shaded = _in_shade(s, ELITE + i)
        if shaded > in_shade or (shaded == in_shade and s.facts[ELITE + i].value > value):
            least, in_shade, value = i, shaded, s.facts[ELITE + i].value
    return least


@compiled
def _in_shade(s: Any, row: int) -> bool:
    """Whether there is a better one near it, the newcomer among them."""
    if s.settings[0].shade == 0.0:
        return False
    for i in range(ELITES_KEPT + 1):
        other = ELITE + i if i < ELITES_KEPT else NEWCOMER
        if s.facts[other].value < s.facts[row].value and _near(s, other, row):
            return True
    return False


@compiled
def _near(s: Any, a: int, b: int) -> bool:
    for j in range(s.points.shape[1]):
        if abs(s.points[a, j] - s.points[b, j]) > s.settings[0].shade * s.points[WIDTH, j]:
            return False
    return True


@compiled
def join(s: Any, points: Any, values: Any) -> None:
    """Puts points into the archive, where they are better than their neighbours."""
    for i in range(values.size):
        to_archive(s, points[i], values[i])


@compiled
def _neighbours(s: Any, row: int, x: Any) -> bool:
    for j in range(x.size):  # noqa: SIM110 - compiled
        if abs(s.points[row, j] - x[j]) > s.settings[0].niche * s.points[SPREAD, j]:
            return False
    return True


@compiled
def late(s: Any) -> bool:
    """Whether the last part of a known budget has begun: it belongs to the best elites."""
    budget = s.settings[0].budget
    return bool(budget > 0.0 and s.counts[0].told >= (1.0 - s.settings[0].late_share) * budget)


@compiled
def move(s: Any, source: int, target: int) -> None:
    for j in range(s.points.shape[1]):
        s.points[target, j] = s.points[source, j]
    s.facts[target].value, s.facts[target].tries = s.facts[source].value, s.facts[source].tries
    s.facts[target].parent, s.facts[target].sigma = s.facts[source].parent, s.facts[source].sigma


@compiled
def put(s: Any, row: int, x: Any, value: float) -> None:
    for j in range(x.size):
        s.points[row, j] = x[j]
    s.facts[row].value = value


@compiled
def weighted(seed: Any, table: Any, first: int, count: int) -> int:
    """One of `count` rows of a table, by its number from the first on, each as likely as its weight says."""
    total = 0.0
    for i in range(count):
        total += table[first + i].weight
    at = unit(seed) * total
    for i in range(count):
        at -= table[first + i].weight
        if at < 0.0 and table[first + i].weight > 0.0:
            return i
    return count - 1
