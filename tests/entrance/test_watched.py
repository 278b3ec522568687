"""Functions that cannot be read are watched: how far each operation is outside of its domain leads a search inside."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.entrance.comparing import value_of
from cpcbench.entrance.watched import Violation

BOX = [(-1000.0, 1000.0)] * 3


def until_it_settles(x: Any) -> float:
    """A loop that ends by a value: no formula. Defined in about one point of 10^9."""
    root = math.sqrt(x[0] - 700) + math.log(2 - abs(x[1] - x[0] / 3))
    guess, steps = 1.0, 0
    while abs(guess * guess - root - 10) > 1e-12 and steps < 100:
        guess, steps = (guess + (root + 10) / guess) / 2, steps + 1
    return guess + math.asin((x[2] + x[1]) / 5)


OPERATIONS: dict[str, Any] = {
    "sqrt": lambda x: math.sqrt(x[0]) + np.sqrt(x[1]),
    "log": lambda x: math.log(x[0]) * np.log10(x[1]) + math.log1p(x[2]),
    "arcsin": lambda x: math.asin(x[0]) + np.arccos(x[1]),
    "power": lambda x: (x[0] ** 0.3) + np.power(x[1], -1.5),
    "quotient": lambda x: 1 / (x[0] - x[0]) + x[1],
    "overflow": lambda x: math.exp(800 * x[0]) + x[1] ** 2,
    "arrays": lambda x: np.sum(np.sqrt(x - np.array([0.1, 0.2, 0.3]))),
    "branch": lambda x: math.sqrt(x[0]) if x[1] > 0 else float(x[2]),
    "settles": until_it_settles,
}


@pytest.mark.parametrize("name", OPERATIONS)
@settings(max_examples=40, deadline=None)
@given(x=st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_it_is_nothing_exactly_where_the_function_is_defined(name: str, x: list[float]) -> None:
    function = OPERATIONS[name]
    noted = Violation(function)(np.array(x))
    assert (noted == 0.0) == (not math.isnan(value_of(function, np.array(x)))), noted


def test_it_grows_with_the_distance() -> None:
    violation = Violation(lambda x: math.sqrt(x[0]) + math.log(x[1]))
    noted = [violation([a, b]) for a, b in [(1, 1), (-0.1, 1), (-1, 1), (-1, -1), (-50, -1)]]
    assert noted == sorted(noted)
    assert len(set(noted)) == 5


def test_what_fails_without_a_word_is_not_a_number() -> None:
    def fails(x: Any) -> float:
        if x[0] > 0:
            raise RuntimeError("did not converge")
        return float(x[0])

    assert math.isnan(Violation(fails)([1.0]))
    assert Violation(fails)([-1.0]) == 0.0


def test_it_can_be_sent_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(Violation(until_it_settles)))([800.0, 267.0, -267.0]) == 0.0  # noqa: S301


def test_the_black_box_does_not_find_the_domain() -> None:
    assert cpc.minimize(until_it_settles, BOX, budget=3000, rng=1).x is None


@pytest.mark.parametrize("rng", [0, *(pytest.param(rng, marks=pytest.mark.slow) for rng in (1, 2))])
def test_the_domain_is_entered_where_the_black_box_finds_nothing(rng: int) -> None:
    found = cpc.minimize(until_it_settles, BOX, budget=10_000, rng=rng, method="grey-box")
    assert found.method == "grey-box"
    assert found.nfev == 10_000
    assert 0 < found.nwatched < 10_000
    assert found.fun == until_it_settles(found.x)
    assert all(math.isfinite(until_it_settles(x)) for x in found.entries)


def test_budget_callback_and_what_is_known_are_honoured() -> None:
    calls: list[int] = []
    found = cpc.minimize(
        until_it_settles, BOX, budget=2000, rng=1, method="grey-box", callback=lambda intermediate_result: calls.append(
            intermediate_result.nfev
        ), x0=[750.0, 251.0, -251.0],
    )  # fmt: skip
    assert found.nfev == 2000
    assert calls == sorted(calls)
    assert calls[0] > found.nwatched
    assert found.fun <= until_it_settles([750.0, 251.0, -251.0])
    assert cpc.minimize(until_it_settles, BOX, budget=1, rng=1, method="grey-box").nfev == 1


def test_what_has_a_formula_is_refused() -> None:
    with pytest.raises(cpc.CpcbenchError, match="white-box"):
        cpc.minimize("ln(x1)", [(0, 1)], method="grey-box")
    with pytest.raises(cpc.CpcbenchError, match="vectorized"):
        cpc.minimize(until_it_settles, BOX, method="grey-box", vectorized=True)


class Corner:
    """Defined in about one point of a thousand; Ctrl-C comes at the call that the class says, which counts them."""

    made, stop = 0, -1

    def __call__(self, x: Any) -> float:
        kind = type(self)
        kind.made += 1
        if kind.made == kind.stop:
            raise KeyboardInterrupt
        return math.sqrt(x[0] + x[1] - 1.9) - math.log(2.2 - x[0] - x[1]) + float(x[0])


@pytest.mark.parametrize("phase", ["entering", "searching"])
def test_a_watched_search_goes_on_from_its_state(tmp_path: Path, phase: str) -> None:
    settings: dict[str, Any] = {"bounds": [(-1, 1)] * 2, "budget": 300, "rng": 4, "method": "grey-box"}
    Corner.stop = -1
    whole = cpc.minimize(Corner(), **settings)
    assert 10 < whole.nwatched < 250
    state = tmp_path / "search.state"
    Corner.made, Corner.stop = 0, 8 if phase == "entering" else whole.nwatched + 10
    assert cpc.minimize(Corner(), **settings, state=state).status == 2
    Corner.made, Corner.stop = 0, -1
    again = cpc.minimize(Corner(), **settings, state=state, log=tmp_path / "runs.csv")
    assert (again.x.tolist(), again.fun, again.nfev) == (whole.x.tolist(), whole.fun, whole.nfev)
    assert again.nwatched == whole.nwatched
    assert again.nrecalled == (7 if phase == "entering" else whole.nwatched + whole.nwatched + 9)
    assert Corner.made == 300 - max(again.nrecalled, whole.nwatched)  # watched calls are those of a copy
    points, values = cpc.read_log(state)
    assert len(points) == whole.nfev - whole.nwatched  # a watched call has no value, but its distance is in the file
    assert min(values[~np.isnan(values)]) == whole.fun
    assert state.read_text().count("watched, outside by ") == whole.nwatched


def test_what_the_grey_box_does_not_keep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cpc.CpcbenchError, match="give a budget instead"):
        cpc.minimize(Corner(), [(-1, 1)] * 2, seconds=5.0, method="grey-box", state=tmp_path / "search.state")
    with pytest.raises(cpc.CpcbenchError, match="asynchronous=True belongs to a black-box search"):
        cpc.minimize(Corner(), [(-1, 1)] * 2, method="grey-box", asynchronous=True)


def test_what_tells_nothing_is_watched_no_longer() -> None:
    def bowl(x: Any) -> float:
        y = np.asarray(x, dtype=float)
        return float(np.sum((np.linalg.solve(np.eye(3), y[y > -1e9]) - 1) ** 2))

    found = cpc.minimize(bowl, [(-5, 5)] * 3, budget=300, rng=1, method="grey-box")
    assert found.nwatched <= 150
    assert found.fun < 1


def test_a_function_that_ends_by_an_error_does_not_run_for_ever() -> None:
    def falls_out(x: Any) -> float:
        v, n = x[0], 0
        try:
            while True:
                v, n = math.log(v), n + 1
        except ValueError:
            return float(n + v * v)

    assert Violation(falls_out)([2.0]) > 0
    assert cpc.minimize(falls_out, [(0.1, 5)], budget=20, rng=1, method="grey-box").nfev == 20


def test_an_interrupt_while_watching_ends_it() -> None:
    found = cpc.minimize(Interrupts(), [(-1, 1)], budget=2000, rng=1, method="grey-box")
    assert (found.status, found.success, found.x) == (2, False, None)
    assert found.nfev < 200


class Interrupts:
    """Ctrl-C at the hundredth call; counted in a file of its own kind, which copies of the object share."""

    counter = iter(range(10**9))

    def __call__(self, x: Any) -> float:
        if next(self.counter) == 100:
            raise KeyboardInterrupt
        return math.sqrt(-1 - x[0] ** 2)


def test_an_error_carries_what_was_found() -> None:
    def stops(intermediate_result: Any) -> None:
        raise RuntimeError(str(intermediate_result.nfev))

    with pytest.raises(RuntimeError) as caught:
        cpc.minimize(until_it_settles, BOX, budget=3000, rng=1, method="grey-box", callback=stops)
    result = caught.value.result  # type: ignore[attr-defined]
    assert result.nfev == int(str(caught.value))
    assert result.method == "grey-box"
    assert result.nwatched > 0
