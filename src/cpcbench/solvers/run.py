"""One run of one solver on one problem: what it was given, what it returned, how it ended."""

from __future__ import annotations

import math
import time
import traceback
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpcbench.problems.problem import Problem
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import Solver


@dataclass(frozen=True)
class Outcome:
    """What a run came to.

    `status`: "finished" (the solver returned), "budget" or "time" (it was stopped; its best so far
    counts), "failed" (it raised or returned garbage; `message` says what). `x` is None if nothing
    admissible was found. `value` is what the solver reported.
    """

    status: str
    x: tuple[float, ...] | None
    value: float | None
    evaluations: int
    undefined: int
    seconds: float
    trajectory: tuple[tuple[int, float], ...] = field(repr=False)
    message: str = ""


def run_once(
    problem: Problem,
    solver: Solver,
    seed: np.random.SeedSequence | int,
    *,
    budget: int | None = None,
    seconds: float | None = None,
) -> Outcome:
    """Runs the solver once; whatever it does is recorded as what it is."""
    objective = Objective(
        problem,
        budget=budget if budget is not None else solver.budget,
        undefined=solver.undefined,
        seconds=seconds if seconds is not None else solver.seconds,
    )
    rng = np.random.default_rng(seed)
    start = time.perf_counter()
    message = ""
    try:
        result = solver.solve(objective, rng, **solver.parameters)
        status = "finished"
        x, value, message = _returned(result, objective)
        if message.startswith("garbage"):
            status = "failed"
    except StopRun as stop:
        status, x, value = stop.reason, _tuple(objective.best_x), _number(objective.best_value)
    except (Exception, SystemExit) as error:  # a solver may raise anything, even leave; the study goes on
        status, x, value = "failed", _tuple(objective.best_x), _number(objective.best_value)
        message = "".join(traceback.format_exception_only(error)).strip()
    return Outcome(
        status=status,
        x=x,
        value=value,
        evaluations=objective.evaluations,
        undefined=objective.undefined_count,
        seconds=time.perf_counter() - start,
        trajectory=tuple(objective.trajectory),
        message=message,
    )


def _returned(result: Any, objective: Objective) -> tuple[tuple[float, ...] | None, float | None, str]:
    """The point and value a solver returned, checked for shape only: it may well be wrong or a lie."""
    try:
        x = result["x"] if isinstance(result, dict) else result.x
        fun = result["fun"] if isinstance(result, dict) else result.fun
        message = str(getattr(result, "message", ""))
        if x is None:
            return None, None, message
        point = np.asarray(x, dtype=np.float64)
        value = float(np.asarray(fun).reshape(()))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return None, None, f"garbage returned: {error!r}"
    if point.shape != (objective.dim,):
        return None, None, f"garbage returned: x has the shape {point.shape}, not ({objective.dim},)"
    return _tuple(point), value, message


def _tuple(x: Any) -> tuple[float, ...] | None:
    return None if x is None else tuple(float(v) for v in x)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
