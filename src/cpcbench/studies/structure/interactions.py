"""Evidence in values for what the formula says of its structure: second differences and corners of rectangles.

Two variables interact in the value if f(a, b) - f(a', b) - f(a, b') + f(a', b') is not 0 somewhere,
and in the domain if three corners of such a rectangle are admissible and the fourth is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import admissible_points
from cpcbench.studies.structure.interplay import Structure, structure

Verdict = Literal["agree", "disagree", "undecided"]

ENOUGH = 10
"""Rectangles without any sign of interaction that count as agreement with none."""
BASES = 200
SUSPECTS = 4
"""Rectangles whose error bounds are worked out: those with the largest second differences."""


@dataclass(frozen=True)
class PairCheck:
    """One pair of variables (from 0) in the value or the domain.

    `expected` is what the formula allows, `seen` whether an interaction was proven (value: beyond all
    rounding errors) or met (domain), None if there were too few rectangles. Allowed but not seen is
    undecided; seen but not allowed would be a contradiction: disagree.
    """

    i: int
    j: int
    of: Literal["value", "domain"]
    expected: bool
    seen: bool | None
    rectangles: int

    @property
    def verdict(self) -> Verdict:
        if self.seen is None or (self.expected and not self.seen):
            return "undecided"
        return "agree" if self.expected == self.seen else "disagree"


@dataclass(frozen=True)
class Interactions:
    """All pairs looked at, of the value as it stands (not of the sum inside an outer function)."""

    problem: str
    pairs: tuple[PairCheck, ...]

    def count(self, verdict: Verdict) -> int:
        return sum(pair.verdict == verdict for pair in self.pairs)


def interactions(
    problem: Problem, known: Structure | None = None, *, bases: int = BASES, rng: Rng = 0, most_pairs: int = 100
) -> Interactions:
    """Looks at every pair of variables (at most `most_pairs` of them, drawn at random).

    Admissible starting points are found by sampling; around each, rectangles of all sizes are tried.
    """
    if bases < 1:
        raise CpcbenchError(f"at least one starting point is needed, not {bases}")
    known = known or structure(problem)
    rng = generator_of(rng)
    pairs = list(combinations(range(problem.dim), 2))
    if len(pairs) > most_pairs:
        pairs = [pairs[k] for k in sorted(rng.choice(len(pairs), most_pairs, replace=False).tolist())]
    try:
        starts = admissible_points(problem, bases, rng)
    except CpcbenchError:  # none found: nothing can be said
        starts = np.empty((0, problem.dim))
    found: list[PairCheck] = []
    for i, j in pairs:
        found += _pair(problem, known, starts, i, j, rng)
    return Interactions(problem.id, tuple(found))


def _pair(
    problem: Problem, known: Structure, starts: Floats, i: int, j: int, rng: np.random.Generator
) -> list[PairCheck]:
    corners = _corners(problem, starts, i, j, rng)
    values = np.asarray(problem(corners))
    inside = ~np.isnan(values)
    full = inside.all(axis=1)
    moved = (corners[:, 0] != corners[:, 3]).sum(axis=1) == 2
    value_seen = _value_interacts(problem, corners[full & moved], values[full & moved])
    three = inside[:, :3].all(axis=1) & moved
    broken = three & ~inside[:, 3]
    domain_seen = bool(broken.any()) if int(three.sum()) >= ENOUGH or broken.any() else None
    return [
        PairCheck(i, j, "value", known.plain.joins(i, j), value_seen, int((full & moved).sum())),
        PairCheck(i, j, "domain", known.domain.joins(i, j), domain_seen, int(three.sum())),
    ]


def _corners(problem: Problem, starts: Floats, i: int, j: int, rng: np.random.Generator) -> Floats:
    """Rectangles in two variables, four corners each: the start, a step in i, a step in j, both."""
    count = 8 * len(starts)
    base = np.repeat(starts, 8, axis=0)
    half = problem.upper / 2 - problem.lower / 2
    step = 10.0 ** rng.uniform(-9, 0, (count, 2)) * rng.choice([-1.0, 1.0], (count, 2)) * half[[i, j]]
    corners = np.repeat(base[:, None, :], 4, axis=1)
    for corner in (1, 3):
        corners[:, corner, i] = np.clip(base[:, i] + step[:, 0], problem.lower[i], problem.upper[i])
    for corner in (2, 3):
        corners[:, corner, j] = np.clip(base[:, j] + step[:, 1], problem.lower[j], problem.upper[j])
    return corners


def _value_interacts(problem: Problem, corners: Floats, values: Floats) -> bool | None:
    """Whether a second difference is proven not to be 0: it exceeds the error bounds of its corners."""
    if len(corners) < ENOUGH:
        return None
    size = np.abs(values[:, 0] - values[:, 1] - values[:, 2] + values[:, 3])
    noise = np.abs(values).max(axis=1) * 1e-15 + 1e-300
    for k in np.argsort(-size / noise, kind="stable")[:SUSPECTS].tolist():
        bounds = [problem.error_bound(corner) for corner in corners[k]]
        if any(b.straddles or np.isnan(b.value) for b in bounds):
            continue
        exact = [float(b.value) for b in bounds]
        room = sum(b.radius for b in bounds) + 4e-16 * sum(map(abs, exact))
        if abs(exact[0] - exact[1] - exact[2] + exact[3]) > room:
            return True
    return False
