"""Gradient-based particle swarm: M. M. Noel, Applied Soft Computing 12 (2012) 353-359, as PlatEMO sets it up.

The swarm explores globally; before every move the global best goes a few gradient steps of its own. The
inertia of 0.4 and the weights of 1 are PlatEMO's; the paper does without inertia.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import best_of, first_points, ranked
from cpcbench.solvers.registry import Solver

ZERO_COUNTS_AS = 1e-12
"""The difference quotient is relative; at zero it takes the size of this."""

STEEPEST = 1e140
"""Larger slopes are cut to this, so that their squares stay finite."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: int = 2000,
    max_evaluations: int = 100_000,
    inertia: float = 0.4,
    gradient_steps: int = 4,
    difference: float = 1e-6,
    shortest_step: float = 1e-3,
    answer: str = "swarm",
    start: ArrayLike | None = None,
) -> OptimizeResult:
    """Minimises the objective; only whole moves of the swarm that fit into the evaluations are made.

    `answer` is "swarm", the best particle where the swarm ends, which is what PlatEMO reports, or
    "memory", the best place any particle has been. Points of `start` are first places of particles.
    """
    if not isinstance(population, int) or population < 1:
        raise CpcbenchError(f"GPSO's population is a whole number from 1 on, not {population!r}")
    if answer not in ("swarm", "memory"):
        raise CpcbenchError(f"GPSO's answer is 'swarm' or 'memory', not {answer!r}")
    lower, upper, n = objective.lower, objective.upper, objective.dim
    before = objective.evaluations
    cost = population + gradient_steps * (n + 1) + n
    last_start = before + min(max_evaluations, objective.remaining) - cost

    x = first_points(objective, rng, population, start)[:population]
    value = ranked(objective(x))
    velocity = np.zeros_like(x)
    own_best, own_value = x.copy(), value.copy()
    moves = 0
    while objective.evaluations <= last_start:
        best = int(np.argmin(own_value))
        guide = _descended(objective, own_best[best], float(own_value[best]), gradient_steps, difference, shortest_step)
        r1, r2 = rng.random((2, population, n))
        velocity = inertia * velocity + r1 * (own_best - x) + r2 * (guide - x)
        x = np.clip(x + velocity, lower, upper)  # the velocity itself is not clipped
        value = ranked(objective(x))
        better = value < own_value
        own_best[better], own_value[better] = x[better], value[better]
        moves += 1
    points, values = (x, value) if answer == "swarm" else (own_best, own_value)
    return best_of(points, values, objective.evaluations - before, moves, "the evaluations are used up")


def _descended(
    objective: Objective, start: Points, value: float, steps: int, difference: float, shortest: float
) -> Points:
    """Where the global best gets by its gradient steps, better or worse: this is what guides the swarm.

    The first length is 1, the others |s.y| / |y.y| with the last step s and the change y of the
    gradient (Barzilai and Borwein).
    """
    x, slope, length = start, _gradient(objective, start, value, difference), 1.0
    for _ in range(steps):
        new = np.clip(x - length * slope, objective.lower, objective.upper)
        new_slope = _gradient(objective, new, float(ranked(objective(new[None, :]))[0]), difference)
        s, y = new - x, new_slope - slope
        x, slope = new, new_slope
        curvature = float(y @ y)
        if not np.linalg.norm(s) > shortest or curvature == 0.0:  # an unchanged gradient gives no length
            break
        length = abs(float(s @ y)) / curvature
    return x


def _gradient(objective: Objective, x: Points, value: float, difference: float) -> Points:
    """Forward differences relative to each coordinate; backward ones where forward leaves the box."""
    lower, upper = objective.lower, objective.upper
    h = difference * np.where(x == 0.0, ZERO_COUNTS_AS, x)
    h = np.where((x + h > upper) | (x + h < lower), -h, h)
    h = np.where((x + h > upper) | (x + h < lower), 0.0, h)
    moved = x + h
    rise = ranked(objective(np.where(np.eye(len(x), dtype=bool), moved, x))) - value
    run = moved - x  # the difference of the doubles that were evaluated, not h
    with np.errstate(over="ignore"):
        slope = np.divide(rise, run, out=np.zeros_like(x), where=run != 0.0)
    return np.clip(slope, -STEEPEST, STEEPEST)


SOLVER = Solver(
    name="GPSO",
    solve=solve,
    undefined="penalty",
    budget=100_000,
    summary="particle swarm whose global best takes gradient steps (Noel 2012), as in PlatEMO",
)
