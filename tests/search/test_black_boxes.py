"""Python functions and formulas as problems of a study: evaluated, contained, evaluated again, and never mixed up."""

from __future__ import annotations

import math
import os
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError, NoFormulaError, UnknownNameError
from cpcbench.experiment.formats.export import export_runs
from cpcbench.experiment.plan.problems import study_problems
from cpcbench.experiment.store.store import Store
from cpcbench.experiment.workers import limits
from cpcbench.report.paper.beside import paper_tables
from cpcbench.report.render import FORMATS, render
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.study.tables import study_tables
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.objective import Objective, StopRun
from tests.material.tiny_solvers import random_search, spender

BOX = [(-1.0, 1.0), (-1.0, 1.0)]

MODEL = """
import math
import cpcbench as cpc

def cost(x):
    return x[0] + math.sqrt(0.25 - x[0] ** 2 - x[1] ** 2)

problem = cpc.parse("ln(x1 - x2^2)", bounds=[(0, 1), (0, 1)], id="P")
nothing = 3
"""


def cost(x: Any) -> float:
    return float(x[0] + math.sqrt(0.25 - x[0] ** 2 - x[1] ** 2))


def hangs_now_and_then(x: Any) -> float:
    if x[0] > 0.5:
        time.sleep(60)
    return float(x[0])


def ends_the_process(x: Any) -> float:
    if x[0] > 0.9:
        os._exit(3)
    return float(x[0])


def ends_when_asked_again(x: Any) -> float:
    """The two processes that try the run get values, the later ones nothing but their end."""
    mark = Path(os.environ["ASKED"])
    asked = mark.read_text().split() if mark.exists() else []
    if str(os.getpid()) not in asked:
        mark.write_text(" ".join([*asked, str(os.getpid())]))
    if x[0] > 0.9 or str(os.getpid()) in mark.read_text().split()[2:]:
        os._exit(3)
    return float(x[0])


def noisy(x: Any) -> float:
    return float(x[0] + 1e6 * random.SystemRandom().random())


def wrong(x: Any) -> float:
    return float(x.nothing)


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "model.py").write_text(MODEL)
    return str(tmp_path / "model.py")


def test_a_function_is_evaluated_and_nothing_else() -> None:
    p = cpc.black_box(cost, BOX)
    assert isinstance(p, cpc.Problem)
    assert (p.id, p.dim, p.bounds) == ("cost", 2, BOX)
    assert p([0.1, 0.2]) == p.reference([0.1, 0.2]) == cost([0.1, 0.2])
    assert math.isnan(p([0.9, 0.9]))
    assert np.isnan(p([[0.1, 0.2], [0.9, 0.9]])).tolist() == [False, True]
    assert p.admissible([0.1, 0.2]) is True
    assert p.admissible([[0.1, 0.2], [0.9, 0.9]]).tolist() == [True, False]
    for name in ("formula", "expression", "conditions", "latex"):
        with pytest.raises(NoFormulaError, match="cost is a Python function: it can be evaluated, but has no formula"):
            getattr(p, name)
    with pytest.raises(NoFormulaError):
        p.enclosure([0.1, 0.2])
    with pytest.raises(NoFormulaError):
        cpc.certify(p, seconds=1)


@pytest.mark.parametrize("bounds", [(0, 1), [], None, [(1, 0)], [(0, math.inf)], "0:1"])
def test_boxes_that_are_none(bounds: Any) -> None:
    with pytest.raises(CpcbenchError, match="bounds"):
        cpc.black_box(cost, bounds)


