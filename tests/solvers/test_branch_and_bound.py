"""Branch and bound: what it proves is true, what it finds is good, and it stops when it should."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import Boxes
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.box_bounds import BoxBounds
from cpcbench.solvers.paper.box_pool import Batch, BoxPool
from cpcbench.solvers.paper.branch_and_bound import SOLVER, solve
from cpcbench.solvers.paper.refine import refine
from cpcbench.solvers.run import run_once

Box = list[tuple[float, float]]


def run(text: str, bounds: Box, *, rule: str = "ieee", budget: int | None = None, **settings: Any) -> Any:
    problem = cpc.parse(text, bounds=bounds).with_rule(rule)
    objective = Objective(problem, budget=budget, seconds=30.0)
    return solve(objective, np.random.default_rng(1), **settings)


CLOSING: list[tuple[str, Box, float]] = [
    ("x1^2 + x2^2", [(-1, 2), (-1.5, 1)], 0.0),
    ("x1 + 1 / x1", [(0.1, 4)], 2.0),
    ("x1 + 1 / x1", [(0, 4)], 2.0),
    ("x1^4 - 3 * x1^3 + 2", [(-1, 4)], -6.54296875),
    ("sin(x1) + sin(10 * x1 / 3)", [(2.7, 7.5)], -1.899599349152114),
    ("100 * (x2 - x1^2)^2 + (1 - x1)^2", [(-3, 2.5), (-2, 3)], 0.0),
    ("(x1 - 1)^2 + (x1 - 2)^1.5", [(-5, 5)], 1.0),
    ("(x1 - 1)^2 + x2 - ln(x2 - 0.5)", [(-5, 5), (-3, 4)], 1.5),
    ("floor(x1 + 0.5)^2 + 0.5", [(-7, 4)], 0.5),
    ("where(x1 < 0, 3 + x1, x1^2 + 1)", [(-1, 1.7)], 1.0),
    ("abs(x1 - 0.3) - x1^x2", [(0.2, 1), (0.5, 0.5)], -math.sqrt(0.3)),
    ("x1 + x2", [(1.25, 1.25), (-0.5, -0.5)], 0.75),
    ("x1 + (x2 - 2)^2", [(1.25, 1.25), (-1, 5)], 1.25),
]  # fmt: skip


@pytest.mark.parametrize(("text", "bounds", "least"), CLOSING, ids=[c[0] for c in CLOSING])
def test_the_gap_closes_around_the_true_minimum(text: str, bounds: Box, least: float) -> None:
    result = run(text, bounds)
    scale = max(1.0, abs(least))
    assert result.success
    assert result.message.startswith("proven")
    assert result.fun == pytest.approx(least, abs=2e-9 * scale)
    assert result.lower_bound <= result.fun + 1e-15 * scale
    assert result.gap == result.fun - result.lower_bound <= 1.01e-9 * scale
    problem = cpc.parse(text, bounds=bounds)
    assert problem.in_box(result.x)
    assert problem(result.x) == result.fun


HARD: list[tuple[str, Box, float | None]] = [
    ("x1 + sqrt(0.0001 - (x1 - x2)^2)", [(-1, 1), (-1, 1)], -1.0),  # a thin stripe, lowest on its edge
    ("sqrt(x1 - x2^2) - 2 * x1 + sqrt(1 - x1 - 0.01 * x2)", [(-3, 3), (-3, 3)], None),
    ("-sqrt(cos(x1 * x2) - 0.99) + 0.1 * x1^2", [(-4, 5), (-4, 5)], -0.1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "bounds", "least"), HARD, ids=[h[0] for h in HARD])
def test_thin_domains_and_edges_are_enclosed(text: str, bounds: Box, least: float | None) -> None:
    result = run(text, bounds, tolerance=1e-4)
    assert result.success
    assert result.fun - result.lower_bound <= 1.01e-4 * max(1.0, abs(result.fun))
    if least is not None:
        assert result.lower_bound <= least <= result.fun + 1e-15


NOTHING: list[tuple[str, Box]] = [
    ("sqrt(-1 - x1^2)", [(-3, 2)]),
    ("ln(x1 - x1 - 1)", [(-3, 2)]),
    ("sqrt(x1 - x2) + sqrt(x2 - x1 - 0.1)", [(-3, 2), (-2, 4)]),
    ("arcsin(2 + x1^2)", [(0.5, 0.5)]),
]


@pytest.mark.parametrize(("text", "bounds"), NOTHING, ids=[n[0] for n in NOTHING])
def test_it_proves_that_nothing_is_admissible(text: str, bounds: Box) -> None:
    result = run(text, bounds)
    assert result.x is None
    assert math.isnan(result.fun)
    assert result.lower_bound == math.inf
    assert result.success
    assert "nowhere" in result.message


def test_a_single_admissible_point_is_not_denied() -> None:
    result = run("sqrt(-abs(x1)) + (x1 - 1)^2", [(-1, 2)])
    assert 0.99 < result.lower_bound <= 1.0
    assert "nowhere" not in result.message


def test_a_value_that_exists_only_in_doubles_is_no_success() -> None:
    result = run("x1 - 1e17 * (0.1 + 0.2 - 0.3)", [(0.5, 1)])  # the bracket is 5.6e-17 in doubles
    assert result.fun == pytest.approx(-5.05, abs=0.01)
    assert not result.success
    assert "in the reals the value at the point found is 0.5" in result.message


def test_a_point_that_exists_only_in_doubles_is_no_success() -> None:
    result = run("sqrt(x1 + x2 - 0.30000000000000003)", [(0.1, 0.1), (0.2, 0.2)])  # 0 in doubles, negative in the reals
    assert result.fun == 0.0
    assert not result.success
    assert "in the reals the formula is undefined" in result.message


@pytest.mark.slow
def test_huge_boxes_are_searched() -> None:
    result = run("abs(x1 - 3) / (1 + abs(x1))", [(-1e308, 1.5e308)])
    assert result.lower_bound <= 0.0 <= result.fun <= 1.0


def test_rules_have_their_own_minimum() -> None:
    text, bounds = "x1^x2", [(-3.0, 2.0), (1.0, 3.0)]
    assert run(text, bounds, rule="strict").fun == pytest.approx(0.0, abs=1e-9)
    thin = run(text, bounds, tolerance=1e-6, seconds=3.0)
    assert thin.lower_bound == pytest.approx(-27.0)  # at (-3, 3), where the exponent is whole


@pytest.mark.parametrize("budget", [1, 2, 100, 1000])
def test_a_spent_budget_leaves_the_bound(budget: int) -> None:
    problem = cpc.problem("DF17")
    objective = Objective(problem, budget=budget)
    result = solve(objective, np.random.default_rng(1))
    assert result.nfev == objective.evaluations == budget
    assert not result.success
    assert "budget is spent" in result.message
    assert result.lower_bound <= -3.6051351954440384


def test_a_time_limit_stops_it() -> None:
    result = solve(Objective(cpc.problem("DF4")), np.random.default_rng(1), seconds=0.2)
    assert "time is spent" in result.message
    assert result.lower_bound < -1035.0


def test_same_seed_same_result() -> None:
    first, second = (run_once(cpc.problem("DF8"), SOLVER, 5, budget=20_000) for _ in range(2))
    assert (first.x, first.value, first.evaluations) == (second.x, second.value, second.evaluations)
    assert first.trajectory == second.trajectory


def test_few_boxes_in_memory_keep_the_bound_true() -> None:
    """Left of 0 the formula is 0 but its bounds are low; right of 0 is a needle of depth 1, soon given up."""
    text = "where(x1 < 0, 50 * (x1^2 - x1 * x1), -exp(-1e8 * (x1 - 1.87123)^2))"
    result = run(text, [(-4, 4)], max_boxes=2, batch=1)
    assert -math.inf < result.lower_bound <= -1.0
    assert run(text, [(-4, 4)], tolerance=1e-3).fun == pytest.approx(-1.0, abs=1e-3)


@pytest.mark.parametrize("problem", cpc.problems(), ids=lambda p: p.id)
def test_bounds_of_the_suite_are_below_its_real_values(problem: cpc.Problem) -> None:
    objective = Objective(problem, budget=10_000, seconds=20.0)
    result = solve(objective, np.random.default_rng(3), batch=256)
    assert objective.evaluations <= 10_000
    known = problem.best_known.points if problem.best_known is not None else ()
    for x in [*known, *([] if result.x is None else [result.x])]:
        real = problem.enclosure(x)
        if real.defined:
            assert result.lower_bound <= real.upper


@pytest.mark.parametrize(
    "settings", [{"tolerance": -1.0}, {"tolerance": math.nan}, {"seconds": 0.0}, {"batch": 0}, {"max_boxes": 1}]
)
def test_bad_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(CpcbenchError, match=next(iter(settings))):
        run("x1", [(0, 1)], **settings)


# Its parts


SMOOTH = [
    "x1 * (1 - x1) + x2 * x1",
    "sin(3 * x1) * exp(-x2 / 4) - x1^3 / 9",
    "ln(x1 + 5) * sqrt(x2 + 4.5) + abs(x1 - x2) / 2",
    "(x1 + 4.5)^(x2 / 3) - x1 * x2^2",
    "floor(x1) * x2 - x1 / (x2^2 + 0.3) + arcsin(x1 / 9)",
]


@pytest.mark.parametrize("text", SMOOTH)
def test_slopes_never_raise_a_bound_above_a_value(text: str) -> None:
    problem = cpc.parse(text, bounds=[(-4, 4), (-4, 4)])
    bounds = BoxBounds(problem.expression, problem.rule, problem.upper - problem.lower)
    rng = np.random.default_rng(9)
    lower = rng.uniform(-4.0, 3.5, (300, 2))
    upper = lower + 0.5 * 10.0 ** rng.uniform(-3.0, 0.0, (300, 2))
    found = bounds(lower, upper, math.inf)
    assert found.row.tolist() == list(range(300))
    for t in [*rng.random((40, 2)), *np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.5]])]:
        values = problem(np.clip(lower + t * (upper - lower), lower, upper))
        assert (found.bound <= values + 1e-12).all()
    natural, _, _ = Boxes(problem.expression)(lower, upper)
    sharper = np.count_nonzero(found.bound > natural)
    assert sharper == 0 if "floor" in text else sharper > 50
    for low, high in zip(found.lower, found.upper, strict=True):
        assert (low <= high).all()


def numbered(bounds: list[float], depths: list[int] | None = None, seen: list[float] | None = None) -> Batch:
    """Boxes whose lower corner is their bound, so that mixed-up columns show."""
    bound, count = np.array(bounds), len(bounds)
    depth = np.array(depths or [0] * count, dtype=np.int32)
    return Batch(
        np.stack([bound, bound], axis=1), np.ones((count, 2)), bound, np.array(seen or bounds), depth, depth.copy()
    )


def test_the_pool_gives_the_lowest_bounds_and_keeps_the_rest() -> None:
    rng = np.random.default_rng(4)
    pool = BoxPool(2)
    model: list[float] = []
    for _ in range(60):
        fresh = np.round(rng.standard_normal(rng.integers(0, 90)), 1).tolist()
        pool.push(numbered(fresh))
        model = sorted([*model, *fresh])
        count = int(rng.integers(1, 70))
        taken = pool.pop(count)
        assert sorted(taken.bound.tolist()) == model[:count]
        assert (taken.lower[:, 0] == taken.bound).all()
        model = model[count:]
        assert pool.size == len(model)
        assert pool.lowest == (model[0] if model else math.inf)


def test_the_pool_prefers_large_boxes_among_equals() -> None:
    pool = BoxPool(2)
    pool.push(numbered([-math.inf] * 5 + [0.0], [4, 1, 3, 0, 2, 0]))
    assert sorted(pool.pop(2).depth.tolist()) == [0, 1]


def test_the_pool_also_gives_promising_boxes() -> None:
    pool = BoxPool(2)
    pool.push(numbered([1.0, 2.0, 3.0, 4.0], seen=[9.0, 8.0, 7.0, -5.0]))
    assert sorted(pool.pop(1, promising=1).bound.tolist()) == [1.0, 4.0]
    assert pool.size == 2


def test_the_pool_says_what_it_gave_up() -> None:
    pool = BoxPool(2)
    pool.push(numbered([5.0, 1.0, 4.0, 2.0, 3.0]))
    assert pool.discard_above(4.0) == 5.0
    assert pool.discard_above(4.0) == math.inf
    assert pool.shrink(2) == 3.0
    assert sorted(pool.pop(9).bound.tolist()) == [1.0, 2.0]


def test_refinement_finds_a_minimum_in_a_valley_with_undefined_walls() -> None:
    problem = cpc.parse("100 * (x2 - x1^2)^2 + (1 - x1)^2 + sqrt(x1) * 0", bounds=[(-3, 3), (-3, 3)])
    objective = Objective(problem)
    start = np.array([0.1, 0.5])
    x, value = refine(objective, np.random.default_rng(6), start, problem(start), np.array([0.5, 0.5]), 400)
    assert value < 1e-9
    assert value == problem(x)
    assert start.tolist() == [0.1, 0.5]


def test_a_value_that_only_doubles_know_discards_nothing() -> None:
    """Near x1 = 0 the quotient of CPC-DF8 comes out huge in doubles; the real optimum must survive that."""
    problem = cpc.problem("CPC-DF8", rule="strict")
    objective = Objective(problem, seconds=6.0)
    found = solve(objective, np.random.default_rng(0))
    assert objective.best_value < -1e10, "the artefact is met, or this tests nothing"
    assert found.fun == problem.reference(found.x)
    assert problem.enclosure(found.x).defined is True
    assert 0.95 < found.fun < 2.0
