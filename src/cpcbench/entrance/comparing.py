"""A trace held against its function: at points of the box, on both sides of branches, near the domain's edges."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.entrance.refusal import TraceError
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import where
from cpcbench.expr.nodes import COMPARISONS, Expr, num
from cpcbench.expr.walk import postorder
from cpcbench.problems.problem import Problem
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.sampling.points import admissible_points

Floats = npt.NDArray[np.float64]

POINTS = 200
SPREAD, CORNERS = 2000, 64
STEPS = (0.0, 1e-6, 1e-3)
"""How far from an edge, in widths of the box."""
MOST_BRANCHES = 50


class TraceWarning(UserWarning):
    """The function has values where its formula is undefined: a penalty, or a division by zero that did not show."""


def compare(problem: Problem, fun: Callable[[Floats], Any], points: int = POINTS) -> None:
    """Raises an error that names a point where the function and the formula differ by more than rounding.

    There is a warning where only the function has a value, where the formula is computed much less exactly, and if no
    point was found at which both have one.
    """
    wide = _spread(problem)
    tried = np.concatenate([wide[:CORNERS], wide[-points:], _inside(problem), *_near_edges(problem, wide)])
    more: list[tuple[Floats, float]] = []
    both, rough = 0, ""
    for x in np.clip(tried, problem.lower, problem.upper):
        theirs, ours = value_of(fun, x), problem(x)
        both += math.isfinite(ours) and math.isfinite(theirs)
        if alike(problem, x, ours, theirs):
            if abs(ours - theirs) > 1e-6 * max(abs(theirs), 1e-3):
                rough = f"in doubles the formula is {ours!r} at {x.tolist()}, the function {theirs!r}: rounding errors"
        elif not math.isnan(ours):
            raise TraceError(
                f"the function and the formula that was read from it differ at {x.tolist()}: "
                f"{theirs!r} and {ours!r}; does it depend on something else than its arguments?"
            )
        else:
            more.append((x, theirs))
    if more:
        x, theirs = more[0]
        failing = [c.text for c in problem.conditions if c.at(x.tolist()).satisfied is False]
        _warn(
            f"at {len(more)} of {len(tried)} points the function has a value and its formula none, such as {theirs!r} "
            f"at {x.tolist()}, where it does not hold that {failing[0] if failing else 'every value is finite'}"
        )
    if rough:
        _warn(rough)
    if not both:
        _warn("no point was found at which the function is defined: where it is, the formula was not compared with it")


def _warn(message: str) -> None:
    warnings.warn(message, TraceWarning, stacklevel=4)


def _inside(problem: Problem) -> Floats:
    """Admissible points, as far as some can be found."""
    with contextlib.suppress(CpcbenchError):
        return admissible_points(problem, 50, np.random.default_rng(3))
    return np.empty((0, problem.dim))


def _spread(problem: Problem) -> Floats:
    """Corners of the box, then points all over it."""
    rng = np.random.default_rng(0)
    shares = np.concatenate([rng.integers(0, 2, (CORNERS, problem.dim)), rng.random((SPREAD, problem.dim))])
    points: Floats = problem.lower * (1.0 - shares) + problem.upper * shares
    return points


def value_of(fun: Callable[[Floats], Any], x: Floats) -> float:
    """The function's value; NaN where it raises or gives anything but a finite real number."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = np.asarray(fun(x.copy()), dtype=np.float64).reshape(-1)
    except Exception:
        return math.nan
    return float(value[0]) if value.size == 1 and math.isfinite(value[0]) else math.nan


def alike(problem: Problem, x: Floats, ours: float, theirs: float) -> bool:
    """Whether two values are the same but for rounding; one alone may be undefined only next to an edge."""
    if math.isnan(ours) or math.isnan(theirs):
        return (math.isnan(ours) and math.isnan(theirs)) or _at_an_edge(problem, x, math.isnan(ours))
    if abs(ours - theirs) <= 1e-11 * max(abs(ours), abs(theirs)):
        return True
    return abs(ours - theirs) <= 1e-13 + 8 * problem.error_bound(x).radius


def _at_an_edge(problem: Problem, x: Floats, undefined: bool) -> bool:
    """Whether points next to this one, to a few units of rounding, are on the other side."""
    width = np.abs(x) + 1e-300
    near = x + np.random.default_rng(1).uniform(-1, 1, (64, len(x))) * (width * 1e-14)
    return bool((problem.admissible(near) == undefined).any())


def _near_edges(problem: Problem, wide: Floats) -> Iterator[Floats]:
    """Points at both sides of the domain's edge and of the formula's branches, found by halving between two points."""
    yield from _both_sides(lambda x: np.isnan(problem(x)), problem, wide)
    for test in [n for n in postorder(problem.expression) if n.op in COMPARISONS][:MOST_BRANCHES]:
        yield from _both_sides(_side(test), problem, np.concatenate([wide, _nearest(test, problem, wide)]))


def _side(test: Expr) -> Callable[[Floats], npt.NDArray[np.bool_]]:
    chosen = where(test, num(1), num(0))
    return lambda x: evaluate(chosen, x) > 0


def _nearest(test: Expr, problem: Problem, wide: Floats) -> Floats:
    """Points that are nearer and nearer to where the two sides of a comparison are equal: to enter a thin branch."""
    rng, width = np.random.default_rng(2), problem.upper - problem.lower
    gap = test.args[0] - test.args[1]
    best = wide
    for share in np.geomspace(0.3, 1e-9, 30):
        far = np.abs(evaluate(gap, best))
        best = best[np.argsort(np.where(np.isnan(far), np.inf, far))[:8]]
        steps = rng.normal(0, share, (8, len(best), problem.dim)) * width
        best = np.concatenate([best, np.clip(best + steps, problem.lower, problem.upper).reshape(-1, problem.dim)])
    return best


def _both_sides(side: Callable[[Floats], npt.NDArray[np.bool_]], problem: Problem, wide: Floats) -> Iterator[Floats]:
    sides = side(wide)
    here, there = wide[sides][-8:], wide[~sides][-8:]
    count = min(len(here), len(there))
    if count == 0:
        return
    here, there = here[:count].copy(), there[:count].copy()
    yield here.copy()
    yield there.copy()
    for _ in range(60):
        middle = (here + there) / 2
        same = side(middle)
        here[same], there[~same] = middle[same], middle[~same]
    width = problem.upper - problem.lower
    for step in STEPS:
        away = step * width * np.sign(here - there)
        yield here + away
        yield there - away
