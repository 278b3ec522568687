"""The boxes and settings of the authors' scripts, and studies on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.published_scripts import box, settings

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.problems import CPC
from cpcbench.experiment.plan.reproduction import experiment
from cpcbench.experiment.plan.scripts import on_boxes, other_boxes, part_of_box, scripts
from cpcbench.experiment.store.store import Store
from cpcbench.problems.facts import facts
from cpcbench.problems.published import published_results
from cpcbench.report.paper.beside import paper_tables
from cpcbench.report.study.solutions import ALGORITHMS

NARROW = {"CPC-DF10": (-5.0, 5.0), "CPC-DF23": (-50.0, 50.0)}


def test_there_are_six_scripts_a_function_and_two_boxes_are_not_the_printed_ones() -> None:
    assert [(s.problem, s.algorithm) for s in scripts()] == [
        (id_, a) for id_ in CPC for a in ("UGO", "B&B", "GA", "SA", "BFGS+MS", "GPSO")
    ]
    assert other_boxes() == NARROW
    for script in scripts():
        if script.box is None:
            assert script.problem == "CPC-DF24"
            assert script.algorithm in ("GA", "SA", "BFGS+MS", "GPSO")
        else:
            assert script.box == pytest.approx(NARROW.get(script.problem, facts(script.problem).box[0]), rel=1e-14)


def test_every_published_point_lies_in_the_box_that_its_script_searches() -> None:
    searched = {(s.problem, s.algorithm): s.box or facts(s.problem).box[0] for s in scripts()}
    rows = [r for r in published_results() if r.problem in CPC and r.matches and r.recomputed == r.recomputed]
    assert len(rows) > 90
    for row in rows:
        low, high = searched[row.problem, row.algorithm]
        assert all(low <= v <= high for v in row.point or ()), row


def test_ugo_was_run_with_several_algorithms_of_its_program() -> None:
    words = {s.settings.get("algorithm", "default").partition("[")[0] for s in scripts() if s.algorithm == "UGO"}
    assert words == {"SM2", "DE1", "RGO1", "default"}
    assert {s.settings.get("runs") for s in scripts() if s.algorithm == "UGO"} == {"10", None}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lb = [-5,-5];\nub = [5,5];\nPopSz = 2000;\nnumRuns = 20;", ("-5.0", "5.0", "runs=20 population=2000")),
        ("@For(Par: @BND(-50,x,50));", ("-50.0", "50.0", "")),
        ("Algorithm = SM2;//DE1\nParameters x(1:n)=[0,10];", ("0.0", "10.0", "algorithm=SM2")),
        ("ParameterDomain = [-2*pi,2*pi];\nMultiRun = 10;", (repr(-2 * np.pi), repr(2 * np.pi), "runs=10")),
        ("numRuns = 20;\n'MaxGenerations', 2E3, 'Display'", ("", "", "runs=20 generations=2000")),
    ],
)
def test_a_script_is_read(text: str, found: tuple[str, str, str]) -> None:
    assert (*box(text), " ".join(settings(text))) == found


def test_problems_on_the_boxes_of_the_scripts() -> None:
    paper, theirs = experiment(), experiment(boxes="scripts")
    for p, q in zip(paper.problems, theirs.problems, strict=True):
        assert (p == q) == (p.id not in NARROW)
        assert part_of_box(p) is None
        if p.id in NARROW:
            assert q.bounds == [NARROW[p.id]] * p.dim
            assert part_of_box(q) == f"[{NARROW[p.id][0]:g}, {NARROW[p.id][1]:g}]^{p.dim}"
            assert q.best_known is not None
            assert q.in_box(q.best_known.points).all()
            assert q.published is not None
    with pytest.raises(CpcbenchError, match="unknown boxes 'matlab': they are paper or scripts"):
        on_boxes(CPC, "strict", "matlab")


def test_gpso_returns_the_published_point_on_the_box_of_the_scripts(tmp_path: Path) -> None:
    (narrow,) = on_boxes(["CPC-DF10"], "strict", "scripts")
    records = cpc.run([narrow], ["GPSO"], 3, tmp_path / "s.db")
    (published,) = (r for r in published_results() if (r.problem, r.algorithm) == ("CPC-DF10", "GPSO"))
    assert published.point in {r.x for r in records}
    assert {r.problem_source["box"] for r in records} == {"[-5, 5]^2"}
    tables = {t.key: t for t in paper_tables(records)}
    cells = dict(zip(ALGORITHMS, [r[5] for r in tables["side-by-side"].rows if r[0] == "CPC-DF10"], strict=False))
    assert "printed [-10, 10]^2, of the published run [-5, 5]^2, measured [-5, 5]^2" in str(cells["GPSO"])
    assert "measured [" not in str(cells["SA"])
    assert "only a part of the box searched: CPC-DF10 [-5, 5]^2" in tables["side-by-side"].notes[0]


def test_runs_on_two_boxes_are_never_mixed(tmp_path: Path) -> None:
    (narrow,) = on_boxes(["CPC-DF10"], "ieee", "scripts")
    whole = cpc.problem("CPC-DF10")
    for number, (first, second) in enumerate([(narrow, whole), (whole, narrow)]):
        store = tmp_path / f"{number}.db"
        cpc.run([first], ["SA"], 1, store, budget=20)
        cpc.run([first], ["SA"], 2, store, budget=20)
        with pytest.raises(CpcbenchError, match="holds runs of CPC-DF10 on another box"):
            cpc.run([second], ["GA"], 1, store, budget=20)
    with (
        Store(tmp_path / "0.db", writing=True) as one,
        Store(tmp_path / "1.db") as other,
        pytest.raises(CpcbenchError, match="runs on other boxes of CPC-DF10"),
    ):
        one.merge(other)


def test_another_formula_under_a_name_of_the_suite_is_still_refused(tmp_path: Path) -> None:
    wide = cpc.parse("x1 + x2", bounds=[(-5, 5)] * 2, id="CPC-DF10")
    with pytest.raises(CpcbenchError, match="names a problem of the suite, but this is another"):
        cpc.run([wide], ["SA"], 1, tmp_path / "s.db", budget=20)
    assert part_of_box(wide) is None
