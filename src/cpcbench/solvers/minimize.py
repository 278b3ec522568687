"""`cpc.minimize`: the least value of a function that may be undefined on most of its box."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import parse
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.user_function import Floats, UserFunction, Workers

BUDGET = 100_000
"""Evaluations of a function of unknown formula, unless the user says otherwise."""

BATCH = 48
"""Points between two decisions of the search, for budgets that allow for it."""

METHODS = ("auto", "black-box", "white-box")


def minimize(
    fun: Problem | str | Callable[..., Any],
    bounds: Any = None,
    *,
    budget: int | None = None,
    seed: Any = None,
    rng: Any = None,
    args: Sequence[Any] = (),
    method: str = "auto",
    seconds: float | None = None,
    batch: int | None = None,
    vectorized: bool = False,
    workers: Workers = 1,
    callback: Callable[..., Any] | None = None,
    all_optima: bool = False,
    rule: str = "ieee",
) -> OptimizeResult:
    """Minimises a function, a problem or a formula over a box, and returns SciPy's OptimizeResult.

    A function is called with one point (with `vectorized`, with an array of them) and is a black
    box; it may raise or return NaN, None, an infinity or a complex number where it has no value. A
    problem or a formula is read (`method="white-box"`) unless `method` is "black-box".
    `budget` limits the evaluations, `seconds` the time. The same `seed` (or `rng`, as SciPy calls it)
    gives the same result, whatever `workers` is. `callback(intermediate_result)` is called after every
    improvement; it stops the search by raising StopIteration. With `all_optima`, `result.optima` holds
    every point found that is as good as the best.
    """
    if method not in METHODS:
        raise CpcbenchError(f"unknown method {method!r}: there are {', '.join(METHODS)}")
    problem = _problem(fun, bounds, rule)
    if problem is None and method == "white-box":
        raise CpcbenchError("a function's formula is not known: give the formula as text, or use method='black-box'")
    limits = _Limits(budget, seconds)
    generator = _generator(seed, rng)
    watch = _Watch(callback)
    if problem is not None and method != "black-box":
        from cpcbench.solvers.white_box.front import minimize_expression

        return minimize_expression(problem, generator, limits.evaluations, limits.seconds, watch, all_optima)
    lower, upper = _box(problem, bounds)
    black_box = _BlackBox(problem, fun, args, vectorized, workers)
    try:
        return _search(black_box, lower, upper, generator, limits, batch, watch, all_optima)
    finally:
        black_box.close()


class _Limits:
    def __init__(self, budget: int | None, seconds: float | None) -> None:
        if budget is not None and (isinstance(budget, bool) or not isinstance(budget, (int, np.integer)) or budget < 1):
            raise CpcbenchError(f"a budget is a whole number of evaluations from 1 on, not {budget!r}")
        if seconds is not None and not seconds > 0:
            raise CpcbenchError(f"a time limit is a positive number of seconds, not {seconds!r}")
        self.evaluations = budget
        self.seconds = seconds


class _Watch:
    """Calls the user's callback as SciPy does: with `intermediate_result` if it asks for that name, else with x."""

    def __init__(self, callback: Callable[..., Any] | None) -> None:
        if callback is not None and not callable(callback):
            raise CpcbenchError(f"callback is a function of the intermediate result, not {callback!r}")
        self._callback = callback
        self._named = callback is not None and _names(callback) == ["intermediate_result"]

    def __call__(self, x: Points, value: float, evaluations: int) -> bool:
        """Whether the user wants to stop."""
        if self._callback is None:
            return False
        result = OptimizeResult(x=x.copy(), fun=value, nfev=evaluations)
        try:
            if self._named:
                self._callback(intermediate_result=result)
            else:
                self._callback(result.x)
        except StopIteration:
            return True
        return False


def _names(callback: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(callback).parameters)
    except (TypeError, ValueError):
        return []


class _BlackBox:
    """Values of points, of a compiled problem or of a user's function."""

    def __init__(
        self, problem: Problem | None, fun: Any, args: Sequence[Any], vectorized: bool, workers: Workers
    ) -> None:
        self._problem = problem
        self.user = None if problem is not None else UserFunction(fun, args, vectorized=vectorized, workers=workers)
        if problem is not None and args:
            raise CpcbenchError("args belong to a function; a problem and a formula take none")

    def __call__(self, points: Points) -> Floats:
        if self.user is not None:
            return self.user(points)
        assert self._problem is not None  # noqa: S101 - one of the two is there
        return np.asarray(self._problem(points))

    def close(self) -> None:
        if self.user is not None:
            self.user.close()


