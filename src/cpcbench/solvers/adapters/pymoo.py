"""pymoo: differential evolution, particle swarm and a genetic algorithm, evaluated a population at a time."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import Search, best_so_far, listed, outside, seed_from, until_spent
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import check_whole


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    method: str,
    population: int,
    restarts: bool = True,
) -> OptimizeResult:
    """Runs the method to pymoo's own termination, again while there is a budget left."""
    check_whole(population=population)
    search = Search(objective)
    if not search.dim:
        search(search.lower)
        return best_so_far(objective, "no variable is free")

    def once() -> None:
        from pymoo.optimize import minimize

        minimize(_problem(search), _algorithm(method, population), seed=seed_from(rng), verbose=False)

    return until_spent(objective, once, restarts)


def _problem(search: Search) -> Any:
    from pymoo.core.problem import Problem

    class Hidden(Problem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=search.dim, n_obj=1, xl=search.lower, xu=search.upper)

        def _evaluate(self, x: Points, out: dict[str, Any], *_args: Any, **_more: Any) -> None:
            out["F"] = np.asarray(search(np.ascontiguousarray(x, dtype=np.float64)))

    return Hidden()


def _algorithm(method: str, population: int) -> Any:
    """pymoo has a module and a class for each method."""
    module = importlib.import_module(f"pymoo.algorithms.soo.nonconvex.{method}")
    return getattr(module, method.upper())(pop_size=population)


SOLVERS = listed(
    *(
        outside(f"pymoo-{method}", solve, "inf", f"{words} of pymoo.",
                parameters={"method": method, "population": population})
        for method, population, words in (
            ("de", 100, "Differential evolution"),
            ("pso", 25, "Adaptive particle swarm"),
            ("ga", 100, "Genetic algorithm"),
        )
    )
)  # fmt: skip
