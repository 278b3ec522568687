"""The connected parts with more than two variables, by points joined with straight ways."""

from __future__ import annotations

import numpy as np

from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.sampling.points import admissible_points, uniform_points
from cpcbench.studies.modality.linking import groups, way_is_admissible
from cpcbench.studies.modality.parts import Components, Progress, parts_of
from cpcbench.studies.modality.unseen import unseen

EVEN_DRAWS = 1_000_000
PROBES = 48
NEAREST = 12
JOINING_ROUNDS = 4
MOST_JOINED = 300
"""Groups that are tried again for a way to others, the smallest first."""


def by_samples(problem: Problem, count: int, rng: np.random.Generator, progress: Progress) -> Components:
    points, even, draws = sampled_points(problem, count, rng)
    group = _linked(problem, points, progress)
    parts = parts_of(problem, points, group, even / draws, np.zeros(len(points)))
    return Components(
        problem=problem.id,
        rule=problem.rule,
        method="samples",
        found=len(parts),
        at_least=1,
        solid=0,
        solid_groups=0,
        parts=parts,
        share=float(sum(p.share for p in parts)),
        open_share=1.0,
        level=0,
        evaluations=draws,
        even=bool(even.all()),
        unseen=unseen(p.points for p in parts),
    )


def sampled_points(problem: Problem, count: int, rng: np.random.Generator) -> tuple[Floats, Floats, int]:
    """Admissible points: even draws first, and walks where these are too few.

    With how many admissible even draws each stands for, 0 for walks; and the number of draws made.
    """
    found: list[Floats] = []
    draws = 0
    while draws < EVEN_DRAWS and sum(map(len, found)) < count:
        drawn = uniform_points(problem, 50_000, rng)
        found.append(drawn[problem.admissible(drawn)])
        draws += len(drawn)
    even = np.concatenate(found)
    if len(even) >= count:
        return even[:count], np.full(count, len(even) / count), draws
    walked = admissible_points(problem, count - len(even), rng)
    return np.concatenate([even, walked]), np.r_[np.ones(len(even)), np.zeros(len(walked))], draws


def _linked(problem: Problem, points: Floats, progress: Progress) -> Places:
    """Near points joined by straight ways; then small groups are tried for a way to points further off."""
    from scipy.spatial import cKDTree

    unit = unit_points(problem, points)
    near = cKDTree(unit).query(unit, k=min(NEAREST + 1, len(points)))[1].reshape(len(points), -1)
    a, b = np.repeat(np.arange(len(points)), near.shape[1]), near.reshape(-1).astype(np.int64)
    a, b = _free_ways(problem, points, a, b)
    group = groups(len(points), a, b)
    for _ in range(JOINING_ROUNDS):
        progress(f"{len(points):,} points in {len(np.unique(group)):,} groups")
        more = _free_ways(problem, points, *_across(unit, group))
        a, b = np.concatenate([a, more[0]]), np.concatenate([b, more[1]])
        joined = groups(len(points), a, b)
        if joined.max() == group.max():
            break
        group = joined
    return group


def _across(unit: Floats, group: Places) -> tuple[Places, Places]:
    """Pairs of points of different groups: from each of the smaller groups to the nearest outside it."""
    from scipy.spatial import cKDTree

    sizes = np.bincount(group)
    left, right = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for number in np.argsort(sizes, kind="stable")[:MOST_JOINED]:
        own, other = np.flatnonzero(group == number), np.flatnonzero(group != number)
        if len(other) == 0:
            break
        near = cKDTree(unit[other]).query(unit[own[:50]], k=min(NEAREST, len(other)))[1].reshape(-1)
        left.append(np.repeat(own[:50], len(near) // min(len(own), 50)))
        right.append(other[near])
    return np.concatenate(left), np.concatenate(right)


def _free_ways(problem: Problem, points: Floats, a: Places, b: Places) -> tuple[Places, Places]:
    if len(a) == 0:
        return a, b
    pairs = np.unique(np.stack([np.minimum(a, b), np.maximum(a, b)], axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    free = way_is_admissible(problem, points[pairs[:, 0]], points[pairs[:, 1]], PROBES)
    return pairs[free, 0], pairs[free, 1]


def unit_points(problem: Problem, points: Floats) -> Floats:
    """The points in a box of side 1; sides of no width stay 0."""
    half = problem.upper / 2 - problem.lower / 2
    scaled: Floats = (points / 2 - problem.lower / 2) / np.where(half > 0, half, 1.0)
    return scaled
