"""The black-box search: its ask and tell, and what it does with its evaluations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cpcbench.errors import CpcbenchError
from cpcbench.problems.user import parse
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.moves.fresh_starts import Turns
from cpcbench.solvers.search.moves.sweeps import take_place, told_look, waiting
from cpcbench.solvers.search.solver import SOLVER, solve
from cpcbench.solvers.search.start import plain
from cpcbench.solvers.search.state import PENDING, SAMPLE, SWEEPER, as_plain, new_state
from cpcbench.solvers.search.tuning import ALONE, ENTRIES, FIRST, LOOKS, STARTS, Settings, for_budget
from tests.search.known_minima import PROBLEMS, Floats, above, minimised


def half_disc(points: Floats) -> Floats:
    """Lowest, -1.25, at (1, 0.25): on the edge of where it is defined."""
    with np.errstate(invalid="ignore"):
        return np.asarray((points[:, 1] - 0.25) ** 2 - points[:, 0] - 0.25 + 0 * np.sqrt(1 - points[:, 0]))


def test_finds_the_edge_to_the_last_bits() -> None:
    search = minimised(half_disc, [-3.0, -2.0], [5.0, 7.0], 24_000, 3)
    assert search.best_value == pytest.approx(-1.25, abs=1e-9)
    assert search.best_x == pytest.approx([1.0, 0.25], abs=1e-5)


@pytest.mark.parametrize("m", [1, 7, 300])
def test_any_batch_size_works(m: int) -> None:
    assert minimised(half_disc, [-3.0, -2.0], [5.0, 7.0], 6000, 4, m).best_value == pytest.approx(-1.25, abs=1e-2)


def test_same_generator_same_points() -> None:
    first, second = (Search([0.0, -1.0], [2.0, 3.0], np.random.default_rng(8)) for _ in range(2))
    other = Search([0.0, -1.0], [2.0, 3.0], np.random.default_rng(9))
    assert not np.array_equal(first.ask(5), other.ask(5))
    second.ask(5)
    for _ in range(40):
        points = first.ask(20)
        assert np.array_equal(points, second.ask(20))
        for search in (first, second):
            search.tell(points, half_disc(points))


def test_the_end_of_a_budget_belongs_to_the_best() -> None:
    """Two bowls, one a little lower: with a budget, more of the last points are near the better one."""

    def bowls(points: Floats) -> Floats:
        near = np.minimum((points[:, 0] - 2) ** 2, (points[:, 0] + 2) ** 2 + 0.01)
        return np.asarray(near + points[:, 1] ** 2)

    shares = []
    for late_share in (0.0, 0.2):
        search = Search([-5.0, -5.0], [5.0, 5.0], np.random.default_rng(3), budget=4800, late_share=late_share)
        last = []
        for k in range(100):
            points = search.ask(48)
            search.tell(points, bowls(points))
            last += [points[:, 0]] if k >= 80 else []
        shares.append(float((np.abs(np.concatenate(last) - 2) < 0.5).mean()))
    assert shares[1] > shares[0] + 0.03, shares


@pytest.mark.parametrize("dive_share", [0.0, 0.25])
def test_a_dive_reaches_an_edge_that_the_values_lead_away_from(dive_share: float) -> None:
    """Lowest within 1e-12 of an edge towards which it rises: only lines that ignore the values come there."""

    def moat(points: Floats) -> Floats:
        away = math.pi / 3 - points[:, 0]
        return np.where(away < 0, np.nan, np.where(away < 1e-12, -1.0, 1 / (0.1 + away) + points[:, 1] ** 2))

    search = Search([-10.0, -10.0], [10.0, 10.0], np.random.default_rng(5), dive_share=dive_share)
    for _ in range(200):
        points = search.ask(48)
        search.tell(points, moat(points))
    assert (search.best_value == -1.0) == (dive_share > 0)


def test_sweeps_find_the_wells_of_a_sum_of_ripples() -> None:
    """Islands with a well each, eleven along each of twelve coordinates: along a coordinate a sweep meets them all."""

    def wells(points: Floats) -> Floats:
        away = points - np.linspace(-1.5, 2.5, points.shape[1])
        ripples = np.cos(2 * np.pi * away)
        return np.where(ripples.min(axis=1) > -0.5, np.sum(away**2 / 20 + 1 - ripples, axis=1), np.nan)

    ends = []
    for sweep_share in (0.0, Settings().sweep_share):
        box = np.full(12, -5.0), np.full(12, 6.0)
        searches = [Search(*box, np.random.default_rng(seed), sweep_share=sweep_share) for seed in range(9)]
        for search in searches:
            for _ in range(400):
                points = search.ask(48)
                search.tell(points, wells(points))
        ends.append(float(np.median([search.best_value for search in searches])))
    assert ends[1] < 0.8 * ends[0], ends


def test_slides_begin_at_the_lowest_places_of_a_sweep_first() -> None:
    """Those that are lower than the places beside them, or between undefined ones, without the elite; three at most."""
    state = as_plain(new_state(*BOX, 1, Settings()))
    sweep, elite = state.facts[SWEEPER], 5
    values = dict.fromkeys(range(LOOKS + 1), math.nan) | {2: 1.0, 3: 2.0, 10: 0.3, 20: 0.9, 21: 0.95, LOOKS: 0.1}
    for place in range(LOOKS + 1):
        state.looks[place].value, state.looks[place].taken = -1.0 if place == elite else math.nan, place == elite
    for place in sorted(set(values) - {elite}, reverse=True):
        assert run(waiting, state) == -1
        run(told_look, state, 0, place, values[place])
    assert sweep.starts == STARTS
    assert run(waiting, state) == 0
    assert [run(take_place, state, 0) for _ in range(STARTS)] == [LOOKS, 10, 20]
    assert not sweep.alive
    assert run(waiting, state) == -1


def run(compiled: Any, *args: Any) -> Any:
    """A compiled function as plain Python runs it."""
    return plain(compiled)(*args)


def test_draws_go_on_until_the_domain_was_entered_a_few_times() -> None:
    search = Search([-10.0, -10.0], [10.0, 10.0], np.random.default_rng(5), entry_share=1.0)
    kinds: dict[bool, set[float]] = {False: set(), True: set()}
    for _ in range(2000):
        enough = bool(search._turns.state.counts["entered"][0] >= ENTRIES)
        points = search.ask(1)
        kinds[enough].add(float(search._turns.state.facts["kind"][PENDING]))
        search.tell(points, np.where(points[:, 0] > 9.0, points[:, 0], np.nan))
    assert kinds[False] == {SAMPLE}
    assert len(kinds[True]) > 1
    assert for_budget(1e6)["entry_share"] > for_budget(1e5)["entry_share"]


def turns_taken(turns: Turns, count: int, m: int = 5000) -> list[int]:
    """The searches that took part, each as its first turn has numbered it, for so many values."""
    seen: list[Any] = []
    order = []
    for _ in range(count // m):
        counts = turns.next(m).counts
        seen += [] if any(counts is other for other in seen) else [counts]
        order.append(next(k for k, other in enumerate(seen) if counts is other))
        turns.spent(m)
    return order


BOX = np.array([-1.0, -1.0]), np.array([1.0, 1.0])


def test_fresh_starts_take_half_of_a_long_search() -> None:
    order = turns_taken(Turns(*BOX, 1, {"budget": 1e6}), 1_000_000)
    assert order[: ALONE // 5000] == [0] * (ALONE // 5000)
    assert order.count(0) == len(order) // 2
    lengths = [5000 * order.count(k) for k in range(1, max(order) + 1)]
    assert lengths[:2] == [FIRST, 2 * FIRST]
    assert sum(lengths) == 500_000


def test_a_short_search_is_one() -> None:
    assert set(turns_taken(Turns(*BOX, 1, {"budget": 2e5}), 200_000)) == {0}


def test_without_a_budget_fresh_starts_go_on_doubling() -> None:
    order = turns_taken(Turns(*BOX, 1, {}), 1_600_000)
    assert [5000 * order.count(k) for k in (1, 2, 3)] == [FIRST, 2 * FIRST, 4 * FIRST]


def test_what_a_fresh_start_found_joins_the_long_search() -> None:
    """Undefined for as long as the long search is alone: the fresh one's hits become its own, and its count stays."""
    search = Search([-3.0, -2.0], [5.0, 7.0], np.random.default_rng(3))
    told, m = 0, 500
    while told < ALONE + FIRST:
        points = search.ask(m)
        search.tell(points, half_disc(points) if told >= ALONE else np.full(m, np.nan))
        told += m
    assert search._turns.state.counts["hits"][0] > 0
    assert search._turns.state.counts["told"][0] == ALONE
    _, values = search._turns.elites()
    assert float(np.min(values)) == pytest.approx(search.best_value, abs=1e-9)
    assert search.optima()[0] == pytest.approx([1.0, 0.25], abs=1e-5)


