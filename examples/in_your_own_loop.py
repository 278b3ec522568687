"""One problem in the loops of five libraries; those that are not installed are left out.

Run it with: python examples/in_your_own_loop.py
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

import cpcbench as cpc

PROBLEM = cpc.problem("CPC-DF10")
EVALUATIONS = 600


def pymoo() -> float:
    from pymoo.algorithms.soo.nonconvex.de import DE
    from pymoo.optimize import minimize

    return float(minimize(PROBLEM.as_pymoo(), DE(pop_size=30), ("n_evals", EVALUATIONS), seed=1).F[0])


def pygmo() -> float:
    import pygmo

    population = pygmo.population(PROBLEM.as_pygmo(), size=30, seed=1)
    return float(pygmo.algorithm(pygmo.de(gen=EVALUATIONS // 30 - 1, seed=1)).evolve(population).champion_f[0])


def optuna() -> float:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(PROBLEM.as_optuna(), n_trials=EVALUATIONS)
    return study.best_value


def nevergrad() -> float:
    import nevergrad

    function = PROBLEM.as_nevergrad()
    optimizer = nevergrad.optimizers.DE(parametrization=function.parametrization, budget=EVALUATIONS)
    optimizer.parametrization.random_state.seed(1)
    return float(function(optimizer.minimize(function).value))


def ioh() -> float:
    problem = PROBLEM.as_ioh()
    rng = np.random.default_rng(1)
    for point in rng.uniform(PROBLEM.lower, PROBLEM.upper, (EVALUATIONS, PROBLEM.dim)).tolist():
        problem(point)
    return float(problem.state.current_best.y)


def main() -> None:
    loops: list[Callable[[], float]] = [pymoo, pygmo, optuna, nevergrad, ioh]
    for loop in loops:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nevergrad warns of every infinite value
            try:
                print(f"{loop.__name__:10} {loop():.6g}")
            except ImportError:
                print(f"{loop.__name__:10} is not installed")
            except cpc.CpcbenchError as error:
                print(f"{loop.__name__:10} {error}")


if __name__ == "__main__":
    main()
