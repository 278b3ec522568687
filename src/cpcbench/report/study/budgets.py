"""The tables and curves of a comparison: every solver under every budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from cpcbench.experiment.comparison import equal_runs, reached_runs, reads_the_formula, standings
from cpcbench.experiment.statistics.curves import ecdf
from cpcbench.experiment.statistics.runs import RunArrays
from cpcbench.experiment.statistics.success import running_times
from cpcbench.experiment.statistics.targets import SOLVED
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.statistics import ecdf_table, label, power, rounded, with_targets
from cpcbench.report.table import Cell, Table

Studies = Mapping[int, RunArrays]
"""The runs of each budget."""

STANDING = (
    "solver", "sees", "runs", "reached", "share", "95 % from", "to", "faithful", "best of all runs",
    "faithful best", "published value", "published best", "of equal runs", "evaluations",
    "out of time", "failed", "nothing found",
)  # fmt: skip


def comparison_tables(studies: Studies, circumstances: Mapping[int, Circumstances] | None = None) -> list[Table]:
    """For each budget the standings, the runs that reach each problem's value, running times, and targets reached."""
    made: list[Table] = []
    for budget, runs in studies.items():
        tables = list(with_targets(runs, *_of_budget(budget, runs)))
        made += circumstances[budget].stated(tables, runs.rule) if circumstances else tables
    return made


def _of_budget(budget: int, runs: RunArrays) -> Iterator[Table]:
    yield standings_table(budget, runs)
    yield problems_table(budget, runs)
    yield times_table(budget, runs)
    table = ecdf_table(runs)
    yield replace(table, key=f"{table.key}-{budget}", title=f"{table.title}, {budget:,} evaluations")


def standings_table(budget: int, runs: RunArrays) -> Table:
    """Each solver over all problems, the best first."""
    rows = tuple(
        (
            one.solver, _sees(one.solver), one.runs, one.reached, _percent(one.share), _percent(one.lower),
            _percent(one.upper), one.faithful, f"{one.solved} of {one.problems}", one.solved_faithful,
            one.published, one.solved_published, rounded(one.expected, 1), _whole(one.evaluations),
            one.out_of_time, one.failed, one.nothing,
        )
        for one in standings(runs)
    )  # fmt: skip
    return Table(
        key=f"standings-{runs.rule}-{budget}",
        title=f"Runs that reach the best-known value to {power(SOLVED)}, {budget:,} evaluations (rule {runs.rule})",
        columns=STANDING,
        rows=rows,
        notes=(
            f"Reached: the verified value of the returned point is at most best + {power(SOLVED)} * max(1, |best|), "
            "whatever kind of point it is; faithful: those of them that are no thin points or artefacts. "
            "From, to: Wilson's interval of the share. Published value, published best: runs and problems at the value "
            "that was published, where a lower one is known now.",
            "Best of all runs: problems that at least one run reaches. Of equal runs: how many of them "
            f"{equal_runs(runs)} of a solver's runs reach on average, which is fairer if some have more runs.",
            "Evaluations: the median a run made; a solver that ends by itself makes fewer than it may. A deterministic "
            "solver is run once on each problem.",
            *_formula_note(runs),
        ),
    )


def problems_table(budget: int, runs: RunArrays) -> Table:
    """For each solver and problem the runs that reach the value, of how many."""
    reached, _ = reached_runs(runs)
    counts = {at: f"{int(reached[places].sum())}/{len(places)}" for at, places in runs.cells.items()}
    return _grid(
        "problems", "Runs that reach each problem's value", budget, runs, lambda p, s: counts.get((p, s)),
        "Of all kinds of points, as above.",
    )  # fmt: skip


def times_table(budget: int, runs: RunArrays) -> Table:
    """For each solver and problem the expected running time to the value, in evaluations."""
    times, k = running_times(runs, resamples=0).value, runs.place(SOLVED)
    return _grid(
        "times", f"Expected running time to a faithful {power(SOLVED)}", budget, runs,
        lambda p, s: f"{times[p, s, k]:.3g}" if math.isfinite(times[p, s, k]) else None,
        "All evaluations spent over the number of runs that get there; - where none does.",
    )  # fmt: skip


def _grid(key: str, title: str, budget: int, runs: RunArrays, cell: Callable[[int, int], Cell], note: str) -> Table:
    """Solvers down, the best first, problems across."""
    order = [runs.solvers.index(one.solver) for one in standings(runs)]
    return Table(
        f"{key}-{runs.rule}-{budget}", f"{title}, {budget:,} evaluations (rule {runs.rule})",
        ("solver", *(label(p).removeprefix("CPC-") for p in runs.problems)),
        ((runs.solvers[s], *(cell(p, s) for p in range(len(runs.problems)))) for s in order), (note,),
    )  # fmt: skip


def draw_ecdf(studies: Studies, folder: Path) -> list[Path]:
    """One figure a budget: the share of all targets reached after so many evaluations."""
    from cpcbench.report.figures.draw import draw_curves
    from cpcbench.report.figures.files import save

    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for budget, runs in studies.items():
        curves = {curve.name: curve for curve in ecdf(runs)}
        best_first = [curves[one.solver] for one in standings(runs)]
        title = f"Share of targets reached, {budget:,} evaluations"
        figure = draw_curves(best_first, "evaluations", "share of (problem, target, run)", log_x=True, title=title)
        made.append(save(figure, folder / f"ecdf-{runs.rule}-{budget}.png"))
    return made


def _sees(name: str) -> Cell:
    reads = reads_the_formula(name)
    return None if reads is None else "formula" if reads else "values"


def _formula_note(runs: RunArrays) -> list[str]:
    readers = [name for name in runs.solvers if reads_the_formula(name)]
    if not readers:
        return []
    return [
        f"Not comparable with the others, because they read the formula and need not evaluate: {', '.join(readers)}."
    ]


def _percent(share: float) -> Cell:
    return None if math.isnan(share) else f"{100 * share:.0f} %"


def _whole(value: float) -> Cell:
    return None if math.isnan(value) else round(value)
