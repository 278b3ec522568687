"""The paper's conclusions, claim by claim: confirmed, refined or refuted, with figures that are worked out here."""

from __future__ import annotations

from cpcbench.experiment.plan.reproduction import ANSWERS
from cpcbench.report.paper.cells import SOLVERS, Cells
from cpcbench.report.paper.function_claims import of_functions
from cpcbench.report.paper.printed import RULE
from cpcbench.report.paper.run_claims import of_runs
from cpcbench.report.paper.verdicts import CONFIRMED, REFINED, REFUTED, Claim
from cpcbench.report.table import Table


def claims_table(cells: Cells) -> Table:
    """All claims, the figures of runs from the cells given."""
    found = claims(cells)
    counts = ", ".join(f"{sum(c.verdict == v for c in found)} {v}" for v in (CONFIRMED, REFINED, REFUTED))
    return Table(
        key="claims",
        title="The paper's conclusions, claim by claim",
        columns=("about", "the paper says", "verdict", "figures", "command"),
        rows=((c.about, c.claim, c.verdict, c.figures, c.command) for c in found),
        notes=(
            f"{len(found)} claims: {counts}.",
            f"Figures of runs: {cells.source}; rule {RULE}; runs of a solver on a function: {_runs(cells)}.",
            *(f"{name} is closed; {answer} is our open answer to it, not it." for name, answer in ANSWERS.items()),
        ),
    )


def claims(cells: Cells) -> list[Claim]:
    """Every claim: on the experiment, then on what is known of the functions."""
    return [*of_runs(cells), *of_functions()]


def _runs(cells: Cells) -> str:
    numbers = sorted({cell.runs for name in SOLVERS for cell in cells.of(name) if name != "B&B"})
    return " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1])))) + ", B&B 1"
