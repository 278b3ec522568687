"""The paper's whole experiment as a plan: its algorithms, its 28 functions, its 20 runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cpcbench.problems.registry import SUITE
from cpcbench.solvers.registry import OWN, Solver, solver

REDUCED: dict[str, dict[str, Any]] = {
    "GA": {"max_generations": 150},
    "BFGS+MS": {"starts": 100},
}
"""Settings of the quick version; everything else stays as published."""

REDUCED_SECONDS = {"B&B": 2.0}


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
    """The paper's experiment; `quick` reduces runs and the longest settings, not the problems."""
    if not quick:
        return Experiment(list(SUITE), list(OWN), 20, "the published settings, 20 runs")
    reduced = [_reduced(solver(name)) for name in OWN]
    changes = "; ".join(f"{name} {_words(settings)}" for name, settings in REDUCED.items())
    limits = "; ".join(f"{name} {seconds:g} s" for name, seconds in REDUCED_SECONDS.items())
    return Experiment(list(SUITE), reduced, 3, f"a reduced version: 3 runs instead of 20; {changes}; {limits}")


def _reduced(method: Solver) -> Solver:
    changed = method.with_parameters(**REDUCED.get(method.name, {}))
    seconds = REDUCED_SECONDS.get(method.name, changed.seconds)
    return Solver(**{**changed.__dict__, "seconds": seconds})


def _words(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())
