"""The statistics of a study as tables: targets reached, running times, profiles, ranks, and how the runs ended."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from cpcbench.experiment.statistics.comparisons import LEVEL, PairTest, average_ranks, rank_sum_tests, wins
from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, ecdf_areas, longest, performance_profile
from cpcbench.experiment.statistics.runs import ProblemRuns, RunArrays, gather
from cpcbench.experiment.statistics.success import RunningTimes, SuccessRates, running_times, success_rates
from cpcbench.experiment.statistics.targets import SOLVED
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.peaks import peaks_tables
from cpcbench.report.study.solutions import held_line, label_of, shortened
from cpcbench.report.table import Cell, Row, Table
from cpcbench.solvers.run import FAILED, STATUSES

RATIOS = (1.0, 2.0, 5.0, 10.0, 100.0)


def statistics_tables(source: Store | Iterable[RunRecord], *, pairs: bool = False) -> list[Table]:
    """Every table of statistics, rule by rule; `pairs` adds each single test between two solvers.

    A store is read run by run: memory does not grow with the length of the trajectories.
    """
    given = source if isinstance(source, Store) else list(source)
    seen = Circumstances(given)
    made = [table for runs in gather(given) for table in seen.stated(_of_rule(runs, pairs), runs.rule)]
    return [*made, *peaks_tables(given, seen=seen)]


def _of_rule(runs: RunArrays, pairs: bool) -> Iterator[Table]:
    rates, times, tests = success_rates(runs), running_times(runs), rank_sum_tests(runs)
    yield from with_targets(
        runs, reached_table(runs, rates), solved_table(runs, rates, times), running_times_table(runs, times),
        ecdf_table(runs), performance_profile_table(runs), data_profile_table(runs),
    )  # fmt: skip
    yield ranks_table(runs)
    yield wins_table(runs, tests)
    yield endings_table(runs)
    if pairs:
        yield pairs_table(runs, tests)
    if any(e.status in FAILED for e in runs.endings):
        yield failures_table(runs)


def with_targets(runs: RunArrays, *tables: Table) -> Iterator[Table]:
    """Tables of targets, each with what the values are held against."""
    words = {"study": "lowest faithful value of this study", "none": "nothing"}
    line = held_line({label(p): words.get(p.source, p.source) for p in runs.problems})
    return (replace(table, notes=(line, *table.notes)) for table in tables)


def _table(
    runs: RunArrays, key: str, title: str, columns: Iterable[str], rows: Iterable[Row], notes: Iterable[str] = ()
) -> Table:
    return Table(f"{key}-{runs.rule}", f"{title} (rule {runs.rule})", columns, rows, notes)


# Targets: how often and how fast they are reached


def reached_table(runs: RunArrays, rates: SuccessRates) -> Table:
    """For each solver the share of its runs, over all problems, that reach each target."""
    usable = np.where(runs.with_targets[:, None, None], rates.runs, 0).sum(axis=0)
    solved, k = rates.solved.sum(axis=0), runs.place(SOLVED)
    rows = []
    for s, name in enumerate(runs.solvers):
        shares = [rounded(a / b) if b else None for a, b in zip(solved[s], usable[s], strict=True)]
        apart = [int(counts[:, s, k].sum()) for counts in (rates.thin, rates.artefact)]
        rows.append((name, int(usable[s, k]), *shares, *apart))
    return _table(
        runs, "reached", "Share of runs that reach the best value, by precision",
        ("solver", "runs", *map(power, runs.precisions), "thin apart", "artefacts apart"), rows,
        (
            "A run reaches a target if the point it returned is faithful and its verified value is at most "
            "best + precision * max(1, |best|).",
            f"Apart: runs that end at the target {power(SOLVED)} in a thin point or an artefact; not in the shares.",
            *_target_notes(runs, rates),
        ),
    )  # fmt: skip


def _target_notes(runs: RunArrays, rates: SuccessRates) -> list[str]:
    """What must be known of the targets: whose value they are, and where only odd points reach them."""
    k = runs.place(SOLVED)
    solved, odd = (counts[:, :, k].sum(axis=1) for counts in (rates.solved, rates.thin + rates.artefact))
    words = {
        "No best-known value: held against the lowest faithful one of this study": [
            label(p) for p in runs.problems if p.source == "study"
        ],
        "No best-known value and no faithful one in this study, so no targets": [
            label(p) for p in runs.problems if p.source == "none"
        ],
        "Reached by thin points or artefacts only": [
            label(p) for p, a, b in zip(runs.problems, solved, odd, strict=True) if b and not a
        ],
    }
    return [f"{text}: {', '.join(names)}." for text, names in words.items() if names]


def solved_table(runs: RunArrays, rates: SuccessRates, times: RunningTimes) -> Table:
    """For each problem and solver the runs that solve it, with intervals, and what they cost."""
    k = runs.place(SOLVED)
    rows = []
    for p, s in runs.cells:
        at = p, s, k
        made, solved, thin, artefact = (int(a[at]) for a in (rates.runs, rates.solved, rates.thin, rates.artefact))
        bounds = (rounded(a[at]) for a in (rates.share, rates.lower, rates.upper))
        costs = (rounded(a[at], 1) for a in (times.value, times.lower, times.upper, times.par2))
        rows.append((label(runs.problems[p]), runs.solvers[s], made, solved, *bounds, thin, artefact, *costs))
    return _table(
        runs, "solved", f"Runs that solve a problem, to {power(SOLVED)}",
        (
            "function", "solver", "runs", "solved", "share", "from", "to", "thin apart", "artefacts apart",
            "ERT", "ERT from", "ERT to", "PAR-2",
        ),
        rows,
        (
            "From, to: 95 % intervals, Wilson's for the share, the bootstrap's for the running time.",
            "ERT: all evaluations spent over the number of runs that solve the problem; inf if none does. "
            "PAR-2: mean evaluations, a failed run counted as twice its budget.",
        ),
    )  # fmt: skip


def running_times_table(runs: RunArrays, times: RunningTimes) -> Table:
    """For each problem and solver the expected running time to each target."""
    return _table(
        runs, "running-times", "Expected running time to each precision, in evaluations",
        ("function", "solver", *map(power, runs.precisions)),
        (
            (label(runs.problems[p]), runs.solvers[s], *(rounded(value, 1) for value in times.value[p, s]))
            for p, s in runs.cells
        ),
        ("inf: no run reaches the target.",),
    )  # fmt: skip


# Curves: the solvers over the whole study


def ecdf_table(runs: RunArrays) -> Table:
    """For each solver the share of all (problem, target, run) reached, at powers of ten of the evaluations."""
    top = longest(runs)
    decades = [10.0**i for i in range(math.floor(math.log10(top)) + 1)]
    shown = decades if decades[-1] == top else [*decades, top]
    return _curves_table(
        runs, "ecdf", "Share of all targets reached after so many evaluations", ecdf(runs, shown), shown,
        (
            f"Targets: {len(runs.precisions)} precisions from {power(runs.precisions[0])} to "
            f"{power(runs.precisions[-1])} on each problem, in each run.",
            f"Area: under the curve over the logarithm of the evaluations, 1 to {top:g}, as a share.",
            *_unequal(runs),
        ),
        area=ecdf_areas(runs),
    )  # fmt: skip


def performance_profile_table(runs: RunArrays) -> Table:
    """For each solver the share of problems it solves at most so many times as slowly as the fastest."""
    curves = performance_profile(runs)
    title = f"Performance profile: share of problems solved to {power(SOLVED)} within a factor of the fastest"
    note = f"By expected running time, on {curves[0].count} problems on which every solver ran."
    return _curves_table(runs, "performance-profile", title, curves, RATIOS, (note,))


def data_profile_table(runs: RunArrays) -> Table:
    """For each solver the share of (problem, run) solved within so many times n + 1 evaluations."""
    curves = data_profile(runs)
    last = max((float(curve.x[-1]) for curve in curves if len(curve.x)), default=1.0)
    shown = [10.0**i for i in range(max(1, math.ceil(math.log10(max(last, 1.0)))) + 1)]
    title = (
        f"Data profile: share of runs that solve their problem to {power(SOLVED)} within so many times n + 1 "
        "evaluations"
    )
    return _curves_table(runs, "data-profile", title, curves, shown, ("On the problems on which every solver ran.",))


def _curves_table(
    runs: RunArrays, key: str, title: str, curves: Sequence[Curve], shown: Sequence[float], notes: Iterable[str],
    area: Sequence[float] | np.ndarray | None = None,
) -> Table:  # fmt: skip
    """Each curve's share at the numbers shown, and its share far right, or the area under it."""
    last = [curve.limit for curve in curves] if area is None else area
    rows = ((c.name, *map(rounded, c.at(shown)), rounded(end)) for c, end in zip(curves, last, strict=True))
    columns = ("solver", *(f"{x:g}" for x in shown), "ever" if area is None else "area")
    return _table(runs, key, title, columns, rows, notes)


