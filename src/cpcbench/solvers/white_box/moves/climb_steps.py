"""One step of many local searches side by side, each a (1+1)-CMA-ES with its own covariance."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.cma import LARGEST, SMALLEST, TARGET, draw_step, growth, lengthen, shorten, success_after
from cpcbench.sampling.random import below, chance, few_bits, normal, power_of_ten, unit
from cpcbench.solvers.search.compiled import entry
from cpcbench.solvers.white_box.tuning import ADAPTED_STEPS, COORDINATE_STEPS

ADAPTED, COORDINATE, LAST_BITS = range(3)


class Climb(NamedTuple):
    """The climbers, a row each: where they are, how they step, and what they tried last."""

    x: Any
    value: Any
    sigma: Any
    success: Any
    shape: Any
    inverse: Any
    path: Any
    wall: Any
    scratch: Any
    step: Any
    kind: Any
    tried: Any
    found: Any


def new_climb(points: Any, values: Any, sigma: Any) -> Climb:
    """Climbers that have not stepped yet."""
    count, n = points.shape
    eye = np.tile(np.eye(n), (count, 1, 1))
    rows = [np.zeros((count, n)) for _ in range(5)]
    return Climb(
        x=points.copy(), value=values.copy(), sigma=sigma, success=np.full(count, TARGET), shape=eye,
        inverse=eye.copy(), path=rows[0], wall=rows[1], scratch=rows[2], step=rows[3],
        kind=np.zeros(count, dtype=np.int64), tried=rows[4], found=np.zeros(count),
    )  # fmt: skip


@entry
def propose_steps(c: Climb, box: Any, seed: Any) -> None:
    """One step for each climber: adapted mostly, else one coordinate by any size or a few last bits."""
    for k in range(c.value.size):
        draw = unit(seed)
        c.kind[k] = ADAPTED if draw < ADAPTED_STEPS else COORDINATE if draw < COORDINATE_STEPS else LAST_BITS
        out = c.tried[k]
        out[:] = c.x[k]
        if c.kind[k] == ADAPTED:
            draw_step(seed, c.shape[k], c.step[k], c.scratch[k])
            for i in range(out.size):
                out[i] += c.sigma[k] * c.step[k, i] * (box[1, i] - box[0, i])
        else:
            _other_step(box, c.sigma[k], c.kind[k], seed, out)
        for i in range(out.size):
            out[i] = min(max(out[i], box[0, i]), box[1, i])


@compiled
def _other_step(box: Any, sigma: float, kind: int, seed: Any, out: Any) -> None:
    one = below(seed, out.size)
    share = 0.0 if chance(seed, 0.6) else unit(seed)
    size = power_of_ten(seed, -17.0, 0.0) if chance(seed, 0.4) else sigma * power_of_ten(seed, -3.0, 2.0)
    for i in range(out.size):
        if i == one or chance(seed, share):
            if kind == COORDINATE:
                out[i] += size * normal(seed) * (box[1, i] - box[0, i])
            else:
                out[i] += few_bits(seed, out[i])


@entry
def learn_steps(c: Climb) -> None:
    """Takes what is lower; adapts step sizes and covariances to what the adapted steps met."""
    n = c.x.shape[1]
    for k in range(c.value.size):
        lower = c.found[k] < c.value[k]
        if c.kind[k] == ADAPTED:
            if c.found[k] != c.found[k]:
                shorten(c.shape[k], c.inverse[k], c.wall[k], c.step[k], c.scratch[k])
                c.sigma[k] *= math.exp(-0.1 / (1.0 + n / 2.0))
            else:
                c.success[k] = success_after(c.success[k], lower)
                c.sigma[k] *= growth(c.success[k], n)
                if lower:
                    lengthen(c.shape[k], c.inverse[k], c.path[k], c.step[k], c.scratch[k])
            c.sigma[k] = min(max(c.sigma[k], SMALLEST), LARGEST)
            _tidy(c.shape[k], c.inverse[k], c.path[k], c.wall[k])
        if lower:
            c.x[k, :] = c.tried[k]
            c.value[k] = c.found[k]


@compiled
def _tidy(shape: Any, inverse: Any, path: Any, wall: Any) -> None:
    """A factor that is no longer usable starts again as the identity."""
    n = path.size
    most, least = 0.0, math.inf
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += shape[i, j] * shape[i, j]
        most, least = max(most, row), min(least, row)
    if not (most < 1e30 and least > 1e-40):
        for i in range(n):
            path[i] = wall[i] = 0.0
            for j in range(n):
                shape[i, j] = inverse[i, j] = 1.0 if i == j else 0.0
