"""The paper's whole experiment as a plan: its algorithms, our answer to the closed one, its 28 functions, 20 runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cpcbench.experiment.plan.scripts import on_boxes
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE
from cpcbench.solvers.registry import PAPERS, Solver, solver

RULE = "strict"
"""The rule of the authors' scripts, which the published values belong to."""
ANSWERS = {"UGO": "cpc"}
"""Our open answers to closed programs, which fill their columns: they are not those programs."""
RUNS = 20
QUICK_RUNS = 3
QUICK_SECONDS = 1.0
"""For solvers that are stopped by the clock; all other settings stay as published."""


@dataclass(frozen=True)
class Experiment:
    """Problems, solvers and runs, ready for `run`."""

    problems: list[Problem]
    solvers: list[Any]
    runs: int
    note: str
    rule: str = RULE


def experiment(quick: bool = False, boxes: str = "paper") -> Experiment:
    """The paper's experiment; `quick` makes fewer runs and gives branch and bound less time.

    `boxes` are those that the paper prints, or those that its scripts search.
    """
    problems = on_boxes(SUITE, RULE, boxes)
    searched = "" if boxes == "paper" else ", on the boxes of the scripts"
    if not quick:
        return Experiment(
            problems, [*PAPERS, *ANSWERS.values()], RUNS, f"the published settings, {RUNS} runs{searched}"
        )
    note = f"a reduced version: {QUICK_RUNS} runs instead of {RUNS}, branch and bound for {QUICK_SECONDS:g} s{searched}"
    methods = [solver(name) for name in (*PAPERS, *ANSWERS.values())]
    quick_ones = [Solver(**{**m.__dict__, "seconds": None if m.seconds is None else QUICK_SECONDS}) for m in methods]
    return Experiment(problems, quick_ones, QUICK_RUNS, note)
