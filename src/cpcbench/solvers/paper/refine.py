"""Local refinement by sampling: a cloud of points around the best one that learns from its successes."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.points import Points
from cpcbench.solvers.objective import Objective

CLOUD = 48
FLATTEST = 1e-9
"""Added to the covariance at each success, so that no direction is lost for good."""
SMALLEST = 1e-17
"""Steps below this, relative to the box, no longer change a double."""


def refine(
    objective: Objective, rng: np.random.Generator, start: Points, value: float, step: Points, rounds: int
) -> tuple[Points, float]:
    """The best point found from `start` in at most so many rounds of CLOUD evaluations.

    The steps are normally distributed; their covariance follows the steps that succeeded, their size
    grows after a success and shrinks after a failure. Undefined points are failures.
    """
    n = objective.dim
    best, centre = value, start.copy()
    unit = np.where(step > 0.0, step, 0.0)
    shape, size, learning = np.eye(n), 0.5, 2.0 / (n * n + 6.0)
    for _ in range(rounds):
        moves = rng.standard_normal((CLOUD, n)) @ np.linalg.cholesky(shape).T
        points = np.clip(centre + size * moves * unit, objective.lower, objective.upper)
        values = objective(points)
        values = np.where(np.isnan(values), math.inf, values)
        leader = int(np.argmin(values))
        if values[leader] < best:
            best, centre = float(values[leader]), points[leader]
            shape = (1.0 - learning) * shape + learning * np.outer(moves[leader], moves[leader]) + FLATTEST * np.eye(n)
            size *= 1.5
        else:
            size *= 0.7
            if size * float(unit.max()) < SMALLEST * max(1.0, float(np.abs(centre).max())):
                break
    return centre, best
