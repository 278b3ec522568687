"""What keeps a search broad: even draws that leave few holes, elites in several basins, sweeps that wait for nobody."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.points import Floats
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.moves.archive import to_archive
from cpcbench.solvers.search.moves.samplers import UNIFORM, sample
from cpcbench.solvers.search.start import plain
from cpcbench.solvers.search.state import ELITE, PENDING, SWEEP, SWEEPER, State, as_plain, new_state
from cpcbench.solvers.search.tuning import ELITES_KEPT, Settings


def even_draws(n: int, count: int, seed: int) -> Floats:
    state, out = new_state(np.full(n, -3.0), np.full(n, 5.0), seed, Settings()), np.empty((count, n))
    for point in out:
        plain(sample)(state, UNIFORM, point)
    return out


@given(st.integers(1, 20), st.integers(0, 2**62))
def test_even_draws_are_in_the_box(n: int, seed: int) -> None:
    points = even_draws(n, 50, seed)
    assert (points >= -3.0).all()
    assert (points <= 5.0).all()
    assert len(np.unique(points, axis=0)) == 50


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_even_draws_leave_fewer_holes_than_chance(n: int) -> None:
    """Of 64 equal cells chance leaves 23 empty with 64 points, on average."""
    side = round(64 ** (1 / n))
    met = [len(np.unique(np.floor((even_draws(n, 64, seed) + 3.0) / 8.0 * side), axis=0)) for seed in range(5)]
    assert np.mean(met) > 46


def archive(shade: float) -> State:
    """Neighbourhoods of no size, so that every point may be an elite."""
    return as_plain(new_state(np.zeros(2), np.ones(2), 1, Settings(shade=shade)))


def values(state: State) -> list[float]:
    return sorted(float(state.facts[ELITE + i].value) for i in range(state.counts[0].elites))


@pytest.mark.parametrize("shade", [0.0, 0.01])
def test_a_full_archive_keeps_basins_not_only_the_best_one(shade: float) -> None:
    """Sixty points on the way down into one basin, each lower than all in the other basin."""
    state = archive(shade)
    plain(to_archive)(state, np.array([0.9, 0.9]), 100.0)
    for k in range(60):
        plain(to_archive)(state, np.array([0.1 + 1e-5 * k, 0.1]), 50.0 - k)
    assert len(values(state)) == ELITES_KEPT
    assert (100.0 in values(state)) == (shade > 0.0)
    assert values(state)[0] == -9.0


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(-50, 50)), max_size=150))
def test_the_best_point_is_never_lost(told: list[tuple[int, int, int]]) -> None:
    state = archive(0.01)
    for i, j, value in told:
        plain(to_archive)(state, np.array([i, j]) / 200.0, float(value))
    assert not told or values(state)[0] == min(value for _, _, value in told)


def test_a_sweep_waits_for_no_value_that_is_given_up() -> None:
    search = Search([-5.0, -5.0], [5.0, 5.0], np.random.default_rng(1), sweep_share=1.0)
    for _ in range(4000):
        points = search.ask(1)
        state = search._turns.state
        asked = state.facts[PENDING].copy()
        if asked["kind"] == SWEEP:
            break
        search.tell(points, np.sum(points**2, axis=1))
    assert asked["kind"] == SWEEP
    assert state.facts["alive"][SWEEPER + asked["who"]]
    search.forget(points)
    assert not state.facts["alive"][SWEEPER + asked["who"]]
    assert math.isfinite(search.best_value)
