"""Problems evaluated by JAX and PyTorch in a process of their own: with their threads a process can fork no more."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cpcbench as cpc
from cpcbench.points import Points

Evaluated = tuple[Points, Points]
"""Values, and slopes."""


def in_numpy(problem: cpc.Problem, points: Points) -> Evaluated:
    return problem.arrays(np)(points), np.full(points.shape, np.nan)


def in_jax(problem: cpc.Problem, points: Points) -> Evaluated:
    jax = _jax()
    made = problem.arrays(jax.numpy)
    return np.asarray(jax.jit(made)(points)), np.asarray(jax.jit(jax.vmap(jax.grad(made)))(points))


def in_torch(problem: cpc.Problem, points: Points) -> Evaluated:
    import torch

    x = torch.tensor(points, requires_grad=True)
    values = problem.arrays(torch)(x)
    if not values.requires_grad:  # a constant
        return values.numpy(), np.zeros(points.shape)
    (slopes,) = torch.autograd.grad(values.sum(), x)  # NaN is in the sum, and must not get into the slopes
    return values.detach().numpy(), slopes.numpy()


def bridged(problem: cpc.Problem, points: Points) -> dict[str, Any]:
    """What `as_jax` gives at two points, undefined at the second one."""
    jax = _jax()
    penalty = problem.as_jax(undefined="penalty")
    try:
        problem.as_jax(undefined="zero")
        refused = ""
    except cpc.CpcbenchError as error:
        refused = str(error)
    return {
        "refused": refused,
        "nan": problem.as_jax()(points).tolist(),
        "inf": problem.as_jax(undefined="inf")(points).tolist(),
        "penalty": penalty(points).tolist(),
        "slope": jax.grad(penalty)(points[1]).tolist(),
        "hessians": [jax.hessian(problem.as_jax())(point).tolist() for point in points],
    }


def _jax() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax
    jax.config.update("jax_enable_x64", True)
    return jax
