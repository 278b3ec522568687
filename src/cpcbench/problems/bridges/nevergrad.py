"""A problem for nevergrad: an experiment function with its parametrization."""

from __future__ import annotations

from typing import Any

import nevergrad
from nevergrad.functions import ExperimentFunction

from cpcbench.errors import CpcbenchError
from cpcbench.problems.bridges.values import Values
from cpcbench.problems.problem import Problem
from cpcbench.problems.undefined import check_policy


def build(problem: Problem, undefined: str) -> Any:
    fixed = [name for name, (low, high) in zip(problem.names, problem.bounds, strict=True) if low == high]
    if fixed:
        raise CpcbenchError(f"nevergrad takes no variable whose bounds are equal: {', '.join(fixed)} of {problem.id}")
    values = Values(problem, check_policy(undefined))
    array = nevergrad.p.Array(shape=(problem.dim,), lower=problem.lower, upper=problem.upper).set_name(problem.id)
    return ExperimentFunction(values, array)
