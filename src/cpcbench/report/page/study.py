"""The study on the page: the types of every problem and solver, each leading to its runs, charts and statistics."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from cpcbench.experiment.plan.problems import known_problem
from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, performance_profile
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.experiment.verify.types import TYPES, TypeRule, assess, type_rule
from cpcbench.report.page import markup
from cpcbench.report.render import plain_text
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.solutions import Solution, solutions, solver_names
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.study.tables import standard_lines, success_counts
from cpcbench.report.table import Cell, Table

ROWS = 20_000
"""Runs on the page at most, shared out over the cells: the lowest run numbers of each."""

COLUMNS = (
    "run", "types", "reported", "verified", "kind", "status", "evaluations", "undefined", "seconds", "x", "message",
)  # fmt: skip

Curves = Callable[[RunArrays], list[Curve]]

CHARTS: dict[str, tuple[str, Curves, str, str]] = {
    "ecdf": ("Share of targets reached", ecdf, "evaluations", "share of (problem, target, run)"),
    "performance": ("Performance profile", performance_profile, "times as slow as the fastest", "share of problems"),
    "data": ("Data profile", data_profile, "evaluations / (n + 1)", "share of runs solved"),
}

NOTHING = "No run reaches a target here, so there is nothing to draw."

OPEN = ("success", "reached", "solved", "failures")
"""The tables shown at once, by the beginning of their key; the others are a click away."""


def study_section(
    study: Store, records: Sequence[RunRecord], types: str = "paper"
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The HTML, the charts' data and the runs behind the cells; results under different rules are never mixed."""
    charts: dict[str, Any] = {}
    seen = Circumstances(study)
    rules = sorted({r.rule for r in records})
    found = {rule: solutions((r for r in records if r.rule == rule), types) for rule in rules}
    lines = {rule: standard_lines(found[rule], types) for rule in rules}
    counted = [t for rule in rules for t in seen.stated([success_counts(found[rule])], rule, *lines[rule])]
    parts = (
        f'<p class="lead">From {markup.text(study.path.name)}. {markup.text(" ".join(map(seen.line, rules)))}</p>',
        *(types_matrix(found[rule], rule, (seen.line(rule), *lines[rule])) for rule in rules),
        markup.tables(counted, OPEN),
        *(_charts(runs, charts, seen.line(runs.rule)) for runs in gather(study)),
        markup.tables(statistics_tables(study), OPEN),
    )
    return "".join(parts), charts, runs_data(records, types)


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


def types_matrix(found: Sequence[Solution], rule: str, circumstances: Iterable[str]) -> str:
    """Problems down, solvers across: each cell the types of the best solution, a button to its runs."""
    names = solver_names(found)
    cells = {s.record.key[:4]: s for s in found}
    order = list(dict.fromkeys((s.record.problem, s.record.n) for s in found))
    data = Table(
        key=f"matrix-{rule}",
        title=f"Types of the best solutions (rule {rule})",
        columns=("problem", *names),
        rows=tuple(
            (f"{id_} (n = {n})", *(_types(cells.get((id_, n, rule, name))) for name in names)) for id_, n in order
        ),
        notes=(
            *circumstances,
            "I: the solution on record. II: another one. III: nothing admissible. IV: not what it claims to be.",
            "* A value below the one it is held against; the runs say of what kind.",
        ),
    )

    def button(row: int, column: int, value: Cell) -> str | None:
        if column == 0 or value is None:
            return None
        id_, n = order[row]
        solution = cells[id_, n, rule, names[column - 1]]
        first = next((t for t in reversed(TYPES) if t in solution.assessment.types), "plain")
        runs = markup.anchor(id_, n, rule, names[column - 1])
        label = f"{id_}, {names[column - 1]}: {value}; show its {solution.runs} runs"
        return (
            f'<button type="button" class="type {first}" data-runs="{runs}" aria-label="{markup.text(label)}">'
            f"{markup.text(value)}</button>"
        )

    return markup.table(data, custom=button)


def _types(solution: Solution | None) -> str | None:
    if solution is None:
        return None
    return solution.assessment.text + (" *" if solution.below else "")


def runs_data(records: Iterable[RunRecord], types: str = "paper") -> dict[str, Any]:
    """The runs behind each cell, in plain text; the script puts them on the page as text."""
    groups: dict[tuple[str, int, str, str], list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[record.key[:4]].append(record)
    most = max(5, ROWS // max(1, len(groups)))
    return {markup.anchor(*key): _cell(rows, most, type_rule(types)) for key, rows in groups.items()}


def _cell(rows: list[RunRecord], most: int, types: TypeRule) -> dict[str, Any]:
    id_, n, rule, solver, _ = rows[0].key
    known = known_problem(id_, n, rule)
    shown = sorted(rows, key=lambda r: r.run)[:most]
    note = f"{len(rows)} runs" if len(shown) == len(rows) else f"the first {len(shown)} of {len(rows)} runs"
    return {
        "title": f"{solver} on {id_}, n = {n}",
        "note": f"{note}. {Circumstances(rows).line(rule)}",
        "rows": [_row(r, assess(known, r, rule=types).text) for r in shown],
    }


def _row(r: RunRecord, types: str) -> list[str | None]:
    cells: tuple[Cell, ...] = (
        r.run, types, r.reported, None if r.x is None else r.verified, r.kind, r.status, r.evaluations, r.undefined,
        round(r.seconds, 3), r.x, r.message or None,
    )  # fmt: skip
    return [None if value is None else plain_text(value) for value in cells]


DIALOG = """
<dialog id="runs" aria-labelledby="runs-title"><button type="button" class="close">Close</button>
<h2 id="runs-title"></h2><p></p>
<div class="scroll" tabindex="0"><table class="sortable"><thead><tr></tr></thead><tbody></tbody></table></div></dialog>
"""
