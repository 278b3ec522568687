"""Nevergrad's NGOpt, which chooses a method by the number of variables and the budget."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.solvers.adapters.common import Search, best_so_far, library, listed, outside, seed_from
from cpcbench.solvers.global_random import GlobalRandom
from cpcbench.solvers.objective import Objective

BUDGET = 10_000
"""It takes milliseconds for each point, so its budget is smaller than the others'."""


def solve(objective: Objective, rng: np.random.Generator, *, method: str = "NGOptBase") -> OptimizeResult:
    """One run over the unit cube that spends the whole budget; `method` is any name in Nevergrad's registry.

    NGOptBase and not the newer NGOpt: that one's surrogate models fail with NumPy 2.4, and its portfolios
    take up to a quarter of a second for a point.
    """
    nevergrad = library("nevergrad")
    if method not in nevergrad.optimizers.registry:
        raise CpcbenchError(f"Nevergrad has no method {method!r}: its registry has {_some(nevergrad)}")
    search = Search(objective)
    most = BUDGET if objective.budget is None else int(objective.remaining)
    # parts of Nevergrad draw from the global generators
    with GlobalRandom(np.random.SeedSequence(seed_from(rng))), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cube = nevergrad.p.Array(shape=(search.dim,), lower=0.0, upper=1.0)
        cube.random_state = np.random.RandomState(seed_from(rng))
        chosen = nevergrad.optimizers.registry[method](cube, budget=most, num_workers=1)
        width = search.upper - search.lower
        for _ in range(most):
            point = chosen.ask()
            chosen.tell(point, search(search.lower + point.value * width))
    return best_so_far(objective, "the evaluations are used up")


def _some(nevergrad: Any) -> str:
    return ", ".join(list(nevergrad.optimizers.registry)[:5]) + " and many more"


SOLVERS = listed(
    outside("nevergrad-ngopt", solve, "penalty",
            "Nevergrad's NGOptBase, which chooses a method by dimension and budget", budget=BUDGET)
)  # fmt: skip
