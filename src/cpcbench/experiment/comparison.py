"""Solvers compared on equal budgets: one study a budget, and what each solver comes to in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.experiment.plan.problems import known_problem
from cpcbench.experiment.statistics.runs import RunArrays
from cpcbench.experiment.statistics.success import wilson
from cpcbench.experiment.statistics.targets import SOLVED, thresholds
from cpcbench.limits import MOST_EVALUATIONS
from cpcbench.solvers.registry import OUTSIDE, PAPERS, solver, solvers
from cpcbench.solvers.run import FAILED, OUT_OF_TIME

Flags = NDArray[np.bool_]
LARGEST = MOST_EVALUATIONS


def black_boxes() -> list[str]:
    """The solvers of a comparison by default: the search, the paper's methods and every outside solver that is
    installed, as far as they only call the objective."""
    there = set(solvers())
    named = ["cpc", *PAPERS, *(name for name in OUTSIDE if name in there)]
    return [name for name in named if not solver(name).expression]


def reads_the_formula(name: str) -> bool | None:
    """Whether a solver sees more than values; None for one that is not known here, such as another user's."""
    try:
        return solver(name).expression
    except UnknownNameError:
        return None


def checked_budgets(budgets: Iterable[float]) -> list[int]:
    """The budgets as whole numbers, rising, each once."""
    given = list(budgets)
    if not given or not all(1 <= b <= LARGEST and float(b).is_integer() for b in given):
        raise CpcbenchError(f"budgets are whole numbers of evaluations from 1 to {LARGEST:g}, not {given!r}")
    return sorted({int(b) for b in given})


def study_of(store: Path, budget: int) -> Path:
    """The file of one budget's study: a store holds one budget only."""
    return store.with_name(f"{store.stem}-{budget}{store.suffix or '.db'}")


@dataclass(frozen=True)
class Standing:
    """One solver under one budget, over all problems it ran on.

    `reached` counts runs whose verified value is at the best-known one to 1e-4, `faithful` those of them whose point
    is faithful, `published` those at the published value, which may be higher; `lower` to `upper` is Wilson's
    interval of the share reached. `solved` are the problems that at least one run reached, `solved_faithful` those
    with a faithful one, `expected` how many `equal_runs` of the runs made would reach on average: solvers with more
    runs are not favoured there. `share` is NaN if no run had a target.
    """

    solver: str
    runs: int
    reached: int
    faithful: int
    share: float
    lower: float
    upper: float
    problems: int
    solved: int
    solved_faithful: int
    published: int
    solved_published: int
    expected: float
    evaluations: float
    out_of_time: int
    failed: int
    nothing: int


def standings(runs: RunArrays, precision: float = SOLVED) -> list[Standing]:
    """What each solver of a study comes to, the highest share first; equal shares in the study's order."""
    found = [_standing(runs, s, precision) for s in range(len(runs.solvers))]
    return sorted(found, key=lambda one: (-np.nan_to_num(one.share, nan=-1.0), -one.solved))


def reached_runs(runs: RunArrays, precision: float = SOLVED) -> tuple[Flags, Flags]:
    """For each run whether its verified value is at the target at all, and whether in a faithful point."""
    faithful: Flags = np.isfinite(runs.hits[:, runs.place(precision)])  # thin points and artefacts hit nothing
    return faithful | runs.reached_apart(precision), faithful


def published_runs(runs: RunArrays, precision: float = SOLVED) -> Flags:
    """For each run whether its verified value is at the published one; never where nothing is published."""
    known = [known_problem(p.id, p.n, runs.rule) for p in runs.problems]
    values = [np.nan if p is None or p.published is None else float(p.published.value) for p in known]
    levels = [thresholds(value, (precision,))[0] for value in values]
    at: Flags = runs.verified <= np.array(levels)[runs.problem]
    return at


def equal_runs(runs: RunArrays) -> int:
    """As many runs as every solver made on every problem it ran on, solvers with a single run aside."""
    fewest: dict[int, int] = {}
    for (_, s), places in runs.cells.items():
        fewest[s] = min(len(places), fewest.get(s, len(places)))
    return min((count for count in fewest.values() if count > 1), default=1)


def _expected(runs: RunArrays, s: int, reached: Flags) -> float:
    """Problems that `equal_runs` runs, drawn from those made, reach on average."""
    count, total = equal_runs(runs), 0.0
    for (p, solver_place), places in runs.cells.items():
        if solver_place == s and runs.with_targets[p]:
            made, missed = len(places), len(places) - int(reached[places].sum())
            drawn = min(count, made)
            total += 1.0 - comb(missed, drawn) / comb(made, drawn)
    return total


def _standing(runs: RunArrays, s: int, precision: float) -> Standing:
    reached, faithful = reached_runs(runs, precision)
    mine = (runs.solver == s) & runs.with_targets[runs.problem]
    count = int(mine.sum())

    def ended(statuses: Collection[str]) -> int:
        return sum(e.count for e in runs.endings if e.solver == runs.solvers[s] and e.status in statuses)

    def tally(flags: Flags) -> tuple[int, int]:
        """The runs with a flag, and the problems that have one."""
        return int((mine & flags).sum()), len(set(runs.problem[mine & flags].tolist()))

    (good, solved), (true, solved_faithful) = tally(reached), tally(faithful)
    published, solved_published = tally(published_runs(runs, precision))
    lower, upper = wilson(good, count)
    return Standing(
        solver=runs.solvers[s], runs=count, reached=good, faithful=true, share=good / count if count else np.nan,
        lower=float(lower), upper=float(upper), problems=tally(mine)[1], solved=solved,
        solved_faithful=solved_faithful, published=published, solved_published=solved_published,
        expected=_expected(runs, s, reached),
        evaluations=float(np.median(runs.evaluations[mine])) if count else np.nan,
        out_of_time=ended(OUT_OF_TIME), failed=ended(set(FAILED) - set(OUT_OF_TIME)),
        nothing=tally(np.isnan(runs.verified))[0],
    )  # fmt: skip
