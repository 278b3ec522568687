"""Several optima as a table: how many distinct ones each solver found, by accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cpcbench.experiment.statistics.peaks import ACCURACIES, PeakCounts, peak_counts
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.problems.records import SAME_PLACE
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.solutions import label_of
from cpcbench.report.table import Row, Table


def peaks_tables(
    source: Store | Iterable[RunRecord], accuracies: Sequence[float] = ACCURACIES, seen: Circumstances | None = None
) -> list[Table]:
    """One table a rule; none where no problem of the study has several optima."""
    given = source if isinstance(source, Store) else list(source)
    counts = peak_counts(given, accuracies)
    stated = seen or Circumstances(given)
    made = []
    for rule in sorted({one.rule for one in counts}):
        made += stated.stated([peaks_table([one for one in counts if one.rule == rule], rule, accuracies)], rule)
    return made


def peaks_table(counts: Sequence[PeakCounts], rule: str, accuracies: Sequence[float] = ACCURACIES) -> Table:
    """For each problem with several optima and each solver, the distinct ones found."""
    names = [f"{accuracy:.0e}".replace("e-0", "e-") for accuracy in sorted(set(accuracies), reverse=True)]
    return Table(
        key=f"peaks-{rule}",
        title=f"Distinct optima found on functions with several, by accuracy (rule {rule})",
        columns=(
            "function", "optima", "solver", "runs", *(f"all runs, {name}" for name in names),
            *(f"a run, {name}" for name in names), "best run",
        ),
        rows=map(_row, counts),
        notes=(
            "Held against: the best-known value, which is the proven infimum where there is a proof. An optimum is "
            "found at an accuracy if a faithful point within "
            f"{SAME_PLACE:g} of the box of it has a value at most best + accuracy * max(1, |best|).",
            "All runs: distinct optima that the runs of a solver found together, and in brackets the peak ratio, their "
            "share of the optima. A run: the mean number that a single run found, which is 1 at most unless the solver "
            "returns further points as its optima; best run: the most at the last accuracy.",
            "Optima: counted with proof, or those on record and their images by symmetry (*), of which there may be "
            "more.",
        ),
    )  # fmt: skip


def _row(one: PeakCounts) -> Row:
    count = f"{one.optima:,}{'' if one.proven else ' *'}"
    return (
        label_of(one.problem, one.n), count, one.solver, len(one.single),
        *(f"{found} ({ratio:.3g})" for found, ratio in zip(one.together, one.ratio, strict=True)),
        *(round(float(mean), 3) for mean in one.single.mean(axis=0)), int(one.single[:, -1].max()),
    )  # fmt: skip
