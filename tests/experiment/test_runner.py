"""Studies: the same records whatever the number of processes, interruptions and crashes."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.plan import plan
from cpcbench.experiment.runner import Progress, run
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store, same_run
from tests.material import tiny_solvers

ROOT = Path(__file__).parents[2]
PROBLEMS = ["CPC-DF1", "CPC-DF9", "CPC-DF14", "F138"]
SOLVERS = ["tests.material.tiny_solvers:random_search", "tests.material.tiny_solvers:spender"]


def study(store: Path, workers: int = 0, **settings: object) -> list[RunRecord]:
    return run(PROBLEMS, SOLVERS, 2, store, workers=workers, **settings)  # type: ignore[arg-type]


def assert_same(a: list[RunRecord], b: list[RunRecord]) -> None:
    assert [r.key for r in a] == [r.key for r in b]
    assert all(same_run(one, other) for one, other in zip(a, b, strict=True))


def test_processes_and_order_do_not_matter(tmp_path: Path) -> None:
    one = study(tmp_path / "one.db")
    assert len(one) == len(PROBLEMS) * len(SOLVERS) * 2
    assert_same(one, study(tmp_path / "one_worker.db", workers=1))
    assert_same(one, study(tmp_path / "two_workers.db", workers=2))
    turned = run(PROBLEMS[::-1], SOLVERS[::-1], 2, tmp_path / "turned.db")
    assert_same(one, turned)
    other_seed = run(PROBLEMS, SOLVERS, 2, tmp_path / "seed.db", seed=1)
    assert not any(same_run(a, b) for a, b in zip(one, other_seed, strict=True))


def test_an_interrupted_study_goes_on(tmp_path: Path) -> None:
    expected = study(tmp_path / "whole.db")
    path = tmp_path / "parts.db"
    for stop_after in (3, 2, 5):
        seen: list[Progress] = []

        def watch(progress: Progress, seen: list[Progress] = seen, stop_after: int = stop_after) -> None:
            seen.append(progress)
            if progress.new == stop_after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            study(path, workers=2, progress=watch)
    with Store(path) as store:
        assert len(store) == 10
    assert_same(expected, study(path))


def test_more_runs_extend_a_study(tmp_path: Path) -> None:
    study(tmp_path / "s.db")
    seen: list[Progress] = []
    longer = run(PROBLEMS, SOLVERS, 3, tmp_path / "s.db", progress=seen.append)
    assert seen[0].done == 16
    assert seen[-1].new == 8
    assert_same(longer, run(PROBLEMS, SOLVERS, 3, tmp_path / "new.db"))


def test_other_settings_do_not_mix_with_a_study(tmp_path: Path) -> None:
    study(tmp_path / "s.db")
    with pytest.raises(CpcbenchError, match=r"other settings \(budget 2000, now 50"):
        study(tmp_path / "s.db", budget=50)
    with pytest.raises(CpcbenchError, match="begun with seed 0, not 7"):
        study(tmp_path / "s.db", seed=7)


@pytest.mark.parametrize("workers", [0, 2])
def test_bad_solvers_are_recorded_as_what_they_are(tmp_path: Path, workers: int) -> None:
    names = ["liar", "raiser", "garbage", "wrong_shape"]
    records = run(
        ["CPC-DF14"], [f"tests.material.tiny_solvers:{n}" for n in names], 1, tmp_path / "s.db", workers=workers
    )
    found = {r.solver: r for r in records}
    assert found["liar"].status == "finished"
    assert found["liar"].reported == -1e9
    assert found["liar"].verified != -1e9
    assert found["raiser"].status == "failed"
    assert found["raiser"].message == "ValueError: a solver may fail"
    assert found["raiser"].x is not None, "what it found before it failed is kept"
    assert found["garbage"].status == found["wrong_shape"].status == "failed"
    assert "shape (3,)" in found["wrong_shape"].message
    assert found["garbage"].kind == "none"


def test_a_worker_that_dies_costs_one_run(tmp_path: Path) -> None:
    solvers = ["tests.material.tiny_solvers:dies", "tests.material.tiny_solvers:random_search"]
    records = run(PROBLEMS[:2], solvers, 1, tmp_path / "s.db", workers=2)
    assert [r.status for r in records if r.solver == "dies"] == ["crashed"] * 2
    healthy = [r for r in records if r.solver == "random_search"]
    assert_same(healthy, run(PROBLEMS[:2], solvers[1:], 1, tmp_path / "t.db"))


def test_every_record_is_verified(tmp_path: Path) -> None:
    for record in study(tmp_path / "s.db"):
        p = cpc.problem(record.problem)
        assert record.status in ("finished", "budget")
        assert record.evaluations == (2000 if record.solver == "random_search" else 500)
        assert record.x is not None
        assert p.reference(record.x) == record.reference
        assert p(record.x) == record.fast == record.reported == record.trajectory[-1][1]
        assert record.real_lower <= record.real_upper
        assert record.versions["numpy"]
        assert not math.isnan(record.verified)


def test_plans_are_checked() -> None:
    p = cpc.problem("DF1")
    for bad, message in (((0,), "runs"), ((True,), "runs"), ((2.5,), "runs")):
        with pytest.raises(CpcbenchError, match=message):
            plan([p], [tiny_solvers.liar], *bad)
    with pytest.raises(CpcbenchError, match="same solver twice"):
        plan([p], [tiny_solvers.liar, tiny_solvers.liar], 1)
    with pytest.raises(CpcbenchError, match="same problem twice"):
        plan([p, p], [tiny_solvers.liar], 1)
    with pytest.raises(CpcbenchError, match="at least one"):
        plan([], [tiny_solvers.liar], 1)
    assert len(plan([p, p.with_rule("strict")], [tiny_solvers.liar], 3)) == 6


PROGRAM = """
import sys
from cpcbench.experiment.runner import run
run({problems!r}, {solvers!r}, 6, sys.argv[1], workers=2)
"""


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    """kill -9 of the whole study at random moments, again and again; the results are as without kills."""
    program = tmp_path / "study.py"
    program.write_text(PROGRAM.format(problems=PROBLEMS, solvers=SOLVERS))
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    store, dice = tmp_path / "s.db", random.Random(20)  # noqa: S311
    grown = [0]
    for _ in range(20):
        process = subprocess.Popen([sys.executable, str(program), str(store)], env=environment, cwd=ROOT)
        wanted, deadline = grown[-1] + dice.randrange(3), time.monotonic() + 60
        while _count(store) < wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(dice.uniform(0.0, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        grown.append(_count(store))
    assert grown == sorted(grown)
    assert grown[-1] > 0
    subprocess.run([sys.executable, str(program), str(store)], env=environment, cwd=ROOT, check=True)
    with Store(store) as reader:
        records = list(reader.records())
    assert_same(records, run(PROBLEMS, SOLVERS, 6, tmp_path / "calm.db"))


def _count(path: Path) -> int:
    try:
        with Store(path) as store:
            return len(store)
    except CpcbenchError:  # not begun yet
        return 0
