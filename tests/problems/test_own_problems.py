"""Problems outside the suite: their optima are what their derivations say, and the search finds them."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from benchmarks.own_problems import Tally, black_box, reaches

import cpcbench as cpc
from tests.cases import one_in
from tests.material.own_problems import Simulation, own_problems, simulations

OWN = {case.name: case for case in own_problems()}
SIMULATIONS = {case.name: case for case in simulations()}
ROUNDING = 1e-9
QUICK = ("budget edge", "steep", "whole exponent")
"""Found by the black-box search with few evaluations."""


def near(point: np.ndarray[Any, Any], bounds: Any, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Points about one point on all scales, half of them with some coordinates kept, cut off at the box."""
    rng = np.random.default_rng(seed)
    low, high = np.array(bounds).T
    scale = 10.0 ** rng.uniform(-12, 0, (count, 1)) * (high - low)
    keep = (rng.random((count, len(point))) < 0.4) & (np.arange(count) % 2 == 0)[:, None]
    return np.clip(np.where(keep, point, point + scale * rng.normal(size=(count, len(point)))), low, high)


@pytest.mark.parametrize("name", OWN)
def test_the_optimum_is_there(name: str) -> None:
    case = OWN[name]
    p, x = case.problem, list(case.point)
    assert p.in_box(x)
    assert p.reference(x) == pytest.approx(case.value, rel=1e-6, abs=1e-6)
    real = p.enclosure(x)
    assert real.domain in ("inside", "edge")
    assert real.lower - 1e-6 * max(1.0, abs(case.value)) <= case.value <= real.upper + 1e-12
    assert cpc.verify(p, x, p.reference(x)).kind == "faithful"


@pytest.mark.parametrize("name", OWN)
def test_no_point_is_lower(name: str) -> None:
    case = OWN[name]
    p = case.problem.with_rule("strict")  # thin points are no competitors
    rng = np.random.default_rng(5)
    points = np.concatenate(
        [rng.uniform(p.lower, p.upper, (200_000, p.dim)), near(np.array(case.point), case.bounds, 200_000, 6)]
    )
    values = p(points)
    assert np.isfinite(values).any()
    assert np.nanmin(values) >= case.value - ROUNDING
    assert np.nanmin(values) <= case.value + 0.5 * max(1.0, abs(case.value))  # points near the optimum were tried


@pytest.mark.parametrize("name", [case.name for case in own_problems() if case.thin is not None])
def test_thin_points_are_lower_on_their_slices_only(name: str) -> None:
    case = OWN[name]
    assert case.thin is not None
    value, point = case.thin
    p = case.problem
    assert p.reference(list(point)) == value
    assert cpc.verify(p, list(point), value).kind == "thin"
    assert math.isnan(p.with_rule("strict").reference(list(point)))


def test_the_lowest_thin_value_over_all_slices() -> None:
    case = OWN["whole exponent"]
    p, rng = case.problem, np.random.default_rng(8)
    lowest = math.inf
    for whole in range(1, 5):
        x3 = rng.integers(-2 * 1024, -512 + 1, 100_000) / 1024  # short fractions: the difference is exact
        points = np.stack([rng.choice([-1.0, -0.5, 1.5], 100_000), x3 + whole, x3], axis=1)
        inside = points[(points[:, 1] >= 0) & (points[:, 1] <= 2)]
        lowest = min(lowest, float(np.nanmin(p(inside), initial=math.inf)))
    assert case.thin is not None
    assert lowest == pytest.approx(case.thin[0], abs=1e-5)
    assert lowest >= case.thin[0]


@pytest.mark.parametrize("name", SIMULATIONS)
def test_simulations_have_their_optimum(name: str) -> None:
    case = SIMULATIONS[name]
    assert case.function(np.array(case.point)) == pytest.approx(case.value, abs=1e-6)
    values = [_value(case, x) for x in near(np.array(case.point), case.bounds, 4000, 9)]
    assert min(values) >= case.value - ROUNDING
    assert math.isinf(max(values))  # some are undefined


def _value(case: Simulation, x: np.ndarray[Any, Any]) -> float:
    try:
        return case.function(x)
    except (OverflowError, np.linalg.LinAlgError):
        return math.inf


def test_rare_sets_are_as_rare_as_they_say() -> None:
    tube = OWN["tube"].problem
    rng = np.random.default_rng(3)
    points = rng.uniform(-10, 10, (100_000, 5))
    points[:, 1:] = points[:, :1] + rng.uniform(-1, 1, (100_000, 4))  # the tube is within 3/4 of the diagonal
    share = np.isfinite(tube(points)).mean() * 0.1**4  # the part of the box drawn from
    assert 0.5e-7 < share < 2e-7


def test_reaching_an_optimum() -> None:
    assert reaches(-2.00001, -2.0)
    assert reaches(100.009, 100.0)
    assert not reaches(100.011, 100.0)
    assert not reaches(2e-4, 0.0)
    assert not reaches(math.nan, 0.0)


@pytest.mark.parametrize("name", one_in(3, QUICK))
@pytest.mark.parametrize(("seeds", "least"), [(4, 1), pytest.param(6, 2, marks=pytest.mark.slow)])
def test_the_black_box_search_solves_the_easier_ones(name: str, seeds: int, least: int) -> None:
    """Lower counts, too: thin points are values to a search that sees no formula; with some about, all runs do it."""
    case = OWN[name]
    found = [cpc.minimize(case.problem, budget=60_000, rng=seed, method="black-box").fun for seed in range(seeds)]
    assert sum(reaches(value, case.value) for value in found) >= (least if case.thin is None else seeds), found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "budget"), [("riccati", 5_000), ("correlations", 60_000)])
def test_the_black_box_search_solves_a_simulation(name: str, budget: int) -> None:
    assert black_box(SIMULATIONS[name], budget, range(1)) == Tally(1, 1, Counter({"a value": 1}))


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
def test_no_mode_claims_less_than_the_optimum(name: str) -> None:
    case = OWN[name]
    for seed in (1, 2):
        found = cpc.minimize(case.problem, method="black-box", budget=300_000, seed=seed)
        if found.x is not None and cpc.verify(case.problem, found.x, found.fun).kind == "faithful":
            assert found.fun >= case.value - 1e-6 * max(1.0, abs(case.value))
    white = cpc.minimize(case.problem, budget=1_000_000, rng=3)
    assert white.x is None or white.fun >= case.value - 1e-6 * max(1.0, abs(case.value))


@pytest.mark.slow
def test_the_white_box_search_solves_most() -> None:
    found = {name: cpc.minimize(case.problem, budget=1_000_000, rng=3).fun for name, case in OWN.items()}
    solved = [name for name, case in OWN.items() if reaches(found[name], case.value)]
    assert len(solved) >= 11, solved