def test_infinite_values_are_undefined() -> None:
    def walled(points: Floats) -> Floats:
        x = points[:, 0]
        return np.where(x < 0.25, -np.inf, np.where(x > 0.5, np.inf, (x - 0.375) ** 2 + 3))

    search = minimised(walled, [0.0], [1.0], 3000, 1)
    assert search.best_value == pytest.approx(3.0, abs=1e-12)
    assert search.best_x == pytest.approx([0.375], abs=1e-6)


def test_nothing_is_found_where_nothing_is_defined() -> None:
    search = minimised(lambda points: np.full(len(points), np.nan), [0.0, 1.0], [2.0, 2.0], 3000, 1)
    assert search.best_x is None
    assert math.isnan(search.best_value)


BOXES = {
    "huge": ([-1e300, -1e300], [1e300, 1e300]),
    "widest": ([-1.7e308], [1.7e308]),
    "tiny": ([1.0, 1.0], [1.0 + 1e-15, 1.0 + 1e-14]),
    "tiny about zero": ([-1e-310, 0.0], [1e-310, 1e-308]),
    "a point": ([0.3], [0.3]),
    "unequal": ([-1e-9, 5.0, -1e12], [1e-9, 5.0, 0.0]),
    "many": ([-1.0] * 100, [2.0] * 100),
}


