"""The tree of boxes of the white box: nothing low is lost, few points are tried, it ends, and it is small."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box import solve_expression, start
from cpcbench.solvers.white_box.lanes.boxes import BoxTree
from cpcbench.solvers.white_box.lanes.lane import Task
from cpcbench.solvers.white_box.limits import Limits
from cpcbench.solvers.white_box.moves import halving
from cpcbench.solvers.white_box.moves.descent import Descent
from cpcbench.solvers.white_box.moves.edges import Edges
from cpcbench.solvers.white_box.moves.halving import Halving
from cpcbench.solvers.white_box.tuning import CUTS, RANGES_BEGIN
from tests.material.white_box_problems import known_problems

VALLEYS = "sin(9*x1 + x1*x2)*cos(7*x2 - x1) + ((x1 - 2)^2 + (x2 + 3)^2)/50"
"""Some hundred valleys; the tables of terms are of no use."""
ISLANDS = "x1 + x2*x1/20 + 0*sqrt(sin(40/x1*x2) - 0.9)"
KNOWN = {known.problem.id: known for known in known_problems()}


def tree(p: Problem, whole: list[bool] | None = None) -> Halving:
    return Halving(p, np.random.default_rng(1), np.array(whole or [False] * p.dim))


def grown(boxes: Halving, looks: int, best: float) -> Halving:
    for _ in boxes.grow(looks, best):
        pass
    return boxes


def inside(boxes: Halving, x: Floats) -> bool:
    lower, upper = boxes.corners
    return bool(((lower <= x) & (x <= upper)).all(axis=1).any())


@pytest.mark.parametrize("text", [VALLEYS, ISLANDS, "(x1 - x2^2)^0.3 + ln(4 - x1*x2)", "where(x1 < x2, x1, 9)"])
def test_no_point_lower_than_the_best_is_lost(text: str) -> None:
    p = cpc.parse(text, [(0.5, 5.0), (-6.0, 6.0)])
    points = np.random.default_rng(2).uniform(p.lower, p.upper, (20_000, 2))
    values = p(points)
    best = float(np.nanquantile(values, 0.01))
    low = points[values < best - 1e-4]
    boxes = grown(tree(p), 20_000, best)
    assert len(low) > 5
    assert all(inside(boxes, x) for x in low)
    lower, upper = boxes.corners
    assert (upper - lower).prod(axis=1).sum() < 0.5 * (p.upper - p.lower).prod()


def lane(p: Problem) -> BoxTree:
    task = Task(p, np.empty((0, p.dim)), np.zeros(p.dim, dtype=np.bool_), None)
    with np.errstate(all="ignore"):
        start.prepare(p)
    return BoxTree(task, np.random.default_rng(3), Limits())


@pytest.mark.parametrize(
    ("p", "value"),
    [
        (cpc.parse(VALLEYS, [(-10.0, 10.0)] * 2), None),
        *((KNOWN[name].problem, KNOWN[name].value) for name in ("sliver", "hyperbolas")),
    ],
    ids=["valleys", "sliver", "hyperbolas"],
)
def test_the_lowest_of_many_valleys_takes_few_evaluations(p: Problem, value: float | None) -> None:
    if value is None:
        axis = np.linspace(-10, 10, 2001)
        value = float(np.nanmin(p(np.array(np.meshgrid(axis, axis)).reshape(2, -1).T)))
    searched = lane(p)
    with np.errstate(all="ignore"):
        while searched.limits.evaluations < 400 and not searched.done:
            searched.run(20.0)
    assert searched.low()[1][0] <= value + 1e-4 * max(1.0, abs(value))
    assert searched.limits.evaluations < 500


def test_it_ends_when_nothing_is_left() -> None:
    p = cpc.parse(VALLEYS, [(-2.0, 2.0)] * 2)
    searched = lane(p)
    with np.errstate(all="ignore"):
        while not searched.done and searched.limits.evaluations < 3000:
            searched.run(100.0)
    assert searched.done
    found = cpc.minimize(p, budget=3000, method="black-box", rng=1)
    assert searched.low()[1][0] == pytest.approx(found.fun, abs=1e-6)


def test_a_formula_without_a_value_has_no_boxes_left() -> None:
    assert len(grown(tree(cpc.parse("sqrt(-1 - x1^2)", [(-3.0, 3.0)])), 100, math.inf)) == 0
    assert len(grown(tree(cpc.parse("x1 + sqrt(x2 - 5)", [(0.0, 1.0)] * 2)), 100, math.inf)) == 0
    assert len(grown(tree(cpc.parse("(x1 - 1)^2 + 3", [(-3.0, 3.0)])), 500, 3.0)) == 0  # nothing below


def test_sides_may_be_as_long_as_doubles_go_or_none() -> None:
    wide = cpc.parse("(x1 - 7)^2 + x2", [(-1.7e308, 1.7e308), (2.0, 2.0)])
    boxes = grown(tree(wide), 8000, 1e9)
    assert inside(boxes, np.array([7.0, 2.0]))
    lower, upper = boxes.corners
    assert float((upper - lower).max()) < 1e300


def test_whole_variables_are_cut_between_their_numbers() -> None:
    p = cpc.parse("(floor(x1 + 0.5) - 3)^2 + (x2 - 0.2)^2", [(-8.499, 8.499), (-1.0, 1.0)])
    boxes = grown(tree(p, [True, False]), 3000, 0.5)
    lower, upper = boxes.corners
    assert len(boxes)
    assert (np.floor(lower[:, 0] + 0.5 + 1e-9) == 3.0).all()
    assert (upper[:, 0] <= 3.5 + 1e-9).all()


def test_middles_come_once_and_lie_in_open_boxes() -> None:
    p = cpc.parse(VALLEYS, [(-10.0, 10.0)] * 2)
    boxes = grown(tree(p), 2000, math.inf)
    places, first = boxes.middles(math.inf)
    boxes.tried(places)
    _, second = boxes.middles(math.inf)
    assert len(first)
    assert all(inside(boxes, x) for x in first)
    assert not {tuple(x) for x in first.tolist()} & {tuple(x) for x in second.tolist()}


def test_the_boxes_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halving, "MOST_BOXES", 300)
    p = cpc.parse(VALLEYS, [(-10.0, 10.0)] * 2)
    boxes = tree(p)
    sizes = [len(boxes) for _ in boxes.grow(20_000, math.inf)]
    assert max(sizes) <= 300
    assert boxes.read >= 20_000
    assert boxes.read <= (20_000 + 4 * CUTS * 300) * 60


def test_a_short_search_compiles_nothing_for_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise AssertionError("ranges are compiled")

    monkeypatch.setattr(start, "compile_ranges", refused)
    assert cpc.minimize("(x1 - 1)^2 + x2^2", [(0, 2), (-1, 1)], budget=RANGES_BEGIN, rng=1).fun == 0.0
    with pytest.raises(AssertionError, match="ranges"):
        cpc.minimize("(x1 - 1)^2 + x2^2", [(0, 2), (-1, 1)], budget=RANGES_BEGIN + 1, rng=1)


def test_a_run_over_valleys_is_the_beginning_of_a_longer_one_on_any_number_of_processes() -> None:
    def told(budget: int, workers: int = 1) -> list[tuple[int, float]]:
        seen: list[tuple[int, float]] = []

        def watch(_x: Floats, value: float, evaluations: int) -> bool:
            seen.append((evaluations, value))
            return False

        p = cpc.parse(ISLANDS, [(0.5, 20.0), (-20.0, 20.0)])
        found = solve_expression(
            p, np.random.default_rng(5), seconds=1e6, budget=budget, watch=watch, all_optima=False, workers=workers
        )
        return [*seen, (found.reads, found.value)] if workers > 1 or budget == 2500 else seen

    longest = told(2500)
    for budget in (150, 700):
        short = told(budget)
        assert short == longest[: len(short)]
    assert told(2500, workers=2)[-1] == longest[-1]


def test_the_time_is_kept_where_boxes_are_endless() -> None:
    p = cpc.parse(" + ".join(f"sin(x{i}*x{i % 8 + 1}*9)*ln(x{i} + 11)" for i in range(1, 9)), [(-10.0, 10.0)] * 8)
    start.prepare(p)
    begin = time.perf_counter()
    solve_expression(p, np.random.default_rng(1), seconds=1.0, all_optima=False)
    assert time.perf_counter() - begin < 3.0


def test_a_descent_ends_soon_where_nothing_has_a_value() -> None:
    p = cpc.parse("x1 + sqrt(sin(50*x1*x2) - 2)", [(-3.0, 3.0)] * 2)
    asked: list[int] = []

    def kernel(flat: Floats, out: Floats) -> float:
        asked.append(len(out))
        out[:] = p(flat.reshape(len(out), -1))
        return 0.0

    with np.errstate(all="ignore"):
        Descent(p, Edges(p), kernel, asked.append)(np.array([1.0, 1.0]))
    assert sum(asked) <= 25
