"""pygmo's self-adaptive differential evolutions: SADE and DE1220."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import Search, library, listed, outside, seed_from, until_spent
from cpcbench.solvers.objective import Objective


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    algorithm: str = "sade",
    population: int = 40,
    generations: int = 1000,
    ftol: float = 0.0,
    xtol: float = 1e-12,
) -> OptimizeResult:
    """Begun anew with a random population after `generations`, or when all have come as close as the tolerances."""
    pygmo = library("pygmo")
    search = Search(objective)

    def once() -> None:
        method = getattr(pygmo, algorithm)(gen=generations, ftol=ftol, xtol=xtol, seed=seed_from(rng))
        people = pygmo.population(pygmo.problem(_Problem(search)), population, seed=seed_from(rng))
        pygmo.algorithm(method).evolve(people)

    return until_spent(objective, once)


class _Problem:
    """The search in pygmo's words. pygmo copies problems; this one stays the same, and with it the count."""

    def __init__(self, search: Search) -> None:
        self.search = search

    def __deepcopy__(self, memo: dict[int, Any]) -> _Problem:
        return self

    def get_bounds(self) -> tuple[Points, Points]:
        return self.search.lower, self.search.upper

    def fitness(self, x: Points) -> list[float]:
        return [self.search(x)]


SOLVERS = listed(
    *(
        outside(f"pygmo-{name}", solve, "penalty", f"pygmo's self-adaptive differential evolution {name.upper()}",
                parameters={"algorithm": name})
        for name in ("sade", "de1220")
    )
)  # fmt: skip
