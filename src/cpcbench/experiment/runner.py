"""The runner: makes the runs of a plan that are not in the store yet, here or in worker processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan import Task, described, fingerprint, plan
from cpcbench.experiment.record import RunRecord, from_outcome
from cpcbench.experiment.store import Store
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE
from cpcbench.problems.registry import problem as find_problem
from cpcbench.problems.registry import problems as all_problems
from cpcbench.solvers.registry import OWN, solver
from cpcbench.solvers.run import Outcome, run_once

AHEAD = 2
"""Tasks handed out per worker: enough to keep it busy, few enough to stop quickly."""


@dataclass(frozen=True)
class Progress:
    """Where a study stands: runs done (those of earlier sittings included) of all, and this sitting's speed."""

    done: int
    total: int
    new: int
    seconds: float
    last: RunRecord | None = None

    @property
    def seconds_left(self) -> float | None:
        """At the speed so far; None before the first run."""
        return (self.total - self.done) * self.seconds / self.new if self.new else None


Watcher = Callable[[Progress], None]


def run(
    problems: Sequence[str | Problem] | None = None,
    solvers: Sequence[Any] | None = None,
    runs: int = 20,
    store: str | Path = "study.db",
    *,
    seed: int = 0,
    jobs: int = 1,
    budget: int | None = None,
    seconds: float | None = None,
    rule: str = "ieee",
    progress: Watcher | None = None,
) -> list[RunRecord]:
    """Runs a study, or what is missing of it, and returns all its records.

    Each run is written to `store` when it ends; calling again with the same arguments goes on where
    it was stopped. The records do not depend on `jobs`, the number of worker processes.
    """
    tasks = plan(_problems(problems, rule), _solvers(solvers), runs, seed=seed, budget=budget, seconds=seconds)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise CpcbenchError(f"jobs is a whole number of processes from 1 on, not {jobs!r}")
    if jobs > 1:
        _check_travels(tasks)
    with Store(store, writing=True) as study:
        _check_same_study(study, tasks, seed)
        make_runs(study, tasks, jobs, progress)
        wanted = {task.key for task in tasks}
        return [r for r in study.records() if (r.problem, r.n, r.rule, r.solver, r.run) in wanted]


def make_runs(study: Store, tasks: Sequence[Task], jobs: int = 1, progress: Watcher | None = None) -> None:
    """Makes the runs that the study lacks, writing each as it ends."""
    there = study.keys()
    missing = [task for task in tasks if task.key not in there]
    start, new = time.perf_counter(), 0
    done = len(tasks) - len(missing)
    if progress:
        progress(Progress(done, len(tasks), 0, 0.0))
    source = _here(missing) if jobs == 1 else _in_processes(missing, jobs)
    with contextlib.closing(source):
        for record in source:
            study.add([record])
            new += 1
            if progress:
                progress(Progress(done + new, len(tasks), new, time.perf_counter() - start, record))


def execute(task: Task) -> RunRecord:
    """Makes one run and verifies what it returned; the same record wherever it is called."""
    method = solver(task.solver)
    outcome = run_once(task.problem, method, task.seed, budget=task.budget, seconds=task.seconds)
    return _record(task, outcome)


def _record(task: Task, outcome: Outcome) -> RunRecord:
    seed = f"{task.study_seed}:{','.join(map(str, task.seed.spawn_key))}"
    return from_outcome(
        task.problem, solver(task.solver), task.run, seed, outcome, budget=task.budget, seconds=task.seconds
    )


def _here(tasks: Sequence[Task]) -> Generator[RunRecord, None, None]:
    yield from map(execute, tasks)


def _in_processes(tasks: Sequence[Task], jobs: int) -> Generator[RunRecord, None, None]:
    """Records in the order they come in. A worker that dies takes its run with it, not the study."""
    sent: dict[str, bytes] | None = _check_travels(tasks)
    waiting, suspects = deque(tasks), deque[Task]()
    while waiting or suspects:
        alone = bool(suspects)  # after a crash the runs it interrupted are tried again one at a time
        queue = suspects if alone else waiting
        interrupted = yield from _pool(queue, 1 if alone else jobs, single=alone, sent=sent)
        sent = None
        if alone and interrupted:
            for task in interrupted:
                yield _record(task, _crash())
        else:
            suspects.extend(interrupted)


def _pool(
    queue: deque[Task], jobs: int, *, single: bool, sent: dict[str, bytes] | None
) -> Generator[RunRecord, None, list[Task]]:
    """Works on the queue until it is empty or a worker dies; returns the tasks that were interrupted."""
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_quiet_worker)
    under_way: dict[Future[RunRecord], Task] = {}
    try:
        if sent is not None:
            _check_workers(pool, jobs, sent)
        while queue or under_way:
            while queue and len(under_way) < (1 if single else AHEAD * jobs):
                task = queue.popleft()
                under_way[_submit(pool, task)] = task
            finished, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                record = future.result()
                del under_way[future]
                yield record
            if single and not under_way:
                return []
    except BrokenProcessPool:
        return list(under_way.values())
    finally:
        _stop(pool)
    return []


