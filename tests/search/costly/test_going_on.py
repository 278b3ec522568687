"""A search that was cut off, by a kill or by its time, goes on as if it had not been."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.ending import INTERRUPTED
from tests.material import user_functions
from tests.search.costly.noted import BOX, Noted, bits, lines_of
from tests.search.test_interrupted import Counted, ctrl_c

EXAMPLE = Path("examples/slow_simulation.py").resolve()


WAYS: list[dict[str, Any]] = [
    {},
    {"batch": 7},
    {"batch": 7, "x0": [[0.1, 0.2], [0.3, 0.3], [0.1, 0.2]]},
    {"known": ([[0.25, 0.25]], [0.07])},
    {"constraints": ["x1 + x2 <= 0.5"], "tolerance": 1e-3},
    {"integrality": [1, 0]},
    {"asynchronous": True},
]


@pytest.fixture(scope="module", params=WAYS, ids=str)
def uncut(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Any, Path]:
    """A way to search, what it finds, and the state that is left."""
    way, state = request.param, tmp_path_factory.mktemp("uncut") / "state"
    whole = cpc.minimize(Noted(), BOX, budget=120, rng=5, state=state, **way)
    assert bits(whole) == bits(cpc.minimize(Noted(), BOX, budget=120, rng=5, **way))
    return way, whole, state


@settings(max_examples=6, deadline=None)
@given(where=st.floats(0.0, 1.0))
def test_a_search_cut_off_anywhere_ends_as_if_it_had_not_been(
    uncut: tuple[dict[str, Any], Any, Path], where: float
) -> None:
    way, whole, kept = uncut
    content, state = kept.read_bytes(), kept.with_name("cut")
    begin = content.index(b"seconds\n") + 8
    state.write_bytes(content[: begin + int(where * (len(content) - begin))])
    left = state.read_bytes()[begin:].count(b"\n")
    fun = Noted()
    found = cpc.minimize(fun, BOX, budget=120, rng=5, state=state, **way)
    assert bits(found) == bits(whole)
    assert found.nrecalled == left
    assert len(fun.calls) == 120 - left or ("constraints" in way and len(fun.calls) < 120 - left)  # not called outside
    assert [line.rpartition(b",")[0] for line in state.read_bytes().splitlines()] == [
        line.rpartition(b",")[0] for line in content.splitlines()
    ]  # but for the seconds


def test_cut_off_within_a_batch_of_several_processes(tmp_path: Path) -> None:
    state = tmp_path / "state"
    way: dict[str, Any] = {"budget": 60, "rng": 1, "batch": 12, "workers": 2}
    whole = cpc.minimize(user_functions.raises_outside, BOX, state=state, **way)
    lines = state.read_bytes().splitlines(keepends=True)
    state.write_bytes(b"".join([*lines[:22], lines[24], lines[23]]))  # processes end in any order
    found = cpc.minimize(user_functions.raises_outside, BOX, state=state, **{**way, "workers": 1})
    assert bits(found) == bits(whole)
    assert found.nrecalled == 22


def test_the_state_of_many_points_at_once(tmp_path: Path) -> None:
    state = tmp_path / "state"
    way: dict[str, Any] = {"budget": 60, "rng": 1, "batch": 12, "vectorized": True}
    whole = cpc.minimize(user_functions.many, BOX, state=state, **way)
    state.write_bytes(state.read_bytes()[:-300])
    assert bits(cpc.minimize(user_functions.many, BOX, state=state, **way)) == bits(whole)


def test_the_record_of_an_asynchronous_search_is_followed(tmp_path: Path) -> None:
    """What it does depends on who ends first, but not what it has done: it goes on from there."""
    state = tmp_path / "state"
    way: dict[str, Any] = {"budget": 60, "rng": 1, "workers": 3, "asynchronous": True}
    whole = cpc.minimize(user_functions.raises_outside, BOX, state=state, **way)
    same = cpc.minimize(user_functions.raises_outside, BOX, state=state, **way)
    assert bits(same) == bits(whole)
    assert same.nrecalled == 60
    points, _ = cpc.read_log(state)
    state.write_bytes(b"".join(state.read_bytes().splitlines(keepends=True)[:42]))
    rest = cpc.minimize(user_functions.raises_outside, BOX, state=state, **way)
    assert (rest.nfev, rest.nrecalled) == (60, 40)
    assert np.array_equal(cpc.read_log(state)[0][:40], points[:40])


def test_ctrl_c_and_then_on(tmp_path: Path) -> None:
    way: dict[str, Any] = {"budget": 200, "rng": 1, "batch": 16, "state": tmp_path / "state"}
    stopped = cpc.minimize(Counted(77, ctrl_c), BOX, **way)
    assert (stopped.status, stopped.nfev) == (INTERRUPTED, 77)
    fun = Counted(-1, ctrl_c)
    found = cpc.minimize(fun, BOX, **way)
    assert (found.success, found.nrecalled, len(fun.values)) == (True, 77, 123)
    assert bits(found) == bits(cpc.minimize(Counted(-1, ctrl_c), BOX, budget=200, rng=1, batch=16))


def test_the_time_is_a_limit_of_the_call_and_not_of_the_search(tmp_path: Path) -> None:
    way: dict[str, Any] = {"budget": 12, "rng": 1, "state": tmp_path / "state"}
    first = cpc.minimize(user_functions.is_slow, [(-1.0, 1.0)], seconds=0.1, **way)
    assert 0 < first.nfev < 12
    found = cpc.minimize(user_functions.is_slow, [(-1.0, 1.0)], **way)
    assert (found.nfev, found.nrecalled) == (12, first.nfev)


def test_a_seed_that_nobody_gave_is_kept(tmp_path: Path) -> None:
    state = tmp_path / "state"
    one = cpc.minimize(Noted(), BOX, budget=50, state=state)
    fun = Noted()
    assert bits(cpc.minimize(fun, BOX, budget=50, state=state)) == bits(one)
    assert not fun.calls
    cpc.minimize(Noted(), BOX, budget=50, state=tmp_path / "other")
    assert not np.array_equal(cpc.read_log(tmp_path / "other")[0], cpc.read_log(state)[0])


def shifted(x: Any, by: Any) -> float:
    return float(np.sum((x - by) ** 2))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"fun": user_functions.grows}, "fun differ"),
        ({"bounds": [(-1.0, 1.0), (-1.0, 2.0)]}, "bounds differ"),
        ({"rng": 2}, "rng differ"),
        ({"rng": None}, "rng differ"),
        ({"budget": 51}, "budget differ"),
        ({"batch": 4, "rng": 7}, "rng and batch differ"),
        ({"args": (np.array([0.1, 0.3]),)}, "args differ"),
        ({"x0": [0.5, 0.5]}, "x0 differ"),
        ({"known": ([[0.5, 0.5]], [1.0])}, "known differ"),
        ({"asynchronous": True}, "workers differ"),
    ],
    ids=lambda given: given if isinstance(given, str) else "-".join(given),
)
def test_the_state_of_another_search_is_refused(tmp_path: Path, changes: dict[str, Any], named: str) -> None:
    way: dict[str, Any] = {"fun": shifted, "bounds": BOX, "budget": 50, "rng": 1, "args": (np.array([0.1, 0.2]),)}
    state = tmp_path / "state"
    cpc.minimize(**way, state=state)
    before = state.read_bytes()
    with pytest.raises(CpcbenchError, match=f"another search: {named}.*read_log"):
        cpc.minimize(**{**way, **changes}, state=state)
    assert state.read_bytes() == before


def test_a_state_with_points_that_the_search_does_not_ask_for(tmp_path: Path) -> None:
    state = tmp_path / "state"
    cpc.minimize(shifted, BOX, args=(0.1,), budget=50, rng=1, state=state)
    lines = state.read_text().splitlines(keepends=True)
    state.write_text("".join([*lines[:20], "0.5,0.5,1.0,,0.1\n", *lines[21:]]))
    with pytest.raises(CpcbenchError, match="asks for other points"):
        cpc.minimize(shifted, BOX, args=(0.1,), budget=50, rng=1, state=state)


def test_one_search_at_a_time_has_a_state(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    state = tmp_path / "state"
    cpc.minimize(shifted, BOX, args=(0.1,), budget=20, rng=1, state=state)
    holder = "import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.lockf(f, fcntl.LOCK_EX)"
    holder += "; print('held', flush=True); input()"
    held = subprocess.Popen(
        [sys.executable, "-c", holder, str(state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert held.stdout is not None
    assert held.stdout.readline() == "held\n"
    try:
        with pytest.raises(CpcbenchError, match="in use by another search"):
            cpc.minimize(shifted, BOX, args=(0.1,), budget=20, rng=1, state=state)
    finally:
        held.communicate("\n", timeout=60)
    assert cpc.minimize(shifted, BOX, args=(0.1,), budget=20, rng=1, state=state).nrecalled == 20


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path("src").resolve()), os.environ.get("PYTHONPATH", "")])}


@pytest.mark.slow
def test_the_example_killed_and_called_again(tmp_path: Path) -> None:
    """A real kill, at wherever it is then; the numbers are those of a run in one piece."""
    pieces, whole = tmp_path / "pieces", tmp_path / "whole"
    for folder in (pieces, whole):
        folder.mkdir()
    running = subprocess.Popen([sys.executable, str(EXAMPLE)], cwd=pieces, env=environment(), stdout=subprocess.DEVNULL)
    while running.poll() is None and lines_of(pieces / "runs.csv") < 100:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    assert running.wait(60) == -signal.SIGKILL
    left = lines_of(pieces / "search.state") - 2
    assert 98 <= left < 600
    said = [
        subprocess.run(
            [sys.executable, str(EXAMPLE)], cwd=folder, env=environment(), capture_output=True, text=True, check=True
        ).stdout.partition("\n")
        for folder in (pieces, whole)
    ]
    assert said[0][0] == f"600 evaluations, of which {left} were made by an earlier call that was ended"
    assert "lowest loss" in said[1][2]
    assert said[0][2] == said[1][2]
    assert 0 <= lines_of(whole / "runs.csv") - lines_of(pieces / "runs.csv") <= 1  # one may be in the state only
    assert np.array_equal(cpc.read_log(pieces / "search.state")[0], cpc.read_log(whole / "search.state")[0])
