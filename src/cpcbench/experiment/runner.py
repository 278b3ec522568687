"""The runner: makes the runs of a plan that are not in the store yet, here, in worker processes or on a cluster."""

from __future__ import annotations

import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.orders import Packer, check_travels
from cpcbench.experiment.plan.plan import Task, plan
from cpcbench.experiment.plan.problems import study_problems
from cpcbench.experiment.plan.same_study import check_unchanged, join
from cpcbench.experiment.store.record import RunKey, RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.experiment.workers import contained
from cpcbench.experiment.workers.execution import execute, recorded
from cpcbench.experiment.workers.executors import Executor, check_cluster, executor
from cpcbench.experiment.workers.limits import memory_bytes
from cpcbench.limits import checked_processes
from cpcbench.problems.problem import Problem
from cpcbench.progress import Line
from cpcbench.rng import Rng, seed_of
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.registry import USUAL, solver
from cpcbench.solvers.run import nothing_known

AHEAD = 2
"""Tasks handed out per worker: enough to keep it busy, few enough to stop quickly."""

TRIES = 3
"""How often a run is handed out again that a cluster lost with its worker."""

LOOK = 1.0
"""Seconds between two looks at whether the workers are still there."""


class Progress(Line):
    """Where a study stands: runs done (those of earlier sittings included) of all, and this sitting's speed."""

    new: int
    seconds: float
    last: RunRecord | None

    @classmethod
    def of(cls, done: int, total: int, new: int, seconds: float, last: RunRecord | None = None) -> Progress:
        made = cls(f"{done:,} of {total:,} runs", done, total)
        made.new, made.seconds, made.last = new, seconds, last
        return made

    @property
    def seconds_left(self) -> float | None:
        """At the speed so far; None before the first run."""
        return (self.total - self.done) * self.seconds / self.new if self.new else None


Watcher = Callable[[Progress], None]


def run(
    problems: Sequence[Any] | None = None,
    solvers: Sequence[Any] | None = None,
    runs: int = 20,
    store: str | Path = "study.db",
    *,
    rng: Rng = 0,
    workers: int = 0,
    cluster: Any = None,
    budget: int | None = None,
    seconds: float | None = None,
    memory: int | str | None = None,
    rule: str = "ieee",
    bounds: Any = None,
    subject_to: Sequence[str] = (),
    progress: Watcher | None = None,
    seed: Rng = None,
) -> list[RunRecord]:
    """Runs a study, or what is missing of it, and returns all its records.

    Each run is written to `store` when it ends; calling again with the same arguments goes on where it was stopped. The
    records do not depend on `workers` and `cluster`.

    Parameters
    ----------
    problems : sequence, optional
        Ids, problems, functions (also by place, `file.py:function`) and formulas; unless given, the benchmark.
        Functions are evaluated as black boxes, in the worker processes as well.
    solvers : sequence, optional
        Names, solvers and functions; unless given, ours and the paper's.
    runs : int
        Runs of each solver on each problem; those that are deterministic are run once.
    store : str or path
        The study's file.
    rng : int or numpy.random.Generator
        The seed that those of all runs follow from, or a generator to draw one from.
    workers : int
        Worker processes, where a solver that hangs, crashes or takes too much memory costs its own run only; 0 makes
        the runs here, uncontained, as a debugger wants it.
    cluster : str or distributed.Client, optional
        A Dask cluster: "local", a scheduler's address or a client.
    budget : int, optional
        The most evaluations of a run; unless given, the solver's own.
    seconds : float, optional
        The most time of a run.
    memory : int or str, optional
        What a run may take: bytes, or text such as "2G".
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    bounds : sequence of pairs, optional
        The box of functions and formulas.
    subject_to : sequence of str
        Constraints of formulas, such as ["x1 + x2 <= 1"].
    progress : callable, optional
        Called with a line of text as runs end.
    seed : int or numpy.random.Generator, optional
        Another name for `rng`.

    Returns
    -------
    list of RunRecord

    Raises
    ------
    CpcbenchError
        For wrong input, and if the study was made with other settings, a solver that was edited, or is in use.
    """
    seed = seed_of(rng, seed)
    chosen = study_problems(problems, rule, bounds, subject_to)
    if isinstance(solvers, str) or not isinstance(solvers, Iterable | None):
        raise CpcbenchError(f"solvers is a list, such as ['GA'], not {solvers!r}")
    methods = usual_solvers(chosen) if solvers is None else list(solvers)
    tasks = plan(chosen, methods, runs, seed=seed, budget=budget, seconds=seconds)
    limit = memory_bytes(memory)
    _check_workers(workers, cluster, limit)
    if workers or cluster is not None:
        check_travels(tasks)
    with Store(store, writing=True) as study:
        join(study, tasks, seed, limit)
        make_runs(study, tasks, workers, progress, cluster=cluster, memory=limit)
        wanted = {task.key for task in tasks}
        return [r for r in study.records() if r.key in wanted]


