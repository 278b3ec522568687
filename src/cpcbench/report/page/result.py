"""The beginning of a study's page: who won, on what, by how much, with what budget, in a sentence, a picture and a
table."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.experiment.store.record import RunRecord
from cpcbench.report.page import drawing, markup
from cpcbench.report.study.charts import Chart
from cpcbench.report.study.result import Result
from cpcbench.report.table import Cell

NOTHING = "No run reaches a target here, so there is nothing to draw."


def result_part(found: Result, picture: Chart | None, first: bool) -> str:
    """One rule's result; the first of them is the page's heading."""
    size = 1 if first else 2
    drawn = drawing.chart(picture) if picture is not None else f'<p class="notes">{markup.text(NOTHING)}</p>'
    ground = "".join(f"<p>{markup.text(line)}</p>" for line in found.ground)
    return (
        f'<h{size} class="answer">{markup.text(found.sentence)}</h{size}>'
        f'<div class="columns result"><div>{drawn}</div>'
        f"<div>{markup.table(found.table, custom=_bars(found), heading=size + 1)}</div></div>"
        f'<div class="lead small">{ground}</div>'
    )


def tiles(records: Sequence[RunRecord]) -> str:
    """The size of a study in a few numbers."""
    problems = len({(r.problem, r.n) for r in records})
    nothing = sum(not r.found for r in records)
    numbers = [
        (f"{problems}", "problem" + "s" * (problems > 1)),
        (f"{len({r.solver for r in records})}", "solvers"),
        (f"{len(records):,}", "runs"),
        (f"{sum(r.evaluations for r in records):,}", "evaluations"),
        (f"{100 * nothing / len(records):.0f} %", "of the runs found nothing admissible"),
    ]
    return boxes(numbers)


def boxes(numbers: Sequence[tuple[str, str]]) -> str:
    inner = "".join(f"<div><b>{markup.text(a)}</b><span>{markup.text(b)}</span></div>" for a, b in numbers)
    return f'<div class="tiles">{inner}</div>'


def _bars(found: Result) -> markup.Custom:
    """The share as a bar behind its number, and the winner in bold."""

    def drawn(_: int, column: int, value: Cell) -> str | None:
        if column == 0 and value == found.winner:
            return f"<b>{markup.text(value)}</b>"
        if column != 1 or not isinstance(value, str):
            return None
        percent = value.removesuffix(" %")
        return (
            f'<span class="share"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="whole" width="100" height="10"/><rect width="{percent}" height="10"/></svg>'
            f"{markup.text(value)}</span>"
        )

    return drawn
