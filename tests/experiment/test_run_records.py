"""What is kept of a run: all readings of the point it returned, verified again, and the best of several runs."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.plan import Task
from cpcbench.experiment.store.record import RunRecord, best_run, installed_versions
from cpcbench.experiment.workers.execution import recorded
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problem
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.run import Outcome

DF3_BEST = (6.1828121298816, 6.49031991565847)
DF14_THIN = (-0.5, -2.45)
"""The middle exponent is -1 there and its base -0.00125: f is about -798, but for the rule ieee only."""


def outcome(x: tuple[float, ...] | None, value: float | None, status: str = "finished") -> Outcome:
    return Outcome(status, x, value, 100, 40, 0.5, ((1, 2.0), (7, 1.5)), "done")


def solver(name: str = "GA", **settings: Any) -> Solver:
    return Solver(name, lambda objective, rng: None, **settings)


def made_by(p: Problem, method: Solver, run: int, came_to: Outcome, seed: int = 1, **limits: Any) -> RunRecord:
    return recorded(Task(p, method, method.name, run, seed, **limits), method, came_to)


def record(
    id_: str, x: tuple[float, ...] | None, value: float | None = None, rule: str = "strict", **changes: Any
) -> RunRecord:
    """A run's record as a study makes it; `value` defaults to an honest report."""
    p = problem(id_, rule=rule)
    if value is None and x is not None:
        value = p.reference(x)
    made = made_by(p, solver(), 0, outcome(x, value))
    return replace(made, **changes)


def run_of(
    verified: float, *, run: int = 0, reported: float = 0.0, kind: str = "faithful", x: bool = True
) -> RunRecord:
    """A record with a given verified value, whatever the point."""
    made = record("CPC-DF1", (0.125, -0.25) if x else None)
    return replace(made, reference=verified, in_box=x, reported=reported, kind=kind, run=run)


# Records


def test_a_record_holds_what_was_run_and_all_three_readings() -> None:
    p = problem("CPC-DF3")
    settings = {"size": np.int64(5), "rates": np.array([0.5, 0.25]), "kernel": max, "deep": {1: (2, None)}}
    method = solver("SA", parameters=settings, budget=1000)
    made = made_by(p, method, 3, outcome(DF3_BEST, -10.5036630152501), seed=7)
    assert (made.problem, made.n, made.rule, made.solver, made.run) == ("CPC-DF3", 2, "ieee", "SA", 3)
    assert made.seed == f"7:{','.join(map(str, Task(p, method, 'SA', 3, 7).seed.spawn_key))}"
    assert (made.budget, made.seconds_limit, made.status, made.message) == (1000, None, "finished", "done")
    assert made.reported == -10.5036630152501
    assert made.reference == made.verified == -10.503674524476093
    assert made.real_lower < made.real_upper
    assert (made.real_lower, made.real_upper) == pytest.approx((-10.401902609681895,) * 2, rel=1e-15)
    assert (made.domain, made.kind, made.in_box) == ("inside", "artefact", True)
    assert (made.evaluations, made.undefined, made.trajectory) == (100, 40, ((1, 2.0), (7, 1.5)))
    assert made.parameters == {
        "size": 5,
        "rates": [0.5, 0.25],
        "kernel": "<built-in function max>",
        "deep": {"1": [2, None]},
    }
    assert type(made.parameters["size"]) is int
    assert made.versions == installed_versions()
    assert {"python", "numpy", "gmpy2"} <= made.versions.keys()


def test_a_studys_limits_go_before_the_solvers() -> None:
    p = problem("CPC-DF3")
    own = solver(budget=1000, seconds=9.0)
    made = made_by(p, own, 0, outcome(None, None), budget=50, seconds=2.0)
    assert (made.budget, made.seconds_limit) == (50, 2.0)


def test_a_run_that_found_nothing() -> None:
    made = record("CPC-DF3", None, status="budget")
    assert (made.kind, made.domain, made.in_box, made.x, made.reported) == ("none", "none", False, None, None)
    for name in ("fast", "reference", "real_lower", "real_upper", "verified"):
        assert math.isnan(getattr(made, name))
    assert not made.found


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_coordinates_that_are_no_numbers_are_inadmissible(bad: float) -> None:
    made = record("CPC-DF3", (6.0, bad), -1.0)
    assert (made.kind, made.domain, made.in_box) == ("inadmissible", "outside", False)
    assert math.isnan(made.reference)
    assert math.isnan(made.verified)
    assert made.x is not None
    assert made.x[0] == 6.0


def test_outside_the_box_nothing_is_verified() -> None:
    made = record("CPC-DF14", (10.5, 1.0), 3.0)
    assert math.isfinite(made.reference)
    assert not made.in_box
    assert math.isnan(made.verified)
    assert not made.found


def test_an_undefined_point_is_inadmissible() -> None:
    made = record("CPC-DF3", (6.1828121298815, DF3_BEST[1]), -10.5)
    assert (made.kind, made.in_box) == ("inadmissible", True)
    assert math.isnan(made.verified)


def test_records_are_plain_and_cannot_be_changed() -> None:
    made = record("CPC-DF3", DF3_BEST)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.run = 5  # type: ignore[misc]
    kinds = {type(value) for value in dataclasses.asdict(made).values()}
    assert kinds <= {str, int, float, bool, tuple, dict, type(None)}


# The best run


def test_the_verified_value_ranks_never_the_reported_one() -> None:
    honest, liar = run_of(1.0, run=0, reported=1.0), run_of(2.0, run=1, reported=-1e9)
    assert best_run([liar, honest]) is honest


def test_undefined_loses_to_everything() -> None:
    worst, undefined = run_of(1e308, run=1), run_of(math.nan, run=0, kind="inadmissible")
    assert best_run([undefined, worst]) is worst
    assert best_run([undefined, run_of(5.0, kind="thin")]).kind == "thin"


def test_outside_the_box_loses_too() -> None:
    outside = replace(run_of(-1e9), in_box=False)
    inside = run_of(3.0, run=1)
    assert best_run([outside, inside]) is inside


def test_of_undefined_runs_one_with_a_point_is_shown() -> None:
    none = run_of(math.nan, run=0, kind="none", x=False)
    point, later = (run_of(math.nan, run=run, kind="inadmissible") for run in (1, 2))
    assert best_run([none, later, point]) is point
    assert best_run([replace(none, run=4), none]) is none


def test_a_thin_run_does_not_hide_the_best_regular_one() -> None:
    thin, regular = run_of(-100.0, run=0, kind="thin"), run_of(1.0, run=1)
    assert best_run([thin, regular]) is regular
    assert best_run([thin]) is thin


def test_the_best_of_no_runs_is_refused() -> None:
    with pytest.raises(CpcbenchError, match="at least one"):
        best_run([])


values = st.one_of(st.floats(allow_nan=False), st.just(math.nan))


@given(st.lists(values, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_best_run_is_the_least_in_any_order(found: list[float], random: Any) -> None:
    runs = [run_of(value, run=i) for i, value in enumerate(found)]
    shuffled = runs[:]
    random.shuffle(shuffled)
    best = best_run(shuffled)
    assert best is best_run(runs)
    defined = [value for value in found if not math.isnan(value)]
    assert best.verified == min(defined) if defined else math.isnan(best.verified)
