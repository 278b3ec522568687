"""The cost of one generation of our genetic algorithm beside pymoo's, same population, same objective."""

from __future__ import annotations

import time

import numpy as np
from rich.console import Console

import cpcbench as cpc
from cpcbench.solvers.objective import Objective

POPULATION = 2000
GENERATIONS = 40


def run(console: Console) -> None:
    p = cpc.problem("CPC-DF12")
    ours = min(_ours(p) for _ in range(3))
    console.print(f"GA, population {POPULATION}, {p.id}: {ours * 1e3:.2f} ms a generation, evaluations included")
    theirs = _theirs(p)
    if theirs is None:
        console.print("pymoo is not installed: no comparison")
    else:
        console.print(f"pymoo's GA, the same: {theirs * 1e3:.2f} ms a generation, {theirs / ours:.1f} times ours")


def _ours(p: cpc.Problem) -> float:
    method = cpc.solver("GA").with_parameters(population=POPULATION, max_generations=GENERATIONS)
    start = time.perf_counter()
    objective = Objective(p, undefined="penalty")
    method.solve(objective, np.random.default_rng(0), **method.parameters)
    return (time.perf_counter() - start) / (objective.evaluations / POPULATION)


def _theirs(p: cpc.Problem) -> float | None:
    try:
        from pymoo.algorithms.soo.nonconvex.ga import GA
        from pymoo.core.problem import Problem
        from pymoo.optimize import minimize
    except ImportError:
        return None
    objective = Objective(p, undefined="penalty")

    class Wrapped(Problem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=p.dim, n_obj=1, xl=p.lower, xu=p.upper)

        def _evaluate(self, x: np.ndarray, out: dict[str, np.ndarray], *_: object, **__: object) -> None:
            out["F"] = objective(np.ascontiguousarray(x, dtype=np.float64))[:, None]

    best = float("inf")
    for seed in range(3):
        start, before = time.perf_counter(), objective.evaluations
        minimize(Wrapped(), GA(pop_size=POPULATION), ("n_gen", GENERATIONS), seed=seed, verbose=False)
        best = min(best, (time.perf_counter() - start) / ((objective.evaluations - before) / POPULATION))
    return best
