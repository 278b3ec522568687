"""The mean-value form over one box, compiled, with multipliers for the conditions that are open there."""

from __future__ import annotations

import math
from typing import Any

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import INF, down, times, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.forward import frozen
from cpcbench.intervals.slopes import back, seed

SWEEPS = 25
MOST_CONDITIONS = 24
"""With more open conditions than this no multipliers are looked for."""


@compiled
def slopes(code: Any, work: Any, multiplier: Any) -> bool:
    """Fills `slope_lo`, `slope_hi`: of the formula less its multiplied conditions, over the box read last."""
    adj_lo, adj_hi = work.adj_lo, work.adj_hi
    adj_lo[:], adj_hi[:] = 0.0, 0.0
    seed(adj_lo, adj_hi, len(code.op) - 1, 1.0)
    for m in range(len(code.domains)):
        if multiplier[m] > 0.0:
            seed(adj_lo, adj_hi, code.left[code.domains[m]], -multiplier[m])
    if not back(code, work.open, work.lo, work.hi, adj_lo, adj_hi):
        return False
    for i in range(len(code.place)):
        k = code.place[i]
        work.slope_lo[i], work.slope_hi[i] = (work.adj_lo[k], work.adj_hi[k]) if k >= 0 else (0.0, 0.0)
    return True


@compiled
def mean_value(code: Any, work: Any, lower: Any, upper: Any, multiplier: Any) -> float:
    """A lower bound by the slopes, over the box read last; -inf if they do not exist."""
    if not slopes(code, work, multiplier):
        return -INF
    for i in range(len(lower)):
        if work.slope_lo[i] >= 0.0:
            work.centre[i] = lower[i]
        elif work.slope_hi[i] <= 0.0:
            work.centre[i] = upper[i]
        else:
            work.centre[i] = 0.5 * (lower[i] + upper[i])
    frozen(code, work, work.centre)
    bound = work.at_lo[len(code.op) - 1]
    for m in range(len(code.domains)):
        if multiplier[m] > 0.0:
            bound = down(bound - up(multiplier[m] * work.at_hi[code.left[code.domains[m]]]))
    for i in range(len(lower)):
        if work.slope_lo[i] < 0.0 < work.slope_hi[i] and lower[i] < upper[i]:
            ahead, behind = up(upper[i] - work.centre[i]), down(lower[i] - work.centre[i])
            fall = min(times(work.slope_lo[i], ahead), times(work.slope_hi[i], behind))
            bound = down(bound + down(fall))
    return bound if bound == bound else -INF


@compiled
def find_multipliers(code: Any, work: Any, lower: Any, upper: Any) -> bool:
    """Fills `trial` with multipliers >= 0 that flatten the formula at the centre; False if there are none."""
    open_ = 0
    for m in range(len(code.domains)):
        work.trial[m] = 0.0
        open_ += work.open[code.domains[m]]
    if open_ == 0 or open_ > MOST_CONDITIONS:
        return False
    for i in range(len(lower)):
        work.centre[i] = 0.5 * (lower[i] + upper[i])
    frozen(code, work, work.centre)
    if not gradient_at(code, work, len(code.op) - 1, work.gradient):
        return False
    for m in range(len(code.domains)):
        k = code.domains[m]
        work.value[m] = INF
        if work.open[k] and code.kind[k] == ops.SIGNED:
            condition = code.left[k]
            if work.at_hi[condition] < INF and gradient_at(code, work, condition, work.normals[m]):
                work.value[m] = work.at_hi[condition]
    return _fitted(work.gradient, work.normals, work.trial, work.value, lower, upper)


@compiled
def gradient_at(code: Any, work: Any, slot: int, gradient: Any) -> bool:
    """The slopes of a slot at the centre, as numbers; False if they are not finite."""
    adj_lo, adj_hi = work.adj_lo, work.adj_hi
    adj_lo[:], adj_hi[:] = 0.0, 0.0
    seed(adj_lo, adj_hi, slot, 1.0)
    if not back(code, work.open, work.at_lo, work.at_hi, adj_lo, adj_hi):
        return False
    for i in range(len(code.place)):
        k = code.place[i]
        gradient[i] = 0.5 * (work.adj_lo[k] + work.adj_hi[k]) if k >= 0 else 0.0
        if not math.isfinite(gradient[i]):
            return False
    return True


@compiled
def _fitted(g: Any, normals: Any, trial: Any, value: Any, lower: Any, upper: Any) -> bool:
    """Least squares first, coordinate by coordinate, then what the bound itself gains, in the same way."""
    for sweep in range(SWEEPS + 2):
        for m in range(len(trial)):
            if value[m] < INF:
                if sweep < SWEEPS:
                    to = _level(g, normals[m], trial[m], lower, upper)
                else:
                    to = _best(g, normals[m], trial[m], value[m], lower, upper)
                for i in range(len(g)):
                    g[i] += (trial[m] - to) * normals[m, i]  # what is left of the gradient
                trial[m] = to
    some = False
    for m in range(len(trial)):
        trial[m] = six_digits(trial[m])
        some = some or trial[m] > 0.0
    return some


@compiled
def _level(g: Any, normal: Any, now: float, lower: Any, upper: Any) -> float:
    """The multiplier of one condition that leaves the least squares."""
    above, below = 0.0, 0.0
    for i in range(len(g)):
        weight = (upper[i] - lower[i]) * (upper[i] - lower[i])
        above += weight * g[i] * normal[i]
        below += weight * normal[i] * normal[i]
    return max(now + above / below, 0.0) if below > 0.0 else now


@compiled
def _best(g: Any, normal: Any, now: float, value: float, lower: Any, upper: Any) -> float:
    """The multiplier of one condition that gives the best bound, to first order: one that levels some axis, or 0."""
    best, loss = now, INF
    for candidate in range(len(g) + 2):
        to = 0.0 if candidate == len(g) else now
        if candidate < len(g) and normal[candidate] != 0.0:
            to = max(now + g[candidate] / normal[candidate], 0.0)
        cost = to * value
        for i in range(len(g)):
            cost += 0.5 * (upper[i] - lower[i]) * abs(g[i] + (now - to) * normal[i])
        if cost < loss:
            best, loss = to, cost
    return best


@compiled
def six_digits(x: float) -> float:
    """Rounded to six significant digits."""
    return few_digits(x, 6)


@compiled
def few_digits(x: float, digits: int) -> float:
    """Rounded to so many significant digits."""
    if not 1e-12 < x < 1e12:
        return 0.0
    scale = 10.0 ** (digits - 1.0 - math.floor(math.log10(x)))
    return float(round(x * scale) / scale)


@compiled
def best_by_slopes(code: Any, work: Any, lower: Any, upper: Any, enough: float) -> float:
    """The mean-value bound without and, unless that is enough, with multipliers: those used are in `multiplier`."""
    multiplier, trial = work.multiplier, work.trial
    multiplier[:] = 0.0
    some = find_multipliers(code, work, lower, upper)
    bound = mean_value(code, work, lower, upper, multiplier)
    if bound >= enough or not some:
        return bound
    better = mean_value(code, work, lower, upper, trial)
    if better <= bound:
        return bound
    multiplier[:] = trial
    return better
