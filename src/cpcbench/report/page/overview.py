"""The overview: what the page is about, and the suite at a glance."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.verify.verification import verify
from cpcbench.problems.facts import Published
from cpcbench.report.page import markup
from cpcbench.report.page.sheets import Sheet, place
from cpcbench.report.table import Cell, Table

LEAD = (
    "Global optimisation problems whose objective has no value on most of the box: a logarithm of a negative number, "
    "a root, a fractional power. The conditions a point must meet are nowhere stated; they are hidden in the formula."
)


def _published_ratio(known: Published | None) -> float | None:
    return None if known is None or math.isnan(known.feasible_ratio) else known.feasible_ratio


def overview(sheets: Sequence[Sheet], records: Sequence[RunRecord]) -> str:
    rows = []
    kinds: list[str] = []
    for s in sheets:
        p, known = s.problem, s.problem.published
        kind = verify(p, known.points[0], known.value).kind if known is not None else None
        kinds += [kind] if kind else []
        rows.append((
            p.id, p.dim, float(f"{100 * s.ratio.ratio:.4g}") if s.ratio else None, _published_ratio(known),
            known.value if known else None, kind, known.optima if known else None, len(p.conditions), p.title,
        ))  # fmt: skip
    data = Table(
        key="suite",
        title="The problems",
        columns=(
            "problem", "n", "admissible, %", "published, %", "published value", "its optimum is", "optima",
            "conditions", "title",
        ),
        rows=rows,
        notes=("faithful: the value in doubles is the real one. artefact: a rounding accident. thin: admissible only "
               "because an exponent is a whole number there. inadmissible: the reals have no value there.",),
    )  # fmt: skip

    def linked(_: int, column: int, value: Cell) -> str | None:
        return f'<a href="#{place(str(value))}">{markup.text(value)}</a>' if column == 0 else None

    tiles = [(str(len(sheets)), "problems"), (str(kinds.count("faithful")), "published optima faithful to the reals")]
    if records:
        tiles += [
            (str(len({r.solver for r in records})), "solvers"),
            (f"{len(records):,}", "runs"),
            (f"{100 * sum(not r.found for r in records) / len(records):.0f} %", "of the runs found nothing admissible"),
        ]
    boxes = "".join(f"<div><b>{markup.text(a)}</b><span>{markup.text(b)}</span></div>" for a, b in tiles)
    return (
        f'<h1>Optimisation where the objective is undefined</h1><p class="lead">{markup.text(LEAD)}</p>'
        f'<div class="tiles">{boxes}</div>{markup.table(data, custom=linked, heading=2)}'
    )
