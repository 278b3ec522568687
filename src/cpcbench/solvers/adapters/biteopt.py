"""BiteOpt by Aleksey Vaneev, in the binding of its own name: it takes no seed, so every run is the same."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.solvers.adapters.common import DEFAULT_BUDGET, Guarded, Search, library, listed, outside, until_spent
from cpcbench.solvers.objective import Objective


def solve(objective: Objective, rng: np.random.Generator, *, depth: int = 1) -> OptimizeResult:  # noqa: ARG001
    """One long attempt; `depth` is M, the number of optimisers that work together."""
    if not 1 <= depth <= 36:
        raise CpcbenchError(f"BiteOpt's depth is from 1 to 36, not {depth!r}")
    biteopt = library("biteopt")
    search = Search(objective)
    most = int(min(objective.remaining, DEFAULT_BUDGET if objective.budget is None else np.inf))

    def once() -> None:
        call = Guarded(lambda x: search(np.array(x)))  # the binding turns an exception into a SystemError
        biteopt.minimize(call, search.lower.tolist(), search.upper.tolist(), most, depth, 1)
        call.raise_kept()  # its answer is no use: it is memory never written to where nothing admissible was found

    return until_spent(objective, once, restarts=False)


SOLVERS = listed(
    outside("biteopt", solve, "penalty", "BiteOpt, whose many ways to make new points compete; without a seed",
            deterministic=True)
)  # fmt: skip
