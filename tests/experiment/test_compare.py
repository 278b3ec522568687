"""Solvers compared on equal budgets: what counts as reached, the tables, and the command with its studies."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.comparison import (
    black_boxes,
    checked_budgets,
    equal_runs,
    reads_the_formula,
    standings,
    study_of,
)
from cpcbench.experiment.plan.problems import CPC
from cpcbench.experiment.statistics.runs import gather
from cpcbench.experiment.statistics.success import wilson
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.study.budgets import comparison_tables, standings_table


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    store = tmp_path_factory.mktemp("one") / "one.db"
    (made,) = cpc.run(["CPC-DF1"], ["SA"], runs=1, store=store, budget=200)
    return made


def ended(record: RunRecord, solver: str, run: int, value: float, kind: str, problem: str = "CPC-DF1") -> RunRecord:
    """A run that returned a point of this value and kind; NaN is nothing."""
    best = cpc.problem(problem).best_known
    assert best is not None
    place = math.nan if math.isnan(value) else best.value + value * max(1.0, abs(best.value))
    return replace(
        record, problem=problem, n=cpc.problem(problem).dim, solver=solver, run=run, reference=place, kind=kind,
        in_box=kind not in ("none", "inadmissible"), evaluations=100 * run, trajectory=((50, place),),
    )  # fmt: skip


def test_artefacts_are_reached_but_not_faithful(record: RunRecord) -> None:
    made = [
        ended(record, "one", 1, 0.9e-4, "faithful"),
        ended(record, "one", 2, 0.0, "artefact"),
        ended(record, "one", 3, 1.1e-4, "faithful"),
        ended(record, "one", 1, -1.0, "thin", "CPC-DF7"),
        ended(record, "one", 2, math.nan, "none", "CPC-DF7"),
        ended(record, "two", 1, 0.5, "faithful", "CPC-DF7"),
    ]
    (runs,) = gather(made)
    first, second = standings(runs)
    assert (first.solver, first.runs, first.reached, first.faithful) == ("one", 5, 3, 1)
    assert (first.problems, first.solved, first.solved_faithful, first.nothing) == (2, 2, 1, 1)
    assert (first.lower, first.upper) == tuple(map(float, wilson(3, 5)))
    assert first.share == 0.6
    assert first.evaluations == 200
    assert (second.solver, second.reached, second.share, second.lower) == ("two", 0, 0.0, 0.0)


def test_the_published_value_is_counted_apart_where_a_lower_one_is_known(record: RunRecord) -> None:
    p = cpc.problem("CPC-DF6")
    assert p.published is not None
    assert p.best_known is not None
    above = (p.published.value - p.best_known.value) / abs(p.best_known.value)
    assert above > 1e-3
    made = [
        ended(record, "one", 1, 0.0, "faithful", "CPC-DF6"),
        ended(record, "one", 2, above, "artefact", "CPC-DF6"),
        ended(record, "one", 3, above + 2e-4, "faithful", "CPC-DF6"),
        ended(record, "one", 4, math.nan, "none", "CPC-DF6"),
        replace(ended(record, "one", 5, 0.0, "faithful"), problem="mine"),
    ]
    (runs,) = gather(made)
    (one,) = standings(runs)
    assert (one.published, one.solved_published) == (2, 1)
    assert one.reached == 2  # the lower one, and the study's own best of a problem that has no other


def test_the_best_comes_first_whatever_its_name(record: RunRecord) -> None:
    (runs,) = gather([ended(record, "a", 1, 0.5, "faithful"), ended(record, "z", 1, 0.0, "faithful")])
    assert [one.solver for one in standings(runs)] == ["z", "a"]
    tables = comparison_tables({300: runs})
    assert [table.column("solver")[0] for table in tables[:3]] == ["z", "z", "z"]
    assert tables[1].column("DF1") == ["1/1", "0/1"]
    assert tables[2].column("DF1") == ["50", None]
    assert "300 evaluations" in tables[3].title


def test_more_runs_are_no_advantage_where_runs_are_equal(record: RunRecord) -> None:
    many = [ended(record, "many", run, 0.0 if run == 1 else 0.5, "faithful") for run in range(1, 5)]
    few = [ended(record, "few", run, 0.5, "faithful") for run in (1, 2)]
    (runs,) = gather([*many, *few, ended(record, "once", 1, 0.0, "faithful")])
    assert equal_runs(runs) == 2
    expected = {one.solver: one.expected for one in standings(runs)}
    assert expected == {"many": pytest.approx(0.5), "few": 0.0, "once": 1.0}  # 3 of the 6 pairs of four hold run 1


def test_endings_are_counted(record: RunRecord) -> None:
    made = [
        replace(ended(record, "one", run, math.nan, "none"), status=status)
        for run, status in enumerate(("time", "hung", "failed", "crashed", "memory", "budget"), start=1)
    ]
    (runs,) = gather(made)
    (one,) = standings(runs)
    assert (one.out_of_time, one.failed, one.nothing) == (2, 3, 6)


def test_solvers_that_read_the_formula_are_left_out_and_marked(record: RunRecord) -> None:
    chosen = black_boxes()
    assert chosen[:5] == ["cpc", "GA", "SA", "BFGS+MS", "GPSO"]
    assert not {"B&B", "cpc-white", "scip", "maingo"} & set(chosen)
    assert [reads_the_formula(name) for name in ("B&B", "cpc", "somebody's")] == [True, False, None]
    made = [ended(record, name, 1, 0.0, "faithful") for name in ("B&B", "SA", "somebody's")]
    table = standings_table(300, gather(made)[0])
    assert dict(zip(table.column("solver"), table.column("sees"), strict=True)) == {
        "B&B": "formula",
        "SA": "values",
        "somebody's": None,
    }
    assert any("B&B" in note for note in table.notes)


def test_the_problems_are_the_25() -> None:
    assert tuple(f"CPC-DF{i}" for i in range(1, 26)) == CPC


def test_budgets_are_whole_numbers() -> None:
    assert checked_budgets([1e5, 100.0, 1e5]) == [100, 100_000]
    for wrong in ([], [0], [1.5], [math.nan], [math.inf], [-3]):
        with pytest.raises(CpcbenchError, match="whole numbers"):
            checked_budgets(wrong)


def test_a_budget_has_a_study_of_its_own() -> None:
    assert study_of(Path("a/comparison.db"), 10_000) == Path("a/comparison-10000.db")
    assert study_of(Path("mine"), 500) == Path("mine-500.db")


def compare(*words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, ["compare", *words])
    assert done.exit_code == code, done.output
    return done


def test_the_command_runs_continues_and_reports(tmp_path: Path) -> None:
    store, curves = tmp_path / "c.db", tmp_path / "curves"
    words = ("--budgets", "200,4e2", "--store", str(store), "--workers", "0", "--seed", "4", "--format", "json")
    done = compare("DF1", "F138", "--solvers", "SA", "--runs", "2", *words)
    first = json.loads(done.stdout)["tables"]
    assert [table["key"] for table in first if table["key"].startswith("standings")] == [
        "standings-ieee-200",
        "standings-ieee-400",
    ]
    assert "budget 2 of 2: 400 evaluations" in done.stderr
    compare("DF1", "F138", "--solvers", "GPSO", "--runs", "1", *words)
    shown = json.loads(compare("--report", *words, "--figures", str(curves)).stdout)["tables"]
    columns = shown[0]["columns"]
    rows = {row[0]: dict(zip(columns, row, strict=True)) for row in shown[0]["rows"]}
    assert {name: row["runs"] for name, row in rows.items()} == {"SA": 4, "GPSO": 2}
    assert rows["SA"]["evaluations"] <= 200
    assert sorted(path.name for path in curves.iterdir()) == ["ecdf-ieee-200.png", "ecdf-ieee-400.png"]
    for budget in (200, 400):
        with Store(study_of(store, budget)) as study:
            assert {r.budget for r in study.records()} == {budget}
            assert {r.seconds_limit for r in study.records()} == {60.0}


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    at = ("--store", str(tmp_path / "c.db"))
    assert "is not a number" in compare("--budgets", "1e3x", *at, code=2).stderr
    assert "whole numbers of evaluations" in compare("--budgets", "0.5", *at, code=2).stderr
    assert "there is no study" in compare("--report", "--budgets", "7", *at, code=2).stderr
    assert "unknown format" in compare("--format", "word", *at, code=2).stderr
    assert "unknown solver" in compare("--solvers", "nobody", "--budgets", "10", "--workers", "0", *at, code=2).stderr
