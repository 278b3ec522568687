"""Nothing in a report contradicts another line of it: types, shares and standards are compared across its tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cpcbench.cli.app import app
from cpcbench.experiment.plan.problems import CLASSICS, CPC
from cpcbench.experiment.plan.reproduction import ANSWERS
from cpcbench.experiment.statistics.targets import SOLVED
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.experiment.verify.types import RULES, TYPES, type_rule
from cpcbench.problems.facts import facts
from cpcbench.report.paper.beside import paper_tables
from cpcbench.report.paper.cells import SOLVERS, kept_cells
from cpcbench.report.paper.overviews import overview_tables
from cpcbench.report.paper.tolerances import contradictions, tolerances_table, typed_rows
from cpcbench.report.render import render
from cpcbench.report.study.solutions import share
from cpcbench.report.study.statistics import power, statistics_tables
from cpcbench.report.study.tables import study_tables
from cpcbench.solvers.registry import PAPERS
from tests.cases import one_in
from tests.experiment.test_run_records import record

Tables = dict[str, dict[str, Any]]


def read_report(types: str) -> Tables:
    """A whole report as its readers have it: every table of an experiment, from its JSON."""
    records = experiment()
    made = [
        *paper_tables(records, types), *overview_tables(records), *study_tables(records, types),
        *statistics_tables(records, pairs=True),
    ]  # fmt: skip
    return {table["key"]: table for table in json.loads(render(made, "json"))["tables"]}


@cache
def experiment() -> tuple[RunRecord, ...]:
    """The paper's experiment with one run a cell: the solutions that are kept with the package."""
    return tuple(
        replace(record(id_, cell.x, cell.reported), solver=name) for (id_, name), cell in kept_cells().items()
        if name in SOLVERS
    )  # fmt: skip


@pytest.fixture(scope="module", params=one_in(2, RULES))
def report(request: pytest.FixtureRequest) -> tuple[str, Tables]:
    return request.param, read_report(request.param)


def cells(table: dict[str, Any]) -> dict[tuple[str, str], str]:
    """The cells of a table with functions down and solvers across."""
    names = table["columns"][1:]
    found = {(row[0], name): cell for row in table["rows"] for name, cell in zip(names, row[1:], strict=True)}
    return {key: str(cell).removesuffix(" *") for key, cell in found.items() if cell is not None}


def column(table: dict[str, Any], name: str) -> dict[str, Any]:
    place = table["columns"].index(name)
    return {str(row[0]): row[place] for row in table["rows"]}


def notes(table: dict[str, Any]) -> str:
    return " ".join(table["notes"])


def test_every_table_shows_the_same_types(report: tuple[str, Tables]) -> None:
    _, tables = report
    types = cells(tables["types-strict"])
    assert len(types) == 28 * len(SOLVERS)
    for key, table in tables.items():
        if key.startswith("solutions-"):
            function = re.fullmatch(r"solutions-(.+)-n\d+-strict", key)
            assert function is not None
            own = {(function[1], name): text for name, text in column(table, "types").items() if text is not None}
            assert own == {at: text for at, text in types.items() if at[0] == function[1]}
    beside = tables["side-by-side"]["rows"]
    assert {(row[0], ANSWERS.get(row[1], row[1])): row[3] for row in beside} == types
    compared = cells(tables["comparison-strict"])
    assert compared == {at: types[at] for at in compared}
    wrong = {row[0].removesuffix(" (reported)") for row in tables["reevaluation-CPC-DF3-strict"]["rows"][::2]}
    assert wrong == {name for (function, name), text in types.items() if function == "CPC-DF3" and "IV" in text}


def test_every_share_is_one_of_these_types(report: tuple[str, Tables]) -> None:
    _, tables = report
    types = {at: tuple(text.split(", ")) for at, text in cells(tables["types-strict"]).items() if at[0] in CPC}
    spread = tables["type-distribution-strict"]
    for name in spread["columns"][1:]:
        mine = [found for (_, solver), found in types.items() if solver == name]
        assert list(column(spread, name).values()) == [share(mine, t) for t in TYPES]
    for row, above in zip(tables["feasible-ratio-groups-strict"]["rows"], (True, False), strict=True):
        mine = [t for (id_, _), t in types.items() if (facts(id_).published.feasible_ratio > 1.0) is above]
        assert row[1:] == [*(share(mine, t) for t in TYPES), len(mine)]
    apart = tables["differences"]
    for type_ in ("I", "III"):
        measured = column(apart, f"{type_} measured %")
        for name, value in measured.items():
            assert value == column(spread, ANSWERS.get(name, name))[f"Type {type_} (%)"]


