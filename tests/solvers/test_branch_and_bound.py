"""Branch and bound: what it proves is true, what it finds is good, and it stops when it should."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import lower_bounds
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.growth import Growth
from cpcbench.intervals.tree.store import NODES, OPEN
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper import box_search
from cpcbench.solvers.paper.branch_and_bound import SOLVER, solve
from cpcbench.solvers.paper.refine import refine
from cpcbench.solvers.run import run_once
from tests.cases import one_in

Box = list[tuple[float, float]]


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    assert SOLVER.prepare is not None
    SOLVER.prepare()  # as a study does, before any time is counted


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


@pytest.mark.parametrize(("text", "bounds", "least"), one_in(4, CLOSING), ids=[c[0] for c in CLOSING])
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


def test_every_seed_gives_the_same_result() -> None:
    """It is marked as deterministic, so that studies run it once."""
    found = [solve(Objective(cpc.problem("CPC-DF20"), budget=20_000), np.random.default_rng(s)) for s in range(3)]
    assert SOLVER.deterministic
    assert len({(f.fun, tuple(f.x), f.lower_bound, f.boxes) for f in found}) == 1


def test_few_boxes_in_memory_keep_the_bound_true() -> None:
    """Left of 0 the formula is 0 but its bounds are low; right of 0 is a needle of depth 1, soon given up."""
    text = "where(x1 < 0, 50 * (x1^2 - x1 * x1), -exp(-1e8 * (x1 - 1.87123)^2))"
    result = run(text, [(-4, 4)], max_boxes=2, batch=1)
    assert -math.inf < result.lower_bound <= -1.0
    assert run(text, [(-4, 4)], tolerance=1e-3).fun == pytest.approx(-1.0, abs=1e-3)


@pytest.mark.parametrize("problem", one_in(6, cpc.problems()), ids=lambda p: p.id)
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
    tape = Tape.of_formula(problem.expression, 2, rule="ieee")
    rng = np.random.default_rng(9)
    lower = rng.uniform(-4.0, 3.5, (300, 2))
    upper = lower + 0.5 * 10.0 ** rng.uniform(-3.0, 0.0, (300, 2))
    bounds, state = lower_bounds(tape, lower, upper)
    assert (state > 0).all()
    for t in [*rng.random((40, 2)), *np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.5]])]:
        values = problem(np.clip(lower + t * (upper - lower), lower, upper))
        assert (bounds <= values + 1e-12).all()
    natural, _ = lower_bounds(tape, lower, upper, slopes=False)
    sharper = np.count_nonzero(bounds > natural)
    assert sharper == 0 if "floor" in text else sharper > 50


def planted(bounds: list[float]) -> Growth:
    """A tree of boxes without parents, whose lower corners are their bounds, so that mixed-up columns show."""
    tape = Tape.of_formula(cpc.parse("x1 + x2", bounds=[(-9, 9), (-9, 9)]).expression, 2)
    growth = Growth(tape, np.full(2, -9.0), np.full(2, 9.0))
    for bound in bounds:
        growth.plant(np.full(2, max(bound, -9.0)), np.full(2, 9.0), bound)
    return growth


def test_the_tree_gives_the_lowest_boxes_the_older_first_among_equals() -> None:
    rng = np.random.default_rng(4)
    bounds = np.round(rng.standard_normal(500), 1).tolist()
    growth = planted(bounds)
    for count in (1, 7, 60, 600):
        expected = sorted(range(500), key=lambda i: (bounds[i], i))[:count]
        assert growth.lowest(count, math.inf).tolist() == expected
    assert growth.lowest(600, 0.0).tolist() == [
        i for i in sorted(range(500), key=lambda i: (bounds[i], i)) if bounds[i] < 0
    ]
    assert planted([-math.inf] * 5 + [0.0]).lowest(2, math.inf).tolist() == [0, 1]


def test_boxes_worked_on_are_split_and_the_rest_stay() -> None:
    growth = planted([5.0, 1.0, 4.0, 2.0, 3.0])
    growth.work_on(np.array([1, 3]), 2.5)  # x1 + x2 from 2 and from 4 on: the second is closed
    nodes, lower, upper = growth.opened_since(0)
    assert {0, 2, 4} < set(nodes.tolist())
    assert not {1, 3} & set(nodes.tolist())
    assert (lower[nodes > 4].sum(axis=1) < 2.5).all()
    assert (upper[nodes > 4] <= 9.0).all()
    assert growth.keys().min() >= 1.0


def test_the_tree_says_what_it_gave_up() -> None:
    growth = planted([5.0, 1.0, 4.0, 2.0, 3.0])
    assert growth.forget(9) == math.inf
    assert growth.forget(2) == 3.0
    assert (growth.store.count[NODES], growth.store.count[OPEN]) == (2, 2)
    nodes, lower, _ = growth.opened_since(0)
    assert (nodes.tolist(), lower[:, 0].tolist(), growth.keys().tolist()) == ([0, 1], [1.0, 2.0], [1.0, 2.0])


def test_refinement_finds_a_minimum_in_a_valley_with_undefined_walls() -> None:
    problem = cpc.parse("100 * (x2 - x1^2)^2 + (1 - x1)^2 + sqrt(x1) * 0", bounds=[(-3, 3), (-3, 3)])
    objective = Objective(problem)
    start = np.array([0.1, 0.5])
    x, value = refine(objective, np.random.default_rng(6), start, problem(start), np.array([0.5, 0.5]), 400)
    assert value < 1e-9
    assert value == problem(x)
    assert start.tolist() == [0.1, 0.5]


def test_a_value_that_only_doubles_know_discards_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near x1 = 0 the quotient of CPC-DF8 comes out huge in doubles; the real optimum must survive that."""
    problem = cpc.problem("CPC-DF8", rule="strict")
    objective = Objective(problem, seconds=6.0)
    artefact = np.array([1.0440708220815301e-36, 5.971313786771379])

    def led_astray(*given: Any) -> tuple[Any, float]:
        monkeypatch.setattr(box_search, "refine", refine)
        return artefact, float(objective(artefact))

    monkeypatch.setattr(box_search, "refine", led_astray)
    found = solve(objective, np.random.default_rng(0))
    assert objective.best_value < -1e10, "the artefact is met, or this tests nothing"
    assert found.fun == problem.reference(found.x)
    assert problem.enclosure(found.x).defined is True
    assert 0.95 < found.fun < 2.0