# Solvers against each other


def ranks_table(runs: RunArrays) -> Table:
    """The average rank of each solver over the problems, and Friedman's test."""
    found = average_ranks(runs)
    best = (found.ranks == found.ranks.min(axis=1, initial=math.inf, keepdims=True)).sum(axis=0)
    order = np.argsort(found.average, kind="stable")
    test = (
        "Friedman's test needs three solvers and two problems that tell them apart."
        if math.isnan(found.p)
        else f"Friedman's test: statistic {found.statistic:.4g}, p-value {found.p:.3g}."
    )
    return _table(
        runs, "ranks", f"Average ranks of the solvers over {len(found.problems)} problems",
        ("solver", "average rank", "problems best on"),
        ((runs.solvers[s], rounded(found.average[s]), int(best[s])) for s in order),
        (
            "Solvers are compared with each other.",
            "On each problem solvers are ranked, 1 the best, by the mean place of their runs among all runs; a run "
            "that returned nothing admissible comes after every other, a thin point after every regular one.",
            test,
            *_unequal(runs),
        ),
    )  # fmt: skip


def wins_table(runs: RunArrays, tests: Sequence[PairTest]) -> Table:
    """On how many problems the solver of the row is significantly better than, like and worse than the column's."""
    counts, every = wins(runs, list(tests)), range(len(runs.solvers))
    return _table(
        runs, "wins", "Problems won/tied/lost by the solver of the row", ("solver", *runs.solvers),
        (
            (runs.solvers[a], *(None if a == b else "/".join(map(str, counts[a, b])) for b in every))
            for a in every
        ),
        (
            "Solvers are compared with each other.",
            f"Won, lost: rank-sum test of the verified values, p-value below {LEVEL:g} after Holm's correction over "
            "the pairs of a problem. With few runs nothing can be significant, and all is tied.",
        ),
    )  # fmt: skip


