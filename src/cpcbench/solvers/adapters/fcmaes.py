"""fcmaes: its differential evolution and its build of BiteOpt, both in native code that is asked and told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import Bounds, OptimizeResult

from cpcbench.solvers.adapters.common import Search, library, listed, outside, until_spent
from cpcbench.solvers.objective import Objective


def differential_evolution(
    objective: Objective,
    rng: np.random.Generator,
    *,
    popsize: int = 31,
    keep: int = 200,
    stall: int = 10_000,
) -> OptimizeResult:
    """Begun anew when `stall` evaluations have brought nothing better."""
    search = Search(objective)

    def make() -> Any:
        return library("fcmaes.decpp").DE_C(search.dim, _bounds(search), popsize=popsize, keep=keep, rg=rng)

    return _told(search, make, stall)


def bite(
    objective: Objective,
    rng: np.random.Generator,
    *,
    depth: int = 1,
    batch: int = 1,
    stall: int = 10_000,
) -> OptimizeResult:
    """Begun anew when `stall` evaluations have brought nothing better; `depth` is M, `batch` the points at once."""
    search = Search(objective)

    def make() -> Any:
        return library("fcmaes.bitecpp").Bite_C(
            search.dim, _bounds(search), M=depth, batch_size=batch, max_evaluations=2**31 - 1, rg=rng
        )

    return _told(search, make, stall)


def _told(search: Search, make: Callable[[], Any], stall: int) -> OptimizeResult:
    objective = search.objective

    def once() -> None:
        method, best, since = make(), np.inf, objective.evaluations
        while objective.evaluations - since < stall:
            values = search(method.ask())
            lowest = np.fmin.reduce(values)
            if lowest < best:
                best, since = lowest, objective.evaluations
            if method.tell(values):
                return

    return until_spent(objective, once)


def _bounds(search: Search) -> Bounds:
    return Bounds(search.lower, search.upper)


SOLVERS = listed(
    outside("fcmaes-de", differential_evolution, "inf", "differential evolution by fcmaes, whose members age"),
    outside("fcmaes-bite", bite, "inf", "BiteOpt as fcmaes builds it, with a seed"),
)
