"""Several optima: the distinct ones that runs found, together and one by one, and what a solver may return."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.experiment.statistics.peaks import ACCURACIES, known_optima, peak_counts
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.problems.registry import problem
from cpcbench.report.study.peaks import peaks_tables
from cpcbench.solvers.registry import Solver
from tests.experiment.test_run_records import made_by, outcome, record

DF11 = [tuple(float(x) for x in point) for point in np.atleast_2d(problem("CPC-DF11").best_known.points)]  # type: ignore[union-attr]


def runs_at(points: list[tuple[float, ...]], **changes: Any) -> list[RunRecord]:
    return [record("CPC-DF11", x, run=run, **changes) for run, x in enumerate(points)]


def test_the_known_optima_are_counted_with_proof_or_on_record() -> None:
    large, four = known_optima(problem("CPC-DF5")), known_optima(problem("CPC-DF11"))
    assert large is not None
    assert four is not None
    assert (large.count, large.proven, four.count, four.proven) == (286_720, True, 4, False)
    assert known_optima(problem("CPC-DF7")) is None  # one, proven
    assert known_optima(problem("F138")) is None  # a plateau


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 10**6), min_size=5, max_size=5), st.floats(-1.0, 1.0))
def test_every_optimum_of_a_product_is_told_from_the_others(choice: list[int], off: float) -> None:
    known = known_optima(problem("CPC-DF5"))
    assert known is not None
    place = tuple(number % len(axis) for number, axis in zip(choice, known.axes, strict=True))
    point = [float(axis[i, 0]) for i, axis in zip(place, known.axes, strict=True)]
    assert known.at([x + off * 0.004 for x in point]) == place  # a third of the room, less than half the nearest two
    assert known.at([point[0] + 0.1, *point[1:]]) is None


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_the_runs_together_find_the_distinct_optima_and_each_run_its_own(places: list[int]) -> None:
    (found,) = peak_counts(runs_at([DF11[i] for i in places]))
    assert found.together.tolist() == [len(set(places))] * len(ACCURACIES)
    assert found.single.tolist() == [[1] * len(ACCURACIES)] * len(places)
    assert found.ratio.tolist() == pytest.approx([len(set(places)) / 4] * len(ACCURACIES))
    assert found.run_ratio.tolist() == pytest.approx([0.25] * len(ACCURACIES))


def test_accuracy_place_and_kind_decide() -> None:
    made = runs_at(DF11[:1])[0]
    best = problem("CPC-DF11").best_known
    assert best is not None
    worse = replace(made, reference=best.value + 5e-3)
    (found,) = peak_counts([worse])
    assert found.together.tolist() == [1, 1, 0, 0, 0]
    for nothing in (
        replace(made, kind="artefact"),
        replace(made, in_box=False),
        replace(made, x=(0.0, 0.0)),
        replace(made, x=None, kind="none"),
    ):
        assert peak_counts([nothing])[0].together.tolist() == [0] * len(ACCURACIES)


def test_a_run_may_find_several() -> None:
    made = replace(runs_at(DF11[:1])[0], optima=(*DF11, (0.0, 0.0)))
    (found,) = peak_counts([made, replace(made, optima=(), run=1)])
    assert found.single[:, -1].tolist() == [4, 1]
    assert found.together[-1] == 4
    (table,) = peaks_tables([made])
    assert table.rows[0][:5] == ("CPC-DF11", "4 *", "GA", 1, "4 (1)")


def test_problems_with_one_optimum_or_unknown_ones_are_left_out() -> None:
    assert peak_counts([record("CPC-DF7", None), replace(record("CPC-DF1", None), problem="mine")]) == []
    assert peaks_tables([record("CPC-DF7", None)]) == []


def niching(objective: Any, rng: Any) -> OptimizeResult:
    """Knows where the optima are, as a niching method would in the end."""
    points = [[*x] for x in product((3.14209263378032, -3.14209263378032), (1.00015913597542, -1.00015913597542))]
    values = [objective(np.array(x)) for x in points]
    return OptimizeResult(x=points[0], fun=values[0], optima=[*points, [np.nan, 0.0]])


def test_what_a_solver_returns_as_optima_is_kept_in_the_study(tmp_path: Path) -> None:
    path = tmp_path / "several.db"
    (made,) = cpc.run(["DF11"], [Solver("niching", niching)], 1, path, workers=0)
    assert len(made.optima) == 4  # what is no point is left out
    with Store(path) as study:
        (kept,) = study.records()
        assert kept.optima == made.optima
        assert peak_counts(study)[0].single.tolist() == [[4] * len(ACCURACIES)]
    told = CliRunner().invoke(app, ["peaks", str(path), "--accuracies", "1e-2,1e-4", "--format", "csv"])
    assert "CPC-DF11,4 *,niching,1,4 (1),4 (1),4.0,4.0,4" in told.output


@pytest.mark.parametrize("bad", [[[1.0, 2.0, 3.0]], "many", [[1.0 + 2.0j, 0.0]]])
def test_optima_that_are_no_points_are_garbage(bad: Any) -> None:
    p = problem("CPC-DF11")

    def solve(objective: Any, rng: Any) -> OptimizeResult:
        return OptimizeResult(x=DF11[0], fun=0.0, optima=bad)

    from cpcbench.solvers.run import run_once

    found = run_once(p, Solver("bad", solve), 0)
    assert (found.status, found.x, found.optima) == ("failed", None, ())
    assert "garbage returned" in found.message
    assert made_by(p, Solver("bad", solve), 0, outcome(None, None)).optima == ()


def test_the_command_says_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    cpc.run(["DF7"], ["GA"], 1, path, workers=0, budget=100)
    told = CliRunner().invoke(app, ["peaks", str(path)])
    assert told.exit_code != 0
    assert "has several optima on record" in told.output
    for word in ("-1", "nan", "inf", "many", ","):
        bad = CliRunner().invoke(app, ["peaks", str(path), "--accuracies", word])
        assert bad.exit_code == 2
        assert "--accuracies takes numbers" in bad.output
