"""Hansen's `cma`: the covariance matrix adaptation evolution strategy with his two regimes of restarts (BIPOP)."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import DEFAULT_BUDGET, Search, library, until_spent
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.registry import Solver


def solve(
    objective: Objective, rng: np.random.Generator, *, sigma: float = 0.3, popsize: int | None = None
) -> OptimizeResult:
    """Minimises over the unit cube, each restart from a random point of it; `sigma` is the first step in its units.

    The regimes are those of N. Hansen, "Benchmarking a BI-population CMA-ES on the BBOB-2009 function
    testbed" (2009): populations doubled from run to run, and small ones of random size and step.
    """
    search = Search(objective)
    return until_spent(objective, _Bipop(search, rng, sigma, popsize).once)


class _Bipop:
    """Runs of the strategy: the regime that has used fewer evaluations is next."""

    def __init__(self, search: Search, rng: np.random.Generator, sigma: float, popsize: int | None) -> None:
        self.cma = library("cma")
        self.search, self.rng, self.sigma = search, rng, sigma
        self.dim = max(2, search.dim)  # the library is not made for one variable: a second one without effect
        self.small_size = popsize or 4 + int(3 * math.log(self.dim))
        self.large_size = self.small_size
        self.used = {"large": 0, "small": 0}
        self.runs = 0

    def once(self) -> None:
        regime = "small" if self.used["small"] < self.used["large"] and self.runs > 1 else "large"
        size, step = self.large_size, self.sigma
        if regime == "small":
            size = int(self.small_size * (0.5 * self.large_size / self.small_size) ** (self.rng.random() ** 2))
            size, step = max(size, self.small_size), self.sigma * 100.0 ** -self.rng.random()
        elif self.runs:
            self.large_size *= 2
            size = self.large_size
        before = self.search.objective.evaluations
        self._run(size, step)
        self.runs += 1
        self.used[regime] += self.search.objective.evaluations - before

    def _run(self, size: int, step: float) -> None:
        search = self.search
        options: dict[str, Any] = {
            "bounds": [0.0, 1.0],
            "popsize": size,
            "randn": lambda *shape: self.rng.standard_normal(shape),
            "seed": math.nan,
            "verbose": -9,
            "verb_log": 0,
            "verb_disp": 0,
        }
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            strategy = self.cma.CMAEvolutionStrategy(self.rng.random(self.dim), step, options)
            while not strategy.stop():
                points = strategy.ask()
                cube: Points = np.asarray(points)[:, : search.dim]
                strategy.tell(points, search(search.lower + cube * (search.upper - search.lower)))


SOLVERS = {
    "cma-bipop": Solver(
        "cma-bipop",
        solve,
        undefined="penalty",
        budget=DEFAULT_BUDGET,
        summary="CMA-ES with two regimes of restarts (Hansen 2009), by pycma",
    )
}
