"""How the tables of statistics name problems and write numbers: NaN becomes an empty cell."""

from __future__ import annotations

import math

from cpcbench.experiment.statistics.runs import ProblemRuns, RunArrays
from cpcbench.problems.facts import facts
from cpcbench.problems.registry import SUITE
from cpcbench.report.table import Cell


def label(problem: ProblemRuns) -> str:
    """The problem's id, with its size where that is not the published one."""
    published = problem.id in SUITE and facts(problem.id).n == problem.n
    return problem.id if published else problem.label


def unequal(runs: RunArrays) -> list[str]:
    left = len(runs.problems) - len(runs.common)
    return [f"Not every solver ran on every problem: {left} of {len(runs.problems)} differ."] if left else []


def rounded(value: float, digits: int = 3) -> Cell:
    """None where there is nothing to show."""
    return None if math.isnan(value) else round(float(value), digits)


def evaluations(value: float) -> Cell:
    return None if math.isnan(value) else round(float(value), 1)


def significant(p: float) -> float:
    return float(f"{p:.3g}")


def power(precision: float) -> str:
    return f"{precision:.0e}".replace("e-0", "e-") if precision else "0"
