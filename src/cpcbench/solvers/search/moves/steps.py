"""Steps of one climber, and what it learns from where they land.

The main step is that of the (1+1)-CMA-ES.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.cma import LARGEST, SMALLEST, TARGET, draw_step, growth, lengthen, shorten, success_after
from cpcbench.sampling.random import below, between, chance, normal, power_of_ten, sign, unit
from cpcbench.solvers.search.moves.samplers import anchor, round_to, which_anchor
from cpcbench.solvers.search.state import (
    BY_STEP,
    CLIMBER,
    ELITE,
    HIT,
    INVERSE,
    MOVE,
    PATH,
    SCRATCH,
    SHAPE,
    STEPS,
    WALL,
    WIDTH,
)

ADAPTED, COORDINATE, AGAIN, DIFFERENCE, TIED, EDGE, LAST_BITS, ROUND = range(8)


@compiled
def step(s: Any, k: int, kind: int, out: Any, y: Any) -> None:
    """Writes climber k's next point into `out`; `y` gets the adapted step, if it is one."""
    n = out.size
    sigma = s.facts[CLIMBER + k].sigma
    for i in range(n):
        out[i] = s.points[CLIMBER + k, i]
    j = below(s.seed, n)
    if kind == ADAPTED:
        draw_step(s.seed, s.forms[SHAPE, k], y, s.points[SCRATCH])
        for i in range(n):
            out[i] += sigma * s.points[WIDTH, i] * y[i]
    elif kind == COORDINATE:
        size = sigma * power_of_ten(s.seed, -2.0, 2.0) if chance(s.seed, 0.6) else power_of_ten(s.seed, -17.0, 0.0)
        share = 0.0 if chance(s.seed, 0.7) else unit(s.seed)
        for i in range(n):
            if i == j or chance(s.seed, share):
                out[i] += size * s.points[WIDTH, i] * normal(s.seed)
    elif kind == AGAIN:
        factor = math.exp(between(s.seed, -1.0, 2.5))
        for i in range(n):
            out[i] += factor * s.points[MOVE + k, i]
    elif kind == DIFFERENCE:
        _difference(s, j, out)
    elif kind == TIED:
        _tied(s, j, sigma, out)
    elif kind == EDGE:
        size = sigma * power_of_ten(s.seed, -3.0, 1.5) * sign(s.seed)
        for i in range(n):
            out[i] += size * s.points[WIDTH, i] * s.points[WALL + k, i]
    elif kind == LAST_BITS:
        _last_bits(s, j, out)
    else:
        digits = 1 + below(s.seed, 12)
        everywhere = chance(s.seed, 0.5)
        for i in range(n):
            if everywhere or i == j:
                out[i] = round_to(out[i], digits)


@compiled
def _difference(s: Any, j: int, out: Any) -> None:
    if s.counts[0].elites >= 4 and chance(s.seed, 0.7):
        a, b = s.points[ELITE + below(s.seed, s.counts[0].elites)], s.points[ELITE + below(s.seed, s.counts[0].elites)]
    else:
        a, b = s.points[HIT + below(s.seed, s.counts[0].hits)], s.points[HIT + below(s.seed, s.counts[0].hits)]
    factor = power_of_ten(s.seed, -4.0, 0.0) if chance(s.seed, 0.5) else between(s.seed, 0.3, 1.0)
    for i in range(out.size):
        if i == j or chance(s.seed, 0.7):
            out[i] += factor * (a[i] - b[i])


@compiled
def _tied(s: Any, j: int, sigma: float, out: Any) -> None:
    """One share of their ranges for several coordinates, or one factor: what keeps x1 = -x2 or x2 = 3 x1 as it is."""
    draw = unit(s.seed)
    if draw < 0.4:
        size = sigma * power_of_ten(s.seed, -2.0, 2.0)
    else:
        size = power_of_ten(s.seed, -6.0, 0.0) if draw < 0.8 else power_of_ten(s.seed, -17.0, -6.0)
    size *= sign(s.seed)
    share = 1.0 if chance(s.seed, 0.5) else unit(s.seed)
    factor, choice = chance(s.seed, 0.5), which_anchor(s)
    signs = chance(s.seed, 0.4)
    for i in range(out.size):
        if i == j or chance(s.seed, share):
            if factor:
                out[i] += size * (out[i] - anchor(s, choice, i))
            else:
                out[i] += size * s.points[WIDTH, i] * (sign(s.seed) if signs else 1.0)


@compiled
def _last_bits(s: Any, j: int, out: Any) -> None:
    share = 0.0 if chance(s.seed, 0.3) else unit(s.seed)
    most = between(s.seed, 0.0, 6.0)
    for i in range(out.size):
        if i == j or chance(s.seed, share):
            bits = math.floor(2.0 ** (most * unit(s.seed)))
            out[i] += sign(s.seed) * bits * np.spacing(abs(out[i]))


@compiled
def start(s: Any, k: int, x: Any, f: float, sigma: float) -> None:
    climber = s.facts[CLIMBER + k]
    n = x.size
    climber.value = f
    climber.sigma = min(max(sigma, SMALLEST), LARGEST)
    for i in range(n):
        s.points[CLIMBER + k, i] = x[i]
        s.points[PATH + k, i] = 0.0
        s.points[WALL + k, i] = 0.0
        s.points[MOVE + k, i] = 0.0
        for j in range(n):
            s.forms[SHAPE, k, i, j] = s.forms[INVERSE, k, i, j] = 1.0 if i == j else 0.0
    climber.success = TARGET
    climber.age = 0


@compiled
def learn(s: Any, k: int, kind: int, point: Any, value: float, y: Any) -> bool:
    """What climber k takes from one value; whether it has moved."""
    climber = s.facts[CLIMBER + k]
    better = value < climber.value
    n = point.size
    if kind == ADAPTED:
        climber.success = success_after(climber.success, better)
        climber.sigma *= growth(climber.success, n)
        if better:
            lengthen(s.forms[SHAPE, k], s.forms[INVERSE, k], s.points[PATH + k], y, s.points[SCRATCH])
        elif value != value:
            shorten(s.forms[SHAPE, k], s.forms[INVERSE, k], s.points[WALL + k], y, s.points[SCRATCH])
    if better:
        longest = 0.0
        for i in range(n):
            s.points[MOVE + k, i] = point[i] - s.points[CLIMBER + k, i]
            if s.points[WIDTH, i] > 0.0:
                longest = max(longest, abs(s.points[MOVE + k, i]) / s.points[WIDTH, i])
        for i in range(n):
            s.points[CLIMBER + k, i] = point[i]
        climber.value = value
        if kind != ADAPTED and longest > 3.0 * climber.sigma:
            climber.sigma = math.sqrt(longest * climber.sigma)
    climber.sigma = min(max(climber.sigma, SMALLEST), LARGEST)
    return bool(better)


@compiled
def step_weights(s: Any) -> None:
    """A fixed share of the steps are adapted ones; the others are used as often as they succeed."""
    total = 0.0
    for i in range(1, STEPS):
        steps = s.tallies[BY_STEP + i]
        steps.weight = (steps.gains + 1.0) / (steps.tries + 50.0)
        total += steps.weight
    rest = 0.0
    for i in range(1, STEPS):
        steps = s.tallies[BY_STEP + i]
        steps.weight = max(steps.weight / total, 0.05)
        rest += steps.weight
    share = s.settings[0].cma_share
    s.tallies[BY_STEP].weight = rest * share / (1.0 - share)