def pairs_table(runs: RunArrays, tests: Sequence[PairTest]) -> Table:
    """Every test between two solvers on a problem."""
    return _table(
        runs, "pairs", "Rank-sum tests of the verified values",
        ("function", "first", "second", "runs", "nothing found", "first better", "p-value", "Holm", "winner"),
        (
            (
                label_of(t.problem, t.n), t.first, t.second, f"{t.runs[0]}, {t.runs[1]}",
                f"{t.nothing[0]}, {t.nothing[1]}", rounded(t.effect), float(f"{t.p:.3g}"), float(f"{t.adjusted:.3g}"),
                t.winner(),
            )
            for t in tests
        ),
        ("First better: the chance that a run of the first beats one of the second, ties counted half.",),
    )  # fmt: skip


# How the runs ended


def endings_table(runs: RunArrays) -> Table:
    """How the runs of each solver ended; a status of another version comes after those of this one."""
    counts: Counter[tuple[str, str]] = Counter()
    for ending in runs.endings:
        counts[ending.solver, ending.status] += ending.count
    there = {e.status for e in runs.endings}
    shown = (*(s for s in STATUSES if s in there), *sorted(there - set(STATUSES)))
    nothing = np.bincount(runs.solver[np.isnan(runs.verified)], minlength=len(runs.solvers))
    return _table(
        runs, "endings", "How the runs ended", ("solver", *shown, "nothing found"),
        (
            (name, *(counts[name, status] for status in shown), int(nothing[s]))
            for s, name in enumerate(runs.solvers)
        ),
        ("Nothing found: runs that returned no admissible point, however they ended.",),
    )  # fmt: skip


def failures_table(runs: RunArrays) -> Table:
    """The failures by name: solver, problem, how many, and what the first of them said."""
    rows = (
        (e.solver, label_of(e.problem, e.n), e.status, e.count, shortened(e.message) or None)
        for e in runs.endings
        if e.status in FAILED
    )
    return _table(runs, "failures", "Runs that failed", ("solver", "function", "ended", "runs", "first message"), rows)


# How problems are named and numbers written


def label(problem: ProblemRuns) -> str:
    return label_of(problem.id, problem.n)


def rounded(value: float, digits: int = 3) -> Cell:
    """None where there is nothing to show."""
    return None if math.isnan(value) else round(float(value), digits)


def power(precision: float) -> str:
    return f"{precision:.0e}".replace("e-0", "e-") if precision else "0"


def _unequal(runs: RunArrays) -> list[str]:
    left = len(runs.problems) - len(runs.common)
    return [f"Not every solver ran on every problem: {left} of {len(runs.problems)} differ."] if left else []
