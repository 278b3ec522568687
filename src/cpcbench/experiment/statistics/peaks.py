"""Several optima: how many distinct ones the runs of a solver found, together and one by one.

As in the competitions on niching methods: an optimum is found at an accuracy if a faithful point at its place has a
value that is above the best-known one by no more than that. A run may return further points as its `optima`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cpcbench.experiment.plan.problems import known_problem, suite_place
from cpcbench.experiment.statistics.targets import checked_precisions, thresholds
from cpcbench.experiment.store.record import REGULAR, RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.problems.problem import Problem
from cpcbench.problems.records import SAME_PLACE
from cpcbench.problems.worth import Worth
from cpcbench.studies.symmetry.multiplicity import multiplicity
from cpcbench.studies.symmetry.optima_count import separable_optima

ACCURACIES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
"""Those of the competitions."""

COLUMNS = ("problem", "n", "rule", "solver", "run", "x", "optima", "kind", "reference", "in_box")

Place = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class KnownOptima:
    """The optima of a problem that can be told apart: `axes` has the coordinates that each variable may take.

    Where they are a product, every choice is an optimum; else there is one axis of whole points. `proven` says that
    there are no others.
    """

    problem: Problem
    value: float
    axes: tuple[NDArray[np.float64], ...]
    proven: bool

    @property
    def count(self) -> int:
        return int(np.prod([len(axis) for axis in self.axes], dtype=np.int64))

    def at(self, x: Sequence[float]) -> Place | None:
        """Which optimum a point is at: within a thousandth of the box in every coordinate; None if at none."""
        room = SAME_PLACE * (self.problem.upper - self.problem.lower)
        point = np.asarray(x, dtype=np.float64)
        parts = [point] if len(self.axes) == 1 else list(point[:, None])
        rooms = [room] if len(self.axes) == 1 else list(room[:, None])
        found = []
        for axis, part, near in zip(self.axes, parts, rooms, strict=True):
            apart = np.abs(axis - part)
            nearest = int(np.argmin((apart / near).max(axis=1)))
            if not (apart[nearest] <= near).all():
                return None
            found.append(nearest)
        return tuple(found)


@cache
def known_optima(problem: Problem) -> KnownOptima | None:
    """The optima of a problem if several are known: counted with proof, or those on record and their images."""
    best = problem.best_known
    if best is None or not problem.bounded:
        return None
    counted = separable_optima(problem)
    if counted is not None and counted.exact:
        sides = [[sum(side) / 2 for side in (*places.single, *places.loose)] for places in counted.places]
        found = KnownOptima(problem, best.value, tuple(np.array(axis)[:, None] for axis in sides), True)
        return found if found.count > 1 else None
    images = multiplicity(problem)
    if images.flat is not None:
        return None
    every = np.concatenate([best.points, np.array([image.point for image in images.images])])
    room = SAME_PLACE * (problem.upper - problem.lower)
    kept: list[NDArray[np.float64]] = []
    for point in every:
        if not any((np.abs(point - other) <= room).all() for other in kept):
            kept.append(point)
    return KnownOptima(problem, best.value, (np.array(kept),), False) if len(kept) > 1 else None


@dataclass(frozen=True, eq=False)
class PeakCounts:
    """A solver on a problem with several optima: `together` are the distinct ones that all its runs found at each
    accuracy, `single` those of each run (run, accuracy)."""

    problem: str
    n: int
    rule: str
    solver: str
    optima: int
    proven: bool
    together: NDArray[np.int64]
    single: NDArray[np.int64]

    @property
    def ratio(self) -> NDArray[np.float64]:
        """The peak ratio of all runs together."""
        return np.asarray(self.together / self.optima, dtype=np.float64)

    @property
    def run_ratio(self) -> NDArray[np.float64]:
        """The mean peak ratio of a run."""
        return np.asarray(self.single.mean(axis=0) / self.optima, dtype=np.float64)


def peak_counts(source: Store | Iterable[RunRecord], accuracies: Sequence[float] = ACCURACIES) -> list[PeakCounts]:
    """The optima found on every problem of a study that has several, in the suite's order."""
    wanted = checked_precisions(accuracies)
    groups: dict[tuple[str, int, str, str], tuple[KnownOptima, list[list[set[Place]]]]] = {}
    for record in source.records(only=COLUMNS) if isinstance(source, Store) else source:
        problem = known_problem(record.problem, record.n, record.rule)
        optima = None if problem is None else known_optima(problem)
        if optima is not None:
            groups.setdefault(record.key[:4], (optima, []))[1].append(_found(record, optima, wanted))
    made = [_counts(key, optima, runs) for key, (optima, runs) in groups.items()]
    return sorted(made, key=lambda one: (suite_place(one.problem), one.n, one.rule))


def _counts(key: tuple[str, int, str, str], optima: KnownOptima, runs: list[list[set[Place]]]) -> PeakCounts:
    together = np.array([len(set().union(*found)) for found in zip(*runs, strict=True)], dtype=np.int64)
    single = np.array([[len(found) for found in run] for run in runs], dtype=np.int64)
    return PeakCounts(*key, optima.count, optima.proven, together, single)


def _found(record: RunRecord, optima: KnownOptima, accuracies: Sequence[float]) -> list[set[Place]]:
    """The optima that a run found at each accuracy."""
    levels = thresholds(optima.value, accuracies)
    points = [(value, optima.at(x)) for value, x in _returned(record, optima.problem)]
    return [{place for value, place in points if place is not None and value <= level} for level in levels]


def _returned(record: RunRecord, problem: Problem) -> Iterator[tuple[float, tuple[float, ...]]]:
    """The points of a run that count, with their verified values."""
    if record.x is not None and record.kind in REGULAR and record.in_box:
        yield record.verified, record.x
    for x in record.optima:
        point = Worth.at(problem, x)
        if point.kind_in_box in REGULAR:
            yield point.verified, point.x
