"""The white-box solver behind `minimize` and in studies: a problem in, SciPy's OptimizeResult out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.ending import RAISED, Ending, attach
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.unbounded import solve_anywhere
from cpcbench.solvers.white_box.judge import Candidate
from cpcbench.solvers.white_box.limits import Watch
from cpcbench.solvers.white_box.result import WhiteBoxResult
from cpcbench.solvers.white_box.start import STEPS, compile_searches, prepare
from cpcbench.solvers.whole import whole_variables

SECONDS = 30.0
"""Where neither a time nor a number of evaluations is given."""
NO_LIMIT = 1e9


def minimize_expression(
    problem: Problem,
    rng: np.random.Generator,
    budget: int | None,
    seconds: float | None,
    watch: Watch,
    all_optima: bool,
    progress: Callable[[str], None],
    starts: Floats | None = None,
    workers: int = 1,
) -> OptimizeResult:
    """The lowest faithful point as the answer, the lowest thin one and artefact beside it.

    A lower point is the answer if its value is the real one with the formula's constants as the doubles that they are
    rounded to, as at 0.3 in sqrt(x1 - 0.3), which is a little less than 0.3; `constants` is "double" then.
    Where nothing faithful was found, the lowest thin point is the answer, or else the lowest artefact; `kind` says so.
    """
    if seconds is None:
        seconds = SECONDS if budget is None else NO_LIMIT
    progress("compiling the formula")
    with np.errstate(all="ignore"):
        if problem.bounded and not whole_variables(problem).any():
            prepare(problem, budget)
    progress("searching" if STEPS.is_compiled() else "searching, slowly at first: the search itself is being compiled")
    careful = _Careful(watch)
    found = solve_anywhere(
        problem, rng, seconds=seconds, budget=budget, watch=careful, all_optima=all_optima, starts=starts,
        workers=workers,
    )  # fmt: skip
    if careful.error is None:
        return _result(found, all_optima)
    found.ending = Ending(f"ended by {type(careful.error).__name__}", RAISED)
    attach(careful.error, _result(found, all_optima))
    raise careful.error


class _Careful:
    """The user's callback; an error of its own ends the search first and is raised afterwards."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._settings = np.geterr()
        self.error: BaseException | None = None

    def __call__(self, x: Floats, value: float, evaluations: int) -> bool:
        try:
            with np.errstate(**self._settings):
                return self._watch(x, value, evaluations)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.error = error
            return True


def _result(found: WhiteBoxResult, all_optima: bool) -> OptimizeResult:
    best = _best(found)
    made = OptimizeResult(
        x=None if best is None else best.x.copy(),
        fun=np.nan if best is None else best.value,
        kind=None if best is None else best.kind,
        nfev=found.evaluations,
        nread=found.reads,
        nit=found.epochs,
        seconds=found.seconds,
        thin=found.thin,
        artefact=found.artefact,
        constants="decimal" if found.rounded is None else "double",
        method="white-box",
    )
    result = found.ending.applied(made)
    if best is not None:
        result.message = found.message
    if all_optima:
        result.optima = found.optima
    return result


def _best(found: WhiteBoxResult) -> Candidate | None:
    if found.rounded is not None:
        return found.rounded
    if found.x is not None:
        return Candidate(found.x, found.value, found.value, "faithful")
    return found.thin or found.artefact


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    seconds: float = 30.0,
    budget: int | None = None,
    **settings: Any,
) -> OptimizeResult:
    """The solver as studies run it; it reads the formula, and tells the objective what it evaluated."""
    left = min(seconds, max(objective.seconds_left - 0.5, 0.5))
    most = min(objective.remaining, math.inf if budget is None else budget)

    def improved(x: Floats, _value: float, evaluations: int) -> bool:
        objective.evaluations = evaluations - 1  # this one the objective counts
        objective(x)
        return False

    limit = None if math.isinf(most) else int(most)
    found = solve_anywhere(objective.problem, rng, seconds=left, budget=limit, watch=improved, **settings)
    objective.evaluations = found.evaluations
    if found.x is not None:
        improved(found.x, found.value, found.evaluations)
    objective.undefined_count = found.undefined
    return OptimizeResult(
        x=found.x, fun=found.value, nfev=found.evaluations, success=found.x is not None, message=found.message,
        thin=found.thin, artefact=found.artefact, optima=[other.x for other in found.optima],
    )  # fmt: skip


SOLVER = Solver(
    name="cpc-white",
    solve=solve,
    undefined="nan",
    expression=True,
    seconds=45.0,
    summary="reads the formula: conditions, edges, corners, last bits and thin sets",
    prepare=compile_searches,  # a worker may leave no process behind that compiles
)