def test_verification_is_evaluating_again() -> None:
    p = cpc.black_box(cost, BOX)
    right = cpc.verify(p, [0.1, 0.2], cost([0.1, 0.2]))
    assert (right.kind, right.confirmed, right.evaluated_only) == ("re-evaluated", True, True)
    assert (right.enclosure.lower, right.enclosure.upper, right.enclosure.defined) == (-math.inf, math.inf, None)
    wrong_value = cpc.verify(p, [0.1, 0.2], 3.0)
    assert (wrong_value.confirmed, wrong_value.types) == (False, ("IV",))
    assert cpc.verify(p, [0.9, 0.9]).kind == "inadmissible"
    assert cpc.verify(p, [0.1, 5.0]).objections == ("outside the box", "undefined")


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_functions_places_and_formulas_in_one_study(tmp_path: Path, model: str, workers: int) -> None:
    given = [cost, f"{model}:cost", "sqrt(x1) + x2", f"{model}:problem", "DF1", "DF4:3"]
    store = tmp_path / "s.db"
    for runs in (1, 2):  # and goes on
        records = cpc.run(given, [random_search], runs, store, bounds=BOX, budget=300, workers=workers)
    kinds = {r.problem: r.kind for r in records if r.found}
    assert kinds["cost"] == kinds["model.cost"] == "re-evaluated"
    assert kinds["sqrt(x1) + x2"] == kinds["P"] == "faithful"
    assert {r.n for r in records if r.problem == "CPC-DF4"} == {3}
    for record in records:
        if record.problem in ("cost", "model.cost") and record.x is not None:
            assert record.reference == record.reported == cost(record.x)
            assert "sha256" in record.problem_source
    with Store(store) as study:
        kept = study.settings()["problems"]
        assert kept["sqrt(x1) + x2 2 ieee"]["formula"] == "sqrt(x1) + x2"
        assert kept["model.cost 2 ieee"]["function"]["path"] == model
        tables = [*study_tables(study.records()), *statistics_tables(study, pairs=True), *paper_tables(study.records())]
        assert export_runs(study.records(), tmp_path / "runs.csv") == 12
    for style in FORMATS:
        assert "model.cost" in render(tables, style)


def test_an_edited_function_is_refused(tmp_path: Path, model: str) -> None:
    store = tmp_path / "s.db"
    cpc.run([f"{model}:cost"], [random_search], 1, store, bounds=BOX, budget=300)
    Path(model).write_text(MODEL.replace("0.25", "0.16"))
    with pytest.raises(CpcbenchError, match=r"runs of a problem model\.cost with another source or box"):
        cpc.run([f"{model}:cost"], [random_search], 2, store, bounds=BOX, budget=300)
    Path(model).write_text(MODEL)
    with pytest.raises(CpcbenchError, match="another source or box"):
        cpc.run([f"{model}:cost"], [random_search], 2, store, bounds=[(-1, 1), (-1, 2)], budget=300)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_function_edited_while_the_study_runs(tmp_path: Path, model: str, workers: int) -> None:
    def edit(progress: Any) -> None:
        if progress.new == 1:
            Path(model).write_text(MODEL.replace("0.25", "0.16"))

    with pytest.raises(CpcbenchError, match=r"model\.cost was changed while the study ran"):
        cpc.run(
            [f"{model}:cost"],
            [random_search],
            8,
            tmp_path / "s.db",
            bounds=BOX,
            budget=100,
            workers=workers,
            progress=edit,
        )


def test_a_slow_function_keeps_to_its_time() -> None:
    def slow(x: Any) -> float:
        time.sleep(0.05)
        return float(x[0])

    objective = Objective(cpc.black_box(slow, BOX), seconds=0.3)
    started = time.perf_counter()
    with pytest.raises(StopRun, match="time"):
        objective(np.zeros((1000, 2)))
    assert time.perf_counter() - started < 20.0
    assert 1 <= objective.evaluations < 100


def test_a_function_that_hangs_costs_its_run_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LEAST_GRACE", 1.0)
    records = cpc.run([hangs_now_and_then], [spender], 1, tmp_path / "s.db", bounds=BOX, seconds=0.5, workers=1)
    (record,) = records
    assert (record.status, record.kind) == ("hung", "re-evaluated")
    assert record.x is not None
    assert record.reference == record.x[0]


