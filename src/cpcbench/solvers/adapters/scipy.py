"""SciPy's global solvers: differential evolution, dual annealing, DIRECT, SHGO and basin hopping."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import DEFAULT_BUDGET, Search, until_spent
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.registry import Solver

MANY = 10**9
"""Iterations where only the evaluations are to limit a method."""


def differential_evolution(
    objective: Objective,
    rng: np.random.Generator,
    *,
    popsize: int = 15,
    strategy: str = "best1bin",
    tol: float = 0.0,
    atol: float = 1e-12,
    maxiter: int = 1000,
) -> OptimizeResult:
    """Restarted when the population has come together: a spread of values below atol + tol |mean|.

    Not polished by L-BFGS-B as by default, and a generation is evaluated as a whole.
    """
    search = Search(objective)

    def once() -> None:
        _quietly(
            optimize.differential_evolution,
            lambda columns: search(columns.T),
            _bounds(search),
            strategy=strategy,
            popsize=popsize,
            tol=tol,
            atol=atol,
            maxiter=maxiter,
            polish=False,
            vectorized=True,
            updating="deferred",
            **_generator(optimize.differential_evolution, rng),
        )

    return until_spent(objective, once)


def dual_annealing(
    objective: Objective,
    rng: np.random.Generator,
    *,
    maxiter: int = 1000,
    initial_temp: float = 5230.0,
    visit: float = 2.62,
    accept: float = -5.0,
    no_local_search: bool = False,
) -> OptimizeResult:
    """Generalised annealing with L-BFGS-B, restarted after its iterations.

    It looks for a finite start among 1000 points and gives up otherwise: that, too, is a restart.
    """
    search = Search(objective)

    def once() -> None:
        try:
            _quietly(
                optimize.dual_annealing,
                search,
                _bounds(search),
                maxiter=maxiter,
                initial_temp=initial_temp,
                visit=visit,
                accept=accept,
                no_local_search=no_local_search,
                **_generator(optimize.dual_annealing, rng),
            )
        except ValueError as error:
            if "infinity" not in str(error):
                raise

    return until_spent(objective, once)


def direct(
    objective: Objective,
    rng: np.random.Generator,  # noqa: ARG001
    *,
    eps: float = 1e-4,
    locally_biased: bool = True,
    vol_tol: float = 0.0,
    len_tol: float = 0.0,
) -> OptimizeResult:
    """DIRECT, or DIRECT_L by default; deterministic, and stopped by the evaluations alone."""
    search = Search(objective)
    most = int(min(objective.remaining, DEFAULT_BUDGET if objective.budget is None else np.inf))

    def once() -> None:
        _quietly(
            optimize.direct,
            search,
            _bounds(search),
            eps=eps,
            maxfun=most,
            maxiter=most,
            locally_biased=locally_biased,
            vol_tol=vol_tol,
            len_tol=len_tol,
        )

    return until_spent(objective, once, restarts=False)


def shgo(
    objective: Objective,
    rng: np.random.Generator,  # noqa: ARG001
    *,
    n: int = 128,
    iters: int = 1,
    sampling_method: str = "sobol",
) -> OptimizeResult:
    """Simplicial homology: `n` more points in each of `iters` rounds, and SLSQP from the lowest; deterministic.

    It makes no use of a large budget: its triangulation takes seconds from five variables on.
    """
    search = Search(objective)

    def once() -> None:
        _quietly(
            optimize.shgo,
            search,
            _bounds(search),
            n=n,
            iters=iters,
            sampling_method=sampling_method,
        )

    return until_spent(objective, once, restarts=False)


def basin_hopping(
    objective: Objective,
    rng: np.random.Generator,
    *,
    niter: int = 100,
    temperature: float = 1.0,
    step: float = 0.25,
) -> OptimizeResult:
    """L-BFGS-B from points that hop by up to `step` of the box's width, from a new random point after each `niter`."""
    search = Search(objective)
    hop = _Hop(search, rng, step)

    def once() -> None:
        _quietly(
            optimize.basinhopping,
            search,
            search.random_point(rng),
            niter=niter,
            T=temperature,
            take_step=hop,
            minimizer_kwargs={"method": "L-BFGS-B", "bounds": _bounds(search)},
            **_generator(optimize.basinhopping, rng),
        )

    return until_spent(objective, once)


class _Hop:
    """A uniform step inside the box; basin hopping itself adapts `stepsize`."""

    def __init__(self, search: Search, rng: np.random.Generator, stepsize: float) -> None:
        self.search, self.rng, self.stepsize = search, rng, stepsize

    def __call__(self, x: Points) -> Points:
        reach = self.stepsize * (self.search.upper - self.search.lower)
        return np.clip(x + self.rng.uniform(-reach, reach), self.search.lower, self.search.upper)


def _bounds(search: Search) -> list[tuple[float, float]]:
    return list(zip(search.lower.tolist(), search.upper.tolist(), strict=True))


def _generator(function: Callable[..., Any], rng: np.random.Generator) -> dict[str, np.random.Generator]:
    """SciPy 1.15 calls `rng` what was `seed`."""
    return {"rng" if "rng" in inspect.signature(function).parameters else "seed": rng}


def _quietly(function: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """Differences of undefined values are no news here."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **settings)


SOLVERS = {
    "scipy-de": Solver(
        "scipy-de",
        differential_evolution,
        undefined="penalty",
        budget=DEFAULT_BUDGET,
        summary="SciPy's differential evolution, restarted when it has converged",
    ),
    "scipy-dual-annealing": Solver(
        "scipy-dual-annealing",
        dual_annealing,
        undefined="inf",
        budget=DEFAULT_BUDGET,
        summary="SciPy's generalised simulated annealing with local searches",
    ),
    "scipy-direct": Solver(
        "scipy-direct",
        direct,
        undefined="penalty",
        budget=DEFAULT_BUDGET,
        deterministic=True,
        summary="SciPy's DIRECT_L: the box is divided where it may pay, beginning at its middle",
    ),
    "scipy-shgo": Solver(
        "scipy-shgo",
        shgo,
        undefined="inf",
        budget=DEFAULT_BUDGET,
        deterministic=True,
        summary="SciPy's simplicial homology global optimisation from a Sobol sequence",
    ),
    "scipy-basin-hopping": Solver(
        "scipy-basin-hopping",
        basin_hopping,
        undefined="penalty",
        budget=DEFAULT_BUDGET,
        summary="SciPy's basin hopping: local searches from points that hop about",
    ),
}
