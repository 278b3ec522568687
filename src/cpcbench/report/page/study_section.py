"""The study's part of the page: the types of every cell, the charts, and the tables of statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, performance_profile
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.page import markup
from cpcbench.report.page.study import matrices, runs_data
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.study.tables import summary_tables
from cpcbench.report.table import Table

Curves = Callable[[RunArrays], list[Curve]]

CHARTS: dict[str, tuple[str, Curves, str, str]] = {
    "ecdf": ("Share of targets reached", ecdf, "evaluations", "share of (problem, target, run)"),
    "performance": ("Performance profile", performance_profile, "times as slow as the fastest", "share of problems"),
    "data": ("Data profile", data_profile, "evaluations / (n + 1)", "share of runs solved"),
}

NOTHING = "No run reaches a target here, so there is nothing to draw."

OPEN = ("reached", "solved", "failures")
"""The statistics shown at once, by the beginning of their key; the others are a click away."""


def study_section(study: Store, records: Sequence[RunRecord]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The HTML, the charts' data and the runs behind the cells."""
    charts: dict[str, Any] = {}
    seen = Circumstances(study)
    drawn = "".join(_charts(runs, charts, seen.line(runs.rule)) for runs in gather(study))
    counted = [t for t in summary_tables(records) if not t.key.startswith("types-")]
    lines = " ".join(seen.line(rule) for rule in sorted({r.rule for r in records}))
    named = f'<p class="lead">From {markup.text(study.path.name)}. {markup.text(lines)}</p>'
    html = f"{named}{matrices(records, seen)}{_tables(counted)}{drawn}{_tables(statistics_tables(study))}"
    return html, charts, runs_data(records)


def _charts(runs: RunArrays, charts: dict[str, Any], circumstances: str) -> str:
    html = []
    for name, (title, curves, x, y) in CHARTS.items():
        key, found = f"{name}-{runs.rule}", curves(runs)
        heading = markup.text(f"{title} (rule {runs.rule})")
        html.append(f'<h3>{heading}</h3><p class="notes">{markup.text(circumstances)}</p>')
        if not any(curve.limit > 0 for curve in found):
            html.append(f'<p class="notes">{markup.text(NOTHING)}</p>')
            continue
        low, high = _window(found, from_one=name != "data")
        charts[key] = {
            "x": x, "y": y, "log": True, "steps": True, "range": [math.log10(low), math.log10(high)],
            "curves": [_curve(curve, low, high) for curve in found],
        }  # fmt: skip
        html.append(f'<div class="chart" role="img" aria-label="{heading}" data-chart="{key}"></div>')
    return "".join(html)


def _window(curves: Sequence[Curve], from_one: bool) -> tuple[float, float]:
    """What a logarithmic axis shows: from 1, or from the decade of the first step, a decade at least."""
    steps = np.concatenate([curve.x[curve.x > 0.0] for curve in curves])
    low = 1.0 if from_one else 10.0 ** math.floor(math.log10(steps.min(initial=math.inf)))
    return low, float(max(10.0 * low, 1.1 * steps.max(initial=low)))


def _curve(curve: Curve, low: float, high: float) -> dict[str, Any]:
    """From edge to edge: one that rises once, or never, is a line as well."""
    inner = curve.x[(curve.x > low) & (curve.x < high)]
    x = np.array([low, *inner, high])
    return {"name": curve.name, "x": markup.packed(x), "y": markup.packed(curve.at(x))}


def _tables(tables: Sequence[Table]) -> str:
    html = []
    for t in tables:
        shown = t.key.startswith(("success", *OPEN))
        drawn = markup.table(t)
        folded = f'<details class="more"><summary>{markup.text(t.title)}</summary>{drawn}</details>'
        html.append(drawn if shown else folded)
    return "".join(html)
