"""NLopt's global solvers that need no gradient: controlled random search, ISRES and DIRECT_L."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import (
    DEFAULT_BUDGET,
    Guarded,
    Search,
    library,
    listed,
    outside,
    seed_from,
    until_spent,
)
from cpcbench.solvers.objective import Objective


def random_search(
    objective: Objective,
    rng: np.random.Generator,
    *,
    algorithm: str,
    population: int = 0,
    xtol_rel: float = 1e-12,
) -> OptimizeResult:
    """A population method from a random point, begun anew when it has converged; a population of 0 is NLopt's own."""
    search = Search(objective)

    def once() -> None:
        nlopt = library("nlopt")
        nlopt.srand(seed_from(rng))  # of this thread only
        method = _method(search, algorithm)
        method.set_population(population)
        method.set_xtol_rel(xtol_rel)
        _optimize(search, method, search.random_point(rng))

    return until_spent(objective, once)


def direct(objective: Objective, rng: np.random.Generator, *, algorithm: str = "GN_DIRECT_L") -> OptimizeResult:  # noqa: ARG001
    """A division of the box that begins at its middle; deterministic, and stopped by the evaluations alone."""
    search = Search(objective)
    method = _method(search, algorithm)
    return until_spent(
        objective, lambda: _optimize(search, method, (search.lower + search.upper) / 2.0), restarts=False
    )


def _method(search: Search, algorithm: str) -> Any:
    nlopt = library("nlopt")
    method = nlopt.opt(getattr(nlopt, algorithm), search.dim)
    method.set_lower_bounds(search.lower)
    method.set_upper_bounds(search.upper)
    method.set_maxeval(int(min(search.objective.remaining, DEFAULT_BUDGET)) + 1)
    return method


def _optimize(search: Search, method: Any, start: Points) -> None:
    """Runs it; what it evaluated counts also where it ends without an answer.

    Exceptions are kept back: NLopt forgets that there was one where it ends for another reason, too.
    """
    nlopt = library("nlopt")
    call = Guarded(search, stop=method.force_stop)
    method.set_min_objective(lambda x, _gradient: call(x))
    names = ("forced_stop", "runtime_error", "roundoff_limited", "ForcedStop", "RoundoffLimited")
    with suppress(RuntimeError, *(getattr(nlopt, name) for name in names if hasattr(nlopt, name))):
        method.optimize(start)
    call.raise_kept()


SOLVERS = listed(
    outside("nlopt-crs2", partial(random_search, algorithm="GN_CRS2_LM"), "penalty",
            "NLopt's controlled random search with local mutation"),
    outside("nlopt-isres", partial(random_search, algorithm="GN_ISRES"), "penalty",
            "NLopt's improved stochastic ranking evolution strategy"),
    outside("nlopt-direct-l", direct, "penalty", "NLopt's DIRECT_L", deterministic=True),
)  # fmt: skip
