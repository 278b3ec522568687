"""The paper's whole experiment as a plan: its algorithms, its 28 functions, its 20 runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cpcbench.problems.registry import SUITE
from cpcbench.solvers.registry import PAPERS, Solver, solver

RUNS = 20
QUICK_RUNS = 3
QUICK_SECONDS = 2.0
"""For solvers that are stopped by the clock; all other settings stay as published."""


@dataclass(frozen=True)
class Experiment:
    """Problems, solvers and runs, ready for `run`."""

    problems: list[str]
    solvers: list[Any]
    runs: int
    note: str
    rule: str = "strict"
    """The rule of the authors' scripts, which the published values belong to."""


def experiment(quick: bool = False) -> Experiment:
    """The paper's experiment; `quick` makes fewer runs and gives branch and bound less time."""
    if not quick:
        return Experiment(list(SUITE), list(PAPERS), RUNS, f"the published settings, {RUNS} runs")
    note = f"a reduced version: {QUICK_RUNS} runs instead of {RUNS}, branch and bound for {QUICK_SECONDS:g} s"
    methods = [solver(name) for name in PAPERS]
    quick_ones = [Solver(**{**m.__dict__, "seconds": None if m.seconds is None else QUICK_SECONDS}) for m in methods]
    return Experiment(list(SUITE), quick_ones, QUICK_RUNS, note)
