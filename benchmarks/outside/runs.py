"""One solver on one function until it has solved it or the budget is spent."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from benchmarks.outside.egobox import EGOBOX
from benchmarks.outside.problems import goal, made
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import solver


class Run(NamedTuple):
    """What is run: a solver on a function, the number of its box and slabs, and how many evaluations it is given."""

    solver: str
    function: str
    number: int
    slabs: bool
    budget: int


class Watched(Objective):
    """An objective that ends the run once its goal is reached."""

    def __init__(self, problem: Problem, run: Run, undefined: str) -> None:
        super().__init__(problem, budget=run.budget, undefined=undefined)
        self._goal = goal(run.function)

    def _improve(self, value: float, x: Points, evaluation: int) -> None:
        super()._improve(value, x, evaluation)
        if value <= self._goal:
            raise StopRun("budget")


def solved_at(run: Run) -> int:
    """After how many evaluations the function was solved; 0 if it was not."""
    method = EGOBOX if run.solver == EGOBOX.name else solver(run.solver)
    objective = Watched(made(run.function, run.number, run.slabs), run, method.undefined)
    with suppress(StopRun):
        method.solve(objective, np.random.default_rng([run.number, 77]), **method.parameters)
    if objective.best_x is None or not objective.best_value <= goal(run.function):
        return 0
    return objective.trajectory[-1][0]
