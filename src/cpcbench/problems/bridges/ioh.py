"""A problem for IOHexperimenter: works with its loggers; the optimum is set where one is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ioh

from cpcbench.problems.bridges.values import Values
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE
from cpcbench.problems.undefined import check_policy

RULE_OFFSETS = {"ieee": 0, "strict": 100}
OWN = 1001
"""Ids as in studies exported to IOHprofiler's format: the suite's order from 1 on, 100 more under `strict`."""


class Bridged(ioh.problem.RealSingleObjective):  # type: ignore[misc]
    """A real-valued problem of one objective with the box as its bounds."""

    def __init__(self, problem: Problem, undefined: str) -> None:
        bounds = ioh.iohcpp.RealBounds(problem.lower.tolist(), problem.upper.tolist())
        super().__init__(problem.id, problem.dim, 1, True, bounds, [], _optimum(problem))
        self.bounds.lb, self.bounds.ub = bounds.lb, bounds.ub  # it took those of the first variable for all
        self.set_id(_number(problem))
        self.problem = problem
        self.values = Values(problem, undefined)

    def evaluate(self, x: Sequence[float]) -> float:
        return float(self.values(x))


def _optimum(problem: Problem) -> Any:
    """The best point known; minus infinity, which nothing reaches, where there is none."""
    known = problem.best_known
    if known is None:
        return ioh.iohcpp.RealSolution([math.nan] * problem.dim, -math.inf)
    return ioh.iohcpp.RealSolution(known.points[0].tolist(), known.value)


def _number(problem: Problem) -> int:
    return list(SUITE).index(problem.id) + 1 + RULE_OFFSETS[problem.rule] if problem.id in SUITE else OWN


def build(problem: Problem, undefined: str) -> Bridged:
    return Bridged(problem, check_policy(undefined))
