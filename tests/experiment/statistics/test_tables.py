"""The tables of statistics, and the command that adds them to a report."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.render import FORMATS, render
from cpcbench.report.study.statistics import statistics_tables
from tests.experiment.statistics.small_studies import THREE, made, tables


def study() -> list[RunRecord]:
    failed = [made((), kind="none", solver="other", run=i, status="failed", message="ValueError: no") for i in (1, 2)]
    crash = made((), kind="none", solver="other", run=3, status="crashed", message="x" * 500)
    return [*THREE, *(replace(r, solver="SA") for r in THREE), *failed, crash, made(problem="mine", solver="SA")]


def test_every_table_is_there_in_every_format() -> None:
    found = tables(study(), pairs=True)
    assert list(found) == [
        f"{key}-ieee"
        for key in ("reached", "solved", "running-times", "ecdf", "performance-profile", "data-profile", "ranks",
                    "wins", "endings", "pairs", "failures")
    ]  # fmt: skip
    for style in FORMATS:
        text = render(found.values(), style)
        assert all(table.title.split()[0] in text for table in found.values())


def test_the_tables_say_what_was_computed() -> None:
    found = tables(study())
    ga = found["solved-ieee"].rows[0]
    assert ga[:4] == ("CPC-DF1", "GA", 3, 1)
    assert ga[9] == 240.0
    assert found["running-times-ieee"].rows[0][2] == 70.0
    assert found["running-times-ieee"].rows[2][:3] == ("CPC-DF1", "other", math.inf)
    assert dict(zip(found["reached-ieee"].columns, found["reached-ieee"].rows[0], strict=True))["1e-1"] == 0.667
    assert any("lowest faithful one of this study: mine (n = 2)" in note for note in found["reached-ieee"].notes)
    assert found["wins-ieee"].rows[0] == ("GA", None, "0/1/0", "0/1/0")
    assert "failures-ieee" not in tables(THREE)


def test_the_report_names_the_failures() -> None:
    found = tables(study())
    table = found["failures-ieee"]
    assert table.rows[1] == ("other", "CPC-DF1", "failed", 2, "ValueError: no")
    assert table.rows[0][:4] == ("other", "CPC-DF1", "crashed", 1)
    assert len(str(table.rows[0][4])) == 200
    endings = found["endings-ieee"]
    assert endings.columns == ("solver", "finished", "budget", "failed", "crashed", "nothing found")
    assert endings.rows == (("GA", 2, 1, 0, 0, 1), ("SA", 3, 1, 0, 0, 1), ("other", 0, 0, 2, 1, 3))


def test_targets_that_only_odd_points_reach_are_named() -> None:
    notes = tables([made(((5, 0.0),), kind="artefact"), made(((5, 1.0),), run=2)])["reached-ieee"].notes
    assert "Reached by thin points or artefacts only: CPC-DF1." in notes


def test_a_store_gives_the_statistics_of_its_records(tmp_path: Path) -> None:
    both = [*study(), replace(THREE[0], rule="strict")]
    with Store(tmp_path / "study.db", writing=True) as store:
        store.add(both)
    with Store(tmp_path / "study.db") as store:
        assert render(statistics_tables(store), "json") == render(statistics_tables(both), "json")
        assert list(store.columns("solver", "in_box")) == [(r.solver, r.in_box) for r in store.records()]
        with pytest.raises(CpcbenchError, match=r"a run has the columns problem, n, .*, not luck"):
            list(store.columns("solver", "luck"))


def test_the_command_adds_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(tmp_path / "study.db", writing=True) as store:
        store.add(study())
    with pytest.raises(SystemExit) as stop:
        app(["report", str(tmp_path / "study.db"), "--statistics", "--pairs", "--format", "markdown"])
    assert not stop.value.code
    shown = capsys.readouterr().out
    assert "### Runs that failed (rule ieee)" in shown
    assert "### Rank-sum tests" in shown
    with pytest.raises(SystemExit) as stop:
        app(["report", str(tmp_path / "study.db"), "--pairs"])
    assert stop.value.code
    assert "--pairs belongs to --statistics" in capsys.readouterr().err
