"""The white-box solver behind `minimize`: a problem in, SciPy's OptimizeResult out."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.limits import Watch
from cpcbench.solvers.white_box.solver import solve_expression

SECONDS = 30.0
"""Where neither a time nor a number of evaluations is given."""
NO_LIMIT = 1e9


def minimize_expression(
    problem: Problem,
    rng: np.random.Generator,
    budget: int | None,
    seconds: float | None,
    watch: Watch | None,
    all_optima: bool,
) -> OptimizeResult:
    """The lowest faithful point as the answer, the lowest thin one and artefact beside it."""
    if seconds is None:
        seconds = SECONDS if budget is None else NO_LIMIT
    found = solve_expression(problem, rng, seconds=seconds, budget=budget, watch=watch, all_optima=all_optima)
    result = OptimizeResult(
        x=None if found.x is None else found.x.copy(),
        fun=found.value,
        success=found.x is not None,
        status=0 if found.x is not None else 1,
        message=found.message,
        nfev=found.evaluations,
        nit=found.epochs,
        seconds=found.seconds,
        thin=found.thin,
        artefact=found.artefact,
        method="white-box",
    )
    if all_optima:
        result.optima = found.optima
    return result
