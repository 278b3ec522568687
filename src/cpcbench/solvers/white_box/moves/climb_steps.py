"""One step of many local searches side by side, each a (1+1)-CMA-ES with its own covariance.

The rule for undefined points is that of D. V. Arnold and N. Hansen, A (1+1)-CMA-ES for constrained
optimisation, GECCO 2012: the covariance shrinks along steps that leave the domain.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling.random import below, chance, normal, power_of_ten, unit
from cpcbench.solvers.search.compiled import entry

TARGET = 2.0 / 11.0
SMALLEST = 1e-18


@entry
def propose_steps(
    x: Any, sigma: Any, shape: Any, box: Any, seed: Any, z: Any, steps: Any, kinds: Any, out: Any
) -> None:
    """One step for each climber: adapted mostly, else one coordinate by any size or a few last bits."""
    n = x.shape[1]
    for k in range(x.shape[0]):
        draw = unit(seed)
        kinds[k] = 0 if draw < 0.7 else 1 if draw < 0.9 else 2
        out[k, :] = x[k]
        if kinds[k] == 0:
            for i in range(n):
                z[k, i] = normal(seed)
            for i in range(n):
                total = 0.0
                for j in range(n):
                    total += shape[k, i, j] * z[k, j]
                steps[k, i] = total
                out[k, i] += sigma[k] * total * (box[1, i] - box[0, i])
        else:
            one = below(seed, n)
            share = 0.0 if chance(seed, 0.6) else unit(seed)
            size = power_of_ten(seed, -17.0, 0.0) if chance(seed, 0.4) else sigma[k] * power_of_ten(seed, -3.0, 2.0)
            for i in range(n):
                if i == one or chance(seed, share):
                    if kinds[k] == 1:
                        out[k, i] += size * normal(seed) * (box[1, i] - box[0, i])
                    else:
                        bits = math.floor(2.0 ** (6.0 * unit(seed)))
                        out[k, i] += (bits if chance(seed, 0.5) else -bits) * np.spacing(abs(out[k, i]))
        for i in range(n):
            out[k, i] = min(max(out[k, i], box[0, i]), box[1, i])


@entry
def learn_steps(
    x: Any, value: Any, sigma: Any, success: Any, shape: Any, inverse: Any, path: Any, fade: Any,
    steps: Any, kinds: Any, fresh: Any, found: Any,
) -> None:  # fmt: skip
    """Takes what is lower; adapts step sizes and covariances to what the adapted steps met."""
    n = x.shape[1]
    damp, w = 1.0 + n / 2.0, np.empty(n)
    for k in range(x.shape[0]):
        lower = found[k] < value[k]
        if kinds[k] == 0:
            if found[k] != found[k]:
                _shrink(shape[k], inverse[k], fade[k], steps[k], w)
                sigma[k] = max(sigma[k] * math.exp(-0.1 / damp), SMALLEST)
            else:
                success[k] = (1.0 - 1.0 / 12.0) * success[k] + (1.0 / 12.0 if lower else 0.0)
                sigma[k] *= math.exp((success[k] - TARGET) / (1.0 - TARGET) / damp)
                sigma[k] = min(max(sigma[k], SMALLEST), 0.5)
                if lower:
                    _grow(shape[k], inverse[k], path[k], steps[k], success[k], w)
            _tidy(shape[k], inverse[k], path[k], fade[k])
        if lower:
            x[k, :] = fresh[k]
            value[k] = found[k]


@compiled
def _grow(a: Any, inverse: Any, path: Any, step: Any, success: float, w: Any) -> None:
    """Rank-one update of the factor A (C = A A^T) along the path of successful steps, and of its inverse."""
    n = w.size
    rate, cp = 2.0 / (n * n + 6.0), 2.0 / (n + 2.0)
    alpha = 1.0 - rate if success < 0.44 else 1.0 - rate + rate * cp * (2.0 - cp)
    for i in range(n):
        path[i] = (1.0 - cp) * path[i] + (math.sqrt(cp * (2.0 - cp)) * step[i] if success < 0.44 else 0.0)
    size = _through(inverse, path, w)
    if size < 1e-300:
        return
    root = math.sqrt(alpha)
    b = root / size * (math.sqrt(1.0 + rate / alpha * size) - 1.0)
    for j in range(n):
        back = 0.0
        for i in range(n):
            back += w[i] * inverse[i, j]
        for i in range(n):
            inverse[i, j] = inverse[i, j] / root - b / (alpha + root * b * size) * w[i] * back
    for i in range(n):
        for j in range(n):
            a[i, j] = root * a[i, j] + b * path[i] * w[j]


@compiled
def _shrink(a: Any, inverse: Any, fade: Any, step: Any, w: Any) -> None:
    """Less variance along what leads out of the domain."""
    n = w.size
    cc, beta = 1.0 / (n + 2.0), 0.1 / (n + 2.0)
    for i in range(n):
        fade[i] = (1.0 - cc) * fade[i] + cc * step[i]
    size = _through(inverse, fade, w)
    if size < 1e-300:
        return
    for j in range(n):
        back = 0.0
        for i in range(n):
            back += w[i] * inverse[i, j]
        for i in range(n):
            inverse[i, j] += beta / (1.0 - beta) / size * w[i] * back
    for i in range(n):
        for j in range(n):
            a[i, j] -= beta * fade[i] * w[j] / size


@compiled
def _through(inverse: Any, v: Any, w: Any) -> float:
    """Writes the inverse times v into w and returns its squared length."""
    size = 0.0
    for i in range(w.size):
        total = 0.0
        for j in range(w.size):
            total += inverse[i, j] * v[j]
        w[i] = total
        size += total * total
    return size


@compiled
def _tidy(a: Any, inverse: Any, path: Any, fade: Any) -> None:
    """A factor that is no longer usable starts again as the identity."""
    n = path.size
    most, least = 0.0, math.inf
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += a[i, j] * a[i, j]
        most, least = max(most, row), min(least, row)
    if not (most < 1e30 and least > 1e-40):
        for i in range(n):
            path[i] = fade[i] = 0.0
            for j in range(n):
                a[i, j] = inverse[i, j] = 1.0 if i == j else 0.0
