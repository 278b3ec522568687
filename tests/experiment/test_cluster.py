"""Dask clusters: the same records as anywhere, nothing lost or doubled when workers die, clear errors."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.experiment.plan.orders import Packer, versions
from cpcbench.experiment.plan.plan import plan
from cpcbench.experiment.runner import Progress, run
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.experiment.workers import contained
from tests.cli.test_study_cli import cpcbench
from tests.experiment.test_runner import PROBLEMS, SOLVERS, assert_same
from tests.material.outside.libraries import library

distributed = library("distributed")

NOBODY = f"tcp://{socket.gethostbyname(socket.gethostname())}:9"
"""An address of this machine at which nobody listens."""


def study(store: Path, runs: int = 2, **settings: Any) -> list[RunRecord]:
    return run(PROBLEMS, SOLVERS, runs, store, **settings)


@pytest.mark.slow
def test_a_local_cluster_gives_the_same_records(tmp_path: Path) -> None:
    assert_same(study(tmp_path / "here.db"), study(tmp_path / "there.db", cluster="local", workers=2))


@pytest.fixture
def processes() -> Iterator[Any]:
    """A cluster with a process for each of its two workers, as on machines of their own."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, processes: Any) -> None:
    victim = next(iter(processes.run(os.getpid).values()))
    seen = []

    def kill(progress: Progress) -> None:
        seen.append(progress.new)
        if progress.new == 3:
            os.kill(victim, signal.SIGKILL)

    there = study(tmp_path / "there.db", 4, cluster=processes, progress=kill)
    assert victim not in processes.run(os.getpid).values()
    assert seen == list(range(len(there) + 1))
    assert_same(study(tmp_path / "here.db", 4), there)


@pytest.mark.slow
def test_a_scheduler_that_is_lost_is_told_and_what_came_is_kept(tmp_path: Path, processes: Any) -> None:
    def lose(progress: Progress) -> None:
        if progress.new == 3:
            processes.cluster.close()

    with pytest.raises(CpcbenchError, match=r"Dask scheduler at .* what came in is kept"):
        study(tmp_path / "s.db", cluster=processes, progress=lose)
    with Store(tmp_path / "s.db") as store:
        assert len(store) == 3
    assert_same(study(tmp_path / "here.db"), study(tmp_path / "s.db"))


@pytest.mark.slow
def test_a_hostile_solver_on_a_cluster_by_its_address(tmp_path: Path, processes: Any) -> None:
    solvers = ["tests.material.tiny_solvers:dies", "tests.material.tiny_solvers:random_search"]
    made = run(["DF1", "DF9"], solvers, 1, tmp_path / "s.db", cluster=processes.scheduler.address)
    assert [r.status for r in made] == ["crashed", "finished"] * 2
    deadline = time.monotonic() + 10
    while any(processes.run(_children).values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(processes.run(_children).values()), "the workers are as they were"


def _children() -> int:
    import psutil

    return len(psutil.Process().children())


def test_a_worker_with_another_version_is_refused() -> None:
    (task,) = plan([cpc.problem("DF1")], SOLVERS[:1], 1)
    order = Packer("a study", None)(task)
    ours, python = versions()
    with pytest.raises(CpcbenchError, match=re.escape(f"has cpcbench {ours}, this study 0.0.7")):
        contained.work(replace(order, versions=("0.0.7", python)))
    with pytest.raises(CpcbenchError, match=re.escape(f"has Python {python}, this study 3.99")):
        contained.check([replace(order, versions=(ours, "3.99"))])


def test_without_dask_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"cpcbench\[cluster\]"):
        study(tmp_path / "s.db", cluster="local")
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        (NOBODY, f"no Dask scheduler answers at {NOBODY}"),
        ("somewhere", "not 'somewhere'"),
        (5, "distributed.Client, not 5"),
    ],
)
def test_no_cluster(tmp_path: Path, cluster: object, message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        study(tmp_path / "s.db", cluster=cluster)
    assert list(tmp_path.iterdir()) == [], "no empty study is left"


def test_a_cluster_elsewhere_has_its_own_workers(tmp_path: Path) -> None:
    wrong = cpcbench(tmp_path, "run", "--cluster", NOBODY, "--workers", "2", code=2)
    assert "leave --workers away" in wrong.stderr
