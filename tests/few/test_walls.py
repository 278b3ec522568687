"""Walls of the models: planes before undefined points, the lowest step within them, and optima at the domain's edge."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from benchmarks.simulations.__main__ import lowest as lowest_of_simulation
from scipy.optimize import minimize

import cpcbench as cpc
from cpcbench.points import Floats
from cpcbench.solvers.few.descent import Descent
from cpcbench.solvers.few.known import Known
from cpcbench.solvers.few.models import Models
from cpcbench.solvers.few.quadratic import Quadratic
from cpcbench.solvers.few.walls import Planes, lowest_within, planes
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.search.solver import solve


def test_a_plane_lies_between_the_defined_points_and_an_undefined_one() -> None:
    defined, undefined = np.array([[0.0, 1.0], [0.0, -1.0], [-1.0, 0.0]]), np.array([[2.0, 0.5]])
    walls = planes(defined, undefined, 0.25)
    np.testing.assert_allclose(walls.normals, [[1.0, 0.0]], atol=1e-5)
    np.testing.assert_allclose(walls.ends, [0.5], atol=1e-5)
    assert walls.hold(np.array([0.4, 3.0]))
    assert not walls.hold(np.array([0.6, 0.0]))


def test_two_walls_that_meet_are_two_planes_and_a_point_behind_another_is_none() -> None:
    undefined = np.array([[0.5, 0.0], [0.0, -0.7], [2.0, 0.1]])
    walls = planes(np.array([[-1.0, 0.0], [0.0, 1.0]]), undefined, 0.5)
    assert len(walls.ends) == 2
    assert all(not walls.hold(way) for way in undefined)
    assert walls.hold(np.array([-0.5, 0.4]))


def test_an_undefined_point_among_defined_ones_is_kept_off_too() -> None:
    around = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    walls = planes(around, np.array([[0.4, 0.0]]), 0.5)
    assert not walls.hold(np.array([0.4, 0.0]))
    assert walls.hold(np.zeros(2))


@pytest.mark.parametrize("offset", [0.0, 1e-320, 1e-170, 1e-14])
def test_a_point_that_failed_where_the_centre_did_not_is_no_wall(offset: float) -> None:
    around = np.array([[1.0, 1.0], [-1.0, 1.0]])
    walls = planes(around, np.array([[offset, 0.0], [0.0, -0.5]]), 0.5)
    assert len(walls.ends) == 1
    assert walls.hold(np.zeros(2))
    assert not walls.hold(np.array([0.0, -0.5]))


@pytest.mark.parametrize("seed", range(6))
def test_the_lowest_step_within_walls_is_that_of_another_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 2 + seed % 3
    form = rng.normal(size=(n, n))
    model = Quadratic(3.0 * rng.normal(size=n), form @ form.T + np.eye(n))
    normals = rng.normal(size=(3, n))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    walls = Planes(normals, rng.uniform(0.02, 0.3, 3))
    low, high = np.full(n, -0.8), np.full(n, 0.5)
    way = lowest_within(model, low, high, walls, 0.8)
    assert way is not None
    assert (normals @ way <= walls.ends + 1e-9).all()
    inside = {"type": "ineq", "fun": lambda s: walls.ends - normals @ s}
    other = minimize(lambda s: model.at(s[None])[0], np.zeros(n), bounds=[(-0.8, 0.5)] * n, constraints=[inside])
    assert model.at(way[None])[0] <= other.fun + 1e-6


def test_an_undefined_step_is_tried_again_back_uphill() -> None:
    """Steep towards the wall and flat along it: the second step keeps most of the way along the wall."""

    def value(u: Floats) -> float:
        return float(-5.0 * u[0] - 0.5 * u[1]) if u[0] < 0.5 else math.nan

    known = Known(2)
    for u in np.array([[0.48, 0.3], [0.46, 0.31], [0.47, 0.28], [0.52, 0.3]]):
        known.add(u, value(u))
    descent = Descent(known.points[0], value(known.points[0]), 0.05, np.random.default_rng(1))
    first = descent.step(known)
    assert first is not None
    known.add(first, math.nan)
    descent.learn(first, math.nan)
    second = descent.step(known)
    assert second is not None
    assert second[0] < first[0]
    assert second[1] - 0.3 > 0.5 * (first[1] - 0.3) > 0.0
    assert value(np.array([0.0, second[1]])) + value(np.array([second[0], 0.0])) < descent.value


def test_an_optimum_at_a_curved_edge_is_found() -> None:
    """The lowest point of a ball along a coordinate."""

    def cost(x: Floats) -> float:
        return float(x[0]) if x @ x < 1.0 else math.nan

    found = [cpc.minimize(cost, [(-2.0, 3.0)] * 3, budget=300, rng=seed).fun + 1.0 for seed in range(5)]
    assert np.median(found) < 5e-3  # 0.027 where descents ended at the edge


@pytest.mark.slow
def test_the_lightest_truss_is_near() -> None:
    """At the edge of its domain, steep towards it: descents that ended where they met it were 1.7e-3 too heavy."""
    found = [lowest_of_simulation("truss", "cpc", 300, seed) - 0.1002 for seed in range(5)]
    assert np.median(found) < 8e-4


def test_where_spread_points_are_lost_there_are_few_of_them() -> None:
    def count(domain: float) -> int:
        models, spread = Models(2, 1), 0
        models.learn(np.array([0.5, 0.5]), 0.0)
        for _ in range(400):
            for u in models.ask(1):
                inside = np.abs(u - 0.5).max() < domain
                spread += models.is_step(u) is False
                models.learn(u, float(np.sin(9.0 * u[0]) + np.cos(7.0 * u[1])) if inside else math.nan)
        return spread

    assert count(0.02) < 0.5 * count(0.4)


def test_an_undefined_neighbour_at_the_same_share_of_the_box() -> None:
    """Where squares cancel, doubles next to a defined point are undefined, and their shares of the box are its own."""
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(16931571190683502928, 650610405153775545, 2)))
    objective = Objective(cpc.problem("CPC-DF23", rule="strict"), budget=100_000)
    with suppress(StopRun):
        solve(objective, rng)  # ended in an error after 336 evaluations
    assert objective.evaluations == 100_000
