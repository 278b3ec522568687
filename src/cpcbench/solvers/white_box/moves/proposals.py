"""Moves of many points at once, compiled once for all problems: the proposals of the herd."""

from __future__ import annotations

from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, chance, few_bits, normal, power_of_ten, unit
from cpcbench.sampling.walk import total_missed
from cpcbench.solvers.search.compiled import entry
from cpcbench.solvers.white_box.tuning import FINEST

_total_missed = compiled(total_missed)


@entry
def propose(points: Any, others: Any, box: Any, seed: Any, out: Any) -> None:
    """One new point for each, kept in the box: a difference of two others, a step of any size, or a few last bits."""
    n = points.shape[1]
    for p in range(points.shape[0]):
        out[p, :] = points[p]
        draw = unit(seed)
        one = below(seed, n)
        share = 0.0 if chance(seed, 0.5) else unit(seed)
        if draw < 0.45:
            _difference(others, one, share, seed, out[p])
        elif draw < 0.85:
            _step(box, one, share, seed, out[p])
        elif draw < 0.92:
            _recombine(others, one, share, seed, out[p])
        elif draw < 0.96:
            out[p, one] = box[0, one] + (box[1, one] - box[0, one]) * unit(seed)
        else:
            _last_bits(one, share, seed, out[p])
        for i in range(n):
            out[p, i] = min(max(out[p, i], box[0, i]), box[1, i])


@compiled
def _difference(others: Any, one: int, share: float, seed: Any, x: Any) -> None:
    a, b = below(seed, others.shape[0]), below(seed, others.shape[0])
    size = power_of_ten(seed, -2.0, 0.3) if chance(seed, 0.8) else 1.0
    for i in range(x.size):
        if i == one or chance(seed, share):
            x[i] += size * (others[a, i] - others[b, i])


@compiled
def _step(box: Any, one: int, share: float, seed: Any, x: Any) -> None:
    size = power_of_ten(seed, FINEST, 0.0)
    for i in range(x.size):
        if i == one or chance(seed, share):
            x[i] += size * normal(seed) * (box[1, i] - box[0, i])


@compiled
def _recombine(others: Any, one: int, share: float, seed: Any, x: Any) -> None:
    a = below(seed, others.shape[0])
    for i in range(x.size):
        if i == one or chance(seed, share):
            x[i] = others[a, i]


@compiled
def _last_bits(one: int, share: float, seed: Any, x: Any) -> None:
    for i in range(x.size):
        if i == one or chance(seed, share):
            x[i] += few_bits(seed, x[i])


@entry
def take(points: Any, keys: Any, fresh: Any, fresh_keys: Any, level: float) -> int:
    """Replaces points by the fresh ones whose key is at most the level; a key that is NaN never is."""
    taken = 0
    for p in range(keys.size):
        if fresh_keys[p] <= level:
            points[p, :] = fresh[p]
            keys[p] = fresh_keys[p]
            taken += 1
    return taken


@entry
def distances(amounts: Any, scale: Any, out: Any) -> None:
    """How far points are from the domain."""
    for p in range(out.size):
        out[p] = _total_missed(amounts[p], scale)
