"""The gradient-based particle swarm: its gradient steps, its swarm, its evaluations."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.problems.problem import Problem
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper import swarm
from cpcbench.solvers.registry import solver
from cpcbench.solvers.run import run_once


def rng(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def gradient(problem: Problem, x: list[float]) -> list[float]:
    point = np.array(x)
    found: list[float] = swarm._gradient(Objective(problem), point, problem(point), 1e-6).tolist()
    return found


def test_it_is_found_by_name_with_the_published_settings() -> None:
    found = solver("gpso")
    assert found is swarm.SOLVER
    assert (found.name, found.undefined, found.budget) == ("GPSO", "penalty", 100_000)


def test_the_gradient_is_a_relative_forward_difference() -> None:
    square = cpc.parse("x1^2 + 3*x2", [(-5, 5)] * 2)
    # ((2 + 2e-6)^2 - 4) / 2e-6 = 4 + 2e-6
    assert gradient(square, [2.0, -1.0]) == pytest.approx([4.000002, 3.0], abs=1e-8)
    assert gradient(square, [-2.0, 4.0])[0] == pytest.approx(-4.000002, abs=1e-8)


def test_a_zero_coordinate_counts_as_1e_12() -> None:
    objective = Objective(cpc.parse("abs(x1)", [(-1, 1)]))
    assert swarm._gradient(objective, np.zeros(1), 0.0, 1e-6).tolist() == [1.0]
    assert objective.evaluations == 1
    assert objective.best_value == pytest.approx(1e-18, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("x", [2.0, -1.0])
def test_at_a_bound_the_difference_is_taken_inwards(x: float) -> None:
    assert gradient(cpc.parse("4*x1", [(-1, 2)]), [x]) == pytest.approx([4.0], abs=1e-8)


def test_a_fixed_variable_has_no_slope() -> None:
    assert gradient(cpc.parse("x1*x2", [(0.7, 0.7), (0, 2)]), [0.7, 1.0]) == pytest.approx([0.0, 0.7], abs=1e-8)


def test_slopes_into_the_undefined_stay_finite() -> None:
    edge = cpc.parse("sqrt(-x1) + x2", [(-1, 1)] * 2)
    found = gradient(edge, [0.0, 5e-324])
    assert found[0] == pytest.approx(1e118, rel=1e-9)  # the penalty over 1e-18
    tiny = gradient(cpc.parse("sqrt(1e-200 - x1)", [(-1, 1)]), [1e-200])
    assert tiny == [swarm.STEEPEST]


def test_gradient_steps_reach_the_minimum_of_a_bowl() -> None:
    bowl = cpc.parse("2*(x1 - 1)^2 + 2*(x2 + 0.5)^2", [(-10, 10)] * 2)
    # step 1 jumps to x - 4 (x - 1), the second has the exact length 1/4
    for steps, reached in [(1, [-5.0, -5.0]), (2, [1.0, -0.5]), (4, [1.0, -0.5])]:
        start = np.array([3.0, 1.0])
        found = swarm._descended(Objective(bowl), start, bowl(start), steps, 1e-6, 1e-3)
        assert found.tolist() == pytest.approx(reached, abs=1e-4)
        assert start.tolist() == [3.0, 1.0]


def test_gradient_steps_end_when_they_get_short() -> None:
    objective = Objective(cpc.parse("0.0001*x1^2", [(-10, 10)]))
    assert swarm._descended(objective, np.array([3.0]), 9e-4, 4, 1e-6, 1e-3)[0] == pytest.approx(2.9994, abs=1e-9)
    assert objective.evaluations == 3  # a gradient, one step, a gradient


def test_an_unchanged_gradient_gives_no_length() -> None:
    objective = Objective(cpc.parse("x1 - x1 + 2", [(-10, 10)]))
    assert swarm._descended(objective, np.array([3.0]), 2.0, 4, 1e-6, -1.0).tolist() == [3.0]


def test_the_guide_may_be_worse_than_the_best() -> None:
    """A step of length 1 down a steep slope leads out of the domain, and that is where the swarm is called."""
    cliff = cpc.parse("sqrt(x1 - 2)", [(-10, 10)])
    start = np.array([2.01])
    found = swarm._descended(Objective(cliff, undefined="penalty"), start, cliff(start), 1, 1e-6, 1e-3)
    assert math.isnan(cliff(found))


def test_only_whole_moves_that_fit_are_made() -> None:
    problem = cpc.parse("(x1 - 1)^2 + abs(x2)", [(-10, 10)] * 2)
    for budget in (500, 501, 999, 2000):
        objective = Objective(problem, budget=budget, undefined="penalty")
        result = swarm.solve(objective, rng(), population=100)
        assert result.nfev == objective.evaluations <= budget
        assert budget - result.nfev < 100 + 4 * 3 + 2
    unlimited = Objective(problem, undefined="penalty")
    assert swarm.solve(unlimited, rng(), population=100, max_evaluations=1000).nfev <= 1000


def test_the_answer_is_where_the_swarm_ends_or_the_best_it_remembers() -> None:
    problem = cpc.problem("DF14")
    ends = swarm.solve(Objective(problem, budget=4000, undefined="penalty"), rng(), population=100)
    objective = Objective(problem, budget=4000, undefined="penalty")
    remembers = swarm.solve(objective, rng(), population=100, answer="memory")
    assert ends.fun == problem(ends.x)
    assert objective.best_value <= remembers.fun == problem(remembers.x)
    assert remembers.fun < ends.fun


def test_nothing_admissible() -> None:
    objective = Objective(cpc.parse("ln(-1 - x1^2)", [(-1, 2)]), undefined="penalty", budget=1000)
    result = swarm.solve(objective, rng(), population=50)
    assert (result.x, result.success, math.isnan(result.fun)) == (None, False, True)


@pytest.mark.parametrize("undefined", ["nan", "inf", "penalty"])
def test_what_undefined_becomes_makes_no_difference(undefined: str) -> None:
    problem = cpc.parse("sqrt(x1 - x2^2) + abs(ln(x1) + 1)", [(-3, 4), (-2, 3)])
    results = [
        swarm.solve(Objective(problem, undefined=policy), rng(), population=60, max_evaluations=3000)
        for policy in ("penalty", undefined)
    ]
    assert results[0].x.tolist() == results[1].x.tolist()
    assert results[0].fun == results[1].fun == problem(results[0].x)


def test_it_finds_a_smooth_minimum() -> None:
    problem = cpc.parse("(x1 - 0.3)^2 + (x2 + 1.7)^2 + x1*x2", [(-4, 9)] * 2)
    outcome = run_once(problem, swarm.SOLVER, 1)
    assert outcome.status == "finished"
    assert outcome.value == pytest.approx(problem([4.6 / 3, -7.4 / 3]), abs=1e-6)


def test_bad_settings_are_named() -> None:
    objective = Objective(cpc.parse("x1", [(0, 1)]))
    with pytest.raises(CpcbenchError, match="whole number from 1 on, not 0"):
        swarm.solve(objective, rng(), population=0)
    with pytest.raises(CpcbenchError, match="'swarm' or 'memory', not 'all'"):
        swarm.solve(objective, rng(), answer="all")


@pytest.mark.slow
def test_the_published_experiment_comes_out() -> None:
    """Nothing admissible where nothing was published, over 20 runs."""
    for name in ("DF13", "DF16", "DF18"):
        assert all(run_once(cpc.problem(name), swarm.SOLVER, seed).x is None for seed in range(20))
