"""Points worth trying for an upper bound, found in doubles by the white-box solver."""

from __future__ import annotations

import numpy as np

from cpcbench.expr.walk import postorder
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.solvers.unbounded import solve_anywhere

MOST, SAMPLES, STEPS = 12, 200_000, 20_000_000
"""Points told at most, and of a sample the points and the single steps of their evaluation."""


def best_points(problem: Problem, seconds: float, *, seed: int = 0) -> list[Points]:
    """Low points, the faithful ones first, then the lowest artefact and thin point.

    An artefact of rounding is no admissible point, but it lies close to an edge, and the edge may hold the optimum.
    Where the search finds nothing in its time, the lowest points of a random sample take its place.
    """
    found = solve_anywhere(problem, np.random.default_rng(seed), seconds=seconds)
    points = [] if found.x is None else [found.x]
    points += [c.x for c in (found.artefact, found.thin) if c is not None]
    points += [c.x for c in found.optima]
    once = {x.tobytes(): x for x in points or sampled_points(problem, seed)}
    return list(once.values())[:MOST]


def sampled_points(problem: Problem, seed: int = 0, sides: bool = False) -> list[Points]:
    """Points of a random sample: the lowest, seldom in a corner; with `sides`, often at the sides of the box."""
    count = min(SAMPLES, STEPS // (problem.dim + len(postorder(problem.expression))) + 1)
    with np.errstate(over="ignore"):  # sides may be as long as doubles are
        half = np.random.default_rng(seed).uniform(problem.lower / 2, problem.upper / 2, (count, problem.dim))
        rows = np.clip(2.0 * half, problem.lower, problem.upper)
    if sides:
        rng = np.random.default_rng(seed)
        ends = np.where(rng.random(rows.shape) < 0.5, problem.lower, problem.upper)
        rows = np.where(rng.random(rows.shape) < rng.random((count, 1)), ends, rows)
    values = evaluate(problem.expression, rows)
    defined = np.flatnonzero(np.isfinite(values))
    return list(rows[defined[np.argsort(values[defined], kind="stable")[:MOST]]])
