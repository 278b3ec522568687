"""Simulated annealing as MATLAB's `simulannealbnd` documents it, after Ingber's adaptive simulated annealing.

Option names in the comments are those of its documentation. The state is one point, so the method
is sequential: the loop holds little besides the evaluation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import best_of, check_whole, first_points
from cpcbench.solvers.registry import Solver

ROOT_EPS = math.sqrt(np.finfo(float).eps)


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    iterations: int = 2000,
    initial_temperature: float = 100.0,
    cooling: float = 0.95,
    reanneal_after: int = 100,
    tolerance: float = 1e-6,
    stall_iterations: int | None = None,
    start: ArrayLike | None = None,
) -> OptimizeResult:
    """Minimises by annealing from a uniform random point, or from the first row of `start`.

    `stall_iterations` is 500 times the number of variables unless given (MaxStallIterations). The
    documented limit of 3000 n evaluations is beyond what the published 2000 iterations can spend.
    """
    lower, upper, n = objective.lower, objective.upper, objective.dim
    window = 500 * n if stall_iterations is None else stall_iterations
    check_whole(iterations=iterations, reanneal_after=reanneal_after, stall_iterations=window)
    if not (0.0 < initial_temperature < math.inf and 0.0 < cooling < 1.0):
        raise CpcbenchError(
            "the initial temperature is positive and the cooling between 0 and 1, "
            f"not {initial_temperature!r} and {cooling!r}"
        )
    before = objective.evaluations
    x = first_points(objective, rng, 1, start)[0]
    value = _ranked(objective(x))
    best_x, best = x, value
    bests = [best]  # of each iteration, for the stall test
    parameter = np.zeros(n)  # the annealing parameter k of each variable
    temperature = np.full(n, initial_temperature)
    accepted = 0
    message = "the most iterations are done"
    for _ in range(iterations):
        trial = _trial(x, temperature, lower, upper, rng)
        trial_value = _ranked(objective(trial))
        if _accepts(trial_value, value, float(temperature.max()), rng):
            x, value = trial, trial_value
            accepted += 1
            if value < best:
                best_x, best = x, value
        parameter += 1.0
        if accepted >= reanneal_after:  # ReannealInterval
            parameter = _reannealed(objective, best_x, best, temperature, initial_temperature)
            accepted = 0
        temperature = initial_temperature * cooling**parameter  # TemperatureFcn temperatureexp
        bests.append(best)
        if len(bests) > window and _has_stalled(bests[-1 - window], best, window, tolerance):
            message = f"the best value changed by at most {tolerance:g} an iteration over {window} iterations"
            break
    return best_of(best_x[None], np.array([best]), objective.evaluations - before, len(bests) - 1, message)


def _trial(x: Points, temperature: Points, lower: Points, upper: Points, rng: np.random.Generator) -> Points:
    """AnnealingFcn annealingfast: a step as long as the temperature in a uniform random direction.

    A component beyond a bound goes to a place uniform between that bound and where it was.
    """
    direction = rng.standard_normal(len(x))
    direction /= math.sqrt(direction @ direction)
    trial: Points = x + temperature * direction
    below, above = trial < lower, trial > upper
    if below.any() or above.any():
        bound = np.where(below, lower, upper)
        inside = x + rng.random(len(x)) * (bound - x)
        trial = np.minimum(np.maximum(np.where(below | above, inside, trial), lower), upper)
    return trial


def _accepts(new: float, old: float, temperature: float, rng: np.random.Generator) -> bool:
    """AcceptanceFcn acceptancesa: what is better, and d worse with probability 1 / (1 + exp(d / max T))."""
    if new < old:
        return True
    worse = 0.0 if new == old else new - old  # equal infinities are no worse
    if not worse <= 700.0 * temperature:
        return False  # exp would overflow: a probability below 1e-304
    ratio = worse / temperature if worse else 0.0
    return rng.random() < 1.0 / (1.0 + math.exp(ratio))


def _reannealed(objective: Objective, x: Points, value: float, temperature: Points, initial: float) -> Points:
    """Annealing parameters k_i = ln(T0 / T_i * max_j s_j / s_i) from the sensitivities s at the best point.

    They are below the number of iterations done, which raises the temperature, the more so the more
    sensitive a variable is. Where a sensitivity is zero or not finite the ratio counts as one.
    """
    s = _sensitivities(objective, x, value)
    usable = np.isfinite(s) & (s > 0.0)
    ratio = np.ones(len(s))
    if usable.any():
        ratio[usable] = s[usable].max() / s[usable]
    ratio[~np.isfinite(ratio)] = 1.0
    tiny = np.finfo(float).tiny
    parameters: Points = np.log(initial / np.maximum(temperature, initial * tiny)) + np.log(ratio)
    return parameters


def _sensitivities(objective: Objective, x: Points, value: float) -> Points:
    """s_i: the size of the slope in direction i, by a one-sided difference, times the width of the box."""
    width = objective.upper - objective.lower
    step = ROOT_EPS * np.maximum(np.abs(x), 1.0)
    step = np.where(x + step <= objective.upper, step, -step)
    points = x + np.diag(step)
    free = np.flatnonzero((points.diagonal() >= objective.lower) & (points.diagonal() != x))
    slopes = np.zeros(len(x))
    if free.size:
        values = np.asarray(objective(points[free]))
        with np.errstate(all="ignore"):  # an undefined neighbour gives no slope
            slopes[free] = np.abs((values - value) / step[free])
    with np.errstate(over="ignore", invalid="ignore"):
        return slopes * width


def _has_stalled(earlier: float, best: float, window: int, tolerance: float) -> bool:
    """FunctionTolerance: the average change of the best value over the window."""
    return earlier == best or (earlier - best) / window <= tolerance


def _ranked(value: float) -> float:
    """The value, or infinity for NaN, which cannot be compared."""
    return math.inf if math.isnan(value) else float(value)


SOLVER = Solver(
    name="SA",
    solve=solve,
    undefined="penalty",
    summary="Simulated annealing as MATLAB's simulannealbnd: fast annealing, exponential cooling, reannealing.",
)
