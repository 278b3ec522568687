"""Hunting records: the white-box search on each problem, every candidate judged by all three readings."""

from __future__ import annotations

import datetime
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np

from cpcbench import __version__
from cpcbench.errors import CpcbenchError
from cpcbench.limits import checked_seconds
from cpcbench.problems.problem import Problem
from cpcbench.problems.record_check import record_of
from cpcbench.problems.records import Record
from cpcbench.problems.registry import problem as by_name


@dataclass(frozen=True)
class Hunted:
    """The records a search came back with, at most one of each kind."""

    problem: str
    records: tuple[Record, ...]
    seconds: float
    evaluations: int


def hunt(problem: Problem, seconds: float, seed: int = 0, budget: int | None = None) -> Hunted:
    """Searches one problem for so long, or for a budget of evaluations; published solutions are not looked at."""
    from cpcbench.solvers.unbounded import solve_anywhere

    rng = np.random.default_rng(seed)
    found = solve_anywhere(problem.with_rule("ieee"), rng, seconds=_positive(seconds), budget=budget)
    chains = [[found.x, *(other.x for other in found.optima)]] if found.x is not None else []
    chains += [[other.x] for other in (found.thin, found.artefact) if other is not None]
    size = f" --n {problem.dim}" if problem.scalable and problem.dim != by_name(problem.id).dim else ""
    command = f"cpcbench records {problem.id}{size} --seconds {seconds:g} --seed {seed}"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    made = (record_of(problem, chain, command=command, version=__version__, date=today) for chain in chains)
    return Hunted(problem.id, tuple(record for record in made if record), found.seconds, found.evaluations)


def hunts(
    ids: Sequence[str], seconds: float, seed: int = 0, workers: int = 1, n: int | None = None
) -> Iterator[Hunted]:
    """Hunts on several problems, at another size `n` if one is given; `workers` processes work side by side."""
    if workers < 1:
        raise CpcbenchError(f"workers is a whole number from 1 on, not {workers!r}")
    names = [by_name(id_, n=n).id for id_ in ids]  # all are known before any is searched
    _positive(seconds)
    if workers == 1:
        yield from (_hunt_named(name, seconds, seed, n) for name in names)
        return
    pool = ProcessPoolExecutor(workers, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))
    try:
        started: list[Future[Hunted]] = [pool.submit(_hunt_named, name, seconds, seed, n) for name in names]
        for done in as_completed(started):
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C ends the workers, too, without a word


def _hunt_named(name: str, seconds: float, seed: int, n: int | None) -> Hunted:
    return hunt(by_name(name, n=n), seconds, seed)


def _positive(seconds: float) -> float:
    return checked_seconds(seconds, "seconds")
