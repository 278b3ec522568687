"""Containment: whatever a solver does to its process, the study goes on and records it as what it is."""

from __future__ import annotations

import gc
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.runner import run
from cpcbench.experiment.store.record import KINDS, RunRecord
from cpcbench.experiment.store.store import Store, same_run
from cpcbench.experiment.workers import limits
from cpcbench.experiment.workers.children import Child, Stopped
from cpcbench.experiment.workers.limits import grace, memory_bytes, shown
from tests.cli.test_study_cli import cpcbench
from tests.material.hostile_solvers import EXPECTED

ROOT = Path(__file__).parents[2]
PROBLEM = "CPC-DF9"
DEADLY = [
    "hangs", "hangs_in_native_code", "swallows_the_stop", "exits", "segfaults", "aborts", "closes_everything",
    "eats_memory", "feeds_processes", "leaves_processes", "leaves_a_thread", "patient", "breaks_numpy",
]  # fmt: skip
"""Those that cost a process, and with it a second or more."""

SAMPLE = ["behaves", "hangs_in_native_code", "exits", "eats_memory", "leaves_processes"]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LEAST_GRACE", 0.5)


def zoo(store: Path, names: list[str], **settings: object) -> dict[str, RunRecord]:
    solvers = [f"tests.material.hostile_solvers:{name}" for name in names]
    return {r.solver: r for r in run([PROBLEM], solvers, 1, store, **settings)}  # type: ignore[arg-type]


def sleepers() -> list[int]:
    """Processes that the zoo's solvers have left behind."""
    return [p.pid for p in psutil.process_iter(["cmdline"]) if any("613" in word for word in p.info["cmdline"] or [])]


def check(records: dict[str, RunRecord], names: list[str]) -> None:
    assert {name: r.status for name, r in records.items()} == {name: EXPECTED[name] for name in names}
    for r in records.values():
        assert r.kind in KINDS
        assert len(r.message) <= 1010
        if r.x is not None and not any(map(math.isnan, r.x)):
            assert np.array_equal(cpc.problem(PROBLEM).reference(r.x), r.reference, equal_nan=True)
    assert sleepers() == []


def test_what_costs_no_process(tmp_path: Path) -> None:
    names = [name for name in EXPECTED if name not in DEADLY]
    here = zoo(tmp_path / "here.db", ["behaves", "uses_global_random"])
    records = zoo(tmp_path / "s.db", names, workers=2, memory="500M")
    check(records, names)
    assert all(same_run(here[name], records[name]) for name in here)
    assert records["raises"].message == "ValueError: a solver may fail"
    assert records["raises"].x is not None, "what it found before it failed is kept"
    assert records["interrupts_itself"].message == "KeyboardInterrupt"
    assert records["verbose"].message.startswith("ValueError: \\udcff")
    assert records["lies"].reported == -1e9
    assert records["lies"].verified == records["lies"].trajectory[-1][1]
    assert records["returns_nan"].kind == "inadmissible"
    assert not records["returns_outside"].in_box
    assert "(3,), not (2,)" in records["returns_wrong_shape"].message
    assert "read-only" in records["writes_into_the_box"].message
    assert records["opens_the_box"].evaluations == 0
    spoiled = records["spoils_the_best"]
    assert spoiled.reported == spoiled.reference == spoiled.trajectory[-1][1]
    for name in ("uses_global_random", "replaces_global_random"):
        assert records[name].message == "used the global random state (random, numpy.random)"
    assert [r.message for r in records.values() if r.solver in ("behaves", "prints", "forks")] == [""] * 3


