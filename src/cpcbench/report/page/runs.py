"""The runs on a study's page: the types of every problem and solver, each leading to the runs behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from cpcbench.experiment.plan.problems import known_problem
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.verify.types import TYPES, TypeRule, assess, type_rule
from cpcbench.report.cells import plain_text
from cpcbench.report.page import markup
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.solutions import Solution, solver_names
from cpcbench.report.table import Cell, Table

ROWS = 20_000
"""Runs on the page at most, shared out over the cells: the lowest run numbers of each."""

COLUMNS = (
    "run", "types", "reported", "verified", "kind", "status", "evaluations", "undefined", "seconds", "x", "message",
)  # fmt: skip


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