@pytest.mark.slow
def test_a_process_that_is_slow_to_start_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time for evaluating an answer again begins when all is loaded, which takes longer than this limit."""
    monkeypatch.setattr(limits, "LEAST_GRACE", 0.1)
    (record,) = cpc.run([hangs_now_and_then], [spender], 1, tmp_path / "s.db", bounds=BOX, seconds=0.1, workers=1)
    assert record.status == "hung"
    assert record.x is not None


@pytest.mark.slow
def test_a_function_that_ends_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    given = [ends_the_process, ends_when_asked_again]
    first, second = cpc.run(given, [spender], 1, tmp_path / "s.db", bounds=BOX, workers=1)
    assert (first.status, first.kind) == ("crashed", "re-evaluated")
    assert (second.status, second.kind) == ("crashed", "inadmissible")
    assert "could not be evaluated again" in second.message


def test_a_noisy_function_is_told_by_evaluating_again(tmp_path: Path) -> None:
    (record,) = cpc.run([noisy], [random_search], 1, tmp_path / "s.db", bounds=BOX, budget=100)
    assert record.x is not None
    assert cpc.verify(cpc.black_box(noisy, BOX), record.x, record.reported).types == ("IV",)


def test_a_function_that_is_a_mistake(tmp_path: Path) -> None:
    (record,) = cpc.run([wrong], [random_search], 1, tmp_path / "s.db", bounds=BOX, budget=100)
    assert (record.status, "fails at every point" in record.message) == ("failed", True)


def test_solvers_that_read_the_formula_cannot_run_on_a_function(tmp_path: Path) -> None:
    with pytest.raises(CpcbenchError, match="B&B reads the formula, and cost is a function without one"):
        cpc.run([cost], ["SA", "B&B"], 1, tmp_path / "s.db", bounds=BOX)
    records = cpc.run([cost], None, 1, tmp_path / "s.db", bounds=BOX, budget=50)
    assert {r.solver for r in records} == {"GA", "SA", "BFGS+MS", "GPSO", "cpc"}


@pytest.mark.parametrize(
    ("given", "bounds", "error", "text"),
    [
        (["DF1"], BOX, CpcbenchError, "bounds are for functions and formulas"),
        (None, BOX, CpcbenchError, "bounds are for functions and formulas"),
        ([cost], None, CpcbenchError, "cost needs its box"),
        (["x1 + x2"], None, UnknownNameError, "is no problem's id; a formula needs its box"),
        (["nosuch"], None, UnknownNameError, "unknown problem 'nosuch'"),
        (["DF4:x"], None, UnknownNameError, "DF4 with 8 variables is written as DF4:8"),
        (["nosuch.py:cost"], BOX, CpcbenchError, "no such file"),
        ([3], None, UnknownNameError, "by its name"),
        ("DF1", None, CpcbenchError, "problems is a list"),
        ([cpc.black_box(cost, BOX, id="CPC-DF1")], None, CpcbenchError, "names a problem of the suite"),
    ],
)
def test_problems_that_are_none(given: Any, bounds: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        study_problems(given, "ieee", bounds)


def test_a_place_of_something_else(model: str) -> None:
    with pytest.raises(CpcbenchError, match="is no function of a point, but 3"):
        study_problems([f"{model}:nothing"], "ieee", BOX)
    with pytest.raises(CpcbenchError, match="is no function of a point"):
        cpc.black_box(f"{model}:problem", BOX)


def test_long_formulas_are_told_apart() -> None:
    texts = ["+".join(f"x1*{k}" for k in range(40)), "+".join(f"x1*{k}" for k in range(41))]
    first, second = study_problems(texts, "strict", [(0, 1)])
    assert first.id != second.id
    assert max(len(first.id), len(second.id)) < 70
    (function,) = study_problems([cost], "strict", BOX)
    assert (function.rule, isinstance(function, BlackBox)) == ("strict", True)


def test_on_the_command_line(tmp_path: Path, model: str) -> None:
    def said(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == code, done.output
        return str(done.output)

    store = str(tmp_path / "s.db")
    common = ["--bounds", "0:1,-1:1", "--solvers", "SA", "--budget", "100", "--workers", "0", "--store", store]
    assert "4 runs in" in said("run", f"{model}:cost", "where(x1 < 0.5, x1, x2), DF1,-x1+x2", "--runs", "1", *common)
    text = said("run", "--problems", f"{model}:cost", "--runs", "2", *common)
    assert "5 runs in" in text
    assert "2 of them of this command" in text
    assert "re-evaluated" in said("verify", f"{model}:cost", "0.1", "0.2", "--bounds", "0:1,-1:1")
    assert "there is no option --bugdet" in said("run", "--bugdet", "3", code=2)


def test_settings_of_a_users_solver(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from scipy.optimize import OptimizeResult\n"
        "def search(objective, rng, step=1):\n"
        "    x = objective.lower + step\n"
        "    return OptimizeResult(x=x, fun=objective(x))\n"
    )
    for name in ("search", f"{tmp_path / 'mine.py'}:search"):
        store = tmp_path / f"{len(name)}.db"
        words = ["run", "DF1", "--solvers", f"{tmp_path / 'mine.py'}:search", "--runs", "1", "--workers", "0"]
        done = CliRunner().invoke(app, [*words, "--set", f"{name}.step=3", "--store", str(store)])
        assert done.exit_code == 0, done.output
        with Store(store) as study:
            assert [r.parameters for r in study.records()] == [{"step": 3}]
