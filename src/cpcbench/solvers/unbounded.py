"""The white-box search where variables may have no bounds: by least squares, or in a box that grows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Floats, search_box
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import remade
from cpcbench.solvers.least_squares.search import solve_squares
from cpcbench.solvers.least_squares.squares import residuals
from cpcbench.solvers.white_box.limits import Watch
from cpcbench.solvers.white_box.result import WhiteBoxResult
from cpcbench.solvers.white_box.solver import solve_expression
from cpcbench.solvers.whole import Told, first_look, rounded, whole_variables, with_whole_numbers

GROWTH, NEAR, BOXES = 10.0, 0.01, 6
"""A side without a bound is so many times as far away after the best point came within this share of the box to it;
and how many boxes there are at most."""


def solve_anywhere(
    problem: Problem,
    rng: np.random.Generator,
    *,
    seconds: float = 30.0,
    budget: int | None = None,
    watch: Watch | None = None,
    starts: Floats | None = None,
    **settings: Any,
) -> WhiteBoxResult:
    """As `solve_expression`, also where some variable has no bound or is a whole number.

    A sum of squares, as written, of variables none of which has a bound is solved by least squares from starts on all
    scales. Any other formula is searched in a box that reaches 100 beyond 0 where there is no bound, and ten times as
    far whenever the lowest point lies near such a side; each box gets half of what is left of the time and of the
    evaluations.
    """
    whole = whole_variables(problem)
    if whole.any():
        return _with_whole_variables(
            problem, whole, rng, seconds, budget, {"watch": watch, "starts": starts, **settings}
        )
    if problem.bounded:
        return solve_expression(problem, rng, seconds=seconds, budget=budget, watch=watch, starts=starts, **settings)
    free = np.isinf(problem.lower).all() and np.isinf(problem.upper).all()
    parts = residuals(problem.expression) if free else None
    if parts is not None:
        return solve_squares(problem, parts, rng, seconds=seconds, budget=budget, watch=watch, starts=starts)
    return _in_growing_box(problem, rng, seconds, budget, {"watch": watch, "starts": starts, **settings})


def _with_whole_variables(
    problem: Problem,
    whole: NDArray[np.bool_],
    rng: np.random.Generator,
    seconds: float,
    budget: int | None,
    settings: dict[str, Any],
) -> WhiteBoxResult:
    told = Told(settings["watch"], whole)
    first = first_look(problem, whole, rng, seconds, budget, told, settings["starts"])
    known = [each for each in (settings["starts"], None if first.x is None else first.x[None]) if each is not None]
    settings |= {"whole": whole, "watch": told, "starts": np.concatenate(known) if known else None}
    told.before = first.nfev
    left = None if budget is None else max(1, budget - first.nfev)
    found = solve_anywhere(rounded(problem, whole), rng, seconds=0.5 * seconds, budget=left, **settings)
    found.evaluations, found.seconds = found.evaluations + first.nfev, found.seconds + first.seconds
    return with_whole_numbers(found, whole)


def _in_growing_box(
    problem: Problem, rng: np.random.Generator, seconds: float, budget: int | None, settings: dict[str, Any]
) -> WhiteBoxResult:
    lower, upper = search_box(problem.lower, problem.upper)
    starts = settings["starts"]
    if starts is not None and len(starts):
        lower, upper = np.minimum(lower, starts.min(axis=0)), np.maximum(upper, starts.max(axis=0))
    best = WhiteBoxResult()
    spent, used = 0.0, 0
    for i in range(BOXES):
        part = remade(problem, problem.expression, (lower, upper))
        share = 1.0 if i == BOXES - 1 else 0.5
        most = None if budget is None else max(1, int((budget - used) * share))
        found = solve_expression(part, rng, seconds=max((seconds - spent) * share, 0.1), budget=most, **settings)
        spent, used = spent + found.seconds, used + found.evaluations
        if best.x is None or (found.x is not None and found.value < best.value):
            best = found
        lower, upper, grown = _grown(problem, lower, upper, best.x)
        if not grown or spent >= seconds or (budget is not None and used >= budget):
            break
    best.seconds, best.evaluations = spent, used
    return best


def _grown(problem: Problem, lower: Floats, upper: Floats, x: Floats | None) -> tuple[Floats, Floats, bool]:
    """The box for the next search, and whether it is another; without a point all open sides move."""
    room = NEAR * (upper - lower)
    down = np.isinf(problem.lower) & (True if x is None else x - lower <= room)
    up = np.isinf(problem.upper) & (True if x is None else upper - x <= room)
    new = (
        np.where(down, lower - (GROWTH - 1.0) * np.abs(lower), lower),
        np.where(up, upper + (GROWTH - 1.0) * np.abs(upper), upper),
    )
    return *new, bool((down | up).any())
