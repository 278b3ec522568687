"""Ask and tell when values come late, in another order or never, and when the search is put into a pickle."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

import cpcbench
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.open_asks import MOST_OPEN
from cpcbench.solvers.search.state import SLIDER
from cpcbench.solvers.search.tuning import ALONE, FIRST, LONGEST_WAIT, SLIDERS

Floats = npt.NDArray[np.float64]
Order = Callable[[int, np.random.Generator], list[int]]


def half_disc(points: Floats) -> Floats:
    """Lowest, -1.25, at (1, 0.25): on the edge of where it is defined."""
    with np.errstate(invalid="ignore"):
        return np.asarray((points[:, 1] - 0.25) ** 2 - points[:, 0] - 0.25 + 0 * np.sqrt(1 - points[:, 0]))


def new(seed: int = 3, **settings: float) -> Search:
    return Search([-3.0, -2.0], [5.0, 7.0], np.random.default_rng(seed), **settings)


def in_order(count: int, _rng: np.random.Generator) -> list[int]:
    return list(range(count))


def shuffled(count: int, rng: np.random.Generator) -> list[int]:
    return [int(i) for i in rng.permutation(count)]


def driven(search: Search, order: Order, rounds: int = 600, asks: int = 5, m: int = 4) -> list[float]:
    """Several asks open at once, told one by one in some order."""
    rng = np.random.default_rng(0)
    asked = []
    for _ in range(rounds):
        points = np.concatenate([search.ask(m) for _ in range(asks)])
        asked += points.reshape(-1).tolist()
        for i in order(len(points), rng):
            search.tell(points[i : i + 1], half_disc(points[i : i + 1]))
    return asked


@pytest.mark.parametrize("order", [in_order, shuffled])
def test_values_in_any_order(order: Order) -> None:
    one, two = new(), new()
    assert driven(one, order) == driven(two, order)
    assert one.best_value == two.best_value == pytest.approx(-1.25, abs=1e-6)
    assert len(one.open_points()) == 0


def test_another_order_is_another_search() -> None:
    assert driven(new(), in_order, rounds=30) != driven(new(), shuffled, rounds=30)


def test_whole_batches_told_one_ask_late_end_as_low() -> None:
    """As a pool of workers has it that never waits: one batch is evaluated while the next is asked for."""
    search = new()
    open_batches = [search.ask(16)]
    for _ in range(700):
        open_batches.append(search.ask(16))
        points = open_batches.pop(0)
        search.tell(points, half_disc(points))
    assert search.best_value == pytest.approx(-1.25, abs=1e-6)


def test_the_same_point_twice() -> None:
    """A box of one point: every ask is for it, and each is told once."""
    search = Search([0.3], [0.3], np.random.default_rng(1))
    first, second = search.ask(2), search.ask(3)
    search.tell(np.concatenate([first, second])[:4], [1.0, 2.0, 3.0, 4.0])
    search.tell(second[:1], [5.0])
    with pytest.raises(CpcbenchError, match="of which there are 0"):
        search.tell(second[:1], [5.0])
    assert search.best_value == 1.0


def test_nothing_is_taken_where_one_point_is_unknown() -> None:
    search = new()
    points = search.ask(3)
    with pytest.raises(CpcbenchError, match="none of them"):
        search.tell([points[0], [4.0, 4.0]], [1.0, 2.0])
    with pytest.raises(CpcbenchError, match="told twice"):
        search.tell([points[0], points[0]], [1.0, 2.0])
    assert len(search.open_points()) == 3
    search.tell(points[::-1], [1.0, 2.0, 3.0])
    assert search.best_value == 1.0
    assert search.best_x is not None
    assert search.best_x.tolist() == points[2].tolist()


def busy(search: Search) -> int:
    return int((search._turns.state.facts["ticket"][SLIDER : SLIDER + SLIDERS] > 0).sum())


def test_whoever_waits_for_forgotten_points_goes_on() -> None:
    search = new()
    driven(search, in_order, rounds=100)
    search.ask(200)
    assert busy(search) == SLIDERS
    search.forget()
    assert busy(search) == 0
    assert len(search.open_points()) == 0


def test_points_left_open_for_good_do_not_stop_the_sliders() -> None:
    search = new()
    driven(search, in_order, rounds=100)
    lost = search.ask(200)
    before = search._turns.state.facts["ticket"][SLIDER : SLIDER + SLIDERS].copy()
    for _ in range((LONGEST_WAIT + 400) // 20):
        points = search.ask(20)
        search.tell(points, half_disc(points))
    after = search._turns.state.facts["ticket"][SLIDER : SLIDER + SLIDERS]
    assert not (before == after).any()
    search.tell(lost, half_disc(lost))  # late, and taken all the same


def test_the_oldest_of_very_many_open_points_are_forgotten() -> None:
    search = new()
    first = search.ask(10)
    for _ in range(MOST_OPEN // 10_000):
        search.ask(10_000)
    assert len(search.open_points()) == MOST_OPEN
    with pytest.raises(CpcbenchError, match="none of them"):
        search.tell(first[:1], [0.0])


def test_values_for_a_fresh_start_that_has_ended_count_for_the_best() -> None:
    search = new(seed=5)
    late = None
    for told in range(0, ALONE + FIRST + 1000, 500):
        points = search.ask(500)
        if told == ALONE + 1000:
            late = points  # one batch of the fresh search stays open until it is over
            points = search.ask(500)
        search.tell(points, half_disc(points))
    assert late is not None
    values = half_disc(late)
    values[7] = -99.0
    search.tell(late, values)
    assert search.best_value == -99.0


@pytest.mark.parametrize("told", [0, 20, 3000])
def test_a_pickled_search_goes_on_with_the_same_bits(told: int) -> None:
    search = new(budget=20_000.0)
    for _ in range(told // 20):
        points = search.ask(20)
        search.tell(points, half_disc(points))
    left_open = search.ask(6)
    copy = pickle.loads(pickle.dumps(search))  # noqa: S301
    assert np.array_equal(copy.open_points(), left_open)
    for each in (search, copy):
        each.tell(left_open[[4, 1]], half_disc(left_open[[4, 1]]))
    for _ in range(50):
        points = search.ask(20)
        assert np.array_equal(points, copy.ask(20))
        for each in (search, copy):
            each.tell(points, half_disc(points))
    assert (search.best_value == copy.best_value) or told == 0
    assert np.array_equal(search.optima(), copy.optima())


def test_a_pickle_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pickle.dumps(new())
    monkeypatch.setattr("cpcbench.solvers.search.engine.__version__", "99.0")
    with pytest.raises(CpcbenchError, match=rf"pickled by cpcbench {cpcbench.__version__}, and here is 99\.0"):
        pickle.loads(packed)  # noqa: S301


def test_where_numpy_raises() -> None:
    with np.errstate(all="raise"):
        search = Search([-1e-310, 0.0], [1e-310, 1e308], np.random.default_rng(1))
        for _ in range(60):
            points = search.ask(10)
            search.tell(points, points[:, 1])
    assert search.best_value < 1e308
