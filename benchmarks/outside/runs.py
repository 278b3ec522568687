"""One solver on one function until it has solved it or the budget is spent.

With few evaluations the function is run as the Python program that it is exported as: to compile it takes longer.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from benchmarks.outside.egobox import EGOBOX
from benchmarks.outside.problems import goal, made
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import solver

PLAIN = 10_000
"""Up to so many evaluations nothing is compiled."""


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
    problem = made(run.function, run.number, run.slabs)
    objective = Watched(plain(problem) if run.budget <= PLAIN else problem, run, method.undefined)
    with suppress(StopRun):
        method.solve(objective, np.random.default_rng([run.number, 77]), **method.parameters)
    if objective.best_x is None or not objective.best_value <= goal(run.function):
        return 0
    return objective.trajectory[-1][0]


def plain(problem: Problem) -> BlackBox:
    """The same as a Python function."""
    made_of: dict[str, Any] = {}
    exec(problem.export("python").text, made_of)  # noqa: S102 - our own text
    (function,) = (found for name, found in made_of.items() if callable(found) and not name.startswith("_"))
    return BlackBox(function, problem.bounds, id="plain")
