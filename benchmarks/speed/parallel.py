"""What a second worker brings: the time of one study with one worker and with two, processes and Dask."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from cpcbench.experiment import runner
from cpcbench.experiment.plan.plan import Task, plan
from cpcbench.experiment.store.store import Store
from cpcbench.experiment.workers.executors import Executor, executor
from cpcbench.solvers.registry import Solver

PROBLEMS = ("CPC-DF1", "CPC-DF9", "CPC-DF14", "F138")
RUNS = 8
ROUNDS = 2
TARGET = 1.8


def run(console: Console) -> None:
    methods: list[Any] = [_long("GA", population=2000, max_generations=250, stall_generations=10**6)]
    tasks = plan([cpc.problem(name) for name in PROBLEMS], methods, RUNS)
    table = Table(title=f"one study of {len(tasks)} runs, seconds (workers warm, store included)")
    for name in ("workers", "1", "2", "ratio"):
        table.add_column(name, justify="left" if name == "workers" else "right")
    for name, cluster in (("processes", None), ("Dask", "local")):
        one, two = (min(_seconds(tasks, jobs, cluster) for _ in range(ROUNDS)) for jobs in (1, 2))
        table.add_row(name, f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}")
    console.print(table)
    console.print(f"aim on two free cores: {TARGET} or more")


def _long(name: str, **parameters: Any) -> Solver:
    """A solver whose runs take a while, all about as long."""
    return cpc.solver(name).with_parameters(**parameters)


def _seconds(tasks: list[Task], jobs: int, cluster: str | None) -> float:
    """Of all tasks, with workers that have made such runs before: what is measured is work, not imports."""
    there = _Kept(executor(jobs, cluster))
    with tempfile.TemporaryDirectory() as folder, closing(there.inner):
        first = [task for task in tasks if task.run <= 2]
        for _ in runner._elsewhere(first, None, there):
            pass
        with Store(Path(folder) / "study.db", writing=True) as study:
            start = time.perf_counter()
            for record in runner._elsewhere(tasks, None, there):
                study.add([record])
            return time.perf_counter() - start


class _Kept:
    """An executor that outlives a study, so that the next finds its workers warm."""

    def __init__(self, inner: Executor) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def close(self) -> None:
        pass
