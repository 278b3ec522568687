"""SciPy's solvers without gradients: differential evolution, dual annealing, DIRECT, SHGO, basin hopping, COBYQA."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import DEFAULT_BUDGET, Search, listed, outside, until_spent
from cpcbench.solvers.objective import Objective

MANY = 10**9
"""Iterations where only the evaluations are to limit a method."""

COBYQA_BUDGET = 2000
"""It takes some milliseconds of its own for each evaluation."""


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
    method, settings = optimize.differential_evolution, _generator(optimize.differential_evolution, rng)
    return _run(
        search, method, lambda columns: search(columns.T), strategy=strategy, popsize=popsize, tol=tol, atol=atol,
        maxiter=maxiter, polish=False, vectorized=True, updating="deferred", **settings,
    )  # fmt: skip


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
    search, settings = Search(objective), _generator(optimize.dual_annealing, rng)

    def method(*given: Any) -> None:
        try:
            optimize.dual_annealing(
                *given, maxiter=maxiter, initial_temp=initial_temp, visit=visit, accept=accept,
                no_local_search=no_local_search, **settings,
            )  # fmt: skip
        except ValueError as error:
            if "infinity" not in str(error):
                raise

    return _run(search, method, search)


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
    return _run(
        search, optimize.direct, search, restarts=False, eps=eps, maxfun=most, maxiter=most,
        locally_biased=locally_biased, vol_tol=vol_tol, len_tol=len_tol,
    )  # fmt: skip


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
    return _run(search, optimize.shgo, search, restarts=False, n=n, iters=iters, sampling_method=sampling_method)


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
        optimize.basinhopping(
            search, search.random_point(rng), niter=niter, T=temperature, take_step=hop,
            minimizer_kwargs={"method": "L-BFGS-B", "bounds": _bounds(search)},
            **_generator(optimize.basinhopping, rng),
        )  # fmt: skip

    return until_spent(objective, once)


def cobyqa(
    objective: Objective, rng: np.random.Generator, *, radius: float = 0.1, final_radius: float = 1e-10
) -> OptimizeResult:
    """Powell's quadratic models as COBYQA makes them, from random points; radii are shares of the box's width."""
    search = Search(objective)
    width = search.upper - search.lower
    settings = {"initial_tr_radius": radius, "final_tr_radius": final_radius}

    def once() -> None:
        optimize.minimize(
            lambda t: search(search.lower + t * width), (search.random_point(rng) - search.lower) / width,
            method="COBYQA", bounds=[(0.0, 1.0)] * search.dim, options=settings,
        )  # fmt: skip

    return until_spent(objective, once)


class _Hop:
    """A uniform step inside the box; basin hopping itself adapts `stepsize`."""

    def __init__(self, search: Search, rng: np.random.Generator, stepsize: float) -> None:
        self.search, self.rng, self.stepsize = search, rng, stepsize

    def __call__(self, x: Points) -> Points:
        reach = self.stepsize * (self.search.upper - self.search.lower)
        return np.clip(x + self.rng.uniform(-reach, reach), self.search.lower, self.search.upper)


def _run(
    search: Search, method: Callable[..., Any], call: Callable[..., Any], *, restarts: bool = True, **settings: Any
) -> OptimizeResult:
    """SciPy's method on the search's box, begun anew while there is a budget left."""
    return until_spent(search.objective, lambda: method(call, _bounds(search), **settings), restarts)


def _bounds(search: Search) -> list[tuple[float, float]]:
    return list(zip(search.lower.tolist(), search.upper.tolist(), strict=True))


def _generator(function: Callable[..., Any], rng: np.random.Generator) -> dict[str, Any]:
    """SciPy 1.15 calls `rng` what was `seed`."""
    return {"rng" if "rng" in inspect.signature(function).parameters else "seed": rng}


SOLVERS = listed(
    outside("scipy-de", differential_evolution, "penalty",
            "SciPy's differential evolution, restarted when it has converged"),
    outside("scipy-dual-annealing", dual_annealing, "inf",
            "SciPy's generalised simulated annealing with local searches"),
    outside("scipy-direct", direct, "penalty",
            "SciPy's DIRECT_L: the box is divided where it may pay, beginning at its middle", deterministic=True),
    outside("scipy-shgo", shgo, "inf",
            "SciPy's simplicial homology global optimisation from a Sobol sequence", deterministic=True),
    outside("scipy-basin-hopping", basin_hopping, "penalty",
            "SciPy's basin hopping: local searches from points that hop about"),
    outside("scipy-cobyqa", cobyqa, "nan",
            "SciPy's COBYQA: quadratic models in trust regions, from random points", budget=COBYQA_BUDGET),
)  # fmt: skip
