"""Small solvers, well behaved and not, for tests of the runner."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.solvers.registry import Solver


def random_search(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    while objective.remaining >= 100:
        objective(rng.uniform(objective.lower, objective.upper, (100, objective.dim)))
    return OptimizeResult(x=objective.best_x, fun=objective.best_value)


random_search.budget = 2000  # type: ignore[attr-defined]


def spender(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    while True:
        objective(rng.uniform(objective.lower, objective.upper))


spender.budget = 500  # type: ignore[attr-defined]


def liar(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    return OptimizeResult(x=rng.uniform(objective.lower, objective.upper), fun=-1e9)


def raiser(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    objective(rng.uniform(objective.lower, objective.upper, (50, objective.dim)))
    raise ValueError("a solver may fail")


def garbage(objective: Any, rng: np.random.Generator) -> Any:
    return "no result"


def wrong_shape(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    return OptimizeResult(x=np.zeros(objective.dim + 1), fun=0.0)


def dies(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    os._exit(3)


def leaves(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    raise SystemExit(3)


def prepare() -> None:
    """Takes longer than a run may; the file named by the environment notes which process has done it."""
    with open(os.environ["PREPARED_IN"], "a", encoding="ascii") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.7)


PREPARED = Solver("prepared", random_search, budget=200, seconds=0.5, prepare=prepare)
