"""A problem for JAX: a pure function of arrays, for its compiler, its gradients and libraries built on it."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from cpcbench.problems.problem import Problem
from cpcbench.problems.undefined import POLICIES, check_policy


def build(problem: Problem, undefined: str) -> Any:
    function = problem.arrays(jnp)
    substitute = POLICIES[check_policy(undefined)]
    if substitute != substitute:
        return function

    def substituted(x: Any) -> Any:
        values = function(x)
        return jnp.where(jnp.isnan(values), substitute, values)

    return substituted
