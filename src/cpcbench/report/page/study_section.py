"""The study's part of the page: the types of every cell, the charts, and the tables of statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cpcbench.experiment.record import RunRecord
from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, performance_profile
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.store import Store
from cpcbench.report.page import markup
from cpcbench.report.page.study import matrices, runs_data
from cpcbench.report.statistics import statistics_tables
from cpcbench.report.table import Table
from cpcbench.report.tables import summary_tables

Curves = Callable[[RunArrays], list[Curve]]

CHARTS: dict[str, tuple[str, Curves, str, str]] = {
    "ecdf": ("Share of targets reached", ecdf, "evaluations", "share of (problem, target, run)"),
    "performance": ("Performance profile", performance_profile, "times as slow as the fastest", "share of problems"),
    "data": ("Data profile", data_profile, "evaluations / (n + 1)", "share of runs solved"),
}

OPEN = ("reached", "solved", "failures")
"""The statistics shown at once, by the beginning of their key; the others are a click away."""


def study_section(study: Store, records: Sequence[RunRecord]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The HTML, the charts' data and the runs behind the cells."""
    charts: dict[str, Any] = {}
    drawn = "".join(_charts(runs, charts) for runs in gather(study))
    counted = [t for t in summary_tables(records) if not t.key.startswith("types-")]
    named = f'<p class="lead">From {markup.text(study.path.name)}.</p>'
    html = f"{named}{matrices(records)}{_tables(counted)}{drawn}{_tables(statistics_tables(study))}"
    return html, charts, runs_data(records)


def _charts(runs: RunArrays, charts: dict[str, Any]) -> str:
    html = []
    for name, (title, curves, x, y) in CHARTS.items():
        key = f"{name}-{runs.rule}"
        charts[key] = {"x": x, "y": y, "log": True, "steps": True, "curves": [_curve(c) for c in curves(runs)]}
        heading = markup.text(f"{title} (rule {runs.rule})")
        html.append(f'<h3>{heading}</h3><div class="chart" role="img" aria-label="{heading}" data-chart="{key}"></div>')
    return "".join(html)


def _curve(curve: Curve) -> dict[str, Any]:
    return {"name": curve.solver, "x": markup.packed(curve.x), "y": markup.packed(curve.y)}


def _tables(tables: Sequence[Table]) -> str:
    html = []
    for t in tables:
        shown = t.key.startswith(("success", *OPEN))
        drawn = markup.table(t)
        folded = f'<details class="more"><summary>{markup.text(t.title)}</summary>{drawn}</details>'
        html.append(drawn if shown else folded)
    return "".join(html)
