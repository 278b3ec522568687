"""Edges learned from defined and undefined points, points brought to where they meet, and walks in a search."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from cpcbench.points import Floats
from cpcbench.solvers.edges.crossings import Edge, crossing, edges_about
from cpcbench.solvers.edges.ground import Asking, Ground, T, together
from cpcbench.solvers.edges.meeting import Meeting
from cpcbench.solvers.edges.turns import FROM, LAST, LAST_PART, EdgeTurns
from cpcbench.solvers.edges.walk import Walk
from cpcbench.solvers.search.engine import Search

Function = Callable[[Floats], float]


def ball(x: Floats) -> float:
    """Defined in the ball of radius 1 about 0; lowest, -1, at its edge, with an infinite slope."""
    inside = 1.0 - float(x @ x)
    return math.sqrt(inside) - float(x[0]) if inside >= 0.0 else math.nan


def corner(x: Floats) -> float:
    """Lowest, 1, where a straight edge and a bent one meet, with infinite slopes: at 0.31 and its square."""
    first, second = float(x[0]) - 0.31, float(x[1] - x[0] ** 2)
    return 1.0 + math.sqrt(first) + 2.0 * math.sqrt(second) if first >= 0.0 and second >= 0.0 else math.nan


def shell(x: Floats) -> float:
    """Lowest on a bent edge in four dimensions, at `HOLLOW`."""
    inside = 1.0 - float(x @ x)
    return math.sqrt(inside) + float(((x - HOLLOW) ** 2).sum()) if inside >= 0.0 else math.nan


HOLLOW = np.array([0.1, -0.5, 0.7, 0.5])
HOLLOW /= math.sqrt(HOLLOW @ HOLLOW)


def done(work: Asking[T], function: Function) -> tuple[T, int]:
    """What it gives in the end, and after how many evaluations."""
    count = 0
    try:
        wanted = next(work)
        while True:
            count += len(wanted)
            wanted = work.send([function(x) for x in wanted])
    except StopIteration as end:
        return end.value, count


def ground(x: list[float], function: Function, low: float = -2.0, high: float = 2.0) -> Ground:
    at, n = np.array(x), len(x)
    return Ground(np.full(n, low), np.full(n, high), at, function(at))


def walked(walk: Walk, function: Function) -> int:
    count = 0
    while walk.wanted:
        count += len(walk.wanted)
        walk.tell([function(x) for x in walk.wanted])
    return count


def test_a_line_is_followed_to_the_edge() -> None:
    (far, falls), count = done(crossing(ground([0.0, 0.0], ball), np.zeros(2), np.array([0.25, 0.0]), 0.0, 4.0), ball)
    assert far == pytest.approx(1.0, rel=0.005)  # a side is 4
    assert falls
    assert count < 20
    up = crossing(ground([0.0, 0.0], ball), np.zeros(2), np.array([-0.25, 0.0]), 0.0, 4.0)
    assert not done(up, lambda x: ball(-x) + 3.0 * (1.0 - ball(x)) if ball(x) == ball(x) else math.nan)[0][1]


def test_edges_are_found_with_their_way_in() -> None:
    at = np.array([0.8, 0.1, -0.2])
    found, _ = done(edges_about(ground([0.8, 0.1, -0.2], ball), at, 0.3, np.zeros(3), np.random.default_rng(1)), ball)
    assert found
    for edge in found:
        assert edge.point @ edge.point == pytest.approx(1.0, abs=0.01)
        assert edge.inward == pytest.approx(-edge.point / math.sqrt(edge.point @ edge.point), abs=0.05)


def test_points_are_brought_to_where_edges_meet() -> None:
    down, bent = np.array([1.0, 0.0]), np.array([-0.62, 1.0]) / math.sqrt(1.0 + 0.62**2)
    edges = Meeting((Edge(np.array([0.31, 0.0]), down, 0.1), Edge(np.array([0.31, 0.31**2]), bent, 0.1)), 2)
    start = np.array([0.45, 0.5])
    found, count = done(edges.settled(ground([0.45, 0.5], corner), start, corner(start), 1e-9, 0.05), corner)
    assert found is not None
    x, value = found
    assert 0.0 < x[0] - 0.31 < 2e-8
    assert 0.0 < x[1] - x[0] ** 2 < 2e-8
    assert value == corner(x)
    assert count < 150


@pytest.mark.parametrize(
    ("function", "start", "lowest", "most"),
    [
        (ball, [0.9, 0.1], -1.0, 4000),
        (ball, [0.7], -1.0, 1000),
        (corner, [0.35, 0.2], 1.0, 3000),
        (shell, [0.1, -0.4, 0.7, 0.5], 0.0, 8000),
    ],
)
def test_a_walk_ends_where_edges_are_lowest(function: Function, start: list[float], lowest: float, most: int) -> None:
    n = len(start)
    for seed in range(3):
        walk = Walk(np.array(start), function(np.array(start)), np.full(n, -2.0), np.full(n, 2.0), seed)
        count = walked(walk, function)
        x, value = walk.best
        assert value == function(x)
        assert lowest <= value <= lowest + 1e-6, (seed, value)
        assert count < most


def test_without_edges_about_a_walk_ends_at_once() -> None:
    x = np.array([0.1, 0.2])
    assert walked(Walk(x, 1.0, np.full(2, -2.0), np.full(2, 2.0), 1), lambda x: float(x @ x)) < 30


def nowhere(_x: Floats) -> float:
    return math.nan


def huge(x: Floats) -> float:
    return 1e308 * math.sin(1e9 * float(x[0]))


def level(_x: Floats) -> float:
    return 1e308


@pytest.mark.parametrize("function", [nowhere, huge, level])
def test_a_walk_ends_whatever_the_function_is(function: Function) -> None:
    x = np.array([0.5, 0.2, -2.0])
    with np.errstate(all="ignore"):
        for walls in (False, True):
            walk = Walk(x, function(x), np.full(3, -2.0), np.full(3, 2.0), 1)

            def inside(x: Floats, walls: bool = walls) -> float:
                return math.nan if walls and x[0] + x[1] ** 2 < 0.5 else function(x)

            assert walked(walk, inside) < 20_000


def test_a_pickled_walk_goes_on_with_the_same_bits() -> None:
    x = np.array([0.35, 0.2])
    walk = Walk(x, corner(x), np.full(2, -2.0), np.full(2, 2.0), 5)
    for _ in range(40):
        walk.tell([corner(x) for x in walk.wanted])
    copy: Walk = pickle.loads(pickle.dumps(walk))  # noqa: S301
    assert np.array_equal(copy.wanted, walk.wanted)
    assert walked(copy, corner) == walked(walk, corner)
    assert copy.best[1] == walk.best[1]
    with np.errstate(all="raise"):
        assert pickle.loads(pickle.dumps(walk)).best[1] == walk.best[1]  # noqa: S301


def test_works_go_on_together() -> None:
    def asks(*numbers: float) -> Asking[float]:
        total = 0.0
        for number in numbers:
            (value,) = yield [np.array([number])]
            total += value
        return total

    asked = []

    def noted(x: Floats) -> float:
        asked.append(float(x[0]))
        return float(x[0])

    found, count = done(together([asks(1, 2, 3), asks(), asks(10)]), noted)
    assert found == [6.0, 0.0, 10.0]
    assert asked == [1, 10, 2, 3]
    assert count == 4


class Places:
    """Points for walks to begin at."""

    def low(self) -> tuple[Floats, Floats]:
        return np.array([[7.0, 0.4, 0.2], [7.0, 0.5, 0.3]]), np.array([2.0, 1.0])

    hops = climbers = low


def turns(share: float = 0.4, budget: float = 5000.0, seen: int = FROM) -> EdgeTurns:
    made = EdgeTurns(np.array([7.0, -2.0, -2.0]), np.array([7.0, 2.0, 2.0]), 3, budget, share)
    made.learn(np.zeros((seen, 3)), np.full(seen, math.nan), 0)
    return made


def test_walks_have_their_share_and_leave_fixed_variables_alone() -> None:
    made, total = turns(), 0
    for _ in range(50):
        points = made.ask(10, 10, Places())
        assert (points[:, 0] == 7.0).all()
        made.learn(points, np.array([corner(x[1:]) for x in points]), len(points))
        total += len(points)
    assert 50 < total <= 200
    assert not len(turns(share=0.0).ask(100, 100, Places()))
    assert not len(turns(budget=0.0).ask(100, 100, Places()))


@pytest.mark.parametrize("budget", [5000.0, 30_000.0, 100_000.0, 1e6])
def test_walks_are_made_at_the_end(budget: float) -> None:
    before = max(FROM, int(budget - max(LAST, LAST_PART * budget)))
    assert not len(turns(budget=budget, seen=before - 1).ask(100, 100, Places()))
    assert len(turns(budget=budget, seen=before).ask(100, 100, Places()))


def test_a_walk_whose_values_do_not_come_ends() -> None:
    made = turns()
    first = made.ask(10, 10, Places())
    assert len(first) == 4
    assert not len(made.ask(2, 2, Places()))  # it waits
    made.forget(first)
    assert len(made.ask(10, 10, Places()))  # another one begins


def test_walks_whose_values_never_come_do_not_keep_others_from_beginning() -> None:
    made = turns()
    first = made.ask(10, 10, Places())
    for _ in range(3):
        made.learn(np.zeros((400, 3)), np.full(400, math.nan), 0)
    again = made.ask(10, 10, Places())
    assert len(again)
    made.learn(first, np.ones(len(first)), len(first))  # too late, and nobody asks
    made.learn(again, np.ones(len(again)), len(again))


def test_what_walks_found_is_told_when_they_are_given_up() -> None:
    made = turns()
    for _ in range(4):
        points = made.ask(10, 10, Places())
        made.learn(points, np.array([0.5 if x[1] < 0.5 else math.nan for x in points]), len(points))
    assert not len(made.ended()[1])
    made.forget(made.ask(10, 10, Places()))
    ends, reached = made.ended()
    assert (ends[:, 0] == 7.0).all()
    assert reached.min() == 0.5


def test_a_search_comes_to_where_edges_meet() -> None:
    """With as many evaluations and no walks most are not there yet."""
    above: dict[float, list[float]] = {0.0: [], 0.4: []}
    for share, gaps in above.items():
        for seed in range(5):
            search = Search([-2.0, -2.0], [2.0, 2.0], np.random.default_rng(seed), budget=4000, walk_share=share)
            for _ in range(2000):
                points = search.ask(2)
                search.tell(points, [corner(x) for x in points])
            gaps.append(search.best_value - 1.0)
    assert sum(gap < 1e-9 for gap in above[0.4]) >= 4
    assert np.median(above[0.0]) > 1e-4


def test_values_too_large_for_models_end_no_search() -> None:
    search = Search([-2.0] * 3, [2.0] * 3, np.random.default_rng(1), budget=2500)
    for _ in range(357):
        points = search.ask(7)
        search.tell(points, [huge(x) if x[0] > 0.0 else math.nan for x in points])
    assert search.best_value < -9e307


def test_a_search_with_walks_under_way_can_be_pickled() -> None:
    search = Search([-2.0, -2.0], [2.0, 2.0], np.random.default_rng(1), budget=3000)
    for _ in range(1500):
        points = search.ask(1)
        search.tell(points, [corner(points[0])])
    copy: Search = pickle.loads(pickle.dumps(search))  # noqa: S301
    for _ in range(300):
        points = search.ask(1)
        assert np.array_equal(points, copy.ask(1))
        search.tell(points, [corner(points[0])])
        copy.tell(points, [corner(points[0])])
