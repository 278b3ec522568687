"""`cpc.minimize`: the least value of a function that may be undefined on most of its box."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.entrance.refusal import TraceError
from cpcbench.errors import CpcbenchError
from cpcbench.files import Name
from cpcbench.limits import checked_budget, checked_seconds
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import WANTED, checked_integrality, pairs_of, parse, with_integrality
from cpcbench.progress import silent
from cpcbench.readings.domain.constraints import TOLERANCE
from cpcbench.rng import Rng
from cpcbench.rules import check_rule
from cpcbench.solvers.entering import measure_of, rooms_of, search_inside
from cpcbench.solvers.found import Found
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.functions.constraints import Both, Limited, Limits
from cpcbench.solvers.functions.repair import Rooms
from cpcbench.solvers.functions.state import about_search, resumed_rng
from cpcbench.solvers.functions.user_function import UserFunction, Workers, number_of_workers
from cpcbench.solvers.functions.watching import WatchedFunction
from cpcbench.solvers.search.loop import BUDGET, Formula, batch_size, search_black_box
from cpcbench.solvers.starts import known_of
from cpcbench.solvers.whole import whole_variables

METHODS = ("auto", "black-box", "grey-box", "white-box")


def minimize(
    fun: Problem | str | Callable[..., Any],
    bounds: Any = None,
    *,
    budget: int | None = None,
    rng: Rng = None,
    x0: Any = None,
    known: Any = None,
    integrality: Any = None,
    args: Sequence[Any] = (),
    method: str = "auto",
    seconds: float | None = None,
    batch: int | None = None,
    vectorized: bool = False,
    workers: Workers = 1,
    asynchronous: bool = False,
    log: Name | None = None,
    state: Name | None = None,
    callback: Callable[..., Any] | None = None,
    all_optima: bool = False,
    rule: str | None = None,
    constraints: Any = (),
    tolerance: float = TOLERANCE,
    progress: Callable[[str], None] | None = None,
    seed: Rng = None,
) -> OptimizeResult:
    """Minimises a function, a problem or a formula over a box.

    Parameters
    ----------
    fun : callable, Problem or str
        A function is called with one point and is a black box; it may raise or return NaN, None, an infinity or a
        complex number where it has no value. A problem or a formula is read.
    bounds : sequence of pairs, optional
        (lower, upper) of each variable; a problem has its own.
    budget : int, optional
        The most evaluations.
    rng : int or numpy.random.Generator, optional
        A seed or a generator; the same one, and the same `batch`, give the same result.
    x0 : array_like, optional
        A point to begin with, or several.
    known : (points, values), optional
        What is known already, NaN for undefined; a formula is evaluated there again.
    integrality : sequence of int, optional
        By 1 and 0, which variables are whole numbers.
    args : sequence
        Further arguments of the function.
    method : {"auto", "black-box", "grey-box", "white-box"}
        "white-box" reads a problem or a formula, "black-box" only evaluates it. With "grey-box" a function's own roots,
        logarithms, powers and quotients are watched, and tell the search where its domain is.
    seconds : float, optional
        The most time, from when the formula is compiled.
    batch : int, optional
        The points between two decisions of the search; unless given, no fewer than there are workers.
    vectorized : bool
        Whether the function takes an array of points.
    workers : int or callable
        Processes that evaluate a function, or a function like `map`. A formula takes a number too, with the same
        result.
    asynchronous : bool
        Each value is learned from as it comes, and no worker waits for others: the result then depends on which of them
        ends first.
    log : str or path, optional
        A file to which each evaluation is added as it ends, a line of CSV (`cpcbench.read_log`).
    state : str or path, optional
        A file from which the same call goes on after a kill or Ctrl-C: what it holds is not evaluated again.
    callback : callable, optional
        `callback(intermediate_result)`, after every improvement; it stops the search by raising StopIteration.
    all_optima : bool
        Whether `result.optima` is to hold every point found that is as good as the best.
    rule : {"ieee", "strict"}, optional
        The rule of admissibility for powers of a formula.
    constraints : object or sequence
        SciPy's LinearConstraint and NonlinearConstraint, dictionaries as SciPy takes them, or statements such as
        "x1 + x2 <= 1". A point that misses one is undefined, and the search enters where they hold by how much they are
        missed.
    tolerance : float
        How far the sides of an equation may be apart.
    progress : callable, optional
        Called with a few words on what is being done or waited for.
    seed : int or numpy.random.Generator, optional
        Another name for `rng`.

    Returns
    -------
    scipy.optimize.OptimizeResult
        `x` and `fun`; `nfev` evaluations, of which `nundefined` gave nothing and `nwatched` only said how far the
        domain is; `nconstraint`, at how many points more the constraints alone were computed, to move points to where
        they hold; `failures`, undefined values by kind, and `defined`, the part of the box in which there were
        values. `status` is 0 for an end as planned, 1 if nothing admissible was found, 2 after Ctrl-C, 3 if `workers`
        failed.

    Raises
    ------
    CpcbenchError
        For wrong input, and for options that would have no effect.

    Notes
    -----
    Ctrl-C ends the search with the best so far; before the first evaluation, or a second time, it raises
    KeyboardInterrupt. A worker process that dies costs the point it was at, and one that hangs is killed when `seconds`
    are over. Any other exception, such as one of the callback's, is raised with what was found as its attribute
    `result`.

    Examples
    --------
    >>> import math, cpcbench as cpc
    >>> found = cpc.minimize(lambda x: x[0] + math.sqrt(0.25 - x[0] ** 2), [(-3, 3)], budget=500, rng=1)
    >>> round(found.fun, 3), found.nfev
    (-0.5, 500)
    """
    if method not in METHODS:
        raise CpcbenchError(f"unknown method {method!r}: there are {', '.join(METHODS)}")
    if isinstance(fun, BlackBox):
        bounds, fun = _box_of(fun, bounds), fun.function
    problem = _problem(fun, bounds, rule, integrality)
    asked = not isinstance(constraints, (Sequence, np.ndarray)) or len(constraints) > 0
    if problem is not None and asked:
        problem, fun, bounds = _constrained(problem, Limits(constraints, problem.dim, tolerance), method)
    _check_method(method, problem)
    budget = None if budget is None else checked_budget(budget)
    seconds = None if seconds is None or seconds == math.inf else checked_seconds(seconds)
    generator, drawn = resumed_rng(state, rng, seed)
    watch = _Watch(callback)
    tell = progress or silent
    source: UserFunction | Formula
    measure: Callable[[], UserFunction] | None = None
    rooms: Rooms | None = None
    about: dict[str, Any] = {}
    if problem is None:
        box = _box(bounds, finite=method == "grey-box")
        # a problem is called because of a constraint that cannot be read: it says itself what is whole
        whole = whole_variables(fun) if isinstance(fun, Problem) else checked_integrality(integrality, *box)
        limits = Limits(constraints, len(box[0]), tolerance) if asked else None
        given = known_of(x0, known, *box, whole)
        rooms = None if limits is None else limits.rooms
        if method == "grey-box":
            _refuse("the grey box watches its calls one by one; leave it away, or use method='black-box'",
                    "black-box search", integrality=integrality, vectorized=vectorized,
                    asynchronous=asynchronous)  # fmt: skip
            _refuse("how long the grey box looks for the domain would depend on the clock, and the search could not be "
                    "made again from its state; give a budget instead", "search without a state",
                    seconds=None if state is None else seconds)  # fmt: skip
        _check_asynchronous(asynchronous and (vectorized or callable(workers) or batch is not None))
        called = _callable(fun) if limits is None else Limited(_callable(fun), limits)
        source = UserFunction(called, args, vectorized=vectorized, workers=workers)
        if state is not None:
            size = 1 if asynchronous else batch_size(batch, budget or BUDGET, source.at_once)
            about = about_search(fun, args, box, generator, drawn, given) | ({} if limits is None else limits.identity)
            about |= {"whole": np.flatnonzero(whole).tolist(), "budget": budget or BUDGET, "batch": size,
                      "workers": source.at_once if asynchronous else "any"} | _named(method)  # fmt: skip
        source.keep(log, state, len(box[0]), about)
        measure = _measure(method, fun, limits, source, args, workers)
    else:
        _refuse("a problem and a formula are evaluated by compiled code here; leave it away, or call the problem as a "
                "function: minimize(lambda x: p(x), p.bounds, ...)", "function", args=args, vectorized=vectorized,
                workers=None if workers == 1 or method != "black-box" else workers, asynchronous=asynchronous, log=log,
                state=state)  # fmt: skip
        if method != "black-box":
            from cpcbench.solvers.white_box.front import minimize_expression

            _refuse("the white box decides by itself how many points it looks at together", "function", batch=batch)
            starts = known_of(x0, known, problem.lower, problem.upper, whole_variables(problem)).all
            return Found(
                minimize_expression(
                    problem, generator, budget, seconds, watch, all_optima, tell, starts, _processes(workers)
                )
            )
        tell("compiling the formula")
        whole = whole_variables(problem)
        source, box = Formula(problem), (problem.lower, problem.upper)
        # a formula is evaluated where it is said to be known
        given = known_of(known_of(x0, known, *box).all, None, *box)
        measure, rooms = measure_of(problem), rooms_of(problem)
    name = method.replace("auto", "black-box")
    search = search_black_box if measure is None else partial(search_inside, measure, name, rooms=rooms)
    return Found(
        search(
            source, box, generator, budget=budget, seconds=seconds, batch=batch, watch=watch, all_optima=all_optima,
            known=given, asynchronous=asynchronous, tell=tell, whole=whole,
        )
    )  # fmt: skip


def _measure(
    method: str, fun: Any, limits: Limits | None, source: UserFunction, args: Sequence[Any], workers: Workers
) -> Callable[[], UserFunction] | None:
    """What says how far a point is from where the function can be evaluated; None if nothing does."""
    if method == "grey-box":
        return partial(WatchedFunction, source, _watched(_callable(fun), limits), args, workers=workers)
    return None if limits is None else partial(UserFunction, limits, workers=workers)


def _named(method: str) -> dict[str, str]:
    """The method in a state, unless it is the usual one."""
    return {"method": method} if method == "grey-box" else {}


def _watched(fun: Callable[..., Any], limits: Limits | None) -> Callable[..., float]:
    """How far a point is from where the function is defined, and from where the constraints hold."""
    from cpcbench.entrance.watched import Violation

    return Violation(fun) if limits is None else Both(limits, Violation(fun))


def _check_method(method: str, problem: Problem | None) -> None:
    if problem is None and method == "white-box":
        raise CpcbenchError("a function's formula is not known: read it with cpcbench.trace, or use method='grey-box'")
    if problem is not None and method == "grey-box":
        raise CpcbenchError("the grey box watches functions: a problem or a formula is read, by method='white-box'")


def _check_asynchronous(otherwise: bool) -> None:
    if otherwise:
        raise CpcbenchError("asynchronous=True takes a number of workers, which get a point each: no batch, no map")


def _refuse(reason: str, owner: str, **settings: Any) -> None:
    """What would have no effect is not taken."""
    for name, value in settings.items():
        if value:
            raise CpcbenchError(f"{name}={value!r} belongs to a {owner}: {reason}")


def _processes(workers: Workers) -> int:
    if callable(workers):
        raise CpcbenchError("the white box takes a number of workers: something like map is for functions")
    return number_of_workers(workers)


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


def _problem(fun: Any, bounds: Any, rule: str | None, integrality: Any) -> Problem | None:
    """The problem behind what was given, None for a function."""
    if isinstance(fun, Problem):
        _box_of(fun, bounds)
        problem = with_integrality(fun, integrality)
        problem = problem if rule is None else problem.with_rule(rule)
    elif isinstance(fun, str):
        if bounds is None:
            raise CpcbenchError("a formula needs its box: bounds=[(lower, upper), ...]")
        problem = parse(fun, bounds=bounds, rule=rule or "ieee", integrality=integrality)
    else:
        _callable(fun)
        if rule is not None:
            check_rule(rule)  # it says how powers are read, and a function's are not
        return None
    checked_integrality(whole_variables(problem), problem.lower, problem.upper)  # said in the formula, too
    return problem


def _constrained(problem: Problem, limits: Limits, method: str) -> tuple[Problem | None, Any, Any]:
    """The problem under constraints; where one cannot be read, the black box calls the problem as a function."""
    try:
        return limits.applied(problem), None, None
    except TraceError:
        if method != "black-box":
            raise
        return None, problem, problem.bounds


def _box_of(problem: Problem, bounds: Any) -> list[tuple[float, float]]:
    if bounds is not None:
        raise CpcbenchError(f"{problem.id} has a box of its own: leave bounds away")
    return problem.bounds


def _callable(fun: Any) -> Callable[..., Any]:
    if not callable(fun):
        raise CpcbenchError(f"a function, a problem or a formula is needed, not {fun!r}")
    function: Callable[..., Any] = fun
    return function


def _box(bounds: Any, finite: bool) -> tuple[Points, Points]:
    if bounds is None:
        raise CpcbenchError("a function needs its box: bounds=[(lower, upper), ...]")
    pairs = pairs_of(bounds, finite=finite)
    if pairs is None:
        raise CpcbenchError(f"{WANTED}; a function needs one for each variable, such as [(0, 1)], not {bounds!r}")
    lower, upper = np.array(pairs).T.copy()
    return lower, upper
