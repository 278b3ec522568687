"""Steps of one climber, and what it learns from where they land.

The main step is that of the (1+1)-CMA-ES, with the covariance reduced along steps that land where the
objective is undefined: D. V. Arnold and N. Hansen, A (1+1)-CMA-ES for constrained optimisation, GECCO 2012.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, between, chance, normal, power_of_ten, sign, unit
from cpcbench.solvers.search.moves.samplers import round_to
from cpcbench.solvers.search.state import (
    AGE,
    CLIMBER,
    CMA_SHARE,
    ELITE,
    ELITES,
    HIT,
    HITS,
    MOVE,
    PATH,
    SCRATCH,
    SETTINGS,
    SIGMA,
    STEP_GAINS,
    STEP_TRIES,
    STEPS,
    SUCCESS,
    VALUE,
    WALL,
    WEIGHTS,
    WIDTH,
)

ADAPTED, COORDINATE, AGAIN, DIFFERENCE, TIED, EDGE, LAST_BITS, ROUND = range(8)

SMALLEST, LARGEST = 1e-18, 0.5
TARGET = 2.0 / 11.0


@compiled
def step(s: Any, k: int, kind: int, out: Any, y: Any) -> None:
    """Writes climber k's next point into `out`; `y` gets the adapted step, if it is one."""
    n = out.size
    sigma = s.facts[CLIMBER + k, SIGMA]
    for i in range(n):
        out[i] = s.points[CLIMBER + k, i]
    j = below(s.seed, n)
    if kind == ADAPTED:
        for i in range(n):
            s.points[SCRATCH, i] = normal(s.seed)
        for i in range(n):
            total = 0.0
            for m in range(n):
                total += s.forms[0, k, i, m] * s.points[SCRATCH, m]
            y[i] = total
            out[i] += sigma * s.box[WIDTH, i] * total
    elif kind == COORDINATE:
        size = sigma * power_of_ten(s.seed, -2.0, 2.0) if chance(s.seed, 0.6) else power_of_ten(s.seed, -17.0, 0.0)
        share = 0.0 if chance(s.seed, 0.7) else unit(s.seed)
        for i in range(n):
            if i == j or chance(s.seed, share):
                out[i] += size * s.box[WIDTH, i] * normal(s.seed)
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
            out[i] += size * s.box[WIDTH, i] * s.points[WALL + k, i]
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
    if s.counts[ELITES] >= 4 and chance(s.seed, 0.7):
        a, b = s.points[ELITE + below(s.seed, s.counts[ELITES])], s.points[ELITE + below(s.seed, s.counts[ELITES])]
    else:
        a, b = s.points[HIT + below(s.seed, s.counts[HITS])], s.points[HIT + below(s.seed, s.counts[HITS])]
    factor = power_of_ten(s.seed, -4.0, 0.0) if chance(s.seed, 0.5) else between(s.seed, 0.3, 1.0)
    for i in range(out.size):
        if i == j or chance(s.seed, 0.7):
            out[i] += factor * (a[i] - b[i])


@compiled
def _tied(s: Any, j: int, sigma: float, out: Any) -> None:
    """One amount for several coordinates, or one factor: what keeps x1 = -x2 or x2 = 3 x1 as it is."""
    draw = unit(s.seed)
    if draw < 0.4:
        size = sigma * power_of_ten(s.seed, -2.0, 2.0)
    else:
        size = power_of_ten(s.seed, -6.0, 0.0) if draw < 0.8 else power_of_ten(s.seed, -17.0, -6.0)
    size *= sign(s.seed)
    share = 1.0 if chance(s.seed, 0.5) else unit(s.seed)
    factor = chance(s.seed, 0.5)
    signs = chance(s.seed, 0.4)
    for i in range(out.size):
        if i == j or chance(s.seed, share):
            if factor:
                out[i] *= 1.0 + size
            else:
                out[i] += size * s.box[WIDTH, j] * (sign(s.seed) if signs else 1.0)


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
    n = x.size
    s.facts[CLIMBER + k, VALUE] = f
    s.facts[CLIMBER + k, SIGMA] = min(max(sigma, SMALLEST), LARGEST)
    for i in range(n):
        s.points[CLIMBER + k, i] = x[i]
        s.points[PATH + k, i] = 0.0
        s.points[WALL + k, i] = 0.0
        s.points[MOVE + k, i] = 0.0
        for j in range(n):
            s.forms[0, k, i, j] = 1.0 if i == j else 0.0
            s.forms[1, k, i, j] = s.forms[0, k, i, j]
    s.facts[CLIMBER + k, SUCCESS] = TARGET
    s.facts[CLIMBER + k, AGE] = 0


