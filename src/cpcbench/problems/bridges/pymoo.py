"""A problem for pymoo: one objective, a population evaluated as one batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.core.problem import Problem as PymooProblem

from cpcbench.points import Points
from cpcbench.problems.bridges.values import Values
from cpcbench.problems.problem import Problem
from cpcbench.problems.undefined import check_policy


class Bridged(PymooProblem):  # type: ignore[misc]
    """Without constraints, or with one that undefined points violate."""

    def __init__(self, problem: Problem, undefined: str) -> None:
        self.problem = problem
        self.undefined = undefined
        constraints = int(undefined == "constraint")
        super().__init__(n_var=problem.dim, n_obj=1, n_ieq_constr=constraints, xl=problem.lower, xu=problem.upper)

    def name(self) -> str:
        return self.problem.id

    def _evaluate(self, x: Points, out: dict[str, Any], *_args: Any, **_more: Any) -> None:
        points = np.ascontiguousarray(x, dtype=np.float64)
        if self.undefined != "constraint":
            out["F"] = Values(self.problem, self.undefined)(points)[:, None]
            return
        values = self.problem(points)
        missing = np.isnan(values)
        out["F"] = np.where(missing, 0.0, values)[:, None]
        out["G"] = np.where(missing, 1.0, -1.0)[:, None]


def build(problem: Problem, undefined: str) -> Bridged:
    return Bridged(problem, check_policy(undefined, "constraint"))
