"""The models that begin a search: where they ask, what they need, and what an undefined point is to them."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.points import Floats
from cpcbench.solvers.few.descent import Descent
from cpcbench.solvers.few.known import Known
from cpcbench.solvers.few.models import Models
from cpcbench.solvers.few.quadratic import fitted, lowest
from cpcbench.solvers.few.spread import spread_point
from cpcbench.solvers.few.turns import ALONE, FEW_OF_MANY, LONG, of_models
from cpcbench.solvers.search.engine import Search

LOWER, UPPER = np.array([-3.0, 2.0, -1e6, 4.0]), np.array([5.0, 2.5, 3e6, 4.0])


def bowl(x: Floats) -> float:
    return float((x[0] - 1.3) ** 2 + 40.0 * (x[1] - 2.1) ** 2 + (x[2] / 1e6 - 0.7) ** 2)


def half(x: Floats) -> float:
    return bowl(x) if x[0] + x[2] / 1e6 < 2.5 else float("nan")


def evaluated(f: Callable[[Floats], float], points: Floats) -> Floats:
    return np.array([f(x) for x in points])


@pytest.mark.parametrize("batch", [1, 3, 48])
@pytest.mark.parametrize("f", [bowl, half])
def test_every_point_is_in_the_box(f: Callable[[Floats], float], batch: int) -> None:
    search = Search(LOWER, UPPER, np.random.default_rng(3), budget=5000)
    for _ in range(1 + 200 // batch):
        points = search.ask(batch)
        assert points.shape == (batch, 4)
        assert ((points >= LOWER) & (points <= UPPER)).all()
        search.tell(points, evaluated(f, points))
    assert batch == 48 or search.best_value < 1e-2  # of a large batch most points are draws


def test_nothing_but_the_order_of_values_counts_among_open_asks() -> None:
    search = Search(LOWER[:3], UPPER[:3], np.random.default_rng(5), budget=5000)
    rng, open_points = np.random.default_rng(6), []
    for _ in range(100):
        open_points += list(search.ask(int(rng.integers(1, 4))))
        rng.shuffle(open_points)
        now, open_points = open_points[:3], open_points[3:]
        search.tell(np.array(now), evaluated(half, np.array(now)))
    search.forget()
    assert len(search.open_points()) == 0
    assert search.best_value < 0.1


def test_a_pickled_search_goes_on_with_the_same_points() -> None:
    search = Search(LOWER, UPPER, np.random.default_rng(8), budget=300)
    for steps in (1, 7, 20, 60):
        for _ in range(steps):
            points = search.ask(2)
            search.tell(points[:1], evaluated(half, points[:1]))
        again = pickle.loads(pickle.dumps(search))  # noqa: S301 - our own
        np.testing.assert_array_equal(search.open_points(), again.open_points())
        for _ in range(15):
            points = search.ask(1)
            np.testing.assert_array_equal(points, again.ask(1))
            search.tell(points, evaluated(half, points))
            again.tell(points, evaluated(half, points))


def test_searches_with_any_small_budget_begin_in_the_same_way() -> None:
    searches = [Search(LOWER, UPPER, np.random.default_rng(2), budget=budget) for budget in (150, 1000, 5000)]
    for _ in range(ALONE // 2):
        points = [search.ask(1) for search in searches]
        assert all(np.array_equal(points[0], other) for other in points)
        for search in searches:
            search.tell(points[0], evaluated(half, points[0]))


def test_the_share_of_the_models_shrinks_and_has_no_cliff() -> None:
    shares = [of_models(told, 0.0) for told in range(20_000)]
    steps = np.diff(shares)
    assert shares[ALONE] == ALONE
    assert (steps >= 0.0).all()
    assert (steps <= 1.0).all()
    assert (np.diff(steps) <= 1e-9).all()
    assert of_models(10**6, LONG) == FEW_OF_MANY


def test_the_share_of_the_models_has_no_cliff_between_budgets() -> None:
    budgets = np.geomspace(1000, 10**6, 400)
    shares = np.array([of_models(10_000, budget) for budget in budgets])
    assert shares[-1] == FEW_OF_MANY
    assert (np.diff(shares) <= 0.0).all()
    assert (shares[:-1] <= 1.05 * shares[1:]).all()


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_a_quadratic_is_solved_by_little_more_than_its_coefficients(n: int) -> None:
    rng = np.random.default_rng(n)
    turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
    form, at = turn @ np.diag(np.linspace(1.0, 30.0, n)) @ turn.T, rng.uniform(0.2, 0.8, n)
    budget = 2 * (n + 1) * (n + 2) // 2 + 20
    found = cpc.minimize(lambda x: (x - at) @ form @ (x - at), [(0.0, 1.0)] * n, budget=budget, rng=1)
    assert found.nfev == budget
    assert found.fun < 1e-4


def test_the_model_of_a_quadratic_is_that_quadratic() -> None:
    rng = np.random.default_rng(4)
    form, slope = np.array([[2.0, -1.0], [-1.0, 3.0]]), np.array([0.3, -0.2])
    ways = rng.uniform(-1.0, 1.0, (5, 2))
    rises = ways @ slope + 0.5 * ((ways @ form) * ways).sum(axis=1)
    model = fitted(ways, rises, 0.7, np.zeros((2, 2)))
    np.testing.assert_allclose(model.curvature, form, rtol=1e-6)
    np.testing.assert_allclose(model.slope, slope, rtol=1e-6)
    best = lowest(model, np.full(2, -0.05), np.full(2, 0.6), rng)[0]
    grid = np.stack(np.meshgrid(np.linspace(-0.05, 0.6, 66), np.linspace(-0.05, 0.6, 66)), -1).reshape(-1, 2)
    assert model.at(best[None])[0] <= model.at(grid).min() + 1e-9


def test_few_points_change_the_curvature_no_more_than_they_must() -> None:
    before = np.array([[2.0, 0.5], [0.5, 1.0]])
    ways = np.array([[0.1, 0.0], [0.0, 0.1]])
    rises = ways @ np.array([1.0, -1.0]) + 0.5 * ((ways @ before) * ways).sum(axis=1)
    np.testing.assert_allclose(fitted(ways, rises, 0.1, before).curvature, before, atol=1e-2)


def test_an_undefined_point_is_a_wall_and_no_value() -> None:
    """A descent towards a wall: most of its points are defined, and it goes down along the wall."""
    known, rng = Known(2), np.random.default_rng(1)

    def value(u: Floats) -> float:
        return float((u[0] - 0.9) ** 2 + (u[1] - 0.5) ** 2) if u[0] < 0.6 else float("nan")

    start = np.array([0.3, 0.2])
    known.add(start, value(start))
    descent = Descent(start, value(start), 0.1, rng)
    for _ in range(40):
        u = descent.step(known)
        if u is None:
            break
        known.add(u, value(u))
        descent.learn(u, value(u))
    assert descent.centre[0] < 0.6
    assert np.isnan(known.values).sum() < 0.5 * known.count
    assert descent.value < 0.1  # 0.09 in the corner of the wall, 0.45 at the start


def test_a_descent_that_gains_little_is_slow_and_goes_on_with_more_patience() -> None:
    descent = Descent(np.array([0.5, 0.5]), 10.0, 0.1, np.random.default_rng(1))
    descent.learn(np.array([0.5, 0.4]), 6.0)
    for k in range(5):
        assert not descent.is_slow
        descent.learn(np.array([0.5, 0.4 - 1e-3 * k]), 6.0 - 1e-4 * k)
    assert descent.is_slow
    descent = descent.resumed()
    for k in range(5):
        descent.learn(np.array([0.5, 0.3 - 1e-3 * k]), 5.9 - 1e-4 * k)
    assert not descent.is_slow


def test_the_last_evaluations_belong_to_the_best_descent() -> None:
    """A sharp valley in which descents are slow: others are tried meanwhile, but not in the end."""

    def value(u: Floats) -> float:
        return float(5.0 + abs(u[0] - 0.31) + 3.0 * abs(u[1] - 0.72 + 0.2 * u[0]))

    def steps(models: Models, count: int) -> list[Floats]:
        made = []
        for _ in range(count):
            [u] = models.ask(1)
            made += [u] if models.is_step(u) else []
            models.learn(u, value(u))
        return made

    def near(is_late: bool, seed: int) -> float:
        """The part of the last steps that is near the lowest point."""
        models = Models(2, seed)
        steps(models, 60)
        models.is_late = is_late
        last = steps(models, 40)
        at = models.known.points[np.argmin(models.known.values)]
        return float(np.mean([np.abs(u - at).max() < 0.05 for u in last]))

    in_the_end, before = (np.mean([near(is_late, seed) for seed in range(1, 9)]) for is_late in (True, False))
    assert in_the_end > 0.9
    assert in_the_end > before + 0.05


def test_the_optimum_on_an_edge_is_found() -> None:
    def cost(x: Floats) -> float:
        return x[0] + (x[1] - 0.3) ** 2 if x[0] + 0.5 * x[1] > 0.7 else float("nan")

    best = 0.7 - 0.5 * 0.55 + 0.25**2  # x2 = 0.3 + 1/4
    found = [cpc.minimize(cost, [(0.0, 1.0), (0.0, 1.0)], budget=300, rng=seed).fun - best for seed in range(3)]
    assert np.median(found) < 2e-3  # drawn evenly, one point of 8,000 is so low


def test_spread_points_keep_away_from_undefined_ones() -> None:
    known, rng = Known(2), np.random.default_rng(1)
    for u in rng.uniform(0.0, 1.0, (40, 2)):
        known.add(u, float("nan") if u[0] > 0.5 else float(u[1]))
    points = np.array([spread_point(known, turn, rng) for turn in range(20)])
    assert (points[:, 0] < 0.6).all()


def test_spread_points_go_beyond_a_wall() -> None:
    """The best cell of the domain may be another than the one that is known."""
    known, rng = Known(2), np.random.default_rng(1)
    for u in rng.uniform(0.0, 1.0, (40, 2)):
        known.add(u * [0.2, 1.0], float(u[1]))
    for u in rng.uniform(0.0, 1.0, (6, 2)):
        known.add(u * [0.2, 1.0] + [0.25, 0.0], float("nan"))
    points = []
    for turn in range(8):
        points.append(spread_point(known, turn, rng))
        known.add(points[-1], float("nan"))
    assert 3 <= sum(u[0] > 0.5 for u in points) <= 6


def test_where_nothing_is_defined_the_search_draws_on() -> None:
    search = Search([0.0, 0.0], [1.0, 1.0], np.random.default_rng(1), budget=100)
    for _ in range(100):
        search.tell(search.ask(1), [float("nan")])
    assert search.best_x is None
