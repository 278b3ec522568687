"""The objective: budget, counting, policies, best-so-far, trajectory, time."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, PointError
from cpcbench.solvers.objective import Objective, StopRun

HALF = cpc.parse("sqrt(x1) + x2^2", [(-1.0, 4.0), (-3.0, 3.0)], id="half")


def test_values_are_the_problem_s_and_undefined_ones_follow_the_policy() -> None:
    for policy, shown in (("nan", math.nan), ("inf", math.inf), ("penalty", 1e100)):
        objective = Objective(HALF, undefined=policy)
        assert objective(np.array([4.0, 1.0])) == 3.0
        one, many = objective(np.array([-1.0, 0.0])), objective(np.array([[1.0, 1.0], [-0.5, 0.0]]))
        assert many[0] == 2.0
        for value in (one, many[1]):
            assert value == shown or (math.isnan(value) and math.isnan(shown))
        assert (objective.evaluations, objective.undefined_count) == (4, 2)
        assert objective.best_value == 2.0
        assert objective.best_x is not None
        assert objective.best_x.tolist() == [1.0, 1.0]


def test_outside_the_box_is_undefined_and_never_the_best() -> None:
    objective = Objective(HALF, undefined="inf")
    assert HALF([0.0, 0.0]) == 0.0
    outside = cpc.parse("x1", [(0.0, 1.0)])
    objective = Objective(outside, undefined="inf")
    assert objective(np.array([-5.0])) == math.inf
    assert objective(np.array([[-5.0], [0.5], [2.0]])).tolist() == [math.inf, 0.5, math.inf]
    assert objective.best_value == 0.5
    assert objective.undefined_count == 3


def test_single_points_and_batches_count_alike() -> None:
    points = np.random.default_rng(0).uniform(HALF.lower, HALF.upper, (500, 2))
    single, batch = Objective(HALF), Objective(HALF)
    one = [single(x) for x in points]
    many = np.concatenate([batch(points[:7]), batch(points[7:7]), batch(points[7:300]), batch(points[300:])])
    assert np.array_equal(np.array(one).view(np.int64), many.view(np.int64))
    assert single.trajectory == batch.trajectory
    assert (
        (single.evaluations, single.undefined_count)
        == (batch.evaluations, batch.undefined_count)
        == (500, 500 - np.isfinite(many).sum())
    )
    values = [value for _, value in batch.trajectory]
    assert values == sorted(values, reverse=True)
    assert len(values) > 3
    assert values[-1] == np.nanmin(many) == batch.best_value


@pytest.mark.parametrize("budget", [1, 10, 37])
def test_the_budget_holds_to_the_last_evaluation(budget: int) -> None:
    points = np.random.default_rng(1).uniform(HALF.lower, HALF.upper, (100, 2))
    single = Objective(HALF, budget=budget)
    with pytest.raises(StopRun) as stop:  # noqa: PT012
        for x in points:
            single(x)
    assert stop.value.reason == "budget"
    batch = Objective(HALF, budget=budget)
    with pytest.raises(StopRun):
        batch(points)
    assert single.evaluations == batch.evaluations == budget
    assert single.trajectory == batch.trajectory
    assert batch.remaining == 0
    with pytest.raises(StopRun):
        batch(points[0])
    assert Objective(HALF, budget=100)(points).shape == (100,)


def test_time_is_limited() -> None:
    objective = Objective(HALF, seconds=0.02)
    points = np.zeros((10, 2))
    with pytest.raises(StopRun) as stop:  # noqa: PT012
        while True:
            objective(points)
    assert stop.value.reason == "time"
    with pytest.raises(StopRun):  # noqa: PT012
        while True:
            objective(points[0])
    assert pickle.loads(pickle.dumps(StopRun("time"))).reason == "time"  # noqa: S301


def test_other_layouts_and_bad_points() -> None:
    objective = Objective(HALF)
    assert objective([4, 1]) == 3.0
    assert objective(np.asfortranarray([[4.0, 1.0], [1.0, 1.0]])).tolist() == [3.0, 2.0]
    with pytest.raises(PointError):
        objective([1.0, 2.0, 3.0])
    with pytest.raises(PointError):
        objective(["a", "b"])
    assert math.isnan(objective(np.array([math.nan, 0.0]))), "a solver's NaN is an undefined point, not an error"
    assert objective.evaluations == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": 0}, "budget"),
        ({"budget": 2.5}, "budget"),
        ({"undefined": "zero"}, "policy"),
        ({"seconds": -1}, "time"),
    ],
)
def test_bad_settings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        Objective(HALF, **settings)  # type: ignore[arg-type]
