"""The (1+1)-CMA-ES: how the shape of the steps, and their size, follow from where steps land.

The shape is a factor A of the covariance A A^T, kept with its inverse and changed by rank one: longer along the path of
steps that were better, shorter along steps that landed where the objective is undefined. C. Igel, T. Suttorp and
N. Hansen, A computational efficient covariance matrix update and a (1+1)-CMA for evolution strategies, GECCO 2006;
D. V. Arnold and N. Hansen, A (1+1)-CMA-ES for constrained optimisation, GECCO 2012. `scratch` has room for one point.
"""

from __future__ import annotations

import math
from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import normal

TARGET = 2.0 / 11.0
"""Of the steps, the part that should be better; with more of them steps grow."""
SMALLEST, LARGEST = 1e-18, 0.5
"""Sizes of steps, as shares of the box."""


@compiled
def draw_step(seed: Any, shape: Any, step: Any, scratch: Any) -> None:
    """A step of size 1."""
    n = step.size
    for i in range(n):
        scratch[i] = normal(seed)
    for i in range(n):
        total = 0.0
        for m in range(n):
            total += shape[i, m] * scratch[m]
        step[i] = total


@compiled
def success_after(success: float, better: bool) -> float:
    """The rate of better steps, which fades by a twelfth each time."""
    return success + ((1.0 if better else 0.0) - success) / 12.0


@compiled
def growth(success: float, n: int) -> float:
    """The factor by which the size of the steps changes."""
    return math.exp((success - TARGET) / (1.0 - TARGET) / (1.0 + n / 2.0))


@compiled
def lengthen(shape: Any, inverse: Any, path: Any, step: Any, scratch: Any) -> None:
    """After a better step: more variance along the path of such steps."""
    n = step.size
    c, rate = 2.0 / (n + 2.0), 2.0 / (n * n + 6.0)
    for i in range(n):
        path[i] = (1.0 - c) * path[i] + math.sqrt(c * (2.0 - c)) * step[i]
    square = _whitened(inverse, path, scratch)
    if not 1e-100 < square < 1e100:
        return
    a = math.sqrt(1.0 - rate)
    b = a / square * (math.sqrt(1.0 + rate * square / (1.0 - rate)) - 1.0)
    _rank_one(shape, inverse, path, a, b, square, scratch)


@compiled
def shorten(shape: Any, inverse: Any, wall: Any, step: Any, scratch: Any) -> None:
    """After a step that landed undefined: less variance along the faded mean of such steps."""
    n = step.size
    c, beta = 1.0 / (n + 2.0), 0.1 / (n + 2.0)
    for i in range(n):
        wall[i] = (1.0 - c) * wall[i] + c * step[i]
    square = _whitened(inverse, wall, scratch)
    if not 1e-100 < square < 1e100:
        return
    _rank_one(shape, inverse, wall, 1.0, -beta / square, square, scratch)


@compiled
def _whitened(inverse: Any, v: Any, scratch: Any) -> float:
    """The inverse of the shape times v goes into the scratch; its square length is returned."""
    n = v.size
    square = 0.0
    for i in range(n):
        total = 0.0
        for m in range(n):
            total += inverse[i, m] * v[m]
        scratch[i] = total
        square += total * total
    return square


@compiled
def _rank_one(shape: Any, inverse: Any, v: Any, a: float, b: float, square: float, w: Any) -> None:
    """shape <- a shape + b v w^T with w the whitened v, and the inverse with it (Sherman and Morrison)."""
    n = v.size
    c = (b / a) / (1.0 + b / a * square) / a
    for m in range(n):
        total = 0.0
        for i in range(n):
            total += w[i] * inverse[i, m]
        y = c * total
        for i in range(n):
            inverse[i, m] = inverse[i, m] / a - w[i] * y
    for i in range(n):
        for m in range(n):
            shape[i, m] = a * shape[i, m] + b * v[i] * w[m]