@compiled
def learn(s: Any, k: int, kind: int, point: Any, value: float, y: Any) -> bool:
    """What climber k takes from one value; whether it has moved."""
    better = value < s.facts[CLIMBER + k, VALUE]
    n = point.size
    if kind == ADAPTED:
        s.facts[CLIMBER + k, SUCCESS] += ((1.0 if better else 0.0) - s.facts[CLIMBER + k, SUCCESS]) / 12.0
        s.facts[CLIMBER + k, SIGMA] *= math.exp(
            (s.facts[CLIMBER + k, SUCCESS] - TARGET) / (1.0 - TARGET) / (1.0 + n / 2.0)
        )
        if better:
            _lengthen(s, k, y)
        elif value != value:
            _shorten(s, k, y)
    if better:
        longest = 0.0
        for i in range(n):
            s.points[MOVE + k, i] = point[i] - s.points[CLIMBER + k, i]
            if s.box[WIDTH, i] > 0.0:
                longest = max(longest, abs(s.points[MOVE + k, i]) / s.box[WIDTH, i])
        for i in range(n):
            s.points[CLIMBER + k, i] = point[i]
        s.facts[CLIMBER + k, VALUE] = value
        if kind != ADAPTED and longest > 3.0 * s.facts[CLIMBER + k, SIGMA]:
            s.facts[CLIMBER + k, SIGMA] = math.sqrt(longest * s.facts[CLIMBER + k, SIGMA])
    s.facts[CLIMBER + k, SIGMA] = min(max(s.facts[CLIMBER + k, SIGMA], SMALLEST), LARGEST)
    return bool(better)


@compiled
def _whitened(s: Any, k: int, v: Any) -> float:
    """The inverse of the shape times v goes into the scratch; its square length is returned."""
    n = v.size
    square = 0.0
    for i in range(n):
        total = 0.0
        for m in range(n):
            total += s.forms[1, k, i, m] * v[m]
        s.points[SCRATCH, i] = total
        square += total * total
    return square


@compiled
def _rank_one(s: Any, k: int, v: Any, a: float, b: float, square: float) -> None:
    """shape <- a shape + b v w^T with w in the scratch, and the inverse with it (Sherman and Morrison)."""
    n = v.size
    c = (b / a) / (1.0 + b / a * square) / a
    for m in range(n):
        total = 0.0
        for i in range(n):
            total += s.points[SCRATCH, i] * s.forms[1, k, i, m]
        y = c * total
        for i in range(n):
            s.forms[1, k, i, m] = s.forms[1, k, i, m] / a - s.points[SCRATCH, i] * y
    for i in range(n):
        for m in range(n):
            s.forms[0, k, i, m] = a * s.forms[0, k, i, m] + b * v[i] * s.points[SCRATCH, m]


@compiled
def _lengthen(s: Any, k: int, y: Any) -> None:
    n = y.size
    c, rate = 2.0 / (n + 2.0), 2.0 / (n * n + 6.0)
    for i in range(n):
        s.points[PATH + k, i] = (1.0 - c) * s.points[PATH + k, i] + math.sqrt(c * (2.0 - c)) * y[i]
    square = _whitened(s, k, s.points[PATH + k])
    if not 1e-100 < square < 1e100:
        return
    a = math.sqrt(1.0 - rate)
    b = a / square * (math.sqrt(1.0 + rate * square / (1.0 - rate)) - 1.0)
    _rank_one(s, k, s.points[PATH + k], a, b, square)


@compiled
def _shorten(s: Any, k: int, y: Any) -> None:
    n = y.size
    c, beta = 1.0 / (n + 2.0), 0.1 / (n + 2.0)
    for i in range(n):
        s.points[WALL + k, i] = (1.0 - c) * s.points[WALL + k, i] + c * y[i]
    square = _whitened(s, k, s.points[WALL + k])
    if not 1e-100 < square < 1e100:
        return
    _rank_one(s, k, s.points[WALL + k], 1.0, -beta / square, square)


@compiled
def step_weights(s: Any) -> None:
    """Half of the steps are adapted ones; the others are used as often as they succeed."""
    total = 0.0
    for i in range(1, STEPS):
        s.credit[WEIGHTS, i] = (s.credit[STEP_GAINS, i] + 1.0) / (s.credit[STEP_TRIES, i] + 50.0)
        total += s.credit[WEIGHTS, i]
    rest = 0.0
    for i in range(1, STEPS):
        s.credit[WEIGHTS, i] = max(s.credit[WEIGHTS, i] / total, 0.05)
        rest += s.credit[WEIGHTS, i]
    s.credit[WEIGHTS, 0] = rest * s.credit[SETTINGS, CMA_SHARE] / (1.0 - s.credit[SETTINGS, CMA_SHARE])
