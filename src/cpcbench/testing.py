"""The contract of a solver as tests to inherit: `class TestMine(SolverContract): solver = my_function`.

Run them with pytest. Each takes a fraction of a second for a quick solver; `parameters` of the
subclass are handed to the solver, to make a thorough one quick. Where time may run out, what is found depends on how
busy the machine is: `seconds` gives each run more of it.
"""

from __future__ import annotations

import inspect
import math
import os
import random
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.problems.undefined import PENALTY, POLICIES
from cpcbench.problems.user import parse
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.registry import solver as find_solver

if TYPE_CHECKING:
    import pytest

VALLEY = ("(x1 - 0.3)^2 + 2*(x2 + 1.7)^2", [(-1.0, 2.5), (-4.0, 3.0)])
CORNER = ("ln(6 + x1 - 2*x2) + x2", [(0.5, 3.0), (-7.0, -2.0)])  # lowest at a corner of the box
PARTLY = ("ln(x1 + x2) + sqrt(x1 - x2^2)", [(-3.0, 4.0), (-2.0, 5.0)])
NOWHERE = ("ln(-1 - x1^2) + x2", [(-3.0, 4.0), (-2.0, 5.0)])
SPECK = ("-sqrt(0.0001 - (x1 - 0.3)^2 - (x2 - 0.4)^2)", [(-1.0, 1.5), (-1.25, 1.0)])
LINE = ("ln(x1 - 0.2)^2 + x1", [(-3.0, 4.0)])
SIX = ("x1^2 + ln(x2 + x3) + sqrt(x4 - x5) + abs(x6 - 1)", [(-1.0, 2.0)] * 6)
FIXED = ("(x1 - 0.3)^2 + x2*x3 + ln(x3)", [(-1.0, 2.0), (0.7, 0.7), (-0.5, 3.0)])


