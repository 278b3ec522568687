"""The runs of a study as arrays: what the statistics need of each run, and no more.

A trajectory is reduced to the evaluations at which it reached the targets while the study is read, so that memory
grows by about a hundred bytes a run however long the trajectories are.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.problems import suite_place
from cpcbench.experiment.statistics.targets import (
    PRECISIONS,
    checked_precisions,
    first_hits,
    reference_of,
    thresholds,
)
from cpcbench.experiment.store.record import KINDS, REGULAR, RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.solvers.registry import OWN

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FAITHFUL, THIN, ARTEFACT = KINDS.index("faithful"), KINDS.index("thin"), KINDS.index("artefact")


FOR_BEST = ("problem", "n", "rule", "kind", "reference", "in_box")
FOR_ALL = (*FOR_BEST, "solver", "run", "budget", "status", "message", "evaluations", "trajectory")
"""The columns of a run that count here."""


@dataclass(frozen=True)
class ProblemRuns:
    """A problem of the study, at one size; `best` is what its targets are held against, `source` whose value it is."""

    id: str
    n: int
    best: float
    source: str


@dataclass(frozen=True)
class Ending:
    """How often the runs of a solver on a problem ended in one way, and what the first of them said."""

    solver: str
    problem: str
    n: int
    status: str
    count: int
    message: str


@dataclass(frozen=True, eq=False)
class RunArrays:
    """The runs of a study under one rule, one entry a run.

    `problem` and `solver` are places in `problems` and `solvers`. `verified` is NaN where nothing admissible
    was returned; `kind` is a place in `KINDS`. `hits[i, k]` is the evaluation at which run i reached
    `precisions[k]`, infinity where it did not: only a faithful final point reaches anything (of a function without
    a formula: one that was evaluated again), thin points and artefacts are counted apart (`reached_apart`).
    `budget` is NaN where the run had none.
    """

    rule: str
    precisions: tuple[float, ...]
    problems: tuple[ProblemRuns, ...]
    solvers: tuple[str, ...]
    endings: tuple[Ending, ...]
    problem: IntArray
    solver: IntArray
    run: IntArray
    evaluations: FloatArray
    budget: FloatArray
    verified: FloatArray
    kind: IntArray
    hits: FloatArray

    def __len__(self) -> int:
        return len(self.run)

    @cached_property
    def cells(self) -> dict[tuple[int, int], IntArray]:
        """The runs of each (problem, solver) that has any, by their places."""
        order = np.lexsort((self.run, self.solver, self.problem))
        keys = self.problem[order] * len(self.solvers) + self.solver[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        parts = np.split(order, starts[1:])
        return {(int(keys[i]) // len(self.solvers), int(keys[i]) % len(self.solvers)): p
                for i, p in zip(starts, parts, strict=True)}  # fmt: skip

    @cached_property
    def common(self) -> tuple[int, ...]:
        """The problems on which every solver ran: comparisons across problems are made on these."""
        every = range(len(self.solvers))
        return tuple(p for p in range(len(self.problems)) if all((p, s) in self.cells for s in every))

    @cached_property
    def with_targets(self) -> NDArray[np.bool_]:
        """Which problems have something that targets can be held against."""
        return np.array([p.source != "none" for p in self.problems], dtype=bool)

    def place(self, precision: float) -> int:
        """Where a precision is among `precisions`."""
        if precision not in self.precisions:
            raise CpcbenchError(
                f"the runs were gathered for the precisions {', '.join(map(repr, self.precisions))}, not {precision!r}"
            )
        return self.precisions.index(precision)

    def levels(self, precision: float) -> FloatArray:
        """The value of the target on each problem, NaN where there is none."""
        return np.array([thresholds(p.best, (precision,))[0] for p in self.problems])

    def reached_apart(self, precision: float) -> NDArray[np.bool_]:
        """The runs that ended at the target, but in a thin point or an artefact."""
        odd = (self.kind == THIN) | (self.kind == ARTEFACT)
        reached: NDArray[np.bool_] = odd & (self.verified <= self.levels(precision)[self.problem])
        return reached


def gather(source: Store | Iterable[RunRecord], precisions: Sequence[float] = PRECISIONS) -> list[RunArrays]:
    """A study's runs as arrays, one `RunArrays` a rule: results under different rules are never mixed.

    A store is read twice, row by row: for the best values, then for the targets.
    """
    wanted = checked_precisions(precisions)
    records = None if isinstance(source, Store) else list(source)

    def read(columns: Sequence[str]) -> Iterable[RunRecord]:
        return source.records(only=columns) if isinstance(source, Store) else records or ()

    best = _best_faithful(read(FOR_BEST))
    if not best:
        raise CpcbenchError("there are no runs to make statistics of: run a study first")
    builders: dict[str, _Builder] = {}
    for rule in sorted({rule for _, _, rule in best}):
        mine = {(id_, n): value for (id_, n, r), value in best.items() if r == rule}
        builders[rule] = _Builder(rule, wanted, mine)
    for record in read(FOR_ALL):
        builders[record.rule].add(record)
    return [builder.done() for builder in builders.values()]


def _best_faithful(records: Iterable[RunRecord]) -> dict[tuple[str, int, str], float | None]:
    """The lowest verified and faithful value on each problem, size and rule; None where there is none."""
    best: dict[tuple[str, int, str], float | None] = {}
    for r in records:
        key = r.problem, r.n, r.rule
        before = best.setdefault(key, None)
        if r.kind in REGULAR and math.isfinite(value := r.verified) and (before is None or value < before):
            best[key] = value
    return best


class _Builder:
    """Takes the runs of one rule one by one."""

    def __init__(self, rule: str, precisions: tuple[float, ...], best: dict[tuple[str, int], float | None]) -> None:
        self.rule, self.precisions = rule, precisions
        keys = sorted(best, key=lambda key: (suite_place(key[0]), key[1]))
        self.problems = tuple(ProblemRuns(id_, n, *reference_of(id_, n, rule, best[id_, n])) for id_, n in keys)
        self._place = {key: i for i, key in enumerate(keys)}
        self._levels = [thresholds(p.best, precisions) for p in self.problems]
        self._solvers: dict[str, int] = {}
        self._endings: dict[tuple[str, int, str], tuple[int, str]] = {}
        self._whole = {name: array("q") for name in ("problem", "solver", "run", "kind")}
        self._real = {name: array("d") for name in ("evaluations", "budget", "verified", "hits")}

    def add(self, row: RunRecord) -> None:
        p = self._place[row.problem, row.n]
        s = self._solvers.setdefault(row.solver, len(self._solvers))
        for name, whole in (("problem", p), ("solver", s), ("run", row.run), ("kind", KINDS.index(row.kind))):
            self._whole[name].append(whole)
        budget = math.nan if row.budget is None else float(row.budget)
        verified = row.verified
        for name, real in (("evaluations", float(row.evaluations)), ("budget", budget), ("verified", verified)):
            self._real[name].append(real)
        counts = verified if row.kind in REGULAR else math.nan
        self._real["hits"].extend(first_hits(row.trajectory, self._levels[p], counts, row.evaluations))
        count, message = self._endings.get((row.solver, p, row.status), (0, row.message))
        self._endings[row.solver, p, row.status] = count + 1, message

    def done(self) -> RunArrays:
        names = sorted(self._solvers, key=_solver_order)
        new_place = np.empty(len(names), dtype=np.int64)
        new_place[[self._solvers[name] for name in names]] = np.arange(len(names))
        rank = {name: i for i, name in enumerate(names)}
        endings = sorted(self._endings.items(), key=lambda item: (rank[item[0][0]], item[0][1], item[0][2]))
        arrays: dict[str, Any] = {name: np.frombuffer(values, dtype=np.int64) for name, values in self._whole.items()}
        arrays |= {name: np.frombuffer(values, dtype=np.float64) for name, values in self._real.items()}
        arrays["solver"] = new_place[arrays["solver"]]
        arrays["hits"] = arrays["hits"].reshape(-1, len(self.precisions))
        ended = tuple(
            Ending(name, self.problems[p].id, self.problems[p].n, status, count, message)
            for (name, p, status), (count, message) in endings
        )
        return RunArrays(self.rule, self.precisions, self.problems, tuple(names), ended, **arrays)


def _solver_order(name: str) -> tuple[int, str]:
    own = list(OWN)
    return own.index(name) if name in own else len(own), name