def test_nothing_is_left_for_the_next_run(tmp_path: Path) -> None:
    """One worker makes all of them, in this order."""
    names = ["opens_the_box", "rearranges", "closes_output", "replaces_global_random", "surroundings_are_kept"]
    names += ["breaks_numpy", "behaves"]
    records = zoo(tmp_path / "s.db", names, workers=1)
    check(records, names)
    assert records["breaks_numpy"].message.startswith("left its process unfit")
    assert records["breaks_numpy"].x is not None


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("names", [SAMPLE, pytest.param(list(EXPECTED), marks=pytest.mark.slow)], ids=["sample", "all"])
def test_what_costs_a_process(tmp_path: Path, names: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    zoo(tmp_path / "compiled.db", ["behaves"])  # otherwise compiling could take the time of the runs
    records = zoo(tmp_path / "s.db", names, workers=2, seconds=2.0, memory="300M")
    check(records, names)
    hung, crashed, full = (records[name] for name in ("hangs_in_native_code", "exits", "eats_memory"))
    assert hung.message == "did not stop: killed 1 s after its limit of 2 s"
    assert hung.seconds > 3
    assert crashed.message == "the process that made this run died with exit code 3"
    assert "killed at its limit of 300M" in full.message
    for r in (hung, crashed, full):
        assert r.trajectory, "its improvements are kept"
        assert r.reported == r.reference == r.trajectory[-1][1]
        assert r.evaluations == r.trajectory[-1][0]
    assert capfd.readouterr() == ("", "")
    calm = zoo(tmp_path / "calm.db", ["behaves"], seconds=2.0)
    assert same_run(calm["behaves"], records["behaves"])


def test_the_global_random_state_is_given_back(tmp_path: Path) -> None:
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    np.random.normal()  # noqa: NPY002
    zoo(tmp_path / "s.db", ["replaces_global_random", "uses_global_random"])
    after = random.random(), np.random.normal()  # noqa: NPY002, S311
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    np.random.normal()  # noqa: NPY002
    assert after == (random.random(), np.random.normal())  # noqa: NPY002, S311


PROGRAM = """
import cpcbench

def mine(objective, rng):
    return search(objective, rng)

def search(objective, rng):
    objective(rng.uniform(objective.lower, objective.upper, (10, objective.dim)))
    return {"x": objective.best_x, "fun": objective.best_value}

cpcbench.register_solver(cpcbench.Solver("by hand", search))
short = cpcbench.Solver("short", lambda objective, rng: search(objective, rng))
made = cpcbench.run(["CPC-DF1"], ["by hand", mine, short], 2, "s.db", workers=2)
print([(r.solver, r.status, r.evaluations) for r in made])
"""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **more}


def test_a_script_needs_no_main_guard_and_kernels_are_compiled_in_peace(tmp_path: Path) -> None:
    """Solvers are functions of the script itself; both workers compile the same kernels into an empty cache."""
    (tmp_path / "script.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=environment(CPCBENCH_CACHE=str(tmp_path / "kernels")),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = ("by hand", "mine", "short")
    assert done.stdout.strip() == str([(name, "finished", 10) for name in names for _ in range(2)])


def test_a_worker_prepares_once_and_not_in_the_time_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREPARED_IN", str(tmp_path / "processes"))
    records = run([PROBLEM], ["tests.material.tiny_solvers:PREPARED"], 3, tmp_path / "s.db", workers=1)
    assert [r.status for r in records] == ["finished"] * 3
    processes = (tmp_path / "processes").read_text().split()
    assert len(processes) == 1
    assert processes[0] != str(os.getpid())


def test_what_cannot_travel_is_said_before_anything_is_begun(tmp_path: Path) -> None:
    handle = (tmp_path / "open").open("w")

    def holds_a_file(objective: object, rng: object) -> None:
        handle.write("")

    with handle, pytest.raises(CpcbenchError, match=r"holds_a_file cannot be sent to worker processes \(.*workers=0"):
        run([PROBLEM], [holds_a_file], 1, tmp_path / "s.db", workers=1)
    assert not (tmp_path / "s.db").exists()


def test_what_cannot_be_loaded_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is there for this process and gone before the worker looks for it."""
    (tmp_path / "fleeting.py").write_text("def search(objective, rng):\n    return None\n")
    monkeypatch.syspath_prepend(tmp_path)
    cpc.solver("fleeting:search")
    (tmp_path / "fleeting.py").unlink()
    with pytest.raises(CpcbenchError, match=r"search cannot be sent to worker processes .*fleeting"):
        run([PROBLEM], ["fleeting:search"], 1, tmp_path / "s.db", workers=1)
    assert not (tmp_path / "s.db").exists()  # a study that never began leaves nothing behind


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_the_end_of_the_study_ends_everything(tmp_path: Path, end: signal.Signals) -> None:
    """Also workers in native code that holds the interpreter's lock, and what solvers have started."""
    solvers = "tests.material.hostile_solvers:behaves,tests.material.hostile_solvers:hangs_in_native_code"
    words = ["--problems", "DF9", "--solvers", solvers, "--runs", "1", "--workers", "1", "--store", "s.db"]
    process = subprocess.Popen(
        [sys.executable, "-m", "cpcbench", "run", *words], cwd=tmp_path, env=environment(), stderr=subprocess.PIPE
    )
    me = psutil.Process(process.pid)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not _runs(tmp_path / "s.db"):
        time.sleep(0.05)
    workers = me.children(recursive=True)
    assert workers
    time.sleep(0.5)
    process.send_signal(end)
    _, said = process.communicate(timeout=20)
    _, alive = psutil.wait_procs(workers, timeout=5)
    assert not alive
    if end == signal.SIGINT:
        assert process.returncode == 130
        assert b"1 of 2 runs are kept" in said
        assert b"Traceback" not in said
    assert _runs(tmp_path / "s.db") == 1


def _runs(path: Path) -> int:
    try:
        with Store(path) as store:
            return len(store)
    except CpcbenchError:  # not begun
        return 0


# Limits in words


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("500M", 500 * 2**20),
        ("2G", 2**31),
        ("1.5 GiB", 3 * 2**29),
        ("900mb", 900 * 2**20),
        (2**30, 2**30),
        (None, None),
    ],
)
def test_memory_in_words(given: int | str, expected: int) -> None:
    assert memory_bytes(given) == expected