class SolverContract:
    """What any solver must do; `solver` is a Solver, its name, or a function of (objective, rng)."""

    solver: ClassVar[Any]
    parameters: ClassVar[dict[str, Any]] = {}
    budget: ClassVar[int] = 2000
    seconds: ClassVar[float | None] = None
    """The time of each run; as in a study if there is none."""

    def test_returns_a_point_and_its_value(self) -> None:
        """The point is in the box or None, and the value is the value at that point."""
        for formula in (VALLEY, CORNER, PARTLY):
            trial = self._trial(formula)
            found = _checked_answer(trial)
            if found is not None:
                x, stated = found
                true = trial.objective.problem(x)
                _require(_agree(stated, true), f"it says that the value at {x.tolist()} is {stated}, it is {true}")

    def test_evaluates_only_inside_the_box(self) -> None:
        for formula in (VALLEY, CORNER, SIX):
            objective = self._trial(formula).objective
            for points in objective.visited:
                inside = (objective.problem.lower <= points) & (points <= objective.problem.upper)
                outside = points[~inside.all(axis=1)]
                _require(not len(outside), f"it evaluates outside the box {objective.problem.bounds}: {outside[:1]}")

    def test_stops_when_the_budget_is_spent(self) -> None:
        """Earlier is fine; StopRun may pass through, but nothing is evaluated after it."""
        for budget in (1, 7, 300):
            objective = self._trial(PARTLY, budget=budget).objective
            _require(objective.evaluations <= budget, f"it makes {objective.evaluations} evaluations of {budget}")
            _require(not objective.calls_after_stop, "it goes on evaluating after StopRun: let StopRun pass")

    def test_stops_when_the_time_is_up(self) -> None:
        objective = self._trial(PARTLY, budget=10**6, seconds=1e-6).objective
        _require(not objective.calls_after_stop, "it goes on evaluating after StopRun: let StopRun pass")
        _require(objective.evaluations < 10**5, f"it makes {objective.evaluations} evaluations after the time is up")

    def test_evaluates_through_the_objective(self) -> None:
        """Evaluations past the objective would not count; a method that reads the formula may make some."""
        trial = self._trial(PARTLY)
        aside = len(trial.objective.watched_problem.calls)
        _require(
            not aside or self._solver().expression,
            f"it evaluates objective.problem itself ({aside} times): call the objective, which counts",
        )

    def test_survives_undefined_everywhere(self) -> None:
        for policy in POLICIES:
            _checked_answer(self._trial(NOWHERE, undefined=policy))

    def test_survives_undefined_almost_everywhere(self) -> None:
        for policy in POLICIES:
            _checked_answer(self._trial(SPECK, undefined=policy))

    def test_survives_every_policy_for_undefined_points(self) -> None:
        for policy in POLICIES:
            _checked_answer(self._trial(PARTLY, undefined=policy))

    def test_takes_problems_of_one_and_of_six_variables(self) -> None:
        for formula in (LINE, SIX):
            _checked_answer(self._trial(formula))

    def test_takes_a_variable_that_is_fixed(self) -> None:
        """Its lower bound is its upper bound."""
        _checked_answer(self._trial(FIXED))

    def test_is_reproducible_from_its_generator(self) -> None:
        for formula in (PARTLY, NOWHERE):
            first, second = self._trial(formula), self._trial(formula)
            same = len(first.objective.visited) == len(second.objective.visited) and all(
                np.array_equal(a, b, equal_nan=True)
                for a, b in zip(first.objective.visited, second.objective.visited, strict=True)
            )
            _require(same, "the same seed gives other points: draw from the generator it is given")
            _require(_same_answer(first, second), "the same seed gives another answer")

    def test_prints_nothing(self, capfd: pytest.CaptureFixture[str]) -> None:
        capfd.readouterr()
        self._trial(PARTLY)
        printed = "".join(capfd.readouterr())
        _require(not printed, f"it prints {printed[:80]!r}")

    def test_leaves_the_process_as_it_was(self) -> None:
        """Global random states, floating-point and warning settings, and the working directory."""
        before = _process_state()
        try:
            self._trial(PARTLY)
            after = _process_state()
        finally:
            _restore(before)
        for name, value in before.items():
            _require(after[name] == value, f"it changes {name}")

    def test_changes_nothing_it_is_given(self) -> None:
        objective = self._trial(PARTLY).objective
        problem = objective.problem
        _require(
            np.array_equal(objective.lower, problem.lower)
            and np.array_equal(objective.upper, problem.upper)
            and objective.bounds == problem.bounds,
            "it changes the bounds it is given",
        )

    # How the tests are run

    def _solver(self) -> Solver:
        given = inspect.getattr_static(type(self), "solver")  # a function must not become a method here
        return find_solver(given.__func__ if isinstance(given, staticmethod) else given)

    def _trial(
        self,
        formula: tuple[str, Any],
        *,
        undefined: str | None = None,
        budget: int | None = None,
        seconds: float | None = None,
    ) -> _Trial:
        """One run on the formula, always from the same seed."""
        solver = self._solver()
        problem = _WatchedProblem.of(parse(formula[0], formula[1]))
        objective = _WatchedObjective(
            problem,
            budget=budget or self.budget,
            undefined=undefined or solver.undefined,
            seconds=next((one for one in (seconds, self.seconds, solver.seconds) if one is not None), None),
        )
        trial = _Trial(objective, None, False)
        try:
            parameters = {**solver.parameters, **self.parameters}
            trial.result = solver.solve(objective, np.random.default_rng(20240229), **parameters)
            trial.returned = True
        except StopRun:
            pass
        except Exception as error:
            _fail(
                f"it raises {type(error).__name__}: {error} (on {formula[0]}, undefined is {objective.undefined})",
                error,
            )
        return trial


class _WatchedProblem(Problem):
    """Counts how often it is evaluated past the objective."""

    @classmethod
    def of(cls, problem: Problem) -> _WatchedProblem:
        watched = cls(**problem._settings())
        watched(watched.lower)  # compiled before any clock runs
        watched.calls.clear()
        return watched

    @cached_property
    def calls(self) -> list[ArrayLike]:
        return []

    def __call__(self, x: ArrayLike, workers: int = 1) -> Any:
        self.calls.append(x)
        return super().__call__(x, workers)