def _submit(pool: ProcessPoolExecutor, task: Task) -> Future[RunRecord]:
    return pool.submit(execute, task)


def _check_travels(tasks: Sequence[Task]) -> dict[str, bytes]:
    """Workers are other processes: what cannot be sent there is said before anything is begun."""
    sent = {}
    for task in {task.label: task for task in tasks}.values():
        try:
            sent[task.label] = pickle.dumps(task.solver)
        except Exception as error:  # pickling calls the object's own code
            raise CpcbenchError(_CANNOT_TRAVEL.format(task.label, error)) from error
    return sent


def _check_workers(pool: ProcessPoolExecutor, jobs: int, sent: dict[str, bytes]) -> None:
    """Whether workers start and find the solvers: if none can, every run would be taken for a crash."""
    answers = [pool.submit(_cannot_load, sent) for _ in range(jobs)]  # one each, so that all start at once
    try:
        missing = answers[0].result()
    except BrokenProcessPool:
        raise CpcbenchError(
            "worker processes cannot be started. Each of them reads the script again that runs the study: "
            "put its own calls below `if __name__ == '__main__':`, or pass jobs=1"
        ) from None
    for label, error in missing.items():
        raise CpcbenchError(_CANNOT_TRAVEL.format(label, error))


def _cannot_load(sent: dict[str, bytes]) -> dict[str, str]:
    """In a worker: the solvers that cannot be had here, and why."""
    missing = {}
    for label, packed in sent.items():
        try:
            solver(pickle.loads(packed))  # noqa: S301 - from our own parent process
        except Exception as error:  # a user's module may raise anything while it is imported
            missing[label] = repr(error)
    return missing


_CANNOT_TRAVEL = (
    "the solver {} cannot be sent to worker processes ({}): define it at the top level of a module, or pass jobs=1"
)


def _stop(pool: ProcessPoolExecutor) -> None:
    """Ends the workers now: what they were at is not in the store and will be run again."""
    workers = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(5)


def _quiet_worker() -> None:
    """Ctrl-C is the parent's business; workers print nothing and use one thread each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the life of the worker


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers: they must notice by themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _crash() -> Outcome:
    message = "the process that made this run died"
    return Outcome("crashed", None, None, 0, 0, 0.0, (), message)


def _problems(given: Sequence[str | Problem] | None, rule: str) -> list[Problem]:
    if given is None:
        return all_problems(rule=rule)
    _check_list(given, "problems", "CPC-DF1")
    found = [p if isinstance(p, Problem) else find_problem(p, rule=rule) for p in given]
    for p in found:
        if p.id in SUITE and p != find_problem(p.id, n=p.dim if p.scalable else None, rule=p.rule):
            raise CpcbenchError(f"{p.id} names a problem of the suite, but this is another: give it an id of its own")
    return found


def _solvers(given: Sequence[Any] | None) -> list[Any]:
    if given is None:
        return list(OWN)
    _check_list(given, "solvers", "GA")
    return list(given)


def _check_list(given: object, what: str, example: str) -> None:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise CpcbenchError(f"{what} is a list, such as [{example!r}], not {given!r}")


def _check_same_study(study: Store, tasks: Sequence[Task], seed: int) -> None:
    """A store holds one study: other settings for a solver it knows would mix two experiments."""
    there = study.keys()
    begun = study.settings() if there else {}
    if begun.get("seed", seed) != seed:
        raise CpcbenchError(f"{study.path} was begun with seed {begun['seed']}, not {seed}: choose another store")
    with_runs = {key[3] for key in there}
    known = {name: value for name, value in begun.get("solvers", {}).items() if name in with_runs}
    for task in {task.label: task for task in tasks}.values():
        now = described(solver(task.solver), task.budget, task.seconds)
        before = known.setdefault(task.label, now)
        if before != now:
            changed = ", ".join(f"{k} {before.get(k)!r}, now {v!r}" for k, v in now.items() if before.get(k) != v)
            raise CpcbenchError(
                f"{study.path} holds runs of {task.label} with other settings ({changed}): choose another store"
            )
    with_runs = {f"{id_} {n} {rule}" for id_, n, rule, _, _ in there}
    formulas = {name: value for name, value in begun.get("problems", {}).items() if name in with_runs}
    for p in {task.problem for task in tasks if task.problem.id not in SUITE}:
        digest = fingerprint(p)
        if formulas.setdefault(f"{p.id} {p.dim} {p.rule}", digest) != digest:
            raise CpcbenchError(
                f"{study.path} holds runs of a problem {p.id} with another formula or box: "
                "choose another store, or give this one an id of its own"
            )
    study.note(seed=seed, solvers=known, problems=formulas)