def make_runs(
    study: Store,
    tasks: Sequence[Task],
    workers: int = 0,
    progress: Watcher | None = None,
    *,
    cluster: Any = None,
    memory: int | None = None,
) -> None:
    """Makes the runs that the study lacks, writing each as it ends."""
    there = study.keys()
    missing = [task for task in tasks if task.key not in there]
    start, new = time.perf_counter(), 0
    done = len(tasks) - len(missing)
    if progress:
        progress(Progress.of(done, len(tasks), 0, 0.0))
    if not missing:
        return
    planned = {task.key: task for task in missing}
    here = not workers and cluster is None
    source = (execute(task) for task in missing) if here else _elsewhere(missing, memory, executor(workers, cluster))
    with contextlib.closing(source):
        for record in source:
            check_unchanged(record, planned[record.key], study.path)
            study.add([record])
            new += 1
            if progress:
                progress(Progress.of(done + new, len(tasks), new, time.perf_counter() - start, record))


def _elsewhere(tasks: Sequence[Task], memory: int | None, there: Executor) -> Generator[RunRecord, None, None]:
    """Records in the order they come in."""
    pack = Packer(there.study, memory)
    waiting, tries = deque(tasks), Counter[RunKey]()
    under_way: dict[Any, Task] = {}
    done: SimpleQueue[Any] = SimpleQueue()
    with contextlib.closing(there):
        _check_solvers(tasks, pack, there)
        while waiting or under_way:
            while waiting and len(under_way) < AHEAD * there.workers():
                task = waiting.popleft()
                under_way[there.submit(contained.work, pack(task), done.put)] = task
            try:
                future = done.get(timeout=LOOK)
            except Empty:
                there.check()
                continue
            task = under_way.pop(future)
            if not there.lost(future):
                yield future.result()
            elif tries[task.key] < TRIES:
                tries[task.key] += 1
                waiting.append(task)
            else:
                message = f"the cluster lost the worker that made this run, {TRIES + 1} times"
                yield recorded(task, solver(task.solver), nothing_known("crashed", message, 0.0))


def _check_solvers(tasks: Sequence[Task], pack: Packer, there: Executor) -> None:
    """Whether a worker finds the solvers: if it cannot, every run would fail."""
    done: SimpleQueue[Any] = SimpleQueue()
    functions = {task.problem: task for task in tasks if isinstance(task.problem, BlackBox)}
    orders = [pack(task) for task in (*{task.label: task for task in tasks}.values(), *functions.values())]
    for _ in range(TRIES + 1):
        under_way = there.submit(contained.check, orders, done.put)
        while not under_way.done():
            with contextlib.suppress(Empty):
                done.get(timeout=LOOK)
            there.check()
        if not there.lost(under_way):
            under_way.result()
            return
    raise CpcbenchError("the cluster loses every worker that loads the solvers")


def _check_workers(workers: int, cluster: Any, memory: int | None) -> None:
    checked_processes(workers, "workers", least=0)
    if memory is not None and not workers and cluster is None:
        raise CpcbenchError("memory is watched in worker processes only: pass workers=1 or more")
    check_cluster(cluster)


def usual_solvers(problems: Sequence[Problem]) -> list[str]:
    """The solvers of a study that names none: ours, those that read formulas only where every problem has one."""
    functions = any(isinstance(p, BlackBox) for p in problems)
    return [name for name in USUAL if not (functions and solver(name).expression)]
