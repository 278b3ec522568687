"""Multilevel splitting: the share of admissible points where even draws find none.

The way to the domain is cut into levels of a distance that is read off the hidden conditions. A
first adaptive run chooses the levels and keeps its points; the runs that are counted hold both
fixed, so the mean of their products of shares is unbiased (Botev and Kroese 2012; Del Moral, Doucet
and Jasra 2006), and their spread gives the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.sampling.points import uniform_points
from cpcbench.sampling.splitting import INSIDE, MOST_LEVELS, SHARE, next_level, units
from cpcbench.sampling.walk import walking
from cpcbench.studies.feasible.draws import stream_seed


@dataclass(frozen=True)
class Effort:
    """How much work one run is: points a level, and how often each of their coordinates is moved in between."""

    points: int = 2000
    moves: int = 30


class Level:
    """How far points are from being admissible, and walks that stay within a distance.

    Each condition adds from 0 to 1 by how far it is missed, in units of the median over even draws;
    one that is undefined, because an inner one fails, adds 1.
    """

    def __init__(self, problem: Problem, points: Floats) -> None:
        self._walk = walking(problem)
        self._bounds = problem.lower.copy(), problem.upper.copy()  # kernels take arrays that can be written
        self._scale = units(problem.fast.violations(points))

    def distance(self, points: Floats) -> Floats:
        far = np.empty(len(points))
        self._walk(points.reshape(-1), far, far[:0], self._scale, np.inf, *self._bounds, 0, 0)
        return far

    def walk(
        self, level: float, points: Floats, far: Floats, others: Floats, moves: int, rng: np.random.Generator
    ) -> None:
        """Moves the points about within the level, in place; `others` are points of it to take steps from."""
        seed = int(rng.integers(2**64, dtype=np.uint64))
        steps = moves * points.shape[1]
        self._walk(
            points.reshape(-1), far, others.reshape(-1), self._scale, level, *self._bounds, steps, seed
        )  # fmt: skip


@dataclass(frozen=True)
class Ladder:
    """What the first run leaves to the others: the levels from wide to narrow, and points of each."""

    domain: Level
    levels: tuple[float, ...]
    points: tuple[Floats, ...]


def ladder(problem: Problem, seed: int, effort: Effort) -> Ladder | None:
    """The levels by an adaptive run; None if it found no way into the domain."""
    rng = np.random.default_rng(stream_seed(problem, seed, 1))
    points = uniform_points(problem, effort.points, rng)
    domain = Level(problem, points)
    far = domain.distance(points)
    levels: list[float] = []
    kept: list[Floats] = []
    while np.mean(far == INSIDE) < SHARE:
        level = next_level(far, levels[-1] if levels else np.inf)
        if level is None or len(levels) == MOST_LEVELS:
            break
        inside = np.flatnonzero(far <= level)
        levels.append(level)
        kept.append(points[inside])
        chosen = inside[rng.integers(len(inside), size=effort.points)]
        points, far = points[chosen], far[chosen]
        domain.walk(level, points, far, kept[-1], effort.moves, rng)
    if not (far == INSIDE).any():
        return None
    return Ladder(domain, tuple(levels), tuple(kept))


def splitting_run(problem: Problem, seed: int, run: int, steps: Ladder, effort: Effort) -> float:
    """One unbiased estimate of the share of admissible points."""
    rng = np.random.default_rng(stream_seed(problem, seed, 2, run))
    points = uniform_points(problem, effort.points, rng)
    far = steps.domain.distance(points)
    product = 1.0
    for level, others in zip(steps.levels, steps.points, strict=True):
        inside = np.flatnonzero(far <= level)
        product *= len(inside) / effort.points
        if len(inside) == 0:
            return 0.0
        chosen = inside[rng.integers(len(inside), size=effort.points)]
        points, far = points[chosen], far[chosen]
        steps.domain.walk(level, points, far, others, effort.moves, rng)
    return product * float(np.mean(far == INSIDE))