def test_the_claims_rest_on_the_same_shares(report: tuple[str, Tables]) -> None:
    types, tables = report
    told = tables["claims"]
    assert f"this study (types by the rule {types})" in notes(told)
    figures = next(row[3] for row in told["rows"] if row[0] == "difficulty")
    shares = {name: (int(a), int(b)) for name, a, b in re.findall(r"([\w&+-]+) (\d+) % and (\d+) %", figures)}
    assert shares.keys() == set(PAPERS)
    cell = cells(tables["types-strict"])
    for name, (ours, theirs) in shares.items():
        assert ours == round(column(tables["type-distribution-strict"], name)["Type I (%)"])
        classics = ["I" in cell[id_, name].split(", ") for id_ in CLASSICS]
        assert theirs == round(100 * sum(classics) / len(classics))


def test_runs_of_type_one_are_counted_alike(report: tuple[str, Tables]) -> None:
    types, tables = report
    counted = cells(tables["success-strict"])
    for key, table in tables.items():
        if key.startswith("solutions-"):
            function = key.removeprefix("solutions-").rpartition("-n")[0]
            for name, text in column(table, "Type I runs").items():
                if text is not None:
                    assert counted[function, name] == text
    solved = tables["solved-strict"]
    places = {name: solved["columns"].index(name) for name in ("solved", "thin apart", "artefacts apart")}
    for row in solved["rows"]:
        made = int(counted[row[0], row[1]].partition("/")[0])
        faithful, *odd = (row[place] for place in places.values())
        if types == "strict":  # the same tolerance; of the odd ones those far below do not count for Type I
            assert faithful <= made <= faithful + sum(odd)
    assert power(SOLVED) in solved["title"]


def test_every_table_says_by_which_rule_and_against_what(report: tuple[str, Tables]) -> None:
    types, tables = report
    rule, other = type_rule(types).text, next(type_rule(name).text for name in RULES if name != types)
    of_types = ("types", "success", "type-distribution", "feasible-ratio-groups", "comparison", "solutions",
                "reevaluation", "side-by-side", "differences")  # fmt: skip
    of_targets = ("reached", "solved", "running-times", "ecdf", "performance-profile", "data-profile")
    for key, table in tables.items():
        if key.startswith(of_types):
            assert rule in notes(table), key
            assert other not in notes(table), key
        if key.startswith(of_types + of_targets) or key in ("calibration", "tolerances"):
            assert "Held against: " in notes(table), key
        if key.startswith(("ranks", "wins")):
            assert "compared with each other" in notes(table), key
        if key.startswith("printed-"):
            assert "Source: " in notes(table), key


def test_held_against_is_what_the_tables_show(report: tuple[str, Tables]) -> None:
    """The published solution throughout, or the proven infimum wherever there is one."""
    types, tables = report
    line = next(note for note in tables["types-strict"]["notes"] if note.startswith("Held against"))
    strict = "Held against: proven infimum (24 of 28 functions); published: CPC-DF3, F37, F138, F170."
    assert line == (strict if types == "strict" else "Held against: published (28 of 28 functions).")
    assert next(note for note in tables["solved-strict"]["notes"] if note.startswith("Held against")) == strict
    assert column(tables["solutions-CPC-DF9-n2-strict"], "verified")["proven infimum"] == 0.01097945816055844


def test_no_fixed_tolerances_fit_and_the_table_shows_it() -> None:
    table = tolerances_table()
    printed = [row for row in table.rows if row[0] == "printed"]
    assert printed[0][1:4] == ("CPC-DF3", "SA", "II, IV")
    assert all(row[3] == row[7] for row in printed)  # the rule paper gives every printed row its types
    told = contradictions()
    assert "GA on CPC-DF21" in told[1]
    assert "accept SA on CPC-DF3 in print, called Type II" in told[1]
    rows = {r.name: r for r in typed_rows()}
    high, far, refused = (rows[name] for name in ("GA on CPC-DF21", "GA on CPC-DF6", "SA on CPC-DF3 in print"))
    assert refused.above < high.above
    assert refused.place < far.place
    assert ("I" in high.types, "I" in far.types, "I" in refused.types) == (True, True, False)
    assert rows["UGO on CPC-DF3 in print"].off < rows["B&B on CPC-DF1"].off


@pytest.mark.parametrize(
    "words", [["report", "STUDY"], ["report", "STUDY", "--html", "page.html"], ["verify", "DF1", "1", "2"]]
)
def test_an_unknown_rule_is_refused_by_every_command(words: list[str], tmp_path: Path) -> None:
    store = tmp_path / "study.db"
    with Store(store, writing=True):
        pass
    given = [str(store) if word == "STUDY" else word for word in words]
    told = CliRunner().invoke(app, [*given, "--types", "loose"])
    assert told.exit_code != 0
    assert "types are given by the rule paper or strict, not 'loose'" in told.output
