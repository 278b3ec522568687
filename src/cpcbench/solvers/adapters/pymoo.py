"""pymoo: differential evolution, particle swarm and a genetic algorithm, evaluated a population at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import DEFAULT_BUDGET, Search, best_so_far, seed_from, until_spent
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import check_whole
from cpcbench.solvers.registry import Solver


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
    run = partial(_once, search, rng, _METHODS[method], population)
    return until_spent(objective, run, restarts)


def _once(search: Search, rng: np.random.Generator, algorithm: Callable[[int], Any], population: int) -> None:
    from pymoo.optimize import minimize

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it compares generations in which nothing is admissible
        minimize(_problem(search), algorithm(population), seed=seed_from(rng), verbose=False)


def _problem(search: Search) -> Any:
    from pymoo.core.problem import Problem

    class Hidden(Problem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=search.dim, n_obj=1, xl=search.lower, xu=search.upper)

        def _evaluate(self, x: Points, out: dict[str, Any], *_args: Any, **_more: Any) -> None:
            out["F"] = np.asarray(search(np.ascontiguousarray(x, dtype=np.float64)))

    return Hidden()


def _differential_evolution(population: int) -> Any:
    from pymoo.algorithms.soo.nonconvex.de import DE

    return DE(pop_size=population)


def _particle_swarm(population: int) -> Any:
    from pymoo.algorithms.soo.nonconvex.pso import PSO

    return PSO(pop_size=population)


def _genetic(population: int) -> Any:
    from pymoo.algorithms.soo.nonconvex.ga import GA

    return GA(pop_size=population)


_METHODS: dict[str, Callable[[int], Any]] = {
    "de": _differential_evolution,
    "pso": _particle_swarm,
    "ga": _genetic,
}


def _solver(name: str, method: str, population: int, summary: str) -> Solver:
    parameters = {"method": method, "population": population}
    return Solver(name, solve, undefined="inf", parameters=parameters, budget=DEFAULT_BUDGET, summary=summary)


SOLVERS = {
    "pymoo-de": _solver("pymoo-de", "de", 100, "Differential evolution of pymoo."),
    "pymoo-pso": _solver("pymoo-pso", "pso", 25, "Adaptive particle swarm of pymoo."),
    "pymoo-ga": _solver("pymoo-ga", "ga", 100, "Genetic algorithm of pymoo."),
}
