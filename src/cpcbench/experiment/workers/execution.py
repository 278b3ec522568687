"""Making the run of a task: the same record wherever it is done."""

from __future__ import annotations

import math
from typing import Any

from cpcbench.experiment.plan.plan import Task
from cpcbench.experiment.plan.scripts import part_of_box
from cpcbench.experiment.store.record import RunRecord, installed_versions, plain, readings
from cpcbench.experiment.verify.verification import verify
from cpcbench.problems.problem import Problem
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.registry import Solver, solver
from cpcbench.solvers.run import Listener, Outcome, run_once
from cpcbench.solvers.sources import as_it_is_now


def execute(task: Task) -> RunRecord:
    """Makes one run and verifies what it returned."""
    method = solver(task.solver)
    return recorded(task, method, attempted(task, method))


def attempted(task: Task, method: Solver, listener: Listener | None = None) -> Outcome:
    return run_once(task.problem, method, task.seed, budget=task.budget, seconds=task.seconds, listener=listener)


def recorded(task: Task, method: Solver, outcome: Outcome, *, again: bool = True) -> RunRecord:
    """The record of a run; the returned point is read again by all three readings, whatever was reported.

    The study's limits hold where it set them, else the solver's own. `again` is False where reading the point again
    ends the process: nothing is then known of it.
    """
    p = task.problem
    return RunRecord(
        problem=p.id, n=p.dim, rule=p.rule, solver=method.name, run=task.run,
        seed=f"{task.study_seed}:{','.join(map(str, task.seed.spawn_key))}",
        parameters={str(name): plain(value) for name, value in method.parameters.items()},
        budget=task.budget if task.budget is not None else method.budget,
        seconds_limit=task.seconds if task.seconds is not None else method.seconds,
        status=outcome.status,
        message=outcome.message if again else f"{outcome.message}; could not be evaluated again",
        x=outcome.x, reported=outcome.value,
        **(_verified(task, outcome) if again else readings(None, "undecided", "inadmissible")),
        evaluations=outcome.evaluations, undefined=outcome.undefined, seconds=outcome.seconds,
        trajectory=outcome.trajectory, versions=dict(installed_versions()), solver_source=as_it_is_now(task.source),
        problem_source=as_it_is_now(p.source) if isinstance(p, BlackBox) else _part(p),
        optima=outcome.optima,
    )  # fmt: skip


def _part(p: Problem) -> dict[str, str]:
    """The box, where it is a part of the problem's own."""
    box = part_of_box(p)
    return {} if box is None else {"box": box}


def _verified(task: Task, outcome: Outcome) -> dict[str, Any]:
    if outcome.x is None:
        return readings(None)
    if not all(map(math.isfinite, outcome.x)):
        return readings(None, "outside", "inadmissible")  # not a point of the reals, so in no domain
    return readings(verify(task.problem, outcome.x, outcome.value))
