"""Whether runs belong into a study: another seed, setting, source or formula under a name it knows is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.plan import Task, described, described_problem
from cpcbench.experiment.plan.scripts import part_of_box
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store, same_setting
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import definitions, problem
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.registry import solver
from cpcbench.solvers.sources import same_source, shown_source

Settings = dict[str, dict[str, Any]]


def join(study: Store, tasks: Sequence[Task], seed: int, memory: int | None) -> None:
    """Notes in the study what the tasks are made with; a store holds one study, what would mix two is refused."""
    there = study.keys()
    begun = study.settings() if there else {}
    if begun.get("seed", seed) != seed:
        raise CpcbenchError(f"{study.path} was begun with seed {begun['seed']}, not {seed}: choose another store")
    with_runs = {key[3] for key in there}
    solvers: Settings = {name: value for name, value in begun.get("solvers", {}).items() if name in with_runs}
    for task in {task.label: task for task in tasks}.values():
        now = described(solver(task.solver), task, memory)
        before = solvers.setdefault(task.label, now)
        _check_settings(study.path, task.label, before, now)
        if not before.get("source"):  # of the first version
            solvers[task.label] = now
    with_runs = {f"{id_} {n} {rule}" for id_, n, rule, _, _ in there}
    problems = {name: value for name, value in begun.get("problems", {}).items() if name in with_runs}
    for p in {task.problem for task in tasks}:
        name, found = f"{p.id} {p.dim} {p.rule}", described_problem(p)
        if p.id in definitions():  # noted only where a part of the box is searched
            _check_box(study.path, p, problems.get(name, {}) if name in with_runs else found)
            if part_of_box(p) is None:
                continue
        if not same_setting(problems.setdefault(name, found), found):
            what = "source" if isinstance(p, BlackBox) else "formula"
            raise CpcbenchError(
                f"{study.path} holds runs of a problem {p.id} with another {what} or box: "
                "choose another store, or give this one an id of its own"
            )
        problems[name] = found
    study.note(seed=seed, solvers=solvers, problems=problems)


def _check_box(path: Path, p: Problem, before: dict[str, Any]) -> None:
    """A study holds runs of a suite's problem on one box; `before` is what it noted, nothing for the whole box."""
    here = problem(p.id, n=p.dim if p.scalable else None).bounds
    if before.get("bounds", [list(pair) for pair in here]) != [list(pair) for pair in p.bounds]:
        raise CpcbenchError(f"{path} holds runs of {p.id} on another box than {p.bounds[0]}: choose another store")


def _check_settings(path: Path, name: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    changed = [k for k in {**before, **now} if k != "source" and before.get(k) != now.get(k)]
    if changed:
        words = ", ".join(f"{k} {before.get(k)!r}, now {now.get(k)!r}" for k in changed)
        raise CpcbenchError(f"{path} holds runs of {name} with other settings ({words}): choose another store")
    if not same_source(before.get("source"), now.get("source")):
        raise CpcbenchError(
            f"{path} holds runs of {name} from another source ({shown_source(before.get('source'))}; now "
            f"{shown_source(now.get('source'))}): choose another store, or give this solver another name"
        )


def check_unchanged(record: RunRecord, task: Task, path: Path) -> None:
    """Whether a run was made with the sources that the study was begun with: files can be edited meanwhile."""
    problem = task.problem.source if isinstance(task.problem, BlackBox) else {}
    pairs = [(record.solver, task.source, record.solver_source), (record.problem, problem, record.problem_source)]
    for name, before, now in pairs:
        if not same_source(before, now):
            raise CpcbenchError(
                f"{name} was changed while the study ran ({shown_source(before)}; now {shown_source(now)}): the runs "
                f"made before are kept in {path}, this one is not"
            )
