"""Studies from the command line: run, report, reproduce's parts, runs, merge, and a user's own solver."""

from __future__ import annotations

import contextlib
import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from cpcbench.cli.app import app
from cpcbench.cli.runs.study import tell_failures
from cpcbench.experiment.plan.reproduction import experiment
from cpcbench.experiment.store.store import Store
from cpcbench.solvers.registry import USUAL
from tests.experiment.test_store import RECORD
from tests.material.outside.libraries import library

ROOT = Path(__file__).parents[2]
USER_SOLVER = """
from scipy.optimize import OptimizeResult

def search(objective, rng):
    while objective.remaining >= 1000:
        objective(rng.uniform(objective.lower, objective.upper, (1000, objective.dim)))
    return OptimizeResult(x=objective.best_x, fun=objective.best_value)
"""


def cpcbench(folder: Path, *words: str, code: int = 0) -> Result:
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, list(words))
    assert done.exit_code == code, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own solver, five lines in a file, beside one of ours."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "mine.py").write_text(USER_SOLVER)
    words = ("--solvers", "mine.py:search,SA", "--problems", "DF1,DF3,F138", "--runs", "2", "--budget", "3000")
    done = cpcbench(folder, "run", *words, "--workers", "2")
    assert "12 runs in study.db" in done.stdout
    assert "search" in done.stdout
    again = cpcbench(folder, "run", *words, "--workers", "1")
    assert "12 of 12 runs" in again.stderr
    return folder


