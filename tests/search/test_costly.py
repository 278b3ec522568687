"""Functions that take long: logs, searches that go on after a kill, workers that never wait, what failed and where."""

from __future__ import annotations

import csv
import io
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.ending import INTERRUPTED
from cpcbench.solvers.functions.failures import LATE, MOST_KINDS, Failures
from tests.cli.test_study_cli import cpcbench
from tests.material import user_functions
from tests.material.outside.libraries import library
from tests.search.test_interrupted import Counted, ctrl_c

BOX = [(-1.0, 1.0), (-1.0, 1.0)]
EXAMPLE = Path("examples/slow_simulation.py").resolve()


class Noted:
    """A function with undefined values of several kinds, which keeps what it was asked and what it gave."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[float], float]] = []

    def __call__(self, x: Any) -> Any:
        value = self.value(x)
        self.calls.append((x.tolist(), value if isinstance(value, float) and math.isfinite(value) else math.nan))
        return value

    def value(self, x: Any) -> Any:
        if x[0] > 0.9:
            self.calls.append((x.tolist(), math.nan))
            raise ValueError(f'a "quoted", text\nof two lines: {x[0]}')
        return None if x[0] < -0.9 else math.inf if x[1] > 0.9 else float(x[0] ** 2 + (x[1] - 0.3) ** 2)


def bits(found: OptimizeResult) -> tuple[Any, ...]:
    """All that a search says of what it found and did."""
    kinds = [(failure.kind, failure.count, failure.x.tolist()) for failure in found.failures]
    ends = found.defined.lower.tolist(), found.defined.upper.tolist(), found.defined.share
    return found.x.tolist(), found.fun, found.nfev, found.nit, found.nundefined, found.nfailed, kinds, ends


def numbers(pairs: list[tuple[list[float], float]]) -> str:
    return repr(pairs)  # so that NaN is equal to NaN, and every bit counts


def test_every_evaluation_is_a_line(tmp_path: Path) -> None:
    fun, log = Noted(), tmp_path / "runs.csv"
    found = cpc.minimize(fun, BOX, budget=300, rng=1, log=log)
    points, values = cpc.read_log(log)
    assert numbers(list(zip(points.tolist(), values.tolist(), strict=True))) == numbers(fun.calls)
    text = log.read_text()
    assert text.count("\n") == 301
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["error"].partition(":")[0] for row in rows} >= {"", "ValueError", "returned None", "returned inf"}
    assert all(math.isnan(float(row["value"])) == bool(row["error"]) for row in rows)
    assert all(float(row["seconds"]) >= 0.0 for row in rows)
    again = cpc.minimize(fun, BOX, budget=300, rng=1)
    assert bits(again) == bits(found)  # a log changes nothing


def test_pandas_reads_a_log(tmp_path: Path) -> None:
    pandas = library("pandas")
    log = tmp_path / "runs.csv"
    cpc.minimize(Noted(), BOX, budget=100, rng=1, log=log)
    frame = pandas.read_csv(log)
    points, values = cpc.read_log(log)
    assert np.allclose(frame[["x1", "x2"]].to_numpy(), points, rtol=1e-15, atol=0.0)  # older ones round a little
    assert np.allclose(frame["value"].to_numpy(), values, rtol=1e-15, atol=0.0, equal_nan=True)


def test_a_log_is_what_another_search_begins_with(tmp_path: Path) -> None:
    log = tmp_path / "runs.csv"
    first = cpc.minimize(Noted(), BOX, budget=200, rng=1, log=log)
    fun = Noted()
    then = cpc.minimize(fun, BOX, budget=50, rng=2, known=cpc.read_log(log), log=log)
    assert then.nfev == len(fun.calls) == 50
    assert then.fun <= first.fun
    assert len(cpc.read_log(log)[0]) == 250


def test_what_a_kill_left_of_a_line_is_taken_away(tmp_path: Path) -> None:
    log = tmp_path / "runs.csv"
    cpc.minimize(Noted(), BOX, budget=20, rng=1, log=log)
    log.write_bytes(log.read_bytes()[:-5])
    assert len(cpc.read_log(log)[0]) == 19
    cpc.minimize(Noted(), BOX, budget=20, rng=1, log=log)
    assert len(cpc.read_log(log)[0]) == 39


@pytest.mark.parametrize("option", ["log", "state"])
@pytest.mark.parametrize("content", ["x1,value,error,seconds\n", "a diary\nof mine\n", "no line", "\n", "[1]\n", "{\n"])
def test_other_files_stay_as_they_are(tmp_path: Path, option: str, content: str) -> None:
    file = tmp_path / "file"
    file.write_text(content)
    way: dict[str, Any] = {option: file}
    with pytest.raises(CpcbenchError, match="is there already"):
        cpc.minimize(Noted(), BOX, budget=20, rng=1, **way)
    assert file.read_text() == content


@pytest.mark.parametrize(
    "content",
    ["", "x1,x2\n", "x1,value,error,seconds\n", "x1,value,error,seconds\nhere,1.0,,0\n",
     "x1,value,error,seconds\n0.5,1.0\n", "x1,value,error,seconds\ninf,1.0,,0\n", "x1,value,error,seconds\n1,2,,0,5\n"],
)  # fmt: skip
def test_files_that_are_no_logs(tmp_path: Path, content: str) -> None:
    file = tmp_path / "file"
    file.write_text(content)
    with pytest.raises(CpcbenchError):
        cpc.read_log(file)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk() -> None:
    with pytest.raises(OSError, match="/dev/full"):
        cpc.minimize(Noted(), BOX, budget=20, rng=1, log="/dev/full")


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


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.is_file() else 0


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


@pytest.mark.parametrize("asynchronous", [True, False])
def test_calls_that_the_time_cut_off_are_named(asynchronous: bool) -> None:
    found = cpc.minimize(
        user_functions.hangs, [(0.6, 1.0)], budget=500, rng=1, workers=2, seconds=0.5, asynchronous=asynchronous
    )
    assert (found.nfev, found.x) == (0, None)
    assert [(failure.kind, failure.count) for failure in found.failures] == [(LATE, 2)]


def test_failures_by_kind_and_where_values_were_seen() -> None:
    fun = Noted()
    found = cpc.minimize(fun, BOX, budget=500, rng=1)
    assert {failure.kind: (failure.x[0] > 0.9, failure.x[0] < -0.9) for failure in found.failures} == {
        'ValueError: a "quoted", text of two lines: #': (True, False),
        "returned None": (False, True),
        "returned inf": (False, False),
    }
    assert sum(failure.count for failure in found.failures) == found.nundefined
    assert sum(failure.count for failure in found.failures if "Error" in failure.kind) == found.nfailed
    inside = np.array([x for x, value in fun.calls if not math.isnan(value)])
    assert np.array_equal(found.defined.lower, inside.min(axis=0))
    assert np.array_equal(found.defined.upper, inside.max(axis=0))
    assert found.defined.share == len(inside) / 500


def test_points_that_miss_a_constraint_are_a_kind_of_their_own() -> None:
    fun = Noted()
    apart = "x1 + x2 <= 0.5 or x1 > 2"  # it does not say by how much it is missed, so that no point is moved
    found = cpc.minimize(fun, BOX, budget=300, rng=1, constraints=[apart])
    counts = {failure.kind.partition(":")[0]: failure.count for failure in found.failures}
    assert counts["not called"] > 0
    assert all(x[0] + x[1] <= 0.5 for x, _ in fun.calls)
    assert sum(counts.values()) == found.nundefined


def test_a_problem_s_undefined_points_are_counted_too() -> None:
    found = cpc.minimize("sqrt(x1 - 0.5)", [(0, 1)], method="black-box", budget=200, rng=1)
    assert [failure.count for failure in found.failures] == [found.nundefined]
    assert found.defined.lower[0] >= 0.5 > found.failures[0].x[0]
    assert cpc.minimize(lambda _: None, BOX, budget=20, rng=1).defined is None


def test_kinds_are_not_too_many() -> None:
    failures = Failures()
    for i in range(1000):
        failures.add(f"KeyError: {chr(97 + i % 26) * (1 + i % 7)}", np.array([float(i)]))
        failures.add(f"ValueError: {i}e5 at 0x{i:x}", np.array([float(i)]))
    counted = failures.all()
    assert len(counted) == MOST_KINDS + 1
    assert (counted[0].kind, counted[0].count, counted[0].example) == (
        "ValueError: # at #",
        1000,
        "ValueError: 0e5 at 0x0",
    )
    assert sum(failure.count for failure in counted) == 2000


@pytest.mark.parametrize(
    ("fun", "more", "match"),
    [
        *[("ln(x1)", {name: value}, f"{name}=.* belongs to a function")
          for name, value in (("log", "runs.csv"), ("state", "state"), ("asynchronous", True))],
        ("ln(x1)", {"log": "runs.csv"}, "call the problem as a function: minimize"),
        (user_functions.disc, {"method": "grey-box", "vectorized": True}, "leave it away, or use method='black-box'"),
        *[(user_functions.disc, {"method": "grey-box", name: value}, f"{name}=.* belongs to a black-box search")
          for name, value in (("asynchronous", True), ("vectorized", True))],
        *[(user_functions.disc, {"asynchronous": True, name: value}, "takes a number of workers")
          for name, value in (("vectorized", True), ("workers", map), ("batch", 3))],
    ],
)  # fmt: skip
def test_what_does_not_go_together(
    fun: Any, more: dict[str, Any], match: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CpcbenchError, match=match):
        cpc.minimize(fun, BOX[:1] if isinstance(fun, str) else BOX, budget=20, rng=1, **more)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("way", [{}, {"asynchronous": True}], ids=str)
def test_how_far_it_is(way: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpcbench.solvers.search.loop.PAUSE", 0.0)
    said: list[Any] = []
    tell: Callable[[str], None] = said.append
    found = cpc.minimize(Noted(), BOX, budget=150, rng=1, progress=tell, **way)
    assert [line.done for line in said] == list(range(1, 151))
    assert said[-1] == f"best {found.fun!r} after 150 of 150 evaluations, {found.nundefined} undefined"


def test_on_the_command_line(tmp_path: Path) -> None:
    model = "import math\n\ndef cost(x):\n    return x[0] + 0 * math.sqrt(0.25 - x[0]**2)\n"
    (tmp_path / "model.py").write_text(model)
    words = ["minimize", "model.py:cost", "--bounds", "-1:1", "--budget", "100", "--state", "state"]
    first = cpcbench(tmp_path, *words, "--log", "runs.csv")
    assert "ValueError" in first.stdout
    assert "within -0." in first.stdout
    assert lines_of(tmp_path / "runs.csv") == 101
    again = cpcbench(tmp_path, *words)
    assert "recalled     100 of them" in again.stdout
    (tmp_path / "model.py").write_text(model + "\n")
    assert "another search: fun differ" in cpcbench(tmp_path, *words, code=2).stderr
    words = ["minimize", "model.py:cost", "--bounds", "-1:1", "--budget", "10", "--seed", "3", "--known", "runs.csv"]
    cpcbench(tmp_path, *words, "--workers", "2", "--asynchronous", "--json")
