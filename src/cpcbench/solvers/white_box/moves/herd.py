"""A herd of points driven into the domain, and then down level by level: multilevel splitting, towards low values.

Outside the domain a point's key is its distance, read off the hidden conditions; inside it is the
value. Each level keeps the lower part of the herd, copies it over the rest and moves every point
about within the level, so that separate parts of the domain stay populated as long as they are low.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator

import numpy as np
import numpy.typing as npt

from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.sampling.points import uniform_points
from cpcbench.sampling.splitting import INSIDE, MOST_LEVELS, next_level, units
from cpcbench.solvers.white_box.moves.proposals import distances, propose, take
from cpcbench.solvers.white_box.start import STEPS

Words = npt.NDArray[np.uint64]


class Herd:
    """Points of the box with their keys: first distances to the domain, later values.

    `bring` moves new points to where the herd is to stay, such as an edge of the domain; `kernel`
    may be another than the problem's own, `take` counts the points whose distances are read.
    """

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        count: int,
        bring: Callable[[Floats], Floats] | None = None,
        kernel: Callable[[Floats, Floats], float] | None = None,
        take: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._bring, self._take = bring, take
        self._kernel = kernel or problem.fast.boxed
        self.fast = problem.fast
        self.box = np.array([problem.lower, problem.upper])
        self.rng = rng
        self.seed = rng.integers(2**64, size=1, dtype=np.uint64)
        with np.errstate(all="ignore"):
            drawn = uniform_points(problem, count, rng)
        self.points = self._brought(np.clip(drawn, problem.lower, problem.upper))
        self._out = np.empty_like(self.points)

    def enter(self, share: float, moves: int) -> Generator[None, None, bool]:
        """Drives the herd into the domain, level by level, until this share of it is inside; whether any is."""
        self._take(len(self.points))
        scale = units(self.fast.violations(self.points))
        far = self._far(self.points, scale)
        last = math.inf
        for _ in range(MOST_LEVELS):
            level = None if np.mean(far == INSIDE) >= share else next_level(far, last)
            if level is None:
                break
            last = level
            others = self._refill(far, level)
            for _ in range(moves):
                fresh = self._proposed(others)
                STEPS.run(take, self.points, far, fresh, self._far(fresh, scale), level)
                yield
        return self._begin(np.flatnonzero(far == INSIDE))

    def _begin(self, inside: npt.NDArray[np.int64]) -> bool:
        """Fills the herd with those inside; False if none has a value."""
        keys = self.values(self.points)
        inside = inside[np.isfinite(keys[inside])]
        if not len(inside):
            return False
        chosen = inside[self.rng.integers(len(inside), size=len(keys))]
        self.points, self.keys = self.points[chosen], keys[chosen]
        return True

    def descend(self, share: float, moves: int) -> Generator[None, None, float]:
        """One level down: keeps this share of the herd; the new level."""
        level = float(np.quantile(self.keys, share, method="inverted_cdf"))
        others = self._refill(self.keys, level)
        for _ in range(moves):
            fresh = self._proposed(others)
            STEPS.run(take, self.points, self.keys, fresh, self.values(fresh), level)
            yield
        return level

    def values(self, points: Floats) -> Floats:
        found = np.empty(len(points))
        self._kernel(points.reshape(-1), found)
        return found

    def _proposed(self, others: Floats) -> Floats:
        STEPS.run(propose, self.points, others, self.box, self.seed, self._out)
        return self._brought(self._out)

    def _brought(self, points: Floats) -> Floats:
        return points if self._bring is None else np.ascontiguousarray(self._bring(points))

    def _refill(self, keys: Floats, level: float) -> Floats:
        """Copies what is within the level over the rest; returns what was within it."""
        inside = np.flatnonzero(keys <= level)
        outside = np.flatnonzero(~(keys <= level))
        others = self.points[inside]
        chosen = inside[self.rng.integers(len(inside), size=len(outside))]
        self.points[outside], keys[outside] = self.points[chosen], keys[chosen]
        return others

    def _far(self, points: Floats, scale: Floats) -> Floats:
        """The distances of points from the domain."""
        self._take(len(points))
        far = np.empty(len(points))
        STEPS.run(distances, self.fast.violations(points), scale, far)
        near = np.flatnonzero(far == 0.0)
        if len(near):
            far[near[self.fast.admissible(points[near])]] = INSIDE
        return far
