"""The paper's tables on the page, published beside measured."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.experiment.store.record import RunRecord
from cpcbench.report.page import markup
from cpcbench.report.paper.beside import paper_tables

OPEN = ("side-by-side", "differences", "known-errors")
"""The tables that are shown at once; the others are a click away."""


def reproduction_section(records: Sequence[RunRecord]) -> str:
    tables = paper_tables(records)
    shown = "".join(markup.table(t) for t in tables if t.key in OPEN)
    rest = [t for t in tables if t.key not in OPEN]
    more = "".join(
        f'<details class="more"><summary>{markup.text(t.title)}</summary>{markup.table(t)}</details>' for t in rest
    )
    return f"{shown}<h3>All tables</h3>{more}"
