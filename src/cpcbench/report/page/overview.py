"""The suite at a glance: what it is about, and its problems as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cpcbench.experiment.verify.verification import verify
from cpcbench.problems.facts import Published
from cpcbench.report.page import markup
from cpcbench.report.page.result import boxes
from cpcbench.report.page.sheets import Sheet
from cpcbench.report.table import Cell, Table

LEAD = (
    "Global optimisation problems whose objective has no value on most of the box: a logarithm of a negative number, "
    "a root, a fractional power. The conditions a point must meet are nowhere stated; they are hidden in the formula."
)


def overview(sheets: Sequence[Sheet]) -> str:
    """How a page without a study begins."""
    known = [s.problem.published for s in sheets if s.problem is not None]
    numbers = [(str(len(sheets)), "problems"), (str(sum(k is not None for k in known)), "published optima")]
    return (
        f'<h1>Optimisation where the objective is undefined</h1><p class="lead">{markup.text(LEAD)}</p>{boxes(numbers)}'
    )


def problems_table(sheets: Sequence[Sheet], heading: int = 3) -> str:
    """The problems that are known here, each with a link to its sheet."""
    rows, places = [], []
    for s in sheets:
        if (p := s.problem) is None:
            continue
        known = p.published
        kind = verify(p, known.points[0], known.value).kind if known is not None else None
        places.append(s.place)
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

    def linked(row: int, column: int, value: Cell) -> str | None:
        return f'<a href="#{places[row]}">{markup.text(value)}</a>' if column == 0 else None

    return markup.table(data, custom=linked, heading=heading) if rows else ""


def _published_ratio(known: Published | None) -> float | None:
    return None if known is None or math.isnan(known.feasible_ratio) else known.feasible_ratio
