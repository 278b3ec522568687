"""Every solver of ours and a user's function keep the contract, and the contract catches those that break it."""

from __future__ import annotations

import importlib
import os
import random
import sys
import warnings
from collections.abc import Callable
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import OWN, Solver
from cpcbench.testing import SolverContract
from tests.cases import one_in

QUICK: dict[str, dict[str, Any]] = {
    "GA": {"population": 40, "max_generations": 60, "stall_generations": 5},
    "SA": {"iterations": 200},
    "BFGS+MS": {"starts": 5, "iterations": 50},
    "GPSO": {"population": 40},
    "B&B": {"max_boxes": 400, "batch": 64},
    "cpc": {"max_evaluations": 400},
    "cpc-white": {"budget": 5_000, "seconds": 60.0},
}


def importable(name: str) -> bool:
    try:
        importlib.import_module(OWN[name])
    except ModuleNotFoundError as error:
        if error.name != OWN[name]:
            raise
        return False
    return True


def user_function(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    points = rng.uniform(objective.lower, objective.upper, (200, objective.dim))
    values = np.fmin(objective(points), np.inf)
    best = np.argmin(values)
    return OptimizeResult(x=points[best] if values[best] < 1e100 else None, fun=values[best])


def contract(given: Any, quick: dict[str, Any] | None = None) -> SolverContract:
    class Contract(SolverContract):
        solver = given
        parameters = quick or {}

    return Contract()


CHECKS = sorted(name for name in dir(SolverContract) if name.startswith("test_"))


def run_check(checked: SolverContract, check: str, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = [capfd] if check == "test_prints_nothing" else []
    getattr(checked, check)(*arguments)


@pytest.mark.parametrize(("name", "check"), one_in(5, product((name for name in OWN if importable(name)), CHECKS)))
def test_our_solvers_keep_the_contract(name: str, check: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_check(contract(name, QUICK[name]), check, capfd)


class TestInheritedByAUserFunction(SolverContract):
    solver = user_function


class TestInheritedByASolver(SolverContract):
    solver = Solver("random search", user_function, undefined="inf", budget=500)


# Solvers that break it, each in one way


def sampled(objective: Objective, rng: np.random.Generator, count: int = 30) -> OptimizeResult:
    """Random search again, in pieces for those below to spoil."""
    best: tuple[float, Any] = (np.inf, None)
    for _ in range(count):
        x = objective.lower + rng.random(objective.dim) * (objective.upper - objective.lower)
        value = objective(x)
        if value < best[0] and value < 1e100:
            best = (value, x)
    return OptimizeResult(x=best[1], fun=best[0])


def draws_from_numpy(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    np.random.random()  # noqa: NPY002
    return sampled(objective, rng)


def draws_from_python(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    random.random()  # noqa: S311
    return sampled(objective, rng)


def silences_numpy(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    np.seterr(invalid="raise")
    return sampled(objective, rng)


def silences_warnings(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    warnings.simplefilter("ignore")
    return sampled(objective, rng)


def goes_elsewhere(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    os.chdir("/")
    return sampled(objective, rng)


def seeds_itself(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    return sampled(objective, np.random.default_rng())


def answers_at_random(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    sampled(objective, rng)
    return OptimizeResult(x=np.random.default_rng().uniform(objective.lower, objective.upper), fun=0.0)


def prints(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    print("iteration 1")
    return sampled(objective, rng)


def prints_below_python(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    os.write(2, b"iteration 1")
    return sampled(objective, rng)


def leaves_the_box(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    objective(objective.upper + 0.5)
    return sampled(objective, rng)


def leaves_the_box_in_a_batch(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    objective(rng.normal(objective.lower, 1.0, (20, objective.dim)))
    return sampled(objective, rng)


def goes_on(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    for _ in range(400):
        try:
            sampled(objective, rng, 1)
        except StopRun:
            continue
    return OptimizeResult(x=None, fun=np.nan)


def evaluates_aside(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    objective.problem(objective.lower)
    return sampled(objective, rng)


def narrows_the_bounds(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    objective.lower += 0.1
    return sampled(objective, rng)


def empties_the_bounds(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    objective.bounds.pop()
    return sampled(objective, rng)


def rejects_nan(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    result = sampled(objective, rng)
    if result.x is None:
        raise ValueError("no start found")
    return result


def rejects_infinity(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    for _ in range(30):
        if np.isinf(objective(rng.uniform(objective.lower, objective.upper))):
            raise OverflowError("infinite")
    return sampled(objective, rng)


def wants_two_variables(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    objective(np.array([objective.lower[0], objective.upper[1]]))
    return sampled(objective, rng)


def divides_by_the_width(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    assert sum(1.0 / float(width) for width in objective.upper - objective.lower) > 0.0
    return sampled(objective, rng)


def returns_a_row(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    result = sampled(objective, rng)
    return OptimizeResult(x=None if result.x is None else result.x[None, :], fun=result.fun)


def returns_a_point_outside(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    return OptimizeResult(x=objective.upper + 1.0, fun=0.0)


def returns_words(objective: Objective, rng: np.random.Generator) -> Any:
    return "done"


def returns_values(objective: Objective, rng: np.random.Generator) -> Any:
    return SimpleNamespace(x=objective.lower.copy(), fun=np.zeros(3))


def returns_a_lie(objective: Objective, rng: np.random.Generator) -> dict[str, Any]:
    return {"x": sampled(objective, rng).x, "fun": -1e9}


def lies_about_nothing(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
    sampled(objective, rng)
    return OptimizeResult(x=None, fun=3.0)


BAD: list[tuple[Callable[..., Any], str, str]] = [
    (draws_from_numpy, "test_leaves_the_process_as_it_was", "NumPy's global random state"),
    (draws_from_python, "test_leaves_the_process_as_it_was", "Python's global random state"),
    (silences_numpy, "test_leaves_the_process_as_it_was", "floating-point settings"),
    (silences_warnings, "test_leaves_the_process_as_it_was", "warning filters"),
    (goes_elsewhere, "test_leaves_the_process_as_it_was", "working directory"),
    (seeds_itself, "test_is_reproducible_from_its_generator", "other points"),
    (answers_at_random, "test_is_reproducible_from_its_generator", "another answer"),
    (prints, "test_prints_nothing", "iteration 1"),
    (prints_below_python, "test_prints_nothing", "iteration 1"),
    (leaves_the_box, "test_evaluates_only_inside_the_box", "outside the box"),
    (leaves_the_box_in_a_batch, "test_evaluates_only_inside_the_box", "outside the box"),
    (goes_on, "test_stops_when_the_budget_is_spent", "after StopRun"),
    (goes_on, "test_stops_when_the_time_is_up", "after StopRun"),
    (evaluates_aside, "test_evaluates_through_the_objective", "call the objective"),
    (narrows_the_bounds, "test_changes_nothing_it_is_given", "changes the bounds"),
    (empties_the_bounds, "test_changes_nothing_it_is_given", "changes the bounds"),
    (rejects_nan, "test_survives_undefined_everywhere", "ValueError: no start found"),
    (rejects_nan, "test_survives_undefined_almost_everywhere", "ValueError: no start found"),
    (rejects_infinity, "test_survives_every_policy_for_undefined_points", "OverflowError.*undefined is inf"),
    (wants_two_variables, "test_takes_problems_of_one_and_of_six_variables", "IndexError"),
    (divides_by_the_width, "test_takes_a_variable_that_is_fixed", "ZeroDivisionError"),
    (returns_a_row, "test_returns_a_point_and_its_value", "not 2 real numbers"),
    (returns_a_point_outside, "test_returns_a_point_and_its_value", "is not in"),
    (returns_words, "test_returns_a_point_and_its_value", "'done'"),
    (returns_values, "test_returns_a_point_and_its_value", "not a real number"),
    (lies_about_nothing, "test_survives_undefined_everywhere", "without a point"),
    (returns_a_lie, "test_returns_a_point_and_its_value", "-1000000000.0, it is"),
]


@pytest.mark.parametrize(("bad", "check", "words"), BAD, ids=lambda v: getattr(v, "__name__", v))
def test_a_broken_solver_is_caught(
    bad: Callable[..., Any], check: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AssertionError, match=words):
        run_check(contract(bad), check, capfd)


def test_every_check_can_fail() -> None:
    assert {check for _, check, _ in BAD} == set(CHECKS)


@pytest.mark.parametrize("check", CHECKS)
def test_what_the_broken_ones_are_made_of_is_sound(check: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_check(contract(sampled), check, capfd)


def test_the_process_is_put_back_after_a_broken_solver(capfd: pytest.CaptureFixture[str]) -> None:
    before = os.getcwd(), np.geterr(), random.getstate(), list(warnings.filters)
    for bad, check, _ in BAD:
        if check == "test_leaves_the_process_as_it_was":
            with pytest.raises(AssertionError):
                run_check(contract(bad), check, capfd)
    assert (os.getcwd(), np.geterr(), random.getstate(), list(warnings.filters)) == before


def test_a_run_has_the_time_that_the_subclass_gives_it() -> None:
    """Where the time is up, what is found depends on the machine; a check that gives a time of its own keeps it."""
    left: list[float] = []

    def looks(objective: Objective, rng: np.random.Generator) -> OptimizeResult:
        left.append(objective.seconds_left)
        return sampled(objective, rng)

    class AsInAStudy(SolverContract):
        solver = Solver("looks", looks, "nan", seconds=5.0)

    class Patient(AsInAStudy):
        seconds = 300.0

    for patient in (Patient(), AsInAStudy()):
        patient.test_is_reproducible_from_its_generator()
        patient.test_stops_when_the_time_is_up()
    half = len(left) // 2
    assert all(5.0 < one <= 300.0 for one in left[: half - 1])
    assert left[half - 1] < 1e-6
    assert all(1e-6 < one <= 5.0 for one in left[half:-1])
    assert left[-1] < 1e-6


def test_the_contract_loads_no_pytest_by_itself() -> None:
    import subprocess

    program = "import cpcbench.testing, sys; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
