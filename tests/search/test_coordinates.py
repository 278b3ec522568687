"""Variables without bounds and whole numbers: the search's own coordinates. Points moved to where constraints hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.points import Floats
from cpcbench.solvers.functions.repair import Repair
from cpcbench.solvers.search.coordinates import FAR, Coordinates, MappedSearch, search_in
from cpcbench.solvers.search.engine import Search

INF = math.inf
ENDS = [(-INF, INF), (2.5, INF), (-INF, -3.25), (-1.5, 7.25), (0.0, 0.0)]


def sides(kinds: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lower, upper = np.array([ENDS[kind] for kind, _ in kinds]).T
    return lower, upper, np.array([whole for _, whole in kinds])


kinds = st.lists(st.tuples(st.integers(0, len(ENDS) - 1), st.booleans()), min_size=1, max_size=4)


@given(kinds, st.integers(0, 2**32 - 1))
def test_points_are_inside_whole_and_come_back(made: list[tuple[int, bool]], seed: int) -> None:
    lower, upper, whole = sides(made)
    space = Coordinates(lower, upper, whole)
    t = np.random.default_rng(seed).uniform(space.lower, space.upper, (20, len(made)))
    x = space.outward(np.concatenate([t, [space.lower, space.upper]]))
    assert np.isfinite(x).all()
    assert ((x >= lower) & (x <= upper)).all()
    assert (x[:, whole] == np.rint(x[:, whole])).all()
    assert np.allclose(space.outward(space.inward(x)), x, rtol=1e-9, atol=1e-9)


def test_a_box_with_all_its_ends_is_searched_as_it_is() -> None:
    rng = np.random.default_rng(1)
    assert type(search_in(np.zeros(2), np.ones(2), rng, 100)) is Search
    assert type(search_in(np.zeros(2), np.ones(2), rng, 100, np.array([True, False]))) is MappedSearch


def test_what_is_told_in_any_order_is_known_and_the_best_is_a_point_of_the_user() -> None:
    search = search_in(np.array([-INF, 0.0]), np.array([INF, 9.0]), np.random.default_rng(3), 2000, np.array([0, 1]))
    for _ in range(200):
        points = search.ask(10)
        order = np.random.default_rng(len(points)).permutation(10)
        search.tell(points[order], ((points - [70.0, 4.0]) ** 2).sum(axis=1)[order])
    assert search.best_x is not None
    assert search.best_x[1] == 4.0
    assert search.best_value == ((search.best_x - [70.0, 4.0]) ** 2).sum() < 1e-3
    assert (search.optima()[0] == search.best_x).all()
    assert not len(search.open_points())


def test_known_whole_points_are_not_evaluated_again() -> None:
    seen: list[tuple[float, ...]] = []

    def count(x: np.ndarray) -> float:
        seen.append(tuple(x.tolist()))
        return float((x[0] - 3.0) ** 2 + (x[1] + 1.0) ** 2)

    space = np.array([-4.0, -4.0]), np.array([4.0, 4.0])
    search = search_in(*space, np.random.default_rng(0), 60, np.array([True, True]))
    for _ in range(60):
        points = search.ask(1)
        search.tell(points, [count(points[0])])
    assert len(set(seen)) == len(seen) == 60
    for _ in range(40):  # there are 81 in all
        points = search.ask(1)
        search.tell(points, [count(points[0])])
    assert len(set(seen)) >= 75
    assert search.best_value == 0.0


def test_searches_find_their_range() -> None:
    def far(x: np.ndarray) -> float:
        return float((x[0] - 300.0) ** 2 + math.log(x[1]) ** 2)

    found = cpc.minimize(far, [(-INF, INF), (0.0, INF)], budget=5000, rng=1)
    assert np.allclose(found.x, [300.0, 1.0], atol=1e-3)
    assert found.fun == far(found.x)
    text = cpc.minimize("(x1 - 300)^2 + ln(x2)^2", (-INF, INF), budget=20_000, rng=1, method="black-box")
    assert np.allclose(text.x, [300.0, 1.0], atol=1e-3)
    begun = cpc.minimize(far, [(-INF, INF), (0.0, INF)], budget=1, rng=1, x0=[7.5, 2.0])
    assert begun.x.tolist() == [7.5, 2.0]
    assert math.sinh(FAR) == pytest.approx(1e9)


def test_bounds_may_be_missing_in_formulas_and_functions_read() -> None:
    assert cpc.parse("x1 - ln(x1)", (0.0, INF)).bounds == [(0.0, INF)]
    assert cpc.parse("a + b", {"a": (-INF, 0.0), "b": (0.0, 1.0)}).bounds == [(-INF, 0.0), (0.0, 1.0)]
    assert cpc.trace(lambda x: x[0] ** 2 + math.exp(x[1]), [(-INF, INF)] * 2).bounds == [(-INF, INF)] * 2
    for wrong in [(INF, INF), (-INF, -INF), (1.0, 0.0), (math.nan, 1.0)]:
        with pytest.raises(cpc.CpcbenchError, match="lower <= upper"):
            cpc.parse("x1", wrong)
    with pytest.raises(cpc.CpcbenchError, match="finite"):
        cpc.minimize(lambda x: x[0], [(-INF, INF)], method="grey-box", budget=10)


def test_functions_of_whole_numbers_see_nothing_else() -> None:
    def mixed(x: np.ndarray) -> float:
        assert x[0] == round(x[0])
        return float((x[0] - 3.4) ** 2 + (x[1] - 0.7) ** 2)

    found = cpc.minimize(mixed, [(-9.5, 9.5), (-INF, INF)], budget=3000, rng=2, integrality=[1, 0])
    assert found.nfailed == 0
    assert found.x[0] == 3.0
    assert found.fun == pytest.approx(0.16, abs=1e-6)
    every = cpc.minimize(lambda x: abs(float(x.sum()) - 2.0), [(-INF, INF)] * 2, budget=300, rng=2, integrality=1)
    assert every.fun == 0.0
    for wrong in ([2, 0], [1, 0, 1], "yes", [[1, 0]], [0.5, 0]):
        with pytest.raises(cpc.CpcbenchError, match="integrality is 1"):
            cpc.minimize(mixed, [(0, 1), (0, 1)], budget=10, integrality=wrong)
    with pytest.raises(cpc.CpcbenchError, match="no whole number"):
        cpc.minimize(mixed, [(0.2, 0.8), (0, 1)], budget=10, integrality=[1, 0])
    for method in ("white-box", "black-box"):
        with pytest.raises(cpc.CpcbenchError, match="variable 1 has no whole number"):
            cpc.minimize("whole(x1) + x2", [(0.2, 0.8), (0, 1)], budget=10, method=method)
    with pytest.raises(cpc.CpcbenchError, match="without whole numbers"):
        cpc.minimize(mixed, [(0, 9), (0, 1)], budget=10, integrality=[1, 0], x0=[0.5, 0.5])


# Points that miss constraints are moved to where these hold, and others stay where they are.

LOWER, UPPER = np.array([-2.0, -3.0, -5.0]), np.array([2.0, 3.0, 5.0])


def rooms(points: Floats) -> Floats:
    """Inside a ball, and on a plane up to 1e-6."""
    ball = 4.0 - np.square(points).sum(axis=1)
    plane = points.sum(axis=1) - 1.0
    return np.stack([ball, plane + 1e-6, 1e-6 - plane], axis=1)


def test_points_are_moved_onto_a_band_inside_a_ball() -> None:
    points = np.random.default_rng(1).uniform(LOWER, UPPER, (500, 3))
    moved = Repair(rooms, LOWER, UPPER)(points)
    holds = (rooms(moved) >= 0.0).all(axis=1)
    assert holds.mean() > 0.95
    assert (moved[~holds] == points[~holds]).all()
    assert ((moved >= LOWER) & (moved <= UPPER)).all()
    assert not (rooms(points) >= 0.0).all(axis=1).any()


def test_slopes_by_differences_are_not_computed_at_every_step() -> None:
    """Near the edge of a ball in ten variables: a Newton step by differences takes eleven computations."""
    lower, upper = np.full(10, -2.0), np.full(10, 2.0)
    outward = np.random.default_rng(1).normal(size=(100, 10))
    points = 1.05 * outward / np.linalg.norm(outward, axis=1, keepdims=True)
    repair = Repair(lambda x: 1.0 - np.square(x).sum(axis=1, keepdims=True), lower, upper)
    moved = repair(points)
    computed = repair.computed
    assert repair.holds(moved).all()
    assert 12 * 100 < computed < 16 * 100
    assert np.linalg.norm(moved - points, axis=1).max() < 0.051  # not further than to the nearest point


def test_what_holds_is_not_moved() -> None:
    inside = np.array([[0.5, 0.5, 0.0], [1.0, 1.0, -1.0]])
    assert Repair(rooms, LOWER, UPPER)(inside) is inside


def test_held_coordinates_stay() -> None:
    points = np.random.default_rng(2).uniform(LOWER, UPPER, (50, 3))
    moved = Repair(rooms, LOWER, UPPER, np.array([True, False, False]))(points)
    assert (moved[:, 0] == points[:, 0]).all()
    assert (rooms(moved) >= 0.0).all(axis=1).any()
    assert Repair(rooms, LOWER, UPPER, np.ones(3, dtype=bool))(points) is points


@pytest.mark.parametrize("width", [math.inf, 1e300])
def test_sides_without_ends(width: float) -> None:
    repair = Repair(lambda x: x[:, :1] * x[:, 1:] - 1e6, np.array([0.0, 0.0]), np.array([width, width]))
    moved = repair(np.array([[1.0, 1.0], [5e3, 1.0]]))
    assert (moved >= 0.0).all()
    assert np.isfinite(moved).all()


def test_what_is_not_known_leaves_points_where_they_are() -> None:
    points = np.array([[1.0, 1.0, 1.0]])
    assert (Repair(lambda x: np.full((len(x), 2), math.nan), LOWER, UPPER)(points) == points).all()
    flat = Repair(lambda x: np.full((len(x), 1), -1.0), LOWER, UPPER)
    assert (flat(points) == points).all()
