"""A problem for Optuna: an objective of a trial that suggests every variable in its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import optuna

from cpcbench.problems.bridges.values import Values
from cpcbench.problems.problem import Problem
from cpcbench.problems.undefined import check_policy


@dataclass(frozen=True)
class Bridged:
    """Call it with a trial; "pruned" ends the trial where the value is undefined, "nan" makes it a failed one."""

    problem: Problem
    undefined: str

    def __call__(self, trial: Any) -> float:
        problem = self.problem
        named = zip(problem.names, problem.bounds, strict=True)
        x = [trial.suggest_float(name, low, high) for name, (low, high) in named]
        if self.undefined != "pruned":
            return float(Values(problem, self.undefined)(x))
        value = float(problem(x))
        if value != value:
            raise optuna.TrialPruned
        return value


def build(problem: Problem, undefined: str) -> Bridged:
    return Bridged(problem, check_policy(undefined, "pruned"))
