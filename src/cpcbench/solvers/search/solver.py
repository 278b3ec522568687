"""The black-box search as a solver of the experiment."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import check_whole
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.loop import batch_size
from cpcbench.solvers.search.start import STEPS


def solve(
    objective: Objective, rng: np.random.Generator, *, max_evaluations: int = 100_000, batch: int | None = None
) -> OptimizeResult:
    """Minimises until the objective's budget is spent, or `max_evaluations` where it has none, `batch` at a time.

    Without `batch` so many as `minimize` takes.
    """
    check_whole(max_evaluations=max_evaluations)
    before = objective.evaluations
    budget = max_evaluations if objective.budget is None else objective.remaining
    end = before + budget
    size = batch_size(batch, int(budget), 1)
    search = Search(objective.lower, objective.upper, rng, budget=budget)
    while objective.evaluations < end:
        points = search.ask(int(min(size, end - objective.evaluations)))
        search.tell(points, np.asarray(objective(points), dtype=float))
    found = search.best_x is not None
    return OptimizeResult(
        x=search.best_x,
        fun=search.best_value,
        success=found,
        message="the evaluations are spent" if found else "no admissible point was found",
        nfev=objective.evaluations - before,
    )


SOLVER = Solver(
    "cpc",
    solve,
    undefined="nan",
    budget=100_000,
    summary="searches for admissible points, climbs from many of them and hops between the best",
    prepare=STEPS.compile_all,  # a worker may leave no process behind, so not the one that compiles either
)
