"""Feasible ratios as a table: our estimate with its interval, the published figure and whether both agree."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cpcbench.report.table import Cell, Row, Table
from cpcbench.studies.feasible.ratio import FeasibleRatio

COLUMNS = (
    "problem", "n", "ratio (%)", "95 % from (%)", "95 % to (%)", "published (%)", "confirmed", "method",
    "admissible", "draws",
)  # fmt: skip
WIDE = 0.25
"""Relative standard error of splitting beyond which its interval is doubted."""


def feasible_table(results: Sequence[FeasibleRatio]) -> Table:
    """One row a problem, in the order given."""
    rules = sorted({result.rule for result in results})
    return Table(
        key="-".join(["feasible-ratio", *rules]),
        title=f"Feasible ratios (rule {', '.join(rules)})",
        columns=COLUMNS,
        rows=map(_row, results),
        notes=_notes(results),
    )


def _row(result: FeasibleRatio) -> Row:
    interval, counted = result.interval, result.counted
    width = interval.high - interval.low
    return (
        result.problem, result.dim, percent(result.ratio, width), percent(interval.low, width),
        percent(interval.high, width), _published(result), result.confirmed, result.method,
        None if counted is None else sum(counted.hits), None if counted is None else counted.total,
    )  # fmt: skip


def percent(share: float, width: float) -> float:
    """The share in percent, to a hundredth of the interval's width: more digits would say nothing."""
    if not width > 0.0:
        return 100.0 * share
    return round(100.0 * share, max(0, 2 - math.floor(math.log10(100.0 * width))))


def _published(result: FeasibleRatio) -> Cell:
    """The figure as printed; text where it is a bound."""
    if result.published is None:
        return None
    printed = float(f"{100.0 * result.published:.12g}")
    return f"<= {printed:.15g}" if result.published_is_bound else f"{printed:.15g}"


def _notes(results: Sequence[FeasibleRatio]) -> list[str]:
    notes = [
        "An interval is Clopper and Pearson's of the pooled count, or Student's over independent splitting runs.",
        "Confirmed: the interval meets the one that the published count leaves open, both at 95 %.",
    ]
    for verdict, words in ((True, "Confirmed"), (False, "Not confirmed")):
        named = [result.problem for result in results if result.confirmed is verdict]
        if named:
            notes.append(f"{words} ({len(named)}): {', '.join(named)}.")
    notes += [
        f"The intervals of splitting and of the count do not meet for {r.problem}: trust neither."
        for r in results
        if r.counted and r.split and r.split.found and not r.split.interval.meets(r.counted.interval)
    ]
    wide = [r.problem for r in results if r.split is not None and WIDE < r.split.relative_error < math.inf]
    if wide:
        notes.append(f"The splitting runs on {', '.join(wide)} differ widely: the interval may be too short.")
    lost = [r.problem for r in results if r.split is not None and not r.split.found]
    if lost:
        notes.append(f"Splitting found no way into the domain of {', '.join(lost)}.")
    return notes
