"""`cpc.minimize`: the least value of a function that may be undefined on most of its box."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import parse
from cpcbench.solvers.functions.user_function import UserFunction, Workers
from cpcbench.solvers.search.loop import Formula, search_black_box

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
    progress: Callable[[str], None] | None = None,
) -> OptimizeResult:
    """Minimises a function, a problem or a formula over a box, and returns SciPy's OptimizeResult.

    A function is called with one point (with `vectorized`, with an array of them) and is a black
    box; it may raise or return NaN, None, an infinity or a complex number where it has no value. A
    problem or a formula is read (`method="white-box"`) unless `method` is "black-box".
    `budget` limits the evaluations, `seconds` the time. The same `seed` (or `rng`, as SciPy calls it)
    and `batch` give the same result; a batch, the points between two decisions of the search, is no smaller than
    the number of `workers` unless it is given. `callback(intermediate_result)` is called after every
    improvement; it stops the search by raising StopIteration. With `all_optima`, `result.optima` holds
    every point found that is as good as the best.

    Ctrl-C ends the search with the best so far, `success` False and `status` 2; before the first evaluation, or
    a second time, it raises KeyboardInterrupt. A worker process that dies costs the point it was at, and one that
    hangs is killed when `seconds` are over; if `workers` is a function like `map` and fails, the best so far is
    returned with `status` 3. Any other exception, such as one of the callback's, is raised with what was found as
    its attribute `result`. `progress` is called with a few words on what is being done or waited for; `seconds` count
    from when the formula is compiled. `status` 0 is an end as planned, 1 that nothing admissible was found.
    """
    if method not in METHODS:
        raise CpcbenchError(f"unknown method {method!r}: there are {', '.join(METHODS)}")
    problem = _problem(fun, bounds, rule)
    if problem is None and method == "white-box":
        raise CpcbenchError("a function's formula is not known: give the formula as text, or use method='black-box'")
    _check_limits(budget, seconds)
    generator = _generator(seed, rng)
    watch = _Watch(callback)
    if problem is not None and method != "black-box":
        from cpcbench.solvers.white_box.front import minimize_expression

        return minimize_expression(problem, generator, budget, seconds, watch, all_optima, progress or _silent)
    if problem is not None and args:
        raise CpcbenchError("args belong to a function; a problem and a formula take none")
    if problem is not None:
        (progress or _silent)("compiling the formula")
    box = _box(problem, bounds)
    source = (
        Formula(problem)
        if problem is not None
        else UserFunction(_callable(fun), args, vectorized=vectorized, workers=workers)
    )
    return search_black_box(
        source, box, generator, budget=budget, seconds=seconds, batch=batch, watch=watch, all_optima=all_optima
    )


def _silent(_text: str) -> None:
    """Tells nobody."""


def _check_limits(budget: int | None, seconds: float | None) -> None:
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, (int, np.integer)) or budget < 1):
        raise CpcbenchError(f"a budget is a whole number of evaluations from 1 on, not {budget!r}")
    if seconds is not None and not (isinstance(seconds, (int, float, np.number)) and seconds > 0):
        raise CpcbenchError(f"a time limit is a positive number of seconds, not {seconds!r}")


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
    _callable(fun)
    return None


def _callable(fun: Any) -> Callable[..., Any]:
    if not callable(fun):
        raise CpcbenchError(f"a function, a problem or a formula is needed, not {fun!r}")
    function: Callable[..., Any] = fun
    return function


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
