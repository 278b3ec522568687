"""Tables that hold solvers against each other, and say how their runs ended."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cpcbench.experiment.statistics.comparisons import LEVEL, PairTest, average_ranks, wins
from cpcbench.experiment.statistics.runs import RunArrays
from cpcbench.report.study.statistics_cells import label, rounded, significant, unequal
from cpcbench.report.study.tables import shortened
from cpcbench.report.table import Cell, Table
from cpcbench.solvers.run import FAILED, STATUSES


def ranks_table(runs: RunArrays) -> Table:
    """The average rank of each solver over the problems, and Friedman's test."""
    found = average_ranks(runs)
    rows: list[tuple[Cell, ...]] = []
    for s in np.argsort(found.average, kind="stable"):
        best = int((found.ranks[:, s] == found.ranks.min(axis=1, initial=math.inf)).sum())
        rows.append((runs.solvers[s], rounded(found.average[s]), best))
    test = (
        "Friedman's test needs three solvers and two problems that tell them apart."
        if math.isnan(found.p)
        else f"Friedman's test: statistic {found.statistic:.4g}, p-value {found.p:.3g}."
    )
    return Table(
        key=f"ranks-{runs.rule}",
        title=f"Average ranks of the solvers over {len(found.problems)} problems (rule {runs.rule})",
        columns=("solver", "average rank", "problems best on"),
        rows=tuple(rows),
        notes=(
            "On each problem solvers are ranked, 1 the best, by the mean place of their runs among all runs; a run "
            "that returned nothing admissible comes after every other, a thin point after every regular one.",
            test,
            *unequal(runs),
        ),
    )


def wins_table(runs: RunArrays, tests: Sequence[PairTest]) -> Table:
    """On how many problems the solver of the row is significantly better than, like and worse than the column's."""
    counts = wins(runs, list(tests))
    rows: list[tuple[Cell, ...]] = []
    for a, name in enumerate(runs.solvers):
        cells = [None if a == b else "/".join(map(str, counts[a, b])) for b in range(len(runs.solvers))]
        rows.append((name, *cells))
    return Table(
        key=f"wins-{runs.rule}",
        title=f"Problems won/tied/lost by the solver of the row (rule {runs.rule})",
        columns=("solver", *runs.solvers),
        rows=tuple(rows),
        notes=(
            f"Won, lost: rank-sum test of the verified values, p-value below {LEVEL:g} after Holm's correction over "
            "the pairs of a problem. With few runs nothing can be significant, and all is tied.",
        ),
    )


def pairs_table(runs: RunArrays, tests: Sequence[PairTest]) -> Table:
    """Every test between two solvers on a problem."""
    sizes = {(p.id, p.n): label(p) for p in runs.problems}
    return Table(
        key=f"pairs-{runs.rule}",
        title=f"Rank-sum tests of the verified values (rule {runs.rule})",
        columns=("function", "first", "second", "runs", "nothing found", "first better", "p-value", "Holm", "winner"),
        rows=tuple(
            (
                sizes[t.problem, t.n], t.first, t.second, f"{t.runs[0]}, {t.runs[1]}",
                f"{t.nothing[0]}, {t.nothing[1]}", rounded(t.effect), significant(t.p), significant(t.adjusted),
                t.winner(),
            )
            for t in tests
        ),
        notes=("First better: the chance that a run of the first beats one of the second, ties counted half.",),
    )  # fmt: skip


def endings_table(runs: RunArrays) -> Table:
    """How the runs of each solver ended."""
    there = {e.status for e in runs.endings}
    shown = (*(s for s in STATUSES if s in there), *sorted(there - set(STATUSES)))
    counts = {(name, status): 0 for name in runs.solvers for status in shown}
    for ending in runs.endings:
        counts[ending.solver, ending.status] += ending.count
    nothing = np.bincount(runs.solver[np.isnan(runs.verified)], minlength=len(runs.solvers))
    rows: list[tuple[Cell, ...]] = []
    for s, name in enumerate(runs.solvers):
        rows.append((name, *(counts[name, status] for status in shown), int(nothing[s])))
    return Table(
        key=f"endings-{runs.rule}",
        title=f"How the runs ended (rule {runs.rule})",
        columns=("solver", *shown, "nothing found"),
        rows=tuple(rows),
        notes=("Nothing found: runs that returned no admissible point, however they ended.",),
    )


def failures_table(runs: RunArrays) -> Table:
    """The failures by name: solver, problem, how many, and what the first of them said."""
    sizes = {(p.id, p.n): label(p) for p in runs.problems}
    return Table(
        key=f"failures-{runs.rule}",
        title=f"Runs that failed (rule {runs.rule})",
        columns=("solver", "function", "ended", "runs", "first message"),
        rows=tuple(
            (e.solver, sizes[e.problem, e.n], e.status, e.count, shortened(e.message) or None)
            for e in runs.endings
            if e.status in FAILED
        ),
    )