@pytest.mark.parametrize("given", ["", "much", "M", "-2G", "2X", "1e9", "nan", 2.5e9, True, "10M", 0, [1]])
def test_no_memory(given: object, tmp_path: Path) -> None:
    with pytest.raises(CpcbenchError, match="memory"):
        run([PROBLEM], ["SA"], 1, tmp_path / "s.db", workers=1, memory=given)  # type: ignore[arg-type]
    assert not (tmp_path / "s.db").exists()


def test_memory_on_the_command_line(tmp_path: Path) -> None:
    for words in (("--memory", "plenty"), ("--memory", "1G", "--workers", "0")):
        assert "error: memory is" in cpcbench(tmp_path, "run", *words, code=2).stderr


def test_memory_belongs_to_a_study(tmp_path: Path) -> None:
    names = ["tests.material.hostile_solvers:lies"]
    run([PROBLEM], names, 1, tmp_path / "s.db", workers=1, memory="1G")
    with pytest.raises(CpcbenchError, match="memory 1073741824, now None"):
        run([PROBLEM], names, 2, tmp_path / "s.db")
    with pytest.raises(CpcbenchError, match="workers=1 or more"):
        run([PROBLEM], names, 2, tmp_path / "s.db", memory="1G")


@pytest.mark.parametrize("workers", [-1, True, 1.0, "2", None])
def test_no_number_of_jobs(tmp_path: Path, workers: object) -> None:
    with pytest.raises(CpcbenchError, match="workers is a whole number"):
        run([PROBLEM], ["SA"], 1, tmp_path / "s.db", workers=workers)  # type: ignore[arg-type]


def test_limits_are_shown_and_stretched() -> None:
    assert [shown(n) for n in (500 * 2**20, 3 * 2**29, 2**40, 100)] == ["500M", "1.5G", "1T", "100"]
    assert [grace(s) for s in (0.1, 10, 100)] == [5.0, 5.0, 50.0]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="no list of open files on this machine")
@pytest.mark.parametrize("trouble", ["stopped", "no such program"])
def test_a_process_that_does_not_begin_leaves_no_file_open(monkeypatch: pytest.MonkeyPatch, trouble: str) -> None:
    if trouble == "no such program":
        monkeypatch.setattr(sys, "executable", "/no/such/python")
    gc.collect()
    before = len(os.listdir("/dev/fd"))
    with pytest.raises((Stopped, CpcbenchError)) as raised:
        Child(lambda: True)
    assert isinstance(raised.value, Stopped) == (trouble == "stopped")
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.skipif(os.name != "posix", reason="processes are looked up by their groups")
def test_a_process_is_ended_when_its_start_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Child, "_wait_until_ready", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Child()
    left = [child for child in psutil.Process().children() if "workers.child" in " ".join(child.cmdline())]
    assert not left
