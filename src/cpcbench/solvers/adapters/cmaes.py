"""The `cmaes` package: CMA-ES, restarted with doubled populations (IPOP)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.solvers.adapters.common import Search, library, listed, outside, seed_from, until_spent
from cpcbench.solvers.objective import Objective


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    sigma: float = 0.3,
    popsize: int | None = None,
    growth: float = 2.0,
    largest: int = 1024,
) -> OptimizeResult:
    """Minimises over the unit cube, each restart from a random point of it with `growth` times the population."""
    cmaes = library("cmaes")
    search = Search(objective)
    width = search.upper - search.lower
    cube = np.array([[0.0, 1.0]] * search.dim)
    size = popsize

    def once() -> None:
        nonlocal size
        strategy = cmaes.CMA(
            mean=rng.random(search.dim), sigma=sigma, bounds=cube, seed=seed_from(rng), population_size=size
        )
        while not strategy.should_stop():
            points = [strategy.ask() for _ in range(strategy.population_size)]
            values = search(search.lower + np.array(points) * width)
            strategy.tell(list(zip(points, values.tolist(), strict=True)))
        size = min(largest, int(growth * strategy.population_size))

    return until_spent(objective, once)


SOLVERS = listed(outside("cmaes", solve, "penalty", "CMA-ES with growing populations, by the cmaes package"))
