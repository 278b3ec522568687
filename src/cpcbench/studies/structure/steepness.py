"""How abruptly a continuous function changes: the share of its range within 1 % of a side of the box."""

from __future__ import annotations

import numpy as np

from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import uniform_points, with_best

STEEP = 0.25
"""From here on a function counts as steep; a parabola over its box has 0.04, a straight line 0.01."""
ACROSS = 100
FINE = 4
LINES = 20


def steepness(problem: Problem, rng: Rng = 0) -> float | None:
    """Measured on lines along the axes, through the best-known point and random ones; None without values.

    The range is that of the line, so constant lines are left out.
    """
    rng = generator_of(rng)
    starts = with_best(problem, uniform_points(problem, LINES, rng))
    part = np.linspace(0.0, 1.0, ACROSS * FINE + 1)
    largest: float | None = None
    overall = 0.0
    for start in starts:
        for i in range(problem.dim):
            line = np.repeat(start[None], len(part), axis=0)
            line[:, i] = problem.lower[i] * (1.0 - part) + problem.upper[i] * part
            values = np.asarray(problem(line))
            if np.isnan(values).any():
                continue
            width = float(np.ptp(values))
            overall = max(overall, width)
            if width <= 1e-9 * overall or width == 0.0:
                largest = largest or 0.0
                continue
            largest = max(largest or 0.0, float(np.abs(values[FINE:] - values[:-FINE]).max()) / width)
    return largest
