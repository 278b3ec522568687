"""The genetic algorithm of MATLAB's `ga` for a bounded real problem, after its public documentation.

Comments name the option of the documentation ("Genetic Algorithm Options", "How the Genetic Algorithm
Works"). Mutation follows mesh adaptive direct search: Audet & Dennis, SIAM J. Optim. 17 (2006) 188-217.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import best_of, first_points, ranked
from cpcbench.solvers.registry import Solver

FINEST_MESH = 13
"""The step length is 4^-level, from 1 down to the square root of the machine epsilon, 4^-13."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: int = 2000,
    max_generations: int = 2000,
    elite_fraction: float = 0.05,
    crossover_fraction: float = 0.8,
    stall_generations: int = 50,
    tolerance: float = 1e-6,
    stall_test: str = "average_change",
    start: ArrayLike | None = None,
) -> OptimizeResult:
    """Minimises the objective; points of `start` are members of the first generation.

    `stall_test` is "average_change" (MATLAB from R2014a on) or "geometric_weighted" (before).
    """
    if not isinstance(population, int) or population < 2:
        raise CpcbenchError(f"GA's population is a whole number from 2 on, not {population!r}")
    change = _stall_test(stall_test)
    lower, upper = objective.lower, objective.upper
    elite, crossed, mutated = _shares(population, elite_fraction, crossover_fraction)
    wheel = _wheel(population)
    before = objective.evaluations

    points = first_points(objective, rng, population, start)[:population]  # CreationFcn: uniform
    scores = ranked(objective(points))
    bests: list[float] = []  # the best score of each generation, the first one not among them
    level = 0
    message = "the largest number of generations is reached"
    for generation in range(1, max_generations + 1):
        order = np.argsort(scores, kind="stable")
        points, scores = points.take(order, axis=0), scores[order]  # from here on, the index is the rank
        parents = points.take(_selected(wheel, 2 * crossed + mutated, rng), axis=0)
        level = _next_level(level, bests)
        children = np.concatenate(
            [
                _scattered(parents[:crossed], parents[crossed : 2 * crossed], rng),
                _mutants(parents[2 * crossed :], level, lower, upper, rng),
            ]
        )
        points = np.concatenate([points[:elite], children])  # EliteCount: they survive and are not evaluated again
        scores = np.concatenate([scores[:elite], ranked(objective(children))])
        bests.append(float(scores.min()))
        if generation > stall_generations and change(bests[-stall_generations - 1 :]) <= tolerance:
            message = "the best value hardly changes any more"
            break
    return best_of(points, scores, objective.evaluations - before, len(bests), message)


def _shares(population: int, elite_fraction: float, crossover_fraction: float) -> tuple[int, int, int]:
    """How many of a generation are elite, crossed and mutated (EliteCount, CrossoverFraction)."""
    elite = min(math.ceil(elite_fraction * population), population - 1)
    crossed = math.floor(crossover_fraction * (population - elite) + 0.5)
    return elite, crossed, population - elite - crossed


def _wheel(population: int) -> Points:
    """FitnessScalingFcn "rank": a slice of 1/sqrt(rank) for each; where each slice ends, on a wheel of 1."""
    ends = np.cumsum(1.0 / np.sqrt(np.arange(1.0, population + 1)))
    ends /= ends[-1]
    return ends


def _selected(wheel: Points, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """SelectionFcn "stochastic uniform": equal steps along the wheel from a random start, then shuffled."""
    passed = np.ceil(count * wheel - rng.random())  # how many of the stops (start + k) / count lie before each end
    passed[-1] = count
    chosen = np.repeat(np.arange(len(wheel)), np.diff(passed, prepend=0.0).astype(np.intp))
    rng.shuffle(chosen)
    return chosen


def _scattered(mothers: Points, fathers: Points, rng: np.random.Generator) -> Points:
    """CrossoverFcn "scattered": a coin for each coordinate says whose it is."""
    return np.where(rng.integers(0, 2, mothers.shape, dtype=np.bool_), mothers, fathers)


def _next_level(level: int, bests: list[float]) -> int:
    """MutationFcn "adaptive feasible": four times the step after a successful generation, a quarter after another."""
    if len(bests) < 2:
        return 0
    return max(level - 1, 0) if bests[-1] < bests[-2] else min(level + 1, FINEST_MESH)


def _mutants(parents: Points, level: int, lower: Points, upper: Points, rng: np.random.Generator) -> Points:
    """Each parent moved along the first of its random directions, in random order, that stays inside the bounds.

    The step is in the units of the variables. A parent without such a direction stays where it is.
    """
    step = 4.0**-level
    directions = _directions(len(parents), parents.shape[1], level, rng)
    directions *= step * (lower < upper)[None, :, None]  # a fixed variable does not move
    mutants = parents.copy()
    waiting = np.arange(len(parents))
    for k in range(2 * parents.shape[1]):
        column, sign = divmod(k, 2)
        trial = parents[waiting] + (1 - 2 * sign) * directions[waiting, :, column]
        inside = ((lower <= trial) & (trial <= upper)).all(axis=1)
        mutants[waiting[inside]] = trial[inside]
        waiting = waiting[~inside]
        if not len(waiting):
            break
    return mutants


def _directions(count: int, n: int, level: int, rng: np.random.Generator) -> Points:
    """For each parent a basis of directions, its columns, as in Audet & Dennis, section 4.1 (LTMADS).

    Lower triangular, +-2^level on the diagonal, whole numbers of smaller size below it; rows and
    columns shuffled.
    """
    size = 2.0**level
    row = rng.random((count, n)).argsort(axis=1)[:, :, None]  # which row of the triangle stands here
    column = rng.random((count, n)).argsort(axis=1)[:, None, :]
    below = np.floor(rng.random((count, n, n)) * (2.0 * size - 1.0)) - (size - 1.0)
    diagonal = np.where(rng.integers(0, 2, (count, 1, n), dtype=np.bool_), size, -size)
    return np.where(row == column, diagonal, below * (row > column))


def _stall_test(name: str) -> Any:
    tests = {"geometric_weighted": _geometric_weighted, "average_change": _average_change}
    if name not in tests:
        raise CpcbenchError(f"GA has no stall test {name!r}: there are {', '.join(tests)}")
    return tests[name]


def _geometric_weighted(bests: list[float]) -> float:
    """StallTest "geometricWeighted": the mean relative change, that of k generations ago weighted by 2^-k."""
    values = np.array(bests)
    relative = np.abs(np.diff(values)) / (1.0 + np.abs(values[:-1]))
    weights = 0.5 ** np.arange(len(relative) - 1, -1, -1)
    return float(weights @ relative) / len(relative)


def _average_change(bests: list[float]) -> float:
    """StallTest "averageChange": the change from first to last, relative to the last, for each generation."""
    return abs(bests[0] - bests[-1]) / ((len(bests) - 1) * max(1.0, abs(bests[-1])))


SOLVER = Solver(
    name="GA",
    solve=solve,
    undefined="penalty",
    summary="genetic algorithm as in MATLAB's ga: rank scaling, scattered crossover, adaptive feasible mutation",
)