@pytest.mark.slow
def test_the_users_solver_is_in_every_report(study: Path) -> None:
    for style in ("terminal", "markdown", "latex", "csv", "json"):
        text = cpcbench(study, "report", "study.db", "--format", style).stdout
        assert "search" in text
        assert "SA" in text
    json.loads(cpcbench(study, "report", "study.db", "--format", "json").stdout)
    paper = cpcbench(study, "report", "study.db", "--paper", "--format", "markdown", "--output", "out.md")
    assert "wrote out.md" in paper.stderr
    assert "Published and measured" in (study / "out.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("problem", "left_out"), [(("DF1",), set()), (("model.py:cost", "--bounds=0:1,0:1"), {"B&B"})])
def test_a_setting_changes_a_solver_not_which_ones_run(
    tmp_path: Path, problem: tuple[str, ...], left_out: set[str]
) -> None:
    (tmp_path / "model.py").write_text("def cost(x):\n    return x[0] - x[1] ** 2\n")
    cpcbench(tmp_path, "run", *problem, "--set", "GA.population=10", "--runs", "1", "--budget", "20", "--workers", "0")
    with Store(tmp_path / "study.db") as store:
        made = {record.solver: record.parameters for record in store.records()}
    assert made.keys() == set(USUAL) - left_out
    assert made["GA"]["population"] == 10


def test_runs_can_be_taken_elsewhere(study: Path) -> None:
    cpcbench(study, "runs", "study.db", "--to", "runs.csv")
    with (study / "runs.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    with Store(study / "study.db") as store:
        records = list(store.records())
    assert len(rows) == len(records) == 12
    for row, record in zip(rows, records, strict=True):
        assert row["solver"] == record.solver
        assert tuple(map(float, row["x"].split())) == (record.x or ())
    assert cpcbench(study, "verify", "--csv", "runs.csv").stdout.count("search") >= 4
    wrong = cpcbench(study, "runs", "study.db", "--to", "runs.xls", code=2)
    assert "ending in .csv or .parquet" in wrong.stderr


def test_parquet_keeps_the_bits(study: Path) -> None:
    parquet = library("pyarrow.parquet")
    cpcbench(study, "runs", "study.db", "--to", "runs.parquet")
    rows = parquet.read_table(study / "runs.parquet").to_pylist()
    with Store(study / "study.db") as store:
        for row, record in zip(rows, store.records(), strict=True):
            assert row["x"] == (None if record.x is None else list(record.x))
            assert len(row["trajectory"]) == len(record.trajectory)


def test_merge(study: Path) -> None:
    done = cpcbench(study, "merge", "all.db", "study.db")
    assert "12 new runs" in done.stdout
    assert "0 new runs" in cpcbench(study, "merge", "all.db", "study.db").stdout


CIRCLE = "x1^2 + x2^2 <= 1"


def test_formulas_are_run_and_compared_under_constraints(tmp_path: Path) -> None:
    words = ("x1 + x2", "--bounds=-2:2,-2:2", "--subject-to", CIRCLE, "--subject-to", "x1 >= x2", "--runs", "1")
    cpcbench(tmp_path, "run", *words, "--solvers", "SA", "--budget", "2000", "--workers", "1")
    compared = ("--solvers", "SA", "--budgets", "2000", "--workers", "0", "--store", "c.db")
    cpcbench(tmp_path, "compare", *words, *compared)
    for name in ("study.db", "c-2000.db"):
        with Store(tmp_path / name) as store:
            (record,) = store.records()
        assert record.problem == f"x1 + x2 subject to {CIRCLE}, x1 >= x2"
        assert record.x is not None
        assert record.x[0] >= record.x[1]
        assert record.x[0] ** 2 + record.x[1] ** 2 <= 1.0 + 1e-12
        assert -math.sqrt(2.0) - 1e-9 <= sum(record.x) < 0.0


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize(
    "words", [("DF1",), (), ("x1 + x2", "DF1", "--bounds=0:1,0:1"), ("model.py:cost", "--bounds=0:1,0:1")]
)
def test_constraints_in_a_study_are_for_formulas(tmp_path: Path, command: str, words: tuple[str, ...]) -> None:
    (tmp_path / "model.py").write_text("def cost(x):\n    return x[0] - x[1] ** 2\n")
    done = cpcbench(tmp_path, command, *words, "--subject-to", CIRCLE, "--solvers", "SA", code=2)
    assert "constraints (subject_to) are for formulas" in done.stderr
    assert not list(tmp_path.glob("*.db"))


BROKEN_SOLVER = """
def broken(objective, rng):
    raise ZeroDivisionError("not my day")
"""


def test_a_study_of_nothing_but_failures_says_so(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BROKEN_SOLVER)
    words = ("run", "--problems", "DF1,DF14", "--budget", "10", "--workers", "0", "--store")
    done = cpcbench(tmp_path, *words, "bad.db", "--runs", "2", "--solvers", "bad.py:broken", code=1)
    assert "every one of 4 runs failed, 4 with: ZeroDivisionError: not my day" in done.stderr
    assert "4 runs in bad.db" in done.stdout
    with pytest.raises(typer.Exit):
        tell_failures([replace(RECORD, status="failed"), replace(RECORD, status="crashed")])


def test_runs_that_failed_among_others_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    bad = replace(RECORD, status="crashed", message="killed by signal 11")
    tell_failures([RECORD, bad, replace(bad, run=7), replace(RECORD, status="hung")])
    told = capsys.readouterr().err
    assert told == f"2 of 4 runs failed:\n  {RECORD.solver} on {RECORD.problem}, 2 runs: killed by signal 11\n"
    tell_failures([RECORD, replace(RECORD, status="hung")])  # stopped from outside, it may have found something
    tell_failures([RECORD, *(replace(bad, message=f"number {i}") for i in range(9))])
    told = capsys.readouterr().err
    assert "number 4" in told
    assert "number 5" not in told
    assert "and 4 more kinds" in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "--solvers", "nothing"), "unknown solver 'nothing'"),
        (("run", "--solvers", "gone.py:search"), "could not be loaded"),
        (("run", "--solvers", "mine.py:lost"), "has no 'lost'"),
        (("run", "--problems", "DF26"), "unknown problem 'DF26'"),
        (("run", "--problems", "DF1", "--solvers", "SA", "--budget", "7"), "choose another store"),
        (("report", "gone.db"), "there is no study gone.db"),
        (("report", "mine.py"), "not a readable study"),
        (("report", "study.db", "--format", "word"), "unknown format 'word'"),
    ],
)
def test_clear_errors(study: Path, words: tuple[str, ...], message: str) -> None:
    assert message in cpcbench(study, *words, code=2).stderr


def test_the_reproduction_covers_the_paper() -> None:
    full, quick = experiment(), experiment(quick=True)
    assert len(full.problems) == len(quick.problems) == 28
    assert full.solvers == ["GA", "SA", "BFGS+MS", "GPSO", "B&B", "cpc"]
    assert [s.name for s in quick.solvers] == full.solvers
    assert full.runs == 20
    assert full.rule == quick.rule == "strict"


def test_the_older_name_of_workers_still_works(tmp_path: Path) -> None:
    words = ("run", "--problems", "DF1", "--solvers", "SA", "--budget", "10", "--runs", "1", "--store", "s.db")
    assert "1 run" in cpcbench(tmp_path, *words, "--jobs", "0").stdout
    refused = cpcbench(tmp_path, *words, "--jobs", "many", code=2)
    assert "--workers" in refused.stderr
    assert "--jobs" not in cpcbench(tmp_path, "run", "--help").stdout
