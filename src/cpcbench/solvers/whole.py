"""Formulas with whole variables: by the black-box search, and with what their variables are nearest to in their places.

The black box moves among whole numbers well, the white box settles what is not whole; each gets half of the time and of
the evaluations, and the second begins where the first ended.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult

from cpcbench.expr.functions import floor, whole
from cpcbench.expr.nodes import Expr, num, var
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import needed
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import remade
from cpcbench.solvers.entering import measure_of, search_inside
from cpcbench.solvers.search.coordinates import HALF
from cpcbench.solvers.search.loop import BUDGET, Formula, search_black_box
from cpcbench.solvers.starts import Known
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
    return replace(found, x=x, thin=back(found.thin), artefact=back(found.artefact), optima=list(optima.values()))


class Told:
    """The user's callback, which sees points of the problem itself and all evaluations, and ends both searches."""

    def __init__(self, watch: Watch | None, which: NDArray[np.bool_]) -> None:
        self._watch, self._which, self._stopped = watch, which, False
        self.before = 0

    def __call__(self, x: Floats, value: float, evaluations: int) -> bool:
        if self._watch is not None and not self._stopped:
            self._stopped = self._watch(brought_back(x, self._which), value, self.before + evaluations)
        return self._stopped


def first_look(
    problem: Problem,
    which: NDArray[np.bool_],
    rng: np.random.Generator,
    seconds: float,
    budget: int | None,
    watch: Told,
    starts: Floats | None,
) -> OptimizeResult:
    """What the black-box search finds, in half of the time and of the evaluations."""
    measure = measure_of(problem)
    search = search_black_box if measure is None else partial(search_inside, measure, "black-box")
    none = np.empty((0, problem.dim))
    return search(
        Formula(problem), (problem.lower, problem.upper), rng, seconds=0.5 * seconds, batch=None, watch=watch,
        budget=BUDGET if budget is None else max(1, budget // 2), all_optima=False, whole=which,
        known=Known(none if starts is None else starts, none, np.empty(0)),
    )  # fmt: skip
