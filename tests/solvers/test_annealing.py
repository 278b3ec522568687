"""Simulated annealing: each documented rule by itself, then the whole method."""

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
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper import annealing
from cpcbench.solvers.paper.annealing import SOLVER, solve
from cpcbench.solvers.run import run_once

SPHERE = "x1^2 + x2^2 + x3^2 + x4^2 + x5^2"


class Recorded:
    """A plain function in the shape of an objective; keeps every point it is asked for."""

    def __init__(self, function: Callable[[Any], Any], lower: list[float], upper: list[float]) -> None:
        self.function = function
        self.lower, self.upper = np.array(lower), np.array(upper)
        self.dim = len(lower)
        self.asked: list[Any] = []

    @property
    def evaluations(self) -> int:
        return len(self.asked)

    def __call__(self, x: Any) -> Any:
        rows = np.atleast_2d(x)
        self.asked.extend(rows.copy())
        values = np.array([self.function(row) for row in rows], dtype=float)
        return float(values[0]) if x.ndim == 1 else values


def recorded(function: Callable[[Any], Any], lower: list[float], upper: list[float]) -> Any:
    return Recorded(function, lower, upper)


def test_it_is_as_good_as_published_on_the_sum_of_squares() -> None:
    problem = cpc.parse(SPHERE, bounds=[(-100, 100)] * 5)
    values = [run_once(problem, SOLVER, seed).value for seed in range(5)]
    assert all(value is not None and value < 0.5 for value in values)  # best of 20 published runs: 9e-4


def test_a_step_is_as_long_as_the_temperature() -> None:
    rng = np.random.default_rng(5)
    far = np.full(3, 1e9)
    x = np.array([3.0, -2.0, 0.5])
    trials = np.array([annealing._trial(x, np.full(3, 7.0), -far, far, rng) for _ in range(2000)])
    assert np.allclose(np.linalg.norm(trials - x, axis=1), 7.0)
    assert np.abs((trials - x).mean(axis=0)).max() < 0.4  # every direction alike: the standard error is 0.09


@settings(derandomize=True, max_examples=60)
@given(st.integers(0, 10**6), st.floats(0.0, 1.0), st.floats(1e-3, 1e3))
def test_a_component_beyond_a_bound_lands_between_it_and_where_it_was(seed: int, place: float, heat: float) -> None:
    lower, upper = np.array([-1.0, 2.0]), np.array([4.0, 2.5])
    x = lower + place * (upper - lower)
    free = annealing._trial(x, np.full(2, heat), np.full(2, -1e9), np.full(2, 1e9), np.random.default_rng(seed))
    held = annealing._trial(x, np.full(2, heat), lower, upper, np.random.default_rng(seed))
    for i in range(2):
        if free[i] > upper[i]:
            assert x[i] <= held[i] <= upper[i]
        elif free[i] < lower[i]:
            assert lower[i] <= held[i] <= x[i]
        else:
            assert held[i] == free[i]


def test_the_place_between_is_uniform() -> None:
    rng = np.random.default_rng(8)
    hot, lower, upper = np.full(1, 1e6), np.array([-1.0]), np.array([9.0])
    held = np.array([annealing._trial(np.array([3.0]), hot, lower, upper, rng)[0] for _ in range(4000)])
    assert abs(held[held > 3.0].mean() - 6.0) < 0.2
    assert abs(held[held < 3.0].mean() - 1.0) < 0.2


def test_acceptance_follows_the_formula() -> None:
    rng = np.random.default_rng(11)

    def share(new: float, old: float) -> float:
        return sum(annealing._accepts(new, old, 2.0, rng) for _ in range(20000)) / 20000

    assert share(1.0, 1.5) == 1.0
    assert abs(share(3.0, 1.0) - 1.0 / (1.0 + math.e)) < 0.012
    assert abs(share(1.0, 1.0) - 0.5) < 0.012
    assert abs(share(math.inf, math.inf) - 0.5) < 0.012
    assert share(math.inf, 1.0) == 0.0
    assert share(1e100, 1.0) == 0.0
    assert annealing._accepts(0.0, math.inf, 2.0, rng)
    assert not any(annealing._accepts(1.0, 0.5, 0.0, rng) for _ in range(100))  # a temperature that underflowed


def test_reannealing_rescales_by_sensitivity() -> None:
    objective = recorded(lambda x: x[0] ** 2 + 50.0 * x[1] ** 2, [-10.0, -1.0], [10.0, 4.0])
    x = np.array([3.0, 2.0])
    temperature = np.array([5.0, 0.25])
    s1, s2 = 2 * 3.0 * 20.0, 50 * 2 * 2.0 * 5.0  # slopes times widths
    parameters = annealing._reannealed(objective, x, objective.function(x), temperature, 100.0)
    assert np.allclose(parameters, [math.log(100.0 / 5.0 * s2 / s1), math.log(100.0 / 0.25)], rtol=1e-6)


