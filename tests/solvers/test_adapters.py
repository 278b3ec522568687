"""Outside solvers keep the contract of a solver, spend what they are given and say what they miss."""

from __future__ import annotations

import dataclasses
import importlib
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from cpcbench.errors import MissingExtraError
from cpcbench.problems.user import parse
from cpcbench.solvers import registry
from cpcbench.solvers.adapters.common import Guarded, Search, until_spent
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import LIBRARIES, OUTSIDE, Solver, solver
from cpcbench.solvers.run import Outcome, run_once
from cpcbench.testing import SolverContract
from tests.cases import one_in
from tests.material.outside.libraries import needed_by

VALLEY = parse("(x1 - 0.3)^2 + 2*(x2 + 1.7)^2", [(-1.0, 2.5), (-4.0, 3.0)])
NOWHERE = parse("ln(-1 - x1^2) + x2", [(-3.0, 4.0), (-2.0, 5.0)])
TENTH = parse("sqrt(x1 - 0.9) + (x2 - 0.2)^2", [(0.0, 1.0), (-1.0, 1.0)])

INSTALLED = [name for name, adapter in OUTSIDE.items() if registry._installed(adapter)]
LEISURELY = {"scipy-shgo", "optuna-tpe", "nevergrad-ngopt", "cma-bipop", "maingo", "scip", "nomad", "scipy-cobyqa"}
"""Milliseconds for each evaluation, or seconds for each run: they get less to do, and most of their tests are slow."""

QUICK_CHECKS = {
    "test_stops_when_the_budget_is_spent",
    "test_survives_every_policy_for_undefined_points",
    "test_takes_a_variable_that_is_fixed",
    "test_prints_nothing",
    "test_leaves_the_process_as_it_was",
}
CHECKS = [
    pytest.param(name, marks=[] if name in QUICK_CHECKS else [pytest.mark.slow])
    for name in sorted(dir(SolverContract))
    if name.startswith("test_")
]
"""The parts of the contract; those that native code is most likely to break are always checked."""


def each(*, leisurely: bool = True) -> Any:
    """All solvers, or the leisurely ones only in the slow tests; those whose library is missing are skipped by name."""

    def marks(name: str) -> list[pytest.MarkDecorator]:
        return [needed_by(name), *([pytest.mark.slow] if name in LEISURELY and not leisurely else [])]

    return pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in OUTSIDE])


def run(name: str, problem: Any, seed: int = 1, budget: int = 400, **changes: Any) -> Outcome:
    found = dataclasses.replace(solver(name), **changes)
    return run_once(problem, found, seed, budget=40 if name in LEISURELY else budget, seconds=60.0)


def record(outcome: Outcome) -> tuple[Any, ...]:
    return outcome.status, outcome.x, outcome.value, outcome.evaluations, outcome.undefined, outcome.trajectory


def test_every_library_of_this_machine_has_its_adapter() -> None:
    assert len(INSTALLED) >= 5, "SciPy's are always there"
    for name in INSTALLED:
        found = solver(name)
        assert found.name == name
        assert found.summary
        assert found.budget is not None or found.seconds is not None or found.expression


@pytest.mark.parametrize("check", one_in(2, CHECKS))
@each(leisurely=False)
def test_contract(name: str, check: str, capfd: pytest.CaptureFixture[str]) -> None:
    if name == "maingo":
        pytest.skip("MAiNGO may run past its time limit in native code; a study stops it from outside, a test cannot")

    if name == "scip" and check in ("test_prints_nothing", "test_returns_a_point_and_its_value"):
        pytest.skip("SCIP's LP solver may print, and what it reports is its own claim, for verification to judge")

    class Contract(SolverContract):
        solver = name
        budget = 60 if name in LEISURELY else 200
        # SCIP knows of no evaluations, and may go on until it is stopped
        parameters = {"seconds": 2.0} if (name, check) == ("scip", "test_stops_when_the_budget_is_spent") else {}
        # it takes a second where the machine is quiet, and where its time is up it ends with another point
        seconds = 300.0 if (name, check) == ("scip", "test_is_reproducible_from_its_generator") else None

    getattr(Contract(), check)(*([capfd] if check == "test_prints_nothing" else []))


@each()
def test_the_same_seed_gives_the_same_record(name: str) -> None:
    assert record(run(name, TENTH, budget=200)) == record(run(name, TENTH, budget=200))
    first, other = (run_once(VALLEY, solver(name), seed, budget=70, seconds=60.0) for seed in (1, 2))
    if solver(name).deterministic:
        assert record(first) == record(other)
    else:
        assert first.trajectory != other.trajectory


@each()
def test_the_budget_is_spent_and_not_more(name: str) -> None:
    budget = 40 if name in LEISURELY else 333
    done = run(name, TENTH, budget=333)
    assert done.status in ("budget", "finished"), done.message
    assert 0 < done.evaluations <= budget or solver(name).expression
    if not solver(name).deterministic:
        assert done.evaluations == budget


