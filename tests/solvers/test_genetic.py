"""The genetic algorithm: its parts do what MATLAB's documentation says, and the whole finds minima."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper import genetic
from cpcbench.solvers.registry import solver
from cpcbench.solvers.run import run_once


def rng(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_it_is_found_by_name_with_the_published_settings() -> None:
    found = solver("ga")
    assert found is genetic.SOLVER
    assert (found.name, found.undefined, found.budget) == ("GA", "penalty", None)


def test_the_shares_of_a_generation() -> None:
    assert genetic._shares(2000, 0.05, 0.8) == (100, 1520, 380)
    assert genetic._shares(50, 0.05, 0.8) == (3, 38, 9)  # ceil(2.5), round(37.6)
    assert genetic._shares(2, 1.0, 0.5) == (1, 1, 0)  # someone must be new; 0.5 rounds up


def test_the_wheel_has_slices_of_one_over_the_root_of_the_rank() -> None:
    slices = np.diff(genetic._wheel(50), prepend=0.0)
    assert slices[0] / slices[3] == pytest.approx(2.0, rel=1e-12)
    assert slices[0] / slices[48] == pytest.approx(7.0, rel=1e-12)
    assert genetic._wheel(50)[-1] == 1.0


def test_selection_gives_each_rank_its_share_rounded_up_or_down() -> None:
    wheel = genetic._wheel(30)
    expected = 100 * np.diff(wheel, prepend=0.0)
    for seed in range(20):
        counts = Counter(genetic._selected(wheel, 100, rng(seed)).tolist())
        for rank in range(30):
            assert math.floor(expected[rank] - 1e-9) <= counts[rank] <= math.ceil(expected[rank] + 1e-9)


def test_selected_parents_are_shuffled() -> None:
    chosen = genetic._selected(genetic._wheel(30), 100, rng())
    assert (np.diff(chosen) < 0).sum() > 20


def test_scattered_crossover_takes_each_coordinate_from_either_parent() -> None:
    mothers, fathers = np.zeros((400, 3)), np.ones((400, 3))
    children = genetic._scattered(mothers, fathers, rng())
    assert set(np.unique(children)) == {0.0, 1.0}
    assert ((children.mean(axis=0) > 0.4) & (children.mean(axis=0) < 0.6)).all()
    assert 0.15 < (children.sum(axis=1) == 0).mean() + (children.sum(axis=1) == 3).mean() < 0.35  # 1/4


@pytest.mark.parametrize("level", [0, 1, 5, genetic.FINEST_MESH])
def test_directions_are_a_basis_as_in_the_paper(level: int) -> None:
    size = 2.0**level
    basis = genetic._directions(300, 4, level, rng())
    assert (basis == np.rint(basis)).all()
    assert np.abs(basis).max() == size
    assert (np.sort((np.abs(basis) == size).sum(axis=1), axis=1) == 1).all()  # one largest entry in each column
    assert np.allclose(np.abs(np.linalg.det(basis)), size**4, rtol=1e-9)
    if level:
        assert -0.2 * size < basis.mean() < 0.2 * size


def test_rows_and_columns_are_shuffled() -> None:
    basis = genetic._directions(2000, 3, 4, rng())
    share = (basis != 0).mean(axis=0)  # 6 of 9 places are below or on the diagonal; a few drawn are zero
    assert share.min() > 0.6
    assert share.max() < 0.7


def test_the_step_grows_after_success_and_shrinks_after_failure() -> None:
    assert genetic._next_level(5, []) == 0
    assert genetic._next_level(5, [1.0]) == 0
    assert genetic._next_level(5, [2.0, 1.0]) == 4
    assert genetic._next_level(5, [1.0, 1.0]) == 6
    assert genetic._next_level(0, [2.0, 1.0]) == 0
    assert genetic._next_level(genetic.FINEST_MESH, [1.0, 1.0]) == genetic.FINEST_MESH
    assert math.sqrt(np.finfo(float).eps) == 4.0**-genetic.FINEST_MESH


@pytest.mark.parametrize("level", [0, 3])
def test_mutants_stay_in_the_box_and_move_by_no_more_than_the_mesh(level: int) -> None:
    lower, upper = np.array([-1.0, 2.0, 0.0]), np.array([4.0, 2.5, 10.0])
    parents = rng(1).uniform(lower, upper, (500, 3))
    parents[:100] = lower
    mutants = genetic._mutants(parents, level, lower, upper, rng())
    assert ((lower <= mutants) & (mutants <= upper)).all()
    assert np.abs(mutants - parents).max() <= 2.0**-level + 1e-12  # 4^-level times 2^level
    moved = (mutants != parents).any(axis=1)
    assert moved[100:].mean() > 0.9
    assert moved[:100].mean() > 0.5


def test_a_fixed_variable_stays_and_the_others_move() -> None:
    lower, upper = np.array([0.0, 0.7]), np.array([9.0, 0.7])
    parents = np.full((50, 2), [4.0, 0.7])
    mutants = genetic._mutants(parents, 2, lower, upper, rng())
    assert (mutants[:, 1] == 0.7).all()
    assert (mutants[:, 0] != 4.0).mean() > 0.5


def test_a_parent_without_room_stays() -> None:
    lower, upper = np.array([0.0, 0.0]), np.array([0.25, 0.25])
    parents = np.full((20, 2), 0.125)
    assert (genetic._mutants(parents, 0, lower, upper, rng()) == parents).all()


def test_the_stall_tests() -> None:
    assert genetic._average_change([10.0, 9.0, 4.0]) == pytest.approx(6.0 / (2 * 4.0))
    assert genetic._average_change([0.5, 0.25]) == 0.25
    # changes of 1/(1+10) a generation ago and 5/(1+9) now
    assert genetic._geometric_weighted([10.0, 9.0, 4.0]) == pytest.approx((0.5 / 11 + 0.5) / 2)
    assert genetic._average_change([1e100] * 51) == genetic._geometric_weighted([1e100] * 51) == 0.0


@pytest.mark.parametrize("test", ["average_change", "geometric_weighted"])
def test_it_stops_one_generation_after_the_stall_window(test: str) -> None:
    objective = Objective(cpc.parse("ln(-1 - x1^2)", [(-1, 2)]), undefined="penalty")
    result = genetic.solve(objective, rng(), population=20, stall_generations=7, stall_test=test)
    assert result.nit == 8
    assert (result.x, result.success) == (None, False)
    assert math.isnan(result.fun)
    assert "nothing admissible" in result.message


def test_the_elite_are_not_evaluated_again() -> None:
    objective = Objective(cpc.parse("x1^2 + x2^2", [(-3, 4)] * 2), undefined="penalty")
    result = genetic.solve(objective, rng(), population=50, max_generations=10)
    assert (result.nit, result.nfev, objective.evaluations) == (10, 50 + 10 * 47, 50 + 10 * 47)


def test_the_best_never_gets_lost() -> None:
    objective = Objective(cpc.problem("DF14"), undefined="penalty")
    result = genetic.solve(objective, rng(), population=60, max_generations=40)
    assert result.fun == objective.best_value
    assert result.x.tolist() == objective.best_x.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("undefined", ["nan", "inf", "penalty"])
def test_what_undefined_becomes_makes_no_difference(undefined: str) -> None:
    problem = cpc.parse("sqrt(x1 - x2^2) + abs(ln(x1) + 1)", [(-3, 4), (-2, 3)])
    results = [
        genetic.solve(Objective(problem, undefined=policy), rng(), population=60, max_generations=30)
        for policy in ("penalty", undefined)
    ]
    assert results[0].x.tolist() == results[1].x.tolist()
    assert results[0].fun == results[1].fun == problem(results[0].x)


def test_it_finds_a_minimum_at_a_corner_and_one_inside() -> None:
    corner = run_once(cpc.parse("x1 + 2*x2", [(0.5, 3), (-7, -2)]), genetic.SOLVER.with_parameters(population=200), 1)
    assert corner.value == pytest.approx(-13.5, abs=1e-3)
    inside = run_once(cpc.parse("(x1 - 0.3)^2 + (x2 + 1.7)^2", [(-4, 9)] * 2), genetic.SOLVER, 1)
    assert inside.status == "finished"
    assert inside.value is not None
    assert inside.value < 1e-8


def test_bad_settings_are_named() -> None:
    objective = Objective(cpc.parse("x1", [(0, 1)]))
    with pytest.raises(CpcbenchError, match="whole number from 2 on, not 1"):
        genetic.solve(objective, rng(), population=1)
    with pytest.raises(CpcbenchError, match="no stall test 'total'"):
        genetic.solve(objective, rng(), stall_test="total")


@pytest.mark.slow
def test_the_published_experiment_comes_out() -> None:
    """Types that the published runs gave, clear of chance: over 20 runs, found or not at all."""
    runs = {
        name: [run_once(cpc.problem(name), genetic.SOLVER, seed) for seed in range(20)] for name in ("DF18", "DF21")
    }
    assert all(outcome.x is None for outcome in runs["DF18"])
    values = [outcome.value for outcome in runs["DF21"] if outcome.value is not None]
    assert 4.79 < min(values) < 5.0  # published: 4.887