def test_reannealing_is_safe_from_improper_sensitivities() -> None:
    for function in (lambda x: math.nan, lambda x: math.inf, lambda x: 1e100, lambda x: 1e100 * (x[0] > 0.5)):
        objective = recorded(function, [0.0, 2.0], [1.0, 2.0])
        x = np.array([0.5, 2.0])
        parameters = annealing._reannealed(objective, x, function(x), np.array([1.0, 0.0]), 100.0)
        assert np.isfinite(parameters).all()
        assert (parameters >= 0.0).all()
        assert all((objective.lower <= p).all() and (p <= objective.upper).all() for p in objective.asked)


def test_temperatures_fall_exponentially() -> None:
    values = iter(range(0, 10**7, 10**4))  # each point much worse than all before: none is accepted
    objective = recorded(lambda x: next(values), [-1e6] * 2, [1e6] * 2)
    solve(objective, np.random.default_rng(1), iterations=50, start=[[1.0, 2.0]])
    lengths = [np.linalg.norm(point - [1.0, 2.0]) for point in objective.asked[1:]]
    assert np.allclose(lengths, [100.0 * 0.95**k for k in range(50)])


def test_it_reanneals_after_a_hundred_accepted_points_and_grows_hot_again() -> None:
    values = iter(range(0, -(10**7), -1))  # each point is better: all are accepted
    objective = recorded(lambda x: next(values), [-1e6] * 2, [1e6] * 2)
    result = solve(objective, np.random.default_rng(1), iterations=150, start=[[1.0, 2.0]])
    assert result.nfev == objective.evaluations == 1 + 150 + 2  # one reannealing, one difference a variable
    path = np.array([*objective.asked[:101], *objective.asked[103:]])
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert np.isclose(lengths[99], 100.0 * 0.95**99)
    assert lengths[100] > 50.0


@pytest.mark.parametrize("value", [3.0, math.nan, math.inf, 1e100])
def test_it_stops_when_the_best_value_stalls(value: float) -> None:
    result = solve(recorded(lambda x: value, [-1.0, 0.0], [1.0, 3.0]), np.random.default_rng(2))
    assert result.nit == 1000
    if value == 3.0:
        assert result.success
        assert result.fun == 3.0
    else:
        assert not result.success
        assert result.x is None
        assert math.isnan(result.fun)


def test_it_does_not_stall_while_the_best_value_falls() -> None:
    values = iter(np.arange(0.0, -1e4, -1.0))
    assert solve(recorded(lambda x: next(values), [-1.0], [1.0]), np.random.default_rng(2)).nit == 2000


def test_it_returns_its_best_and_stays_in_the_box() -> None:
    lower, upper = [-3.0, 1.0, 2.0], [5.0, 1.0, 2.25]
    objective = recorded(lambda x: math.log(x[0]) if x[0] > 0 else math.nan, lower, upper)
    result = solve(objective, np.random.default_rng(4), iterations=400)
    asked = np.array(objective.asked)
    assert ((np.array(lower) <= asked) & (asked <= np.array(upper))).all()
    assert result.fun == math.log(result.x[0])
    assert result.fun < 0.0


@pytest.mark.parametrize("policy", ["nan", "inf", "penalty"])
def test_every_policy_gives_the_same_run(policy: str) -> None:
    problem = cpc.parse("ln(x1 - x2^2) + x1", bounds=[(-1, 4), (-3, 3)])
    reference = solve(Objective(problem, undefined="penalty"), np.random.default_rng(9), reanneal_after=10**6)
    result = solve(Objective(problem, undefined=policy), np.random.default_rng(9), reanneal_after=10**6)
    assert result.x.tolist() == reference.x.tolist()
    assert result.fun == reference.fun == problem(result.x)


def test_start_points_are_checked() -> None:
    objective = recorded(lambda x: 1.0, [0.0, 0.0], [1.0, 2.0])
    solve(objective, np.random.default_rng(0), iterations=1, start=[0.25, 1.75])
    assert objective.asked[0].tolist() == [0.25, 1.75]
    for wrong in ([[0.5, 2.5]], np.empty((0, 2))):
        with pytest.raises(CpcbenchError, match="start points lie in the box"):
            solve(objective, np.random.default_rng(0), start=wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"iterations": 0},
        {"iterations": 2.5},
        {"reanneal_after": True},
        {"stall_iterations": 0},
        {"cooling": 1.0},
        {"initial_temperature": math.nan},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(CpcbenchError, match=str(next(iter(wrong.values())))):
        solve(recorded(lambda x: 1.0, [0.0], [1.0]), np.random.default_rng(0), **wrong)
