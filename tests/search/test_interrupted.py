"""What `cpc.minimize` keeps when something ends it: Ctrl-C, workers that die or hang, errors of the callback."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.ending import INTERRUPTED, WORKERS_FAILED
from tests.cases import one_in
from tests.material import user_functions

BOX = [(-1.0, 1.0), (-1.0, 1.0)]


class Counted:
    """A function that keeps what it was asked, and does something at one of its calls."""

    def __init__(self, at: int, then: Callable[[], None]) -> None:
        self.values: list[float] = []
        self._at, self._then = at, then

    def __call__(self, x: Any) -> float:
        if len(self.values) == self._at:
            self._then()
        self.values.append(float(x[0] ** 2 + x[1]))
        return self.values[-1]


def ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a native library of another test may have set its own
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("at", [1, 37, 500])
def test_ctrl_c_returns_the_best_so_far(at: int) -> None:
    fun = Counted(at, ctrl_c)
    found = cpc.minimize(fun, BOX, budget=3000, seed=1, batch=16)
    assert (found.success, found.status, found.nfev) == (False, INTERRUPTED, at)
    assert found.fun == min(fun.values[:at])
    assert found.x[0] ** 2 + found.x[1] == found.fun
    assert "interrupted" in found.message


def test_ctrl_c_before_the_first_evaluation_is_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt):
        cpc.minimize(Counted(0, ctrl_c), BOX, budget=3000, seed=1)


def test_ctrl_c_in_the_callback() -> None:
    found = cpc.minimize(user_functions.disc, BOX, budget=3000, seed=1, callback=lambda _: ctrl_c())
    assert found.status == INTERRUPTED
    assert found.fun == user_functions.disc(found.x)


def test_an_error_of_the_callback_keeps_what_was_found() -> None:
    def fails(intermediate_result: OptimizeResult) -> None:
        if intermediate_result.nfev > 200:
            raise ZeroDivisionError("a mistake in the callback")

    with pytest.raises(ZeroDivisionError, match="a mistake in the callback") as caught:
        cpc.minimize(user_functions.disc, BOX, budget=3000, seed=1, callback=fails)
    kept = caught.value.result  # type: ignore[attr-defined]
    assert not kept.success
    assert kept.nfev > 200
    assert kept.fun == user_functions.disc(kept.x)
    assert "`result`" in caught.value.__notes__[0]


def test_a_worker_that_dies_costs_one_point() -> None:
    found = cpc.minimize(user_functions.dies, BOX, budget=120, seed=1, workers=2)
    assert found.success
    assert found.nfev == 120
    assert found.fun == user_functions.dies(found.x)
    assert 0 < found.nfailed == found.nundefined < 120
    assert not multiprocessing.active_children()


def test_workers_that_always_die_are_reported() -> None:
    with pytest.raises(CpcbenchError, match=r"fails at every point: the worker process died \(exit status 3\)"):
        cpc.minimize(user_functions.always_dies, BOX, budget=500, seed=1, workers=2)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_that_leaves_has_no_value_there(workers: int) -> None:
    found = cpc.minimize(user_functions.leaves, [(-1.0, 1.0)], budget=200, seed=1, workers=workers)
    assert found.success
    assert found.fun == -found.x[0] >= 0.0
    assert found.nfailed > 0


def test_a_worker_that_hangs_is_ended_with_the_time() -> None:
    start = time.monotonic()
    found = cpc.minimize(user_functions.hangs, [(-1.0, 1.0)], budget=500, seed=1, workers=2, seconds=1.5)
    assert found.message == "the time is spent"
    assert found.fun == found.x[0]
    assert time.monotonic() - start < 60.0
    assert not multiprocessing.active_children()


def test_the_time_holds_within_a_batch() -> None:
    """A batch of 48 slow calls is not finished when the time is over."""
    found = cpc.minimize(user_functions.is_slow, [(-1.0, 1.0)], budget=100_000, seed=1, seconds=0.3)
    assert found.message == "the time is spent"
    assert 0 < found.nfev < 48


@pytest.mark.parametrize(("workers", "batch", "rounds"), [(1, None, 30), (2, None, 15), (6, None, 5), (6, 1, 30)])
def test_workers_have_something_to_do_at_small_budgets(workers: int, batch: int | None, rounds: int) -> None:
    found = cpc.minimize(user_functions.raises_outside, BOX, budget=30, seed=1, workers=workers, batch=batch)
    assert (found.nfev, found.nit) == (30, rounds)
    same = cpc.minimize(user_functions.raises_outside, BOX, budget=30, seed=1, batch=batch or workers)
    assert (same.fun, same.x.tolist()) == (found.fun, found.x.tolist())


def broken_later(function: Callable[[Any], Any], points: Iterable[Any]) -> Iterator[Any]:
    for point in points:
        if point[0] > 0.95:
            raise BrokenProcessPool("a process in the process pool was terminated abruptly")
        yield function(point)


def test_workers_of_the_user_s_own_that_break() -> None:
    found = cpc.minimize(lambda x: float(x[0]), BOX, budget=3000, seed=1, workers=broken_later)
    assert (found.success, found.status) == (False, WORKERS_FAILED)
    assert found.fun == found.x[0]
    assert "BrokenProcessPool" in found.message
    with pytest.raises(CpcbenchError, match="BrokenProcessPool"):
        cpc.minimize(lambda x: float(x[0]), [(0.96, 1.0)], budget=3000, seed=1, workers=broken_later)


@pytest.mark.parametrize("workers", [lambda _, points: [], lambda _, points: points])
def test_workers_that_are_not_like_map(workers: Any) -> None:
    with pytest.raises(CpcbenchError, match="do not work like map"):
        cpc.minimize(user_functions.disc, BOX, budget=30, seed=1, workers=workers)


MODEL = """
import time

def cost(x):
    time.sleep(0.02)
    with open("calls", "a") as file:
        file.write(".")
    return float(x[0] ** 2 + x[1] ** 2)
"""


@pytest.mark.parametrize("workers", one_in(2, ["1", "2"]))
def test_ctrl_c_on_the_command_line_prints_the_best_so_far(tmp_path: Path, workers: str) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    words = ["minimize", "model.py:cost", "--bounds", "-1:1,-1:1", "--workers", workers, "--json"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path("src").resolve()), os.environ.get("PYTHONPATH", "")]),
    }
    running = subprocess.Popen(
        [sys.executable, "-m", "cpcbench", *words], cwd=tmp_path, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    calls = tmp_path / "calls"
    while running.poll() is None and not (calls.is_file() and calls.stat().st_size > 20):
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the workers, too
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    found = json.loads(out)
    assert (found["status"], found["success"]) == (INTERRUPTED, False)
    assert math.isfinite(found["fun"])
    assert found["nfev"] > 0
    assert "Traceback" not in err


def test_where_numpy_raises() -> None:
    with np.errstate(all="raise"):
        found = cpc.minimize(lambda x: float(np.log(x[0]) * x[0]), [(-1.0, 2.0)], budget=1000, seed=1)
    assert found.fun == pytest.approx(-math.exp(-1), abs=1e-3)
    assert found.nfailed > 0  # the user's function raises, as the user wanted
