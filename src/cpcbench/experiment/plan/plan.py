"""The plan of a study: which solver runs on which problem, how often, and from which seed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunKey
from cpcbench.limits import MOST_RUNS, checked_budget, checked_seconds
from cpcbench.problems.problem import Problem
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.registry import OWN, Solver, solver
from cpcbench.solvers.sources import Source, shown_source, solver_source


@dataclass(frozen=True)
class Task:
    """One run to be made. `solver` is how a worker finds the method again: a name, a place or a Solver."""

    problem: Problem
    solver: Any
    label: str
    run: int
    study_seed: int
    budget: int | None = None
    seconds: float | None = None
    source: Source = field(default_factory=dict)
    """Of the solver, when the study was planned."""

    @property
    def key(self) -> RunKey:
        return self.problem.id, self.problem.dim, self.problem.rule, self.label, self.run

    @property
    def seed(self) -> np.random.SeedSequence:
        """Depends on the problem, the solver and the run alone: not on order, workers or the machine."""
        where = f"{self.problem.id} {self.problem.dim} {self.problem.rule}"
        return np.random.SeedSequence(self.study_seed, spawn_key=(_number(where), _number(self.label), self.run))


def plan(
    problems: Sequence[Problem],
    solvers: Sequence[Any],
    runs: int,
    *,
    seed: int = 0,
    budget: int | None = None,
    seconds: float | None = None,
) -> list[Task]:
    """All runs of a study, run 1 of everything first, so that a study cut short is still balanced, and by problem."""
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise CpcbenchError(f"runs is a whole number from 1 on, not {runs!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise CpcbenchError(f"a seed is a whole number from 0 on, not {seed!r}")
    if seconds is not None:
        checked_seconds(seconds)
    if budget is not None:
        checked_budget(budget)
    if not problems or not solvers:
        raise CpcbenchError("a study needs at least one problem and one solver")
    known = [solver(item) for item in solvers]
    _all_different([f"{p.id} n = {p.dim} {p.rule}" for p in problems], "problem")
    for method in known:
        if method.name in OWN and method.solve is not solver(method.name).solve:
            raise CpcbenchError(
                f"{method.name} names one of our own solvers, but this is another: give it another name"
            )
    _all_different([s.name for s in known], "solver")
    readers, functions = [s.name for s in known if s.expression], [p.id for p in problems if isinstance(p, BlackBox)]
    if readers and functions:
        raise CpcbenchError(
            f"{', '.join(readers)} reads the formula, and {', '.join(functions)} is a function without one: choose "
            "solvers that only evaluate"
        )
    once = sum(method.deterministic for method in known)
    total = len(problems) * (once + (len(known) - once) * runs)
    if total > MOST_RUNS:
        raise CpcbenchError(
            f"a study has at most {MOST_RUNS:,} runs, this would be {total:,} (--runs {runs}): ask for fewer, "
            "or for several studies"
        )
    sources = [solver_source(item) for item in solvers]
    tasks = [
        (_turn(method, run, p is problems[0]), Task(p, item, method.name, run, seed, budget, seconds, source))
        for run in range(1, runs + 1)
        for p in problems
        for item, method, source in zip(solvers, known, sources, strict=True)
        if run == 1 or not method.deterministic
    ]
    return [task for _, task in sorted(tasks, key=lambda placed: placed[0])]


def _turn(method: Solver, run: int, first: bool) -> tuple[int, int]:
    """When a run is made. What a solver has to compile may take a minute: one run of it is begun at once, and those of
    solvers that the clock stops come last, so that other workers have something else to do meanwhile."""
    if run == 1 and first and method.prepare is not None:
        return run, 0
    return run, 2 if method.seconds is not None else 1


def _all_different(names: list[str], what: str) -> None:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise CpcbenchError(f"the same {what} twice in one study: {', '.join(sorted(twice))}")


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def fingerprint(p: Problem) -> str:
    """Tells problems of the user's own apart, which may share an id: formula, or source of a function, and box."""
    what = p.source.get("sha256") or shown_source(p.source) if isinstance(p, BlackBox) else p.formula
    return hashlib.sha256(repr((what, p.bounds)).encode()).hexdigest()


def described_problem(p: Problem) -> dict[str, Any]:
    """What a study keeps of a problem of the user's own, so that its runs can be read without the user."""
    what = {"function": p.source} if isinstance(p, BlackBox) else {"formula": p.formula}
    return {"sha256": fingerprint(p), **what, "bounds": [list(pair) for pair in p.bounds]}


def described(method: Solver, task: Task, memory: int | None = None) -> dict[str, Any]:
    """What must not change within a study for the runs of one solver to belong together."""
    limits = {} if memory is None else {"memory": memory}  # as in studies that know no such limit
    budget, seconds = task.budget, task.seconds
    return {
        "source": task.source,
        "parameters": {k: repr(v) for k, v in sorted(method.parameters.items())},
        "budget": budget if budget is not None else method.budget,
        "seconds": seconds if seconds is not None else method.seconds,
        "undefined": method.undefined,
        **limits,
    }