def _search(
    values_of: _BlackBox,
    lower: Points,
    upper: Points,
    rng: np.random.Generator,
    limits: _Limits,
    batch: int | None,
    watch: _Watch,
    all_optima: bool,
) -> OptimizeResult:
    budget = limits.evaluations or BUDGET
    size = _batch(batch, budget)
    search = Search(lower, upper, rng, budget=budget)
    start, evaluations, undefined, rounds = time.perf_counter(), 0, 0, 0
    best, message = math.inf, "the evaluations are spent"
    while evaluations < budget:
        points = search.ask(min(size, budget - evaluations))
        values = values_of(points)
        search.tell(points, values)
        evaluations += len(points)
        undefined += int(np.isnan(values).sum())
        rounds += 1
        if search.best_x is not None and search.best_value < best:
            best = search.best_value
            if watch(search.best_x, best, evaluations):
                message = "stopped by the callback"
                break
        if limits.seconds is not None and time.perf_counter() - start >= limits.seconds:
            message = "the time is spent"
            break
    result = _result(search, values_of.user, message)
    result.update(nfev=evaluations, nit=rounds, nundefined=undefined, seconds=time.perf_counter() - start)
    if all_optima:
        result.optima = search.optima()
    return result


def _result(search: Search, user: UserFunction | None, message: str) -> OptimizeResult:
    found = search.best_x is not None
    if not found:
        message = f"no admissible point was found; {message}"
        if user is not None and user.trouble:
            message += f"; the function failed {user.failed} times, first with {user.trouble}"
    return OptimizeResult(
        x=search.best_x.copy() if search.best_x is not None else None,
        fun=search.best_value if found else math.nan,
        success=found,
        status=0 if found else 1,
        message=message,
        nfailed=0 if user is None else user.failed,
        method="black-box",
    )


def _batch(given: int | None, budget: int) -> int:
    """Small budgets are spent in small steps, so that each can learn from the ones before."""
    if given is None:
        return min(BATCH, max(1, budget // 200))
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise CpcbenchError(f"a batch is a whole number of points from 1 on, not {given!r}")
    return given


def _problem(fun: Any, bounds: Any, rule: str) -> Problem | None:
    """The problem behind what was given, None for a function."""
    if isinstance(fun, Problem):
        if bounds is not None:
            raise CpcbenchError(f"{fun.id} has a box of its own: leave bounds away")
        return fun
    if isinstance(fun, str):
        if bounds is None:
            raise CpcbenchError("a formula needs its box: bounds=[(lower, upper), ...]")
        return parse(fun, bounds=bounds, rule=rule)
    if not callable(fun):
        raise CpcbenchError(f"a function, a problem or a formula is needed, not {fun!r}")
    return None


def _box(problem: Problem | None, bounds: Any) -> tuple[Points, Points]:
    if problem is not None:
        return problem.lower, problem.upper
    if bounds is None:
        raise CpcbenchError("a function needs its box: bounds=[(lower, upper), ...]")
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):  # scipy.optimize.Bounds
        pairs: ArrayLike = np.column_stack(np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub)))
    else:
        pairs = bounds
    try:
        box = np.array(pairs, dtype=np.float64)
    except (TypeError, ValueError):
        box = np.empty(0)
    if box.ndim != 2 or box.shape[1] != 2 or not len(box):
        raise CpcbenchError(f"bounds are pairs (lower, upper), one a variable, not {bounds!r}")
    lower, upper = box[:, 0].copy(), box[:, 1].copy()
    if not np.isfinite(box).all() or not (lower <= upper).all():
        raise CpcbenchError(f"bounds are finite with lower <= upper, not {bounds!r}")
    return lower, upper


def _generator(seed: Any, rng: Any) -> np.random.Generator:
    if seed is not None and rng is not None:
        raise CpcbenchError("seed and rng are two names for the same: give one")
    try:
        return np.random.default_rng(seed if rng is None else rng)
    except (TypeError, ValueError):
        raise CpcbenchError(f"a seed is a whole number from 0 on or a NumPy generator, not {seed!r}") from None
