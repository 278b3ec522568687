"""The solvers on a study's page: profiles, and the tables of how often, how fast and how the runs ended."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.report.page import drawing, markup
from cpcbench.report.study.charts import Chart
from cpcbench.report.table import Table

OPEN = ("success", "reached", "failures")
"""The tables shown at once, by the beginning of their key; the others are a click away."""

LONG = 12
"""Rows from which on a table is a click away, too."""


def solvers_part(charts: Sequence[Chart], tables: Sequence[Table]) -> str:
    """Profiles side by side, then the tables."""
    drawn = "".join(map(drawing.chart, charts))
    shown = tuple(table.key for table in tables if table.key.startswith(OPEN) and len(table.rows) < LONG)
    return (f'<div class="charts">{drawn}</div>' if drawn else "") + markup.tables(tables, shown)
