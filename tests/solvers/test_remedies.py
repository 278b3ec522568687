"""The two remedies: admissible start points and graded conditions, around any solver."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.paper.annealing import SOLVER as SA
from cpcbench.solvers.paper.multistart import SOLVER as BFGS
from cpcbench.solvers.paper.remedies import GradedObjective, explicit_conditions, monte_carlo_start, violation
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.run import run_once

NARROW = cpc.parse("ln(x1 - 0.9) + x2", bounds=[(0, 1), (2, 3)])
NOWHERE = cpc.parse("ln(x1 - 5) + x2", bounds=[(0, 1), (2, 3)])
NESTED = cpc.parse("ln(sqrt(x1) - 2)", bounds=[(-4, 30)])

seen: list[Any] = []


def starting(objective: Any, rng: np.random.Generator, *, start: Any = None, extra: int = 0) -> OptimizeResult:
    """A solver that only remembers what it was given."""
    seen.append((start, extra, objective.evaluations))
    x = np.array([0.95, 2.5])
    return OptimizeResult(x=x, fun=objective(x), nfev=1, message="done")


def startless(objective: Any, rng: np.random.Generator) -> OptimizeResult:
    return OptimizeResult(x=None, fun=None)


def test_sampling_hands_over_admissible_points() -> None:
    seen.clear()
    wrapped = monte_carlo_start(Solver("S", starting), points=3, batch=20)
    outcome = run_once(NARROW, wrapped.with_parameters(extra=4), 1)
    start, extra, spent = seen[0]
    assert wrapped.name == "S+start"
    assert start.shape == (3, 2)
    assert np.isfinite(NARROW(start)).all()
    assert NARROW(start).tolist() == sorted(NARROW(start).tolist())
    assert extra == 4
    assert spent % 20 == 0
    assert outcome.evaluations == spent + 1
    assert outcome.message == f"done; 3 admissible start points from {spent} samples"


def test_sampling_stops_when_enough_is_found() -> None:
    easy = cpc.parse("x1 + x2", bounds=[(0, 1), (2, 3)])
    seen.clear()
    run_once(easy, monte_carlo_start(Solver("S", starting), batch=50), 1)
    assert seen[0][2] == 50


def test_sampling_gives_up() -> None:
    seen.clear()
    wrapped = monte_carlo_start(Solver("S", starting), samples=130, batch=50)
    run_once(NOWHERE, wrapped, 1)
    run_once(NOWHERE, wrapped, 1, budget=80)
    assert seen == [(None, 0, 130), (None, 0, 40)]  # all samples; half of the budget


@pytest.mark.parametrize("policy", ["nan", "inf", "penalty"])
def test_sampling_knows_undefined_values_under_every_policy(policy: str) -> None:
    seen.clear()
    wrapped = monte_carlo_start(Solver("S", starting), batch=100)
    result = wrapped.solve(Objective(NARROW, undefined=policy), np.random.default_rng(3))
    assert np.isfinite(NARROW(seen[0][0])).all()
    assert result.nfev == seen[0][2] + 1


def test_a_solver_without_start_is_refused() -> None:
    with pytest.raises(CpcbenchError, match="mine cannot be given a start"):
        monte_carlo_start(Solver("mine", startless))
    for wrong in ({"samples": 0}, {"points": 1.5}, {"share": 0.0}):
        with pytest.raises(CpcbenchError, match=str(next(iter(wrong.values())))):
            monte_carlo_start(SA, **wrong)


def test_wrapped_solvers_keep_their_settings() -> None:
    both = monte_carlo_start(explicit_conditions(SA))
    assert both.name == "SA+conditions+start"
    assert "start" in inspect.signature(explicit_conditions(SA).solve).parameters
    assert "start" not in inspect.signature(both.solve).parameters
    assert both.with_parameters(iterations=5).parameters == {"iterations": 5}
    with pytest.raises(CpcbenchError, match="no parameter 'bogus'"):
        both.with_parameters(bogus=1)
    assert (both.undefined, both.expression, both.budget) == ("nan", True, SA.budget)
    again = pickle.loads(pickle.dumps(both))  # noqa: S301 - our own bytes
    assert run_once(NARROW, again, 4).trajectory == run_once(NARROW, both, 4).trajectory


@pytest.mark.parametrize("policy", ["nan", "inf", "penalty"])
def test_undefined_points_are_graded_by_their_conditions(policy: str) -> None:
    graded = GradedObjective(Objective(NESTED, undefined=policy))
    points = np.array([[-1.0], [-3.0], [1.0], [2.25], [4.0], [9.0], [31.0]])
    expected = [
        1e100 * (1 + (0.5 + 1) / 2),  # the root misses by 1, the logarithm cannot be computed
        1e100 * (1 + (0.75 + 1) / 2),
        1e100 * (1 + (0 + 0.5) / 2),  # the root is there, the logarithm misses by 1
        1e100 * (1 + (0 + 1 / 3) / 2),
        1e100,  # ln 0: on the edge
        0.0,
        2e100,  # outside the box
    ]
    assert np.allclose(graded(points), expected, rtol=1e-14, atol=0.0)
    assert [graded(point) for point in points] == graded(points).tolist()
    assert graded.condition_points == 18
    assert graded.evaluations == graded.inner.evaluations == 21
    assert graded.undefined_count == 18
    assert graded.best_value == 0.0


def test_other_conditions_are_measured_too() -> None:
    problem = cpc.parse("arcsin(x1) + x1^(-2) + (x1 - 1)^x2", bounds=[(-4, 4), (-3.5, 3.5)])
    points = np.array([[3.0, 0.5], [-3.0, 0.5], [0.0, 0.5], [0.5, 0.5], [0.5, 2.0]])
    grades = violation(problem.expression, problem.conditions, points)
    shares = [2 / 3, 2 / 3 + 0.8, 0.5, 1 / 3, 1 / 3]  # arcsin by 2; the base by 4, 1, a half; the same if x2 is whole
    assert np.allclose(grades, np.array(shares) / 3)
    assert np.isnan(problem(points[3]))
    assert np.isfinite(problem(points[4]))


def test_thin_points_keep_their_value() -> None:
    problem = cpc.problem("CPC-DF14")
    thin = np.array([-0.5, -3.0])
    graded = GradedObjective(Objective(problem))
    assert graded(thin) == problem(thin)
    assert graded.condition_points == 0
    assert violation(problem.expression, problem.conditions, thin[None])[0] > 0.0
    assert np.isnan(problem(thin + 1e-9))


def test_an_overflow_is_graded_as_the_edge() -> None:
    problem = cpc.parse("exp(x1)", bounds=[(0, 1000)])
    assert GradedObjective(Objective(problem))(np.array([900.0])) == 1e100


def test_the_budget_still_stops_the_run() -> None:
    graded = GradedObjective(Objective(NESTED, budget=3))
    with pytest.raises(StopRun):
        graded(np.array([[-1.0], [9.0], [16.0], [25.0]]))
    assert graded.remaining == 0
    assert graded.best_value == 0.0
    assert copy.copy(graded).remaining == 0


@pytest.mark.parametrize("method", [SA, BFGS.with_parameters(starts=40)], ids=["SA", "BFGS+MS"])
def test_conditions_lead_to_a_domain_that_is_hard_to_hit(method: Solver) -> None:
    problem = cpc.problem("CPC-DF13")  # about one point in a million is admissible
    assert [run_once(problem, method, seed).x for seed in range(3)] == [None] * 3
    outcomes = [run_once(problem, explicit_conditions(method), seed) for seed in range(3)]
    assert all(outcome.x is not None and outcome.value == problem(outcome.x) for outcome in outcomes)


def test_nothing_admissible_stays_nothing() -> None:
    for method in (SA, BFGS.with_parameters(starts=5)):
        outcome = run_once(NOWHERE, explicit_conditions(method), 1)
        assert (outcome.status, outcome.x) == ("finished", None)
        assert math.isnan(NOWHERE([0.5, 2.5]))
