"""Formulas with whole variables: searched with what these are nearest to in their places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cpcbench.expr.functions import floor, whole
from cpcbench.expr.nodes import Expr, num, var
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import needed
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import remade
from cpcbench.solvers.search.coordinates import HALF
from cpcbench.solvers.white_box.judge import Candidate
from cpcbench.solvers.white_box.limits import Watch
from cpcbench.solvers.white_box.result import WhiteBoxResult


def whole_variables(problem: Problem) -> NDArray[np.bool_]:
    """Which variables have to be whole numbers wherever the formula is defined, because it says `whole(x1)`."""
    must = needed(problem.expression)
    return np.array([id(whole(var(i))) in must for i in range(problem.dim)], dtype=bool)


def rounded(problem: Problem, which: NDArray[np.bool_]) -> Problem:
    """The problem with `floor(x1 + 0.5)` for `whole(x1)` and for `x1` itself; the box has room around whole numbers."""
    parts: dict[int, Expr] = {}
    for i in np.flatnonzero(which).tolist():
        nearest = floor(var(i) + num(0.5))
        parts |= {id(whole(var(i))): nearest, id(var(i)): nearest}
    lower = np.where(which, np.ceil(problem.lower) - HALF, problem.lower)
    upper = np.where(which, np.floor(problem.upper) + HALF, problem.upper)
    return remade(problem, replaced(problem.expression, parts), (lower, upper))


def brought_back(x: Floats, which: NDArray[np.bool_]) -> Floats:
    """The whole numbers that coordinates are nearest to."""
    return np.where(which, np.floor(x + 0.5), x)


def with_whole_numbers(found: WhiteBoxResult, which: NDArray[np.bool_]) -> WhiteBoxResult:
    """What a search of the rounded problem found, as points of the problem itself; each once."""

    def back(candidate: Candidate | None) -> Candidate | None:
        return None if candidate is None else replace(candidate, x=brought_back(candidate.x, which))

    optima = {one.x.tobytes(): one for one in map(back, found.optima) if one is not None}
    x = None if found.x is None else brought_back(found.x, which)
    return replace(
        found, x=x, thin=back(found.thin), artefact=back(found.artefact), rounded=back(found.rounded),
        optima=list(optima.values()),
    )  # fmt: skip


def told_whole(watch: Watch | None, which: NDArray[np.bool_]) -> Watch | None:
    """The user's callback, which sees points of the problem itself."""
    if watch is None:
        return None
    return lambda x, value, evaluations: watch(brought_back(x, which), value, evaluations)
