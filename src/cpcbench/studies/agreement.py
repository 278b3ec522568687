"""How far the fast reading is from the reference: in ulps of the value, and in admissibility."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import admissible_points, boundary_points, uniform_points
from cpcbench.studies.sensitivity.doubles import places


@dataclass(frozen=True)
class Agreement:
    """Counts over the sample; `only_fast` are points that the fast reading alone calls admissible."""

    problem: str
    rule: str
    points: int
    admissible: int
    different: int
    largest_ulps: float
    median_ulps: float
    largest_relative: float
    only_fast: int
    only_reference: int


def sample(problem: Problem, count: int, rng: Rng = 0) -> Floats:
    """Half of the points within a few ulps of the edge of the domain, the rest even or admissible."""
    rng = generator_of(rng)
    edge = count // 2
    inner = (count - edge) // 2
    parts = [
        boundary_points(problem, edge, rng),
        admissible_points(problem, inner, rng),
        uniform_points(problem, count - edge - inner, rng),
    ]
    return np.concatenate(parts)


def agreement(problem: Problem, count: int = 100_000, rng: Rng = 0) -> Agreement:
    """Compares the two readings on `sample`."""
    points = sample(problem, count, rng)
    fast = np.asarray(problem(points))
    reference = np.asarray(problem.reference(points))
    both = ~np.isnan(fast) & ~np.isnan(reference)
    apart = ulps_apart(fast[both], reference[both])
    scale = np.maximum(1.0, np.abs(reference[both]))
    relative = np.abs(fast[both] - reference[both]) / scale
    return Agreement(
        problem=problem.id,
        rule=problem.rule,
        points=len(points),
        admissible=int(both.sum()),
        different=int((apart > 0).sum()),
        largest_ulps=float(apart.max(initial=0.0)),
        median_ulps=float(np.median(apart)) if len(apart) else 0.0,
        largest_relative=float(relative.max(initial=0.0)),
        only_fast=int((~np.isnan(fast) & np.isnan(reference)).sum()),
        only_reference=int((np.isnan(fast) & ~np.isnan(reference)).sum()),
    )


def ulps_apart(a: Floats, b: Floats) -> Floats:
    """How many doubles lie between two, zero counted once."""
    left, right = places(a), places(b)
    same_side = (left < 0) == (right < 0)  # then the difference fits an int64 and is exact
    return np.abs(np.where(same_side, left - right, left.astype(np.float64) - right.astype(np.float64)))
