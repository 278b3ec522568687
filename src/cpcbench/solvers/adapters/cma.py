"""Hansen's `cma`: the covariance matrix adaptation evolution strategy with his two regimes of restarts (BIPOP)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import Search, library, listed, outside, seed_from, until_spent
from cpcbench.solvers.global_random import GlobalRandom
from cpcbench.solvers.objective import Objective

DOUBLINGS = 9
"""Of the population, before all begins anew: more than any budget here allows for."""


def solve(
    objective: Objective, rng: np.random.Generator, *, sigma: float = 0.3, popsize: int | None = None
) -> OptimizeResult:
    """Minimises over the unit cube, each restart from a random point of it; `sigma` is the first step in its units.

    The regimes are those of N. Hansen, "Benchmarking a BI-population CMA-ES on the BBOB-2009 function
    testbed" (2009): populations doubled from run to run, and small ones of random size and step.
    """
    cma = library("cma")
    search = Search(objective)
    dim = max(2, search.dim)  # the library is not made for one variable: a second one without effect
    width = search.upper - search.lower
    options: dict[str, Any] = {
        "bounds": [0.0, 1.0],
        "randn": lambda *shape: rng.standard_normal(shape),
        "seed": math.nan,
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
    }
    if popsize is not None:
        options["popsize"] = popsize

    def values(points: list[Points] | Points) -> Any:
        """Of a population, or of one point that the library draws again because of a NaN."""
        cube = np.ascontiguousarray(np.asarray(points)[..., : search.dim])
        return np.asarray(search(search.lower + cube * width)).tolist()

    def once() -> None:
        cma.fmin2(
            None, lambda: rng.random(dim), sigma, options, restarts=DOUBLINGS, bipop=True, parallel_objective=values
        )

    with GlobalRandom(np.random.SeedSequence(seed_from(rng))):
        return until_spent(objective, once)


SOLVERS = listed(outside("cma-bipop", solve, "penalty", "CMA-ES with two regimes of restarts (Hansen 2009), by pycma"))
