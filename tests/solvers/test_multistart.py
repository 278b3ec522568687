"""BFGS from many starts: the box penalty, the differences, the line search, the descents and the whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.paper.line_search import RHO, ROOT_EPS, SIGMA, BoxedObjective, line_search
from cpcbench.solvers.paper.multistart import SOLVER, solve
from cpcbench.solvers.run import run_once
from tests.solvers.test_annealing import recorded


def rosenbrock(x: Any) -> Any:
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2


def constant(value: float) -> Callable[[Any], float]:
    return lambda x: value


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_outside_the_box_nothing_is_evaluated() -> None:
    objective = recorded(lambda x: math.nan if x[0] < 0 else 7.0, [-1.0, 0.0], [2.0, 3.0])
    values = BoxedObjective(objective)(np.array([[4.0, -1.0], [1.0, 1.0], [-0.5, 1.0], [2.0, 3.5]]))
    assert values.tolist() == [5e100, 7.0, 1e100, 0.25e100]
    assert [point.tolist() for point in objective.asked] == [[1.0, 1.0], [-0.5, 1.0]]


def test_differences_point_away_from_zero() -> None:
    objective = recorded(lambda x: 3.0 * x[0] - 2.0 * x[1] + x[2] ** 2, [-10.0] * 3, [10.0] * 3)
    point = np.array([[-4.0, 0.0, 0.5]])
    boxed = BoxedObjective(objective)
    slopes = boxed.gradients(point, boxed(point))
    steps = np.array(objective.asked[1:]) - point
    assert np.allclose(np.diag(steps), ROOT_EPS * np.array([-4.0, 1.0, 1.0]), rtol=1e-6)
    assert np.count_nonzero(steps) == 3
    assert np.allclose(slopes, [[3.0, -2.0, 1.0]], atol=1e-6)


@settings(derandomize=True, max_examples=60)
@given(st.integers(0, 10**6), st.floats(1e-6, 1e3))
def test_steps_meet_the_armijo_and_curvature_conditions(seed: int, length: float) -> None:
    random = np.random.default_rng(seed)
    a, b = random.uniform(0.1, 5.0, 2)
    objective = recorded(lambda x: a * (x[0] - 1) ** 4 + b * x[1] ** 2 + np.sin(x[0]), [-1e4] * 2, [1e4] * 2)
    fun = BoxedObjective(objective)
    x = random.uniform(-5.0, 5.0, (6, 2))
    value = fun(x)
    gradient = fun.gradients(x, value)
    direction = -gradient * random.uniform(0.1, 2.0, (6, 2))
    found = line_search(fun, x, value, gradient, direction, np.full(6, length), np.full(6, 10000))
    slope = (gradient * direction).sum(axis=1)
    assert (found.length > 0.0).all()
    assert np.allclose(found.x, x + found.length[:, None] * direction)
    assert (found.value <= value + RHO * found.length * slope).all()
    assert (np.abs((found.gradient * direction).sum(axis=1)) <= -SIGMA * slope).all()


def test_a_search_without_a_lower_point_gives_no_step() -> None:
    objective = recorded(lambda x: abs(x[0]), [-1.0], [1.0])
    fun = BoxedObjective(objective)
    x, value = np.array([[0.0]]), np.array([0.0])
    found = line_search(fun, x, value, np.array([[1.0]]), np.array([[-1.0]]), np.ones(1), np.full(1, 500))
    assert found.length.tolist() == [0.0]
    assert found.x.tolist() == [[0.0]]
    assert found.spent[0] == objective.evaluations < 500


def test_it_descends_rosenbrocks_valley() -> None:
    objective = recorded(rosenbrock, [-5.0, -5.0], [5.0, 5.0])
    result = solve(objective, rng(), starts=1, start=[-1.2, 1.0], evaluations=10000)
    assert result.fun < 1e-8
    assert np.allclose(result.x, 1.0, atol=1e-3)
    assert result.nfev == objective.evaluations < 500
    assert result.nit < 60


def test_it_is_as_good_as_published_on_the_sum_of_squares() -> None:
    problem = cpc.parse("x1^2 + x2^2 + x3^2 + x4^2 + x5^2", bounds=[(-100, 100)] * 5)
    value = run_once(problem, SOLVER.with_parameters(starts=50), 1).value
    assert value is not None
    assert value < 1e-14  # published: 2.5e-16


def test_descents_do_not_depend_on_each_other() -> None:
    starts = np.random.default_rng(6).uniform(-5.0, 5.0, (12, 2))
    alone = [
        solve(recorded(rosenbrock, [-5.0, -5.0], [5.0, 5.0]), rng(), starts=1, start=start, evaluations=60)
        for start in starts
    ]
    together = recorded(rosenbrock, [-5.0, -5.0], [5.0, 5.0])
    result = solve(together, rng(), starts=12, start=starts, evaluations=60)
    best = min(alone, key=lambda one: one.fun)
    assert len({one.fun for one in alone}) == 12
    assert result.fun == best.fun
    assert result.x.tolist() == best.x.tolist()
    assert result.nfev == sum(one.nfev for one in alone)


def test_a_descent_keeps_to_its_evaluations() -> None:
    objective = recorded(lambda x: rosenbrock(x) ** 0.5, [-5.0] * 2, [5.0] * 2)
    result = solve(objective, rng(), starts=1, start=[-1.2, 1.0])
    assert 100 < result.nfev <= 200  # 100 times the number of variables


def test_it_stops_at_once_on_the_penalty_plateau() -> None:
    for value in (math.nan, math.inf, 1e100):
        objective = recorded(constant(value), [1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
        result = solve(objective, rng(), starts=40)
        assert result.nit <= 1
        assert result.x is None
        assert math.isnan(result.fun)
        assert not result.success
    inner = recorded(lambda x: math.nan, [1.0] * 3, [2.0] * 3)
    assert solve(inner, rng(), starts=1, start=[1.5, 1.5, 1.5]).nfev == 4  # the point and its differences


def test_nothing_outside_the_box_is_evaluated_or_returned() -> None:
    lower, upper = [0.0, -2.0, 3.0], [1.0, 5.0, 3.0]
    for bound in (None, 1000.0):
        objective = recorded(lambda x: x[0] - x[1], lower, upper)
        result = solve(objective, rng(), starts=60, artificial_bound=bound)
        asked = np.array(objective.asked).reshape(-1, 3)
        assert ((np.array(lower) <= asked) & (asked <= np.array(upper))).all()
        if result.x is not None:
            assert ((np.array(lower) <= result.x) & (result.x <= np.array(upper))).all()
            assert result.fun == result.x[0] - result.x[1]


def test_a_start_outside_comes_back_to_half_a_difference_inside_the_face() -> None:
    missing: list[float] = []
    for seed in range(200):
        objective = recorded(lambda x: 1.0, [-5.0, -5.0], [5.0, 5.0])
        result = solve(objective, np.random.default_rng(seed), starts=1, artificial_bound=1000.0)
        missing.extend([] if result.x is None else (5.0 - np.abs(result.x)).tolist())
    published = 5.0 - 4.99999996274457  # of CPC-DF10
    assert np.isclose(published, 5.0 * ROOT_EPS / 2.0, rtol=1e-3)
    assert np.count_nonzero(np.isclose(missing, published, rtol=0.01)) >= 5
    assert max(missing) < 1e-3


def test_start_points_come_first_and_count() -> None:
    objective = recorded(lambda x: 1.0, [0.0], [1.0])
    solve(objective, rng(), starts=3, start=[[0.25], [0.75]])
    assert [point[0] for point in objective.asked[:2]] == [0.25, 0.75]
    assert len({point[0] for point in objective.asked[:3]}) == 3
    with pytest.raises(CpcbenchError, match="start points lie in the box"):
        solve(objective, rng(), start=[[2.0]])


def test_it_is_reproducible_and_lets_the_budget_stop_it() -> None:
    problem = cpc.parse("ln(x1 - x2^2) + x1", bounds=[(-1, 4), (-3, 3)])
    few = SOLVER.with_parameters(starts=30)
    first, second = (run_once(problem, few, 5) for _ in range(2))
    assert first.status == "finished"
    assert (first.x, first.value, first.trajectory) == (second.x, second.value, second.trajectory)
    with pytest.raises(StopRun):
        solve(Objective(problem, undefined="penalty", budget=50), rng(), starts=30)


@pytest.mark.parametrize(
    "wrong", [{"starts": 0}, {"iterations": 1.5}, {"evaluations": -3}, {"artificial_bound": math.inf}]
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(CpcbenchError, match=str(next(iter(wrong.values())))):
        solve(recorded(lambda x: 1.0, [0.0], [1.0]), rng(), **wrong)
