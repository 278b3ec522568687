"""The classics on boxes cut unevenly, defined everywhere or undefined in slabs, by a number; two halves by name."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np

import cpcbench as cpc
from cpcbench.expr.functions import sqrt
from cpcbench.expr.nodes import num
from cpcbench.points import Points
from cpcbench.problems.instances.making import AT_END, CUT, optimum
from cpcbench.problems.instances.move import form
from cpcbench.problems.problem import Problem

LEFT = 0.36
"""Slabs are added until no more than this share of the box is defined."""
WIDEST, SAMPLE, MOST = 0.35, 2000, 60
"""The share of the box that a slab takes at most, points by which shares are counted, and slabs that are tried."""


@cache
def functions() -> dict[str, Problem]:
    """The classics of which an optimum is known."""
    return {p.id: p for p in cpc.problems(suite="classics") if p.best_known is not None and optimum(p) is not None}


def held_back(name: str) -> bool:
    """Whether a function is in the half that nothing is tuned on."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def goal(name: str) -> float:
    """A run that comes down to this value has solved the function: 1e-4 above the best known, relative above 1."""
    known = functions()[name].best_known
    assert known is not None  # noqa: S101 - such are taken only
    return known.value + 1e-4 * max(1.0, abs(known.value))


def made(name: str, number: int, slabs: bool) -> Problem:
    """A function on the box of this number, with slabs or without; its known optimum stays."""
    p = functions()[name]
    rng = np.random.default_rng([number, *hashlib.sha256(name.encode()).digest()[:8]])
    at = optimum(p)
    assert at is not None  # noqa: S101 - such are taken only
    lower, upper = _cut(p, at, rng)
    root = p.expression
    for factors, low, high in _slabs(lower, upper, at, rng) if slabs else ():
        place = form(factors, 0.0)
        root = root + num(0) * sqrt((place - num(low)) * (place - num(high)))
    return Problem(f"{name}@{number}{'s' if slabs else ''}", root, lower, upper, rule=p.rule, names=p.names)


def _cut(p: Problem, at: Points, rng: np.random.Generator) -> tuple[Points, Points]:
    """The box with more cut off at one end of a side than at the other; an end that has the optimum stays."""
    width = p.upper - p.lower
    shares = rng.permuted(rng.uniform(0.0, np.outer(CUT, np.ones(p.dim))), axis=0)
    left, right = at - p.lower, p.upper - at
    lower = np.where(left <= AT_END * width, p.lower, p.lower + shares[0] * left)
    upper = np.where(right <= AT_END * width, p.upper, p.upper - shares[1] * right)
    return lower, upper


def _slabs(
    lower: Points, upper: Points, at: Points, rng: np.random.Generator
) -> list[tuple[dict[int, float], float, float]]:
    """Each as the factors of up to three variables and two numbers that their sum is not to lie between."""
    width = np.where(upper > lower, upper - lower, 1.0)
    points = rng.uniform(0.0, 1.0, (SAMPLE, len(lower)))
    defined, found = np.ones(SAMPLE, dtype=bool), []
    for _ in range(MOST):
        if defined.mean() <= LEFT:
            break
        axes = rng.permutation(len(lower))[: rng.integers(1, 4)]
        aims = rng.normal(size=len(axes)) / width[axes]
        factors = {int(i): float(f"{aim:.6g}") for i, aim in zip(axes, aims, strict=True)}
        slope = np.array(list(factors.values()))
        along, here = (lower[axes] + points[:, axes] * width[axes]) @ slope, float(at[axes] @ slope)
        start = rng.uniform(0.0, 1.0)
        low, high = (
            float(f"{end:.12g}") for end in np.quantile(along, [start, min(start + WIDEST * rng.uniform(), 1)])
        )
        within = (low < along) & (along < high)
        room = 1e-6 * (along.max() - along.min())
        if low - room < here < high + room or not defined[~within].any():
            continue
        defined &= ~within
        found.append((factors, low, high))
    return found
