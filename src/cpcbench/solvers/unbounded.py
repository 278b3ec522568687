"""The white-box search where variables may have no bounds: by least squares, or in a box that grows."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Floats, search_box
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import remade
from cpcbench.solvers.ending import BY_CALLBACK, BY_INTERRUPT
from cpcbench.solvers.least_squares.search import solve_squares
from cpcbench.solvers.least_squares.squares import residuals
from cpcbench.solvers.white_box.limits import Watch
from cpcbench.solvers.white_box.result import WhiteBoxResult
from cpcbench.solvers.white_box.solver import solve_expression
from cpcbench.solvers.whole import rounded, told_whole, whole_variables, with_whole_numbers

GROWTH, NEAR, BOXES = 10.0, 0.01, 6
"""A side without a bound is so many times as far away after the best point came within this share of the box to it;
and how many boxes there are at most."""

FIRST_SEARCH = 10_000
"""Evaluations of the search in the first box; each later search is twice as long as the one before."""


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
    far whenever the lowest point lies near such a side, by searches each twice as long as the one before.
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
    settings |= {"whole": whole, "watch": told_whole(settings["watch"], whole)}
    found = solve_anywhere(rounded(problem, whole), rng, seconds=seconds, budget=budget, **settings)
    return with_whole_numbers(found, whole)


def _in_growing_box(
    problem: Problem, rng: np.random.Generator, seconds: float, budget: int | None, settings: dict[str, Any]
) -> WhiteBoxResult:
    lower, upper = search_box(problem.lower, problem.upper)
    starts = settings.pop("starts")
    starts = np.empty((0, problem.dim)) if starts is None else starts
    if len(starts):
        lower, upper = np.minimum(lower, starts.min(axis=0)), np.maximum(upper, starts.max(axis=0))
    best = WhiteBoxResult()
    spent, used, reads, boxes = 0.0, 0, 0, 1
    watch: Watch | None = settings.pop("watch")
    for i in count():
        part = remade(problem, problem.expression, (lower, upper))
        length = FIRST_SEARCH * 2**i
        most = length if budget is None else min(length, budget - used)

        def told(x: Floats, value: float, evaluations: int, before: int = used, lowest: float = best.value) -> bool:
            return not value >= lowest and watch is not None and watch(x, value, before + evaluations)

        known = starts if best.x is None else np.vstack([starts, best.x])
        found = solve_expression(
            part, rng, seconds=max(seconds - spent, 0.01), budget=most, starts=known, watch=told, **settings
        )
        spent, used, reads = spent + found.seconds, used + found.evaluations, reads + found.reads
        if best.x is None or (found.x is not None and found.value <= best.value):
            best = found
        best.ending = found.ending
        lower, upper, grown = _grown(problem, lower, upper, best.x)
        boxes += grown
        over = spent >= seconds or (budget is not None and used >= budget) or boxes > BOXES
        settled = found.evaluations < most and not grown
        if over or settled or found.ending in (BY_CALLBACK, BY_INTERRUPT):
            break
    best.seconds, best.evaluations, best.reads = spent, used, reads
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
