"""Points to test and time readings with: admissible ones, and ones at the edge of the domain."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats, as_point
from cpcbench.problems.problem import Problem

UNIFORM_TRIES = 2_000_000
ROUNDS = 400


def uniform_points(problem: Problem, count: int, rng: np.random.Generator) -> Floats:
    """Points drawn evenly from the box (by its halves: the width of a huge one overflows)."""
    problem.needs_box("an even draw")
    points: Floats = 2.0 * rng.uniform(problem.lower / 2, problem.upper / 2, (count, problem.dim))
    return points


def point_or_best(problem: Problem, x: ArrayLike | None) -> Floats:
    """The point given, or the first best-known one; an error where none is known."""
    if x is not None:
        return as_point(x, problem.dim, problem.names)
    if problem.best_known is None:
        raise CpcbenchError(f"no best-known point of {problem.id} at n = {problem.dim}: give a point")
    first: Floats = problem.best_known.points[0].copy()
    return first


def with_best(problem: Problem, points: Floats) -> Floats:
    """The points, and the first best-known one before them if there is one."""
    return points if problem.best_known is None else np.concatenate([problem.best_known.points[:1], points])


def known_points(problem: Problem) -> Floats:
    """The best-known points that are admissible."""
    if problem.best_known is None:
        return np.empty((0, problem.dim))
    points = problem.best_known.points
    chosen: Floats = points[problem.admissible(points) & problem.in_box(points)]
    return chosen


def admissible_points(problem: Problem, count: int, rng: np.random.Generator) -> Floats:
    """`count` admissible points: even draws, the known optima, and random walks from both.

    Not evenly spread: they cluster where admissible points are easy to reach.
    """
    found = _first_points(problem, count, rng)
    if len(found) == 0:
        raise CpcbenchError(
            f"no admissible point of {problem.id} in {UNIFORM_TRIES:,} even draws, and no known optimum"
        )
    for _ in range(ROUNDS):
        if len(found) >= count:
            break
        tried = _step(problem, found[rng.integers(len(found), size=max(count, 1000))], rng)
        found = np.concatenate([found, tried[problem.admissible(tried)]])
    else:
        found = np.resize(found, (count, problem.dim))  # nothing around them is admissible: repeat them
    return found[rng.permutation(len(found))[:count]]


def boundary_points(problem: Problem, count: int, rng: np.random.Generator, ulps: int = 3) -> Floats:
    """Points within a few ulps of the edge of the domain, on both sides of it.

    From an admissible point towards an inadmissible one, halving down to neighbouring doubles.
    """
    inside = admissible_points(problem, count, rng)
    outside, reached = uniform_points(problem, count, rng), np.zeros(count, dtype=bool)
    for _ in range(40):  # most of a box is undefined: nearly all are found at once
        reached = ~np.asarray(problem.admissible(outside))
        if reached.all():
            break
        outside[~reached] = _step(problem, inside[~reached], rng)
    inside, outside = inside[reached], outside[reached]
    for _ in range(70):
        middle = inside + (outside * 0.5 - inside * 0.5)
        good = np.asarray(problem.admissible(middle), dtype=bool)
        inside[good], outside[~good] = middle[good], middle[~good]
    edge = np.where(rng.random(len(inside))[:, None] < 0.5, inside, outside)
    if len(edge) == 0:
        return uniform_points(problem, count, rng)
    moved = _shift(edge, rng.integers(-ulps, ulps + 1, edge.shape))
    return np.resize(np.clip(moved, problem.lower, problem.upper), (count, problem.dim))


def _first_points(problem: Problem, count: int, rng: np.random.Generator) -> Floats:
    drawn = uniform_points(problem, min(UNIFORM_TRIES, max(count * 20, 1000)), rng)
    found: Floats = drawn[problem.admissible(drawn)]
    if problem.published is not None:
        known = problem.published.points
        found = np.concatenate([found, known[problem.admissible(known)]])
    if len(found) == 0:
        drawn = uniform_points(problem, UNIFORM_TRIES, rng)
        found = drawn[problem.admissible(drawn)]
    return found


def _step(problem: Problem, start: Floats, rng: np.random.Generator) -> Floats:
    """A step of any size, from the whole box down to the last digits, in all or some coordinates."""
    size = 10.0 ** rng.uniform(-14, 0, (len(start), 1)) * (problem.upper / 2 - problem.lower / 2)
    mask = rng.random(start.shape) < rng.choice([0.3, 1.0], (len(start), 1))
    mask[np.arange(len(start)), rng.integers(problem.dim, size=len(start))] = True  # at least one moves
    with np.errstate(over="ignore"):  # what overflows is clipped
        moved = start + 2.0 * (size * rng.normal(size=start.shape))
    return np.where(mask, np.clip(moved, problem.lower, problem.upper), start)


def _shift(points: Floats, ulps: npt.NDArray[np.int64]) -> Floats:
    """Each coordinate moved by so many doubles away from zero, at most to it or to infinity (zero stays zero)."""
    sizes = np.abs(points).view(np.int64)
    moved = np.where(sizes == 0, sizes, np.clip(sizes + ulps, 0, np.float64(np.inf).view(np.int64)))
    return np.copysign(moved.view(np.float64), points)