@pytest.mark.parametrize("name", BOXES)
def test_any_box(name: str) -> None:
    lower, upper = (np.array(bound) for bound in BOXES[name])

    def lean(points: Floats) -> Floats:
        return np.asarray(((points / 2 - lower / 2) / np.maximum(upper / 2 - lower / 2, 1e-320)).sum(axis=1))

    search = minimised(lean, lower, upper, 4800, 2)
    assert search.best_value < 0.2 * max(1, len(lower) / 4)


def test_a_prefix_of_the_values_may_be_told() -> None:
    search = Search([0.0, 0.0], [1.0, 1.0], np.random.default_rng(1))
    for _ in range(300):
        points = search.ask(32)[:20]
        search.tell(points, points.sum(axis=1))
    assert search.best_value < 1e-3


def test_bad_input_is_refused() -> None:
    rng = np.random.default_rng(1)
    for lower, upper in (([0.0], [1.0, 2.0]), ([1.0], [0.0]), ([0.0], [math.inf]), ([], [])):
        with pytest.raises(CpcbenchError, match="bounds"):
            Search(lower, upper, rng)
    with pytest.raises(CpcbenchError, match=r"unknown setting 'climbs'.*hop_share"):
        Search([0.0], [1.0], rng, climbs=3)
    search = Search([0.0], [1.0], rng)
    with pytest.raises(CpcbenchError, match="whole number"):
        search.ask(0)
    points = search.ask(4)
    with pytest.raises(CpcbenchError, match=r"one each, not \(4, 1\) and \(3,\)"):
        search.tell(points, points[:3, 0])
    with pytest.raises(CpcbenchError, match=r"not told yet, of which there are 4: \[0\.123\] is none"):
        search.tell([[0.123]], [1.0])
    with pytest.raises(CpcbenchError, match="shape"):
        search.forget([0.5])


def test_optima_are_the_elites_as_good_as_the_best() -> None:
    search = Search([-2.0], [3.0], np.random.default_rng(2))
    assert search.optima().shape == (0, 1)
    for _ in range(150):
        points = search.ask()
        search.tell(points, (points[:, 0] ** 2 - 1) ** 2)
    assert np.sort(search.optima()[:, 0]) == pytest.approx([-1.0, 1.0], abs=1e-2)
    assert search.optima()[0] == search.best_x


def test_the_solver_returns_what_it_found() -> None:
    objective = Objective(parse("ln(x1 + x2) + sqrt(x1 - x2^2)", bounds=[(-3.0, 4.0), (-2.0, 5.0)]))
    result = solve(objective, np.random.default_rng(5), max_evaluations=1000, batch=30)
    assert result.nfev == objective.evaluations == 1000
    assert result.fun == objective.best_value == objective.problem(result.x)
    assert SOLVER.name == "cpc"


@pytest.mark.slow
def test_problems_of_our_own() -> None:
    """The minima stated are minima, too: no search finds anything below them."""
    ends = {name: [above(name, 30_000, 11)] for name in PROBLEMS}
    assert not any(end < -1e-7 for found in ends.values() for end in found), ends
    assert np.mean([end <= 1e-4 for found in ends.values() for end in found]) >= 0.75, ends


@pytest.mark.slow
def test_a_simulation_that_blows_up() -> None:
    """x' = x^2 - a x, x(0) = b, by Euler's method: it must stay finite until t = 2 and end near 0.5."""

    def simulated(points: Floats) -> Floats:
        a, x = points[:, 0], points[:, 1]
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(200):
                x = x + 0.01 * (x * x - a * x)
                x = np.where(np.abs(x) < 1e3, x, np.nan)
        return (x - 0.5) ** 2 + 0.01 * (points[:, 1] - 6) ** 2

    search = minimised(simulated, [-5.0, -10.0], [5.0, 10.0], 12_000, 6)
    brute = simulated(np.stack(np.meshgrid(np.linspace(-5, 5, 700), np.linspace(-10, 10, 700)), axis=-1).reshape(-1, 2))
    assert search.best_value <= np.nanmin(brute) + 1e-9
