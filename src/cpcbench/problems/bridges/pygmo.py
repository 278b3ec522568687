"""A problem for pygmo: a user-defined problem with batch evaluation that can be pickled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pygmo

from cpcbench.points import Points
from cpcbench.problems.bridges.values import Values
from cpcbench.problems.problem import Problem
from cpcbench.problems.undefined import check_policy


class Bridged:
    """What pygmo asks of a problem; archipelagos send it to other processes."""

    def __init__(self, problem: Problem, undefined: str) -> None:
        self.problem = problem
        self.values = Values(problem, undefined)

    def fitness(self, x: Points) -> list[float]:
        return [float(self.values(x))]

    def batch_fitness(self, points: Points) -> Points:
        """Points one after the other in one long array, as pygmo has them."""
        found: Points = self.values(np.reshape(points, (-1, self.problem.dim)))
        return found

    def get_bounds(self) -> tuple[list[float], list[float]]:
        return self.problem.lower.tolist(), self.problem.upper.tolist()

    def get_name(self) -> str:
        return self.problem.id


def build(problem: Problem, undefined: str) -> Any:
    return pygmo.problem(Bridged(problem, check_policy(undefined)))
