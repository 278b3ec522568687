"""A population bred by differences, beside the climbers: it is slow to be caught in one place.

Differential evolution with its two constants carried by each member and redrawn now and then (J. Brest et al.,
Self-adapting control parameters in differential evolution, IEEE Trans. Evol. Comput. 10, 2006). Members are
admissible from the start, and a child that is not is dropped.
"""

from __future__ import annotations

from typing import Any

from cpcbench.solvers.search.archive import put, to_archive
from cpcbench.solvers.search.compiled import below, between, chance, compiled, unit
from cpcbench.solvers.search.state import (
    AGE,
    BRED,
    GENERATION,
    HIT,
    HITS,
    MEMBER,
    MEMBERS,
    MOST_MEMBERS,
    SIGMA,
    SUCCESS,
    VALUE,
)

FEWEST = 8
"""Hits that make a population."""
STALE = 60
"""Children a member, since the best was last improved, after which another population begins."""


@compiled
def is_ready(s: Any) -> bool:
    """Whether there is a population; one is made as soon as there are hits enough."""
    if s.counts[MEMBERS] == 0 and s.counts[HITS] >= FEWEST:
        _gather(s)
    return bool(s.counts[MEMBERS] > 0)


@compiled
def _gather(s: Any) -> None:
    """A population of hits, each at most once."""
    hits = s.counts[HITS]
    size = min(10 * s.box.shape[1], MOST_MEMBERS, hits)
    first, stride = below(s.seed, hits), 1 + below(s.seed, max(hits // size, 1))
    for k in range(size):
        at = HIT + (first + k * stride) % hits
        put(s, MEMBER + k, s.points[at], s.facts[at, VALUE])
        s.facts[MEMBER + k, SIGMA], s.facts[MEMBER + k, SUCCESS] = between(s.seed, 0.2, 0.9), unit(s.seed)
    s.counts[MEMBERS], s.counts[BRED] = size, 0
    s.counts[GENERATION] += 1


@compiled
def breed(s: Any, k: int, child: Any, out: Any) -> None:
    """Writes a child of member k into `out` and its constants into the row `child` of facts."""
    factor, share = s.facts[MEMBER + k, SIGMA], s.facts[MEMBER + k, SUCCESS]
    if chance(s.seed, 0.1):
        factor = between(s.seed, 0.1, 1.0)
    if chance(s.seed, 0.1):
        share = unit(s.seed)
    child[SIGMA], child[SUCCESS], child[AGE] = factor, share, s.counts[GENERATION]
    count = s.counts[MEMBERS]
    a, b, c = below(s.seed, count), below(s.seed, count), below(s.seed, count)
    towards = chance(s.seed, 0.5)
    if towards:
        for _ in range(3):
            other = below(s.seed, count)
            if s.facts[MEMBER + other, VALUE] < s.facts[MEMBER + a, VALUE]:
                a = other
    j = below(s.seed, out.size)
    for i in range(out.size):
        out[i] = s.points[MEMBER + k, i]
        if i == j or chance(s.seed, share):
            difference = factor * (s.points[MEMBER + b, i] - s.points[MEMBER + c, i])
            if towards:
                out[i] += factor * (s.points[MEMBER + a, i] - out[i]) + difference
            else:
                out[i] = s.points[MEMBER + a, i] + difference


@compiled
def told_child(s: Any, k: int, child: Any, x: Any, value: float) -> None:
    if child[AGE] != s.counts[GENERATION]:
        return  # of a population that has ended
    s.counts[BRED] += 1
    if value <= s.facts[MEMBER + k, VALUE]:
        best = _best(s)
        if value < s.facts[MEMBER + best, VALUE] - 1e-9 * abs(value):
            s.counts[BRED] = 0
        put(s, MEMBER + k, x, value)
        s.facts[MEMBER + k, SIGMA], s.facts[MEMBER + k, SUCCESS] = child[SIGMA], child[SUCCESS]
    if s.counts[BRED] >= STALE * s.counts[MEMBERS]:
        best = _best(s)
        to_archive(s, s.points[MEMBER + best], s.facts[MEMBER + best, VALUE])
        s.counts[MEMBERS] = 0


@compiled
def _best(s: Any) -> int:
    best = 0
    for k in range(s.counts[MEMBERS]):
        if s.facts[MEMBER + k, VALUE] < s.facts[MEMBER + best, VALUE]:
            best = k
    return best
