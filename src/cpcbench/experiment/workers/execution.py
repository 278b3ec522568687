"""Making the run of a task: the same record wherever it is done."""

from __future__ import annotations

from cpcbench.experiment.plan.plan import Task
from cpcbench.experiment.store.record import RunRecord, from_outcome
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
    seed = f"{task.study_seed}:{','.join(map(str, task.seed.spawn_key))}"
    return from_outcome(
        task.problem, method, task.run, seed, outcome, budget=task.budget, seconds=task.seconds,
        source=as_it_is_now(task.source), again=again,
    )  # fmt: skip
