"""What keeps a search broad: even draws that leave few holes, elites in several basins, sweeps that wait for nobody."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.points import Floats
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.moves.archive import to_archive
from cpcbench.solvers.search.moves.samplers import UNIFORM, sample
from cpcbench.solvers.search.moves.sweeps import look, sweeper
from cpcbench.solvers.search.moves.sweeps import row as row_of
from cpcbench.solvers.search.start import plain
from cpcbench.solvers.search.state import ELITE, HIT, PENDING, SWEEP, SWEEPER, State, as_plain, new_state
from cpcbench.solvers.search.tuning import ELITES_KEPT, LOOKS, SWEEPERS, Settings


def run(compiled: Any, *args: Any) -> Any:
    """A compiled function as plain Python runs it."""
    with np.errstate(all="ignore"):
        return plain(compiled)(*args)


def even_draws(n: int, count: int, seed: int) -> Floats:
    state, out = new_state(np.full(n, -3.0), np.full(n, 5.0), seed, Settings()), np.empty((count, n))
    for point in out:
        run(sample, state, UNIFORM, point)
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
    run(to_archive, state, np.array([0.9, 0.9]), 100.0)
    for k in range(60):
        run(to_archive, state, np.array([0.1 + 1e-5 * k, 0.1]), 50.0 - k)
    assert len(values(state)) == ELITES_KEPT
    assert (100.0 in values(state)) == (shade > 0.0)
    assert values(state)[0] == -9.0


Place = tuple[float, float]


def filled(lonely: list[tuple[Place, float]]) -> State:
    """An archive with these and, for what is left of it, points beside (0.1, 0.1) with the values 0, 1, 2, ..."""
    state = archive(0.01)
    for k in range(ELITES_KEPT - len(lonely)):
        run(to_archive, state, np.array([0.1 + 1e-4 * k, 0.1]), float(k))
    for place, value in lonely:
        run(to_archive, state, np.array(place), value)
    assert len(values(state)) == ELITES_KEPT
    return state


@pytest.mark.parametrize(
    ("place", "value", "goes"),
    [
        ((0.1, 0.105), 5.5, ELITES_KEPT - 2.0),  # the highest of those that have a better one near
        ((0.1, 0.105), 60.0, 60.0),  # it is the highest of those itself
        ((0.5, 0.5), 200.0, ELITES_KEPT - 2.0),  # alone in its basin
        ((0.1, 0.105), -1.0, ELITES_KEPT - 2.0),
    ],
)
def test_who_makes_place_for_whom(place: Place, value: float, goes: float) -> None:
    state = filled([((0.9, 0.9), 100.0)])
    before = [*values(state), value]
    run(to_archive, state, np.array(place), value)
    before.remove(goes)
    assert values(state) == sorted(before)


def test_a_lonely_elite_makes_place_for_a_better_one_near_it() -> None:
    lonely = [((0.03 * k, 0.5), 100.0 + k) for k in range(ELITES_KEPT)]
    state = filled(lonely)
    run(to_archive, state, np.array([0.03 * 7, 0.505]), 50.0)
    assert values(state) == [50.0, *(100.0 + k for k in range(ELITES_KEPT) if k != 7)]


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), min_size=40, max_size=120, unique=True))
def test_the_best_point_is_never_lost(places: list[tuple[int, int]]) -> None:
    state = archive(0.01)
    for told, (i, j) in enumerate(places, start=1):
        run(to_archive, state, np.array([i, j]) / 200.0, float((7 * i + 31 * j) % 101))
        assert values(state)[0] == min((7 * i + 31 * j) % 101 for i, j in places[:told])
    assert len(values(state)) == ELITES_KEPT


@pytest.mark.parametrize("width", [1.0, 1e-300, 1e300, 8.9e307, np.finfo(float).max])
@given(st.integers(0, 2**62), st.integers(0, 8), st.integers(0, 8))
def test_places_of_sweeps_are_in_the_box_and_in_order(width: float, seed: int, one: int, other: int) -> None:
    """Also where a side is as long as doubles can be; the elite's own place is among them, with its value."""
    lower, upper = np.array([-width, -1.0, 3.0]), np.array([width, 1.0, 3.0])
    state = as_plain(new_state(lower, upper, seed, Settings()))
    state.counts[0].elites = 2
    for row, at in ((ELITE, one), (ELITE + 1, other)):
        state.points[row] = np.clip(np.array([(at / 4 - 1.0) * width, 1.0 - at / 4, 3.0]), lower, upper)
        state.facts[row].value = float(at)
    state.counts[0].hits = 1
    state.points[HIT] = state.points[ELITE]
    out = np.empty(3)
    assert run(sweeper, state) >= 0
    for k in range(SWEEPERS):
        if not state.facts[SWEEPER + k].alive:
            continue
        places = [state.looks[run(row_of, k, i)].at for i in range(LOOKS + 1)]
        own = int(state.facts[SWEEPER + k].own)
        assert np.isfinite(places).all()
        assert places == sorted(places)
        assert places[own] == 0.0
        assert [i for i in range(LOOKS + 1) if state.looks[run(row_of, k, i)].taken] == [own]
        assert state.looks[run(row_of, k, own)].value == state.facts[SWEEPER + k].value
        for _ in range(LOOKS):
            run(look, state, k, out)
            assert ((lower <= out) & (out <= upper)).all()


@pytest.mark.parametrize("is_its_own", [True, False])
def test_a_sweep_waits_for_no_value_that_is_given_up(is_its_own: bool) -> None:
    search = Search([-5.0, -5.0], [5.0, 5.0], np.random.default_rng(1), sweep_share=1.0)
    for _ in range(4000):
        points = search.ask(1)
        state = search._turns.state
        asked = state.facts[PENDING].copy()
        if asked["kind"] == SWEEP:
            break
        search.tell(points, np.sum(points**2, axis=1))
    assert asked["kind"] == SWEEP
    state.facts["ticket"][SWEEPER + asked["who"]] += not is_its_own
    search.forget(points)
    assert state.facts["alive"][SWEEPER + asked["who"]] != is_its_own
