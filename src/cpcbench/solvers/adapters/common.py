"""What the adapters share: a stop that waits until foreign code has returned, fixed variables, restarts, answers."""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.problems.undefined import PENALTY
from cpcbench.solvers.global_random import GlobalRandom
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.registry import Solver

DEFAULT_BUDGET = 100_000
"""Evaluations of an outside solver where the study states none."""


def listed(*solvers: Solver) -> dict[str, Solver]:
    """The table `SOLVERS` of an adapter."""
    return {solver.name: solver for solver in solvers}


def outside(name: str, solve: Callable[..., OptimizeResult], undefined: str, summary: str, **more: Any) -> Solver:
    """A library's method; its budget is the usual one unless another is given."""
    return Solver(name, solve, undefined, summary=summary, **{"budget": DEFAULT_BUDGET, **more})


class Search:
    """The objective as a library gets it: only the variables that can vary, each point moved into the box.

    Many libraries refuse a lower bound that equals the upper one, and rounding carries some past a
    bound. `dim`, `lower` and `upper` are those of the free variables; calls take one point or a batch.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self._free = np.flatnonzero(objective.lower < objective.upper)
        self._all_free = len(self._free) == objective.dim
        self.lower = np.array(objective.lower[self._free], dtype=np.float64)
        self.upper = np.array(objective.upper[self._free], dtype=np.float64)
        self.dim = len(self._free)

    def __call__(self, x: Points) -> Any:
        """The values the objective gives; StopRun passes."""
        return self.objective(self.whole(x))

    def whole(self, x: Points) -> Points:
        """The points with the fixed variables filled in, inside the box."""
        inside = np.minimum(np.maximum(x, self.lower), self.upper, order="C")
        if self._all_free:
            return inside
        filled = np.empty((*inside.shape[:-1], self.objective.dim))
        filled[...] = self.objective.lower
        filled[..., self._free] = inside
        return filled

    def part(self, points: Points) -> Points:
        """The free variables of whole points."""
        return np.ascontiguousarray(points[..., self._free])

    def random_point(self, rng: np.random.Generator) -> Points:
        return np.clip(rng.uniform(self.lower, self.upper), self.lower, self.upper)


class Guarded:
    """A call-back for native code, through which no exception may pass.

    The first one is kept: from then on the call-back answers `undefined` without evaluating, asks
    `stop` (if there is one) to end the library, and `raise_kept` raises it when the library has
    returned.
    """

    def __init__(self, call: Callable[[Any], Any], stop: Callable[[], object] | None = None) -> None:
        self.call = call
        self.stop = stop
        self.kept: BaseException | None = None

    def __call__(self, x: Any) -> float:
        if self.kept is None:
            try:
                return float(self.call(x))
            except BaseException as error:  # also StopRun and Ctrl-C
                self.kept = error
        if self.stop is not None:
            self.stop()
        return PENALTY

    def raise_kept(self) -> None:
        if self.kept is not None:
            raise self.kept


def until_spent(objective: Objective, once: Callable[[], object], restarts: bool = True) -> OptimizeResult:
    """Calls `once`, again and again while there is a budget or time to spend, then answers.

    Without either it is called once, and a call that evaluates nothing is the last. Libraries warn of undefined values
    and of what follows from them, which is no news here.
    """
    calls = 0
    while True:
        before = objective.evaluations
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            once()
        calls += 1
        limited = math.isfinite(objective.remaining) or math.isfinite(objective.seconds_left)
        if not (restarts and limited) or objective.evaluations == before or objective.remaining <= 0:
            return best_so_far(objective, f"the library stopped by itself, {calls} times in all")


def best_so_far(objective: Objective, message: str) -> OptimizeResult:
    """The best point evaluated as an answer; none if nothing admissible was found."""
    x = objective.best_x
    return OptimizeResult(
        x=None if x is None else x.copy(),
        fun=objective.best_value,
        nfev=objective.evaluations,
        success=x is not None,
        message=message if x is not None else f"nothing admissible was found; {message}",
    )


def seed_from(rng: np.random.Generator, bits: int = 31) -> int:
    """A seed for a library's own generator: positive and below 2^bits."""
    return int(rng.integers(1, 2**bits))


def library(name: str) -> Any:
    """The module, imported without a trace: some change print options, warning filters or random states."""
    options = np.get_printoptions()
    with GlobalRandom(np.random.SeedSequence(0)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(name)
    np.set_printoptions(**options)
    return module
