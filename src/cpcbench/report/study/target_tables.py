"""Tables of the targets that runs reach: how often, how fast, and how the solvers compare over a whole study."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, ecdf_areas, longest, performance_profile
from cpcbench.experiment.statistics.runs import RunArrays
from cpcbench.experiment.statistics.success import RunningTimes, SuccessRates
from cpcbench.experiment.statistics.targets import SOLVED
from cpcbench.report.study.statistics_cells import evaluations, label, power, rounded, unequal
from cpcbench.report.table import Cell, Table

RATIOS = (1.0, 2.0, 5.0, 10.0, 100.0)


def reached_table(runs: RunArrays, rates: SuccessRates) -> Table:
    """For each solver the share of its runs, over all problems, that reach each target."""
    usable = np.where(runs.with_targets[:, None, None], rates.runs, 0).sum(axis=0)
    solved, k = rates.solved.sum(axis=0), runs.place(SOLVED)
    rows: list[tuple[Cell, ...]] = []
    for s, name in enumerate(runs.solvers):
        shares = [_share(solved[s, j], usable[s, j]) for j in range(len(runs.precisions))]
        apart = [int(counts[:, s, k].sum()) for counts in (rates.thin, rates.artefact)]
        rows.append((name, int(usable[s, k]), *shares, *apart))
    return Table(
        key=f"reached-{runs.rule}",
        title=f"Share of runs that reach the best value, by precision (rule {runs.rule})",
        columns=("solver", "runs", *map(power, runs.precisions), "thin apart", "artefacts apart"),
        rows=tuple(rows),
        notes=(
            "A run reaches a target if the point it returned is faithful and its verified value is at most "
            "best + precision * max(1, |best|).",
            f"Apart: runs that end at the target {power(SOLVED)} in a thin point or an artefact; not in the shares.",
            *_target_notes(runs, rates),
        ),
    )


def solved_table(runs: RunArrays, rates: SuccessRates, times: RunningTimes) -> Table:
    """For each problem and solver the runs that solve it, with intervals, and what they cost."""
    k = runs.place(SOLVED)
    rows: list[tuple[Cell, ...]] = []
    for p, s in runs.cells:
        at = p, s, k
        bounds = (rounded(rates.share[at]), rounded(rates.lower[at]), rounded(rates.upper[at]))
        costs = tuple(evaluations(a[at]) for a in (times.value, times.lower, times.upper, times.par2))
        counts = tuple(int(a[at]) for a in (rates.runs, rates.solved))
        apart = int(rates.thin[at]), int(rates.artefact[at])
        rows.append((label(runs.problems[p]), runs.solvers[s], *counts, *bounds, *apart, *costs))
    return Table(
        key=f"solved-{runs.rule}",
        title=f"Runs that solve a problem, to {power(SOLVED)} (rule {runs.rule})",
        columns=(
            "function", "solver", "runs", "solved", "share", "from", "to", "thin apart", "artefacts apart",
            "ERT", "ERT from", "ERT to", "PAR-2",
        ),
        rows=tuple(rows),
        notes=(
            "From, to: 95 % intervals, Wilson's for the share, the bootstrap's for the running time.",
            "ERT: all evaluations spent over the number of runs that solve the problem; inf if none does. "
            "PAR-2: mean evaluations, a failed run counted as twice its budget.",
        ),
    )  # fmt: skip


def running_times_table(runs: RunArrays, times: RunningTimes) -> Table:
    """For each problem and solver the expected running time to each target."""
    rows = tuple(
        (label(runs.problems[p]), runs.solvers[s], *(evaluations(value) for value in times.value[p, s]))
        for p, s in runs.cells
    )
    return Table(
        key=f"running-times-{runs.rule}",
        title=f"Expected running time to each precision, in evaluations (rule {runs.rule})",
        columns=("function", "solver", *map(power, runs.precisions)),
        rows=rows,
        notes=("inf: no run reaches the target.",),
    )


def ecdf_table(runs: RunArrays) -> Table:
    """For each solver the share of all (problem, target, run) reached, at powers of ten of the evaluations."""
    top = longest(runs)
    decades = [10.0**i for i in range(math.floor(math.log10(top)) + 1)]
    shown = decades if decades[-1] == top else [*decades, top]
    rows = [
        (curve.solver, *_at(curve, shown), rounded(area))
        for curve, area in zip(ecdf(runs, shown), ecdf_areas(runs), strict=True)
    ]
    return Table(
        key=f"ecdf-{runs.rule}",
        title=f"Share of all targets reached after so many evaluations (rule {runs.rule})",
        columns=("solver", *(f"{x:g}" for x in shown), "area"),
        rows=tuple(rows),
        notes=(
            f"Targets: {len(runs.precisions)} precisions from {power(runs.precisions[0])} to "
            f"{power(runs.precisions[-1])} on each problem, in each run.",
            f"Area: under the curve over the logarithm of the evaluations, 1 to {top:g}, as a share.",
            *unequal(runs),
        ),
    )


def performance_profile_table(runs: RunArrays, cost: str = "ert") -> Table:
    """For each solver the share of problems it solves at most so many times as slowly as the fastest."""
    curves = performance_profile(runs, cost=cost)
    return Table(
        key=f"performance-profile-{runs.rule}",
        title=f"Performance profile: share of problems solved to {power(SOLVED)} within a factor of the fastest "
        f"(rule {runs.rule})",
        columns=("solver", *(f"{x:g}" for x in RATIOS), "ever"),
        rows=tuple((curve.solver, *_at(curve, RATIOS), rounded(curve.limit)) for curve in curves),
        notes=(f"By expected running time, on {curves[0].count} problems on which every solver ran.",),
    )


def data_profile_table(runs: RunArrays) -> Table:
    """For each solver the share of (problem, run) solved within so many times n + 1 evaluations."""
    curves = data_profile(runs)
    last = max((float(curve.x[-1]) for curve in curves if len(curve.x)), default=1.0)
    shown = [10.0**i for i in range(max(1, math.ceil(math.log10(max(last, 1.0)))) + 1)]
    return Table(
        key=f"data-profile-{runs.rule}",
        title=f"Data profile: share of runs that solve their problem to {power(SOLVED)} within so many times n + 1 "
        f"evaluations (rule {runs.rule})",
        columns=("solver", *(f"{x:g}" for x in shown), "ever"),
        rows=tuple((curve.solver, *_at(curve, shown), rounded(curve.limit)) for curve in curves),
        notes=("On the problems on which every solver ran.",),
    )


def _target_notes(runs: RunArrays, rates: SuccessRates) -> list[str]:
    """What must be known of the targets: whose value they are, and where only odd points reach them."""
    k, notes = runs.place(SOLVED), []
    own = [label(p) for p in runs.problems if p.best.source == "study"]
    if own:
        notes.append(f"No best-known value: held against the lowest faithful one of this study: {', '.join(own)}.")
    without = [label(p) for p in runs.problems if p.best.source == "none"]
    if without:
        notes.append(f"No best-known value and no faithful one in this study, so no targets: {', '.join(without)}.")
    solved = rates.solved[:, :, k].sum(axis=1)
    odd = (rates.thin + rates.artefact)[:, :, k].sum(axis=1)
    only = [label(p) for p, a, b in zip(runs.problems, solved, odd, strict=True) if a == 0 and b > 0]
    if only:
        notes.append(f"Reached by thin points or artefacts only: {', '.join(only)}.")
    return notes


def _at(curve: Curve, x: Sequence[float]) -> list[Cell]:
    return [rounded(value) for value in curve.at(x)]


def _share(part: int, whole: int) -> Cell:
    return rounded(part / whole) if whole else None