@each()
def test_an_easy_minimum_is_found(name: str) -> None:
    budget = 200 if name in LEISURELY | {"scipy-basin-hopping"} else 4000
    done = run_once(VALLEY, solver(name), 3, budget=budget, seconds=60.0)
    assert done.status in ("budget", "finished"), done.message
    assert done.value is not None
    assert done.value < 1e-2
    assert done.x == pytest.approx((0.3, -1.7), abs=0.1)


@each()
def test_nothing_is_made_up_where_nothing_is_defined(name: str) -> None:
    done = run(name, NOWHERE)
    assert done.status in ("budget", "finished"), done.message
    assert done.x is None
    assert done.value is None


@each()
def test_a_tenth_of_the_box_is_enough(name: str) -> None:
    done = run(name, TENTH, budget=2000)
    assert done.status in ("budget", "finished"), done.message
    if done.x is not None:
        assert TENTH(done.x) == pytest.approx(done.value, abs=1e-6)
    if name not in LEISURELY:
        assert done.value is not None
        assert done.value < 0.3


@pytest.mark.slow
@each()
def test_without_a_budget_it_stops_by_itself(name: str) -> None:
    found = solver(name)
    objective = Objective(TENTH, undefined=found.undefined, seconds=found.seconds)  # with more time it would go on
    found.solve(objective, np.random.default_rng(0), **found.parameters)
    assert objective.evaluations > 0
    few = ("nevergrad-ngopt", "scipy-cobyqa")  # left to themselves, they make few evaluations
    assert objective.best_x is not None or name in few


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_installed", lambda adapter: False)
    for name, adapter in OUTSIDE.items():
        with pytest.raises(MissingExtraError, match=rf'{name} .*pip install "cpcbench\[{adapter}\]"'):
            solver(name)
        assert name not in registry.solvers()


def test_no_library_is_imported_before_it_is_used() -> None:
    libraries = sorted({LIBRARIES.get(adapter, adapter) for adapter in OUTSIDE.values()} - {"scipy"})
    program = (
        "import sys, importlib, cpcbench\n"
        "from cpcbench.solvers.registry import OUTSIDE, solver, solvers\n"
        "[solver(name) for name in solvers() if name in OUTSIDE]\n"
        f"print(*(name for name in {libraries!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# What the adapters share


def test_search_leaves_fixed_variables_out() -> None:
    search = Search(Objective(parse("x1 + 10*x2 + 100*x3", [(0.0, 1.0), (0.7, 0.7), (-1.0, 2.0)])))
    assert (search.dim, search.lower.tolist(), search.upper.tolist()) == (2, [0.0, -1.0], [1.0, 2.0])
    assert search(np.array([0.5, 1.5])) == pytest.approx(157.5)
    assert search(np.asfortranarray([[0.5, 1.5], [-9.0, 9.0]])) == pytest.approx([157.5, 207.0])
    assert search.part(search.whole(np.array([0.25, -0.5]))).tolist() == [0.25, -0.5]


def test_guarded_keeps_the_stop_until_it_is_asked_for() -> None:
    asked: list[str] = []
    objective = Objective(VALLEY, budget=2)
    call = Guarded(objective, stop=lambda: asked.append("stop"))
    values = [call(np.zeros(2)) for _ in range(4)]
    assert values[:2] == [VALLEY([0.0, 0.0])] * 2
    assert values[2:] == [1e100] * 2
    assert asked == ["stop"] * 2
    with pytest.raises(StopRun):
        call.raise_kept()


def test_until_spent_restarts_and_ends() -> None:
    objective = Objective(VALLEY, budget=10)
    assert (
        until_spent(objective, lambda: objective(np.zeros((3, 2)) if objective.remaining > 3 else np.zeros(2))).nfev
        == 10
    )
    assert until_spent(objective, lambda: None).nfev == 10, "a call that evaluates nothing is the last"
    unlimited = Objective(NOWHERE)
    answer = until_spent(unlimited, lambda: unlimited(np.zeros(2)))
    assert (answer.x, answer.nfev, answer.success) == (None, 1, False)
    assert math.isnan(answer.fun)


def test_importing_a_library_leaves_no_trace(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rude_library.py").write_text(
        "import random, warnings, numpy\nrandom.seed(1)\nnumpy.random.seed(1)\n"
        "warnings.simplefilter('ignore')\nnumpy.set_printoptions(precision=2)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    common = importlib.import_module("cpcbench.solvers.adapters.common")
    testing = importlib.import_module("cpcbench.testing")
    before, options = testing._process_state(), np.get_printoptions()
    common.library("rude_library")
    assert testing._process_state() == before
    assert np.get_printoptions() == options


def test_settings_are_checked() -> None:
    with pytest.raises(Exception, match="no parameter 'popsiz'"):
        solver("scipy-de").with_parameters(popsiz=3)
    assert isinstance(solver("scipy-de").with_parameters(popsize=5), Solver)
