"""Workers that never wait for each other: what such a search finds, and how it is ended."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.ending import INTERRUPTED
from tests.material import user_functions
from tests.search.costly.noted import BOX, Noted, bits, lines_of
from tests.search.test_interrupted import ctrl_c


class Waits:
    """The first point is not done before 20 others are: whoever waits for it with two processes waits for ever."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, x: Any) -> float:
        ended = self._folder / "ended"
        try:
            (self._folder / "first").touch(exist_ok=False)
        except FileExistsError:
            with ended.open("ab") as file:
                file.write(b"\n")
            return float(x[0] ** 2)
        while lines_of(ended) < 20:
            time.sleep(0.005)
        return -1.0


def test_no_worker_waits_for_another(tmp_path: Path) -> None:
    found = cpc.minimize(Waits(tmp_path), [(-1, 1)], budget=40, rng=1, workers=2, asynchronous=True, seconds=60)
    assert (found.nfev, found.fun, found.message) == (40, -1.0, "the evaluations are spent")


def test_asynchronous_with_one_worker_is_one_point_at_a_time() -> None:
    one = cpc.minimize(Noted(), BOX, budget=300, rng=3, asynchronous=True)
    assert bits(one) == bits(cpc.minimize(Noted(), BOX, budget=300, rng=3, batch=1))


def test_an_asynchronous_search_finds_what_others_do() -> None:
    found = cpc.minimize(user_functions.raises_outside, BOX, budget=1500, rng=1, workers=3, asynchronous=True)
    assert (found.success, found.nfev, found.nit) == (True, 1500, 1500)
    assert found.fun == pytest.approx(0.125, abs=0.01)  # which point comes back first is chance


def test_an_asynchronous_search_is_ended_by_the_callback_and_by_ctrl_c() -> None:
    def stop(intermediate_result: OptimizeResult) -> None:
        if intermediate_result.nfev >= 10:
            raise StopIteration

    way: dict[str, Any] = {"budget": 2000, "rng": 1, "workers": 2, "asynchronous": True}
    found = cpc.minimize(user_functions.raises_outside, BOX, **way, callback=stop)
    assert found.message == "stopped by the callback"
    assert 10 <= found.nfev < 2000
    found = cpc.minimize(user_functions.raises_outside, BOX, **way, callback=lambda _: ctrl_c())
    assert found.status == INTERRUPTED
    assert 1 <= found.nfev < 2000  # what came back meanwhile counts


def test_workers_that_die_in_an_asynchronous_search() -> None:
    found = cpc.minimize(user_functions.dies, BOX, budget=60, rng=1, workers=2, asynchronous=True)
    assert (found.success, found.nfev) == (True, 60)
    assert found.nfailed == found.nundefined == sum(failure.count for failure in found.failures) > 0
    with pytest.raises(CpcbenchError, match="fails at every point"):
        cpc.minimize(user_functions.always_dies, BOX, budget=500, rng=1, workers=2, asynchronous=True)