class _WatchedObjective(Objective):
    """Keeps every point it is called with and the calls after it has said stop; its bounds can be written to."""

    def __init__(self, problem: _WatchedProblem, **settings: Any) -> None:
        super().__init__(problem, **settings)
        self.lower, self.upper = problem.lower.copy(), problem.upper.copy()
        self.watched_problem = problem
        self.visited: list[Points] = []
        self.calls_after_stop = 0
        self._stopped = False

    def __call__(self, x: ArrayLike) -> Any:
        self.calls_after_stop += self._stopped
        with suppress(TypeError, ValueError):  # no points at all: the objective will say so
            self.visited.append(np.array(x, dtype=np.float64).reshape(-1, self.dim))
        try:
            return super().__call__(x)
        except StopRun:
            self._stopped = True
            raise


@dataclass
class _Trial:
    """A run: the objective afterwards, and the result if the solver returned one."""

    objective: _WatchedObjective
    result: Any
    returned: bool


def _answer(result: Any) -> tuple[Any, Any]:
    """`x` and `fun` of a result; a dictionary will do, as it does in a run."""
    try:
        return (result["x"], result["fun"]) if isinstance(result, dict) else (result.x, result.fun)
    except (AttributeError, KeyError):
        _fail(f"it returns {result!r}, not an OptimizeResult with x and fun")


def _checked_answer(trial: _Trial) -> tuple[Points, float] | None:
    """The point a solver returned and its value, if it did and there is one; an answer of another form fails."""
    if not trial.returned:
        return None
    problem = trial.objective.problem
    point, value = _answer(trial.result)
    if point is None:
        _require(value is None or _says_undefined(value), f"without a point it states the value {value!r}")
        return None
    x = np.asarray(point)
    _require(x.dtype.kind == "f" and x.shape == (problem.dim,), f"x is {point!r}, not {problem.dim} real numbers")
    _require(bool(((problem.lower <= x) & (x <= problem.upper)).all()), f"x = {x.tolist()} is not in {problem.bounds}")
    _require(np.ndim(value) == 0 and np.isrealobj(value), f"fun is {value!r}, not a real number")
    return x, float(value)


def _says_undefined(value: float) -> bool:
    return not value < PENALTY


def _agree(stated: float, true: float) -> bool:
    """Whether the value stated is the true one; of an undefined point, anything that says it is undefined."""
    if math.isnan(true):
        return _says_undefined(stated)
    return abs(stated - true) <= 1e-6 * max(1.0, abs(true))


def _same_answer(first: _Trial, second: _Trial) -> bool:
    if first.returned != second.returned or first.objective.trajectory != second.objective.trajectory:
        return False
    if not first.returned:
        return True
    (x, fun), (other_x, other_fun) = _answer(first.result), _answer(second.result)
    if x is None or other_x is None:
        return x is None and other_x is None
    return np.array_equal(x, other_x) and np.array_equal(fun, other_fun, equal_nan=True)


def _process_state() -> dict[str, Any]:
    name, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002 - it is the state that must not change
    return {
        "NumPy's global random state": (name, np.asarray(keys).tolist(), *rest),
        "Python's global random state": random.getstate(),
        "NumPy's floating-point settings": np.geterr(),
        "the warning filters": list(warnings.filters),
        "the working directory": os.getcwd(),
    }


def _restore(state: dict[str, Any]) -> None:
    np.random.set_state(state["NumPy's global random state"])  # noqa: NPY002
    random.setstate(state["Python's global random state"])
    np.seterr(**state["NumPy's floating-point settings"])
    warnings.filters[:] = state["the warning filters"]  # type: ignore[index]
    os.chdir(state["the working directory"])


def _require(condition: bool, message: str) -> None:
    """`assert` would say less: pytest does not rewrite it in an installed module."""
    if not condition:
        _fail(message)


def _fail(message: str, cause: Exception | None = None) -> NoReturn:
    raise AssertionError(message) from cause
