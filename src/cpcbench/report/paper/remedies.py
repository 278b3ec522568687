"""The paper's two remedies measured: each of its algorithms as it is, with admissible starts, and with conditions."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.experiment.plan.problems import CPC
from cpcbench.report.paper.cells import Cell, Cells
from cpcbench.report.table import Row, Table
from cpcbench.solvers.registry import PAPERS, REMEDIES


def remedies_table(cells: Cells) -> Table:
    """One row for each algorithm, without and with each remedy, over the 25 functions."""
    names = [name for plain in PAPERS for name in (plain, *(f"{plain}+{remedy}" for remedy in REMEDIES))]
    helped = [name for name in names if cells.of(name)]
    alone = [name for name in helped if name in PAPERS and not any(f"{name}+{r}" in helped for r in REMEDIES)]
    return Table(
        key="remedies",
        title="The remedies on the 25 functions",
        columns=(
            "solver", "functions", "runs", "runs with an admissible point (%)", "runs of Type I (%)",
            "functions of Type I", "functions of Type II", "functions of Type III",
        ),
        rows=(_row(name, cells.of(name)) for name in helped if name not in alone),
        notes=(
            "+start: begun at an admissible point found by uniform draws, which count as evaluations. +conditions: "
            "undefined points graded by how far they are from meeting the conditions read off the formula.",
            "The type of a function is that of the best run, so that more runs favour a solver; shares of runs do not "
            "depend on their number.",
            f"Figures: {cells.source}; rule strict, seed 0, settings as published.",
        ),
    )  # fmt: skip


def _row(name: str, mine: Sequence[Cell]) -> Row:
    runs = sum(cell.runs for cell in mine)
    counts = ([c.admissible for c in mine], [c.type_i for c in mine])
    shares = [round(100.0 * sum(n / c.runs for n, c in zip(of, mine, strict=True)) / len(mine), 1) for of in counts]
    types = [sum(word in cell.types for cell in mine) for word in ("I", "II", "III")]
    return name, f"{len(mine)} of {len(CPC)}", runs, *shares, *types
