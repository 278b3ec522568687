"""The archive of elites: the best points found, one for each neighbourhood."""

from __future__ import annotations

from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.solvers.search.state import (
    BUDGET,
    COLUMNS,
    ELITE,
    ELITES,
    ELITES_KEPT,
    LATE_SHARE,
    NICHE,
    SETTINGS,
    SPREAD,
    TOLD,
    TRIES,
    VALUE,
)


@compiled
def to_archive(s: Any, x: Any, value: float) -> None:
    """Keeps the best elites, one for each small neighbourhood."""
    at, i = -1, 0
    while i < s.counts[ELITES]:
        if not _neighbours(s, ELITE + i, x):
            i += 1
            continue
        if not value < s.facts[ELITE + i, VALUE]:
            return
        if at < 0:
            at = i
            i += 1
        else:
            s.counts[ELITES] -= 1
            move(s, ELITE + s.counts[ELITES], ELITE + i)
    if at < 0 and s.counts[ELITES] < ELITES_KEPT:
        at = s.counts[ELITES]
        s.counts[ELITES] += 1
    elif at < 0:
        at = 0
        for i in range(ELITES_KEPT):
            if s.facts[ELITE + i, VALUE] > s.facts[ELITE + at, VALUE]:
                at = i
        if not value < s.facts[ELITE + at, VALUE]:
            return
    put(s, ELITE + at, x, value)
    s.facts[ELITE + at, TRIES] = 0.0


@compiled
def _neighbours(s: Any, row: int, x: Any) -> bool:
    for j in range(x.size):  # noqa: SIM110 - compiled
        if abs(s.points[row, j] - x[j]) > s.credit[SETTINGS, NICHE] * s.points[SPREAD, j]:
            return False
    return True


@compiled
def late(s: Any) -> bool:
    """Whether the last part of a known budget has begun: it belongs to the best elites."""
    budget = s.credit[SETTINGS, BUDGET]
    return bool(budget > 0.0 and s.counts[TOLD] >= (1.0 - s.credit[SETTINGS, LATE_SHARE]) * budget)


@compiled
def move(s: Any, source: int, target: int) -> None:
    for j in range(s.points.shape[1]):
        s.points[target, j] = s.points[source, j]
    for j in range(COLUMNS):
        s.facts[target, j] = s.facts[source, j]


@compiled
def put(s: Any, row: int, x: Any, value: float) -> None:
    for j in range(x.size):
        s.points[row, j] = x[j]
    s.facts[row, VALUE] = value
