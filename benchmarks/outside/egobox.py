"""EGObox (`pip install egobox`): optimisation by Gaussian processes, with a model of where there are values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import Guarded, Search, best_so_far, library, seed_from
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import check_whole
from cpcbench.solvers.registry import Solver

BUDGET = 200
"""Its time for each evaluation grows with the cube of those before."""


def solve(
    objective: Objective, rng: np.random.Generator, *, trials: int = BUDGET, trust_regions: bool = False
) -> OptimizeResult:
    """Up to `trials` evaluations, with trust regions (TREGO) if wanted; NaN is a failure that it models."""
    check_whole(trials=trials)
    search = Search(objective)
    egobox = library("egobox")
    guarded = Guarded(search)

    def values(points: Points) -> Any:
        return np.array([[guarded(point)] for point in np.asarray(points, dtype=float)])

    most, wanted = int(min(trials, objective.remaining)), max(search.dim + 1, 5)
    first = np.array([search.random_point(rng) for _ in range(wanted)])
    told = values(first)
    while np.isfinite(told).sum() < wanted and len(told) < most:  # it breaks down where it has no values to begin with
        first = np.vstack([first, search.random_point(rng)])
        told = np.vstack([told, values(first[-1:])])
    method = egobox.Egor(
        np.column_stack([search.lower, search.upper]).tolist(), x_doe=first, y_doe=told, seed=seed_from(rng),
        failsafe_strategy=egobox.FailsafeStrategy.VIABILITY, trego=trust_regions,
    )  # fmt: skip
    if most > len(told):
        method.minimize(values, max_iters=most - len(told))
    guarded.raise_kept()
    return best_so_far(objective, f"{objective.evaluations} evaluations")


EGOBOX = Solver("egobox", solve, "nan", budget=BUDGET)
