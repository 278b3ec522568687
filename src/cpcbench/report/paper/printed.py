"""The published record as this package's own types: the printed tables, and the collection's rows as runs."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.plan import Task
from cpcbench.experiment.store.record import PUBLISHED, RunRecord
from cpcbench.experiment.workers.execution import recorded
from cpcbench.problems.published import PublishedResult, published_results
from cpcbench.problems.registry import problem
from cpcbench.report.table import Cell, Table
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.run import Outcome

RULE = "strict"
"""The admissibility rule of the published record."""

_OTHER_ENTRIES = ("source", "text")


@cache
def _data() -> dict[str, Any]:
    text = resources.files("cpcbench.report.paper").joinpath("published_tables.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def printed_names() -> list[str]:
    """The names of the printed tables, in the paper's order."""
    return [name for name in _data() if name not in _OTHER_ENTRIES]


def printed_table(name: str) -> Table:
    """One of the paper's tables, by its name in `published_tables.toml`."""
    if name not in printed_names():
        raise CpcbenchError(f"there is no printed table {name!r}: there are {', '.join(printed_names())}")
    entry = _data()[name]
    return Table(
        key=f"printed-{name.replace('_', '-')}",
        title=entry["title"],
        columns=tuple(entry["columns"]),
        rows=tuple(tuple(_cell(cell) for cell in row) for row in entry["rows"]),
        notes=(f"Source: {_data()['source']}.",),
    )


def printed_figure(name: str) -> float:
    """A figure of the paper's text, by its name in `published_tables.toml`."""
    return float(_data()["text"][name])


@cache
def published_records() -> tuple[RunRecord, ...]:
    """The collection's rows as runs, verified again; those that are no points of the problem are left out.

    Corana's rows are: they have five coordinates, the function has four.
    """
    return tuple(_record(row) for row in published_results() if is_point(row))


def is_point(row: PublishedResult) -> bool:
    """Whether a row, if it has a point, has one of the problem's size."""
    return row.point is None or len(row.point) == problem(row.problem).dim


def _record(row: PublishedResult) -> RunRecord:
    outcome = Outcome(PUBLISHED, row.point, row.reported, 0, 0, math.nan, ())
    method = Solver(row.algorithm, _no_method)
    return recorded(Task(problem(row.problem, rule=RULE), method, row.algorithm, 0, 0), method, outcome)


def _no_method(*_: Any) -> None:
    raise CpcbenchError("a published result is on record, its run cannot be repeated")


def _cell(value: Any) -> Cell:
    if not isinstance(value, list):
        cell: Cell = value
        return cell
    if not value:
        return None
    return ", ".join(value) if isinstance(value[0], str) else tuple(map(float, value))
