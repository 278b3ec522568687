"""The black-box search on the formula's kernel: the same whatever the budget is, so that more is never worse."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.search.coordinates import Coordinates, MappedSearch
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.tuning import CLIMBING, climbers_for
from cpcbench.solvers.white_box.lanes.lane import Lane, Low
from cpcbench.solvers.white_box.tuning import BATCHES, FIRST, LARGEST_BATCH


class BlackBox(Lane):
    """First with settings for few evaluations, then another search for many, which knows what the first one found."""

    name = "black box"

    def begin(self) -> None:
        self._search = self._new(**CLIMBING, at_once=float(climbers_for(FIRST)))

    def work(self) -> Iterator[None]:
        if len(self.task.starts):
            points = self.task.starts[: self.limits.room(len(self.task.starts))]
            self._search.know(points, self._read(points))
            yield
        yield from self._steps(FIRST)
        points, values = self._search.elites()
        self._search = self._new()
        self._search.know(points, values)
        yield from self._steps(None)

    def _new(self, **settings: float) -> Search | MappedSearch:
        whole = self.task.whole
        if whole.all():  # points that are known are not asked for again
            return MappedSearch(Coordinates(self.problem.lower, self.problem.upper, whole), self.rng, 0)
        return Search(self.problem.lower, self.problem.upper, self.rng, **settings)

    def _steps(self, most: int | None) -> Iterator[None]:
        """One batch after the other; they grow as more is known."""
        while most is None or self.limits.evaluations < most:
            size = min(LARGEST_BATCH, max(1, self.limits.evaluations // BATCHES))
            points = self._search.ask(self.limits.room(size))
            self._search.tell(points, self._read(points))
            yield

    def _read(self, points: Floats) -> Floats:
        values = self.values(points)
        if self.thin is not None:
            self.thin(points, values)
        return values

    def hear(self, points: Floats, values: Floats) -> None:
        """Only what is lower than all that it has."""
        lower = values < (np.inf if self._search.best_x is None else self._search.best_value)
        if lower.any():
            self._search.know(points[lower], values[lower])

    def low(self) -> Low:
        points, values = self._search.elites()
        order = np.argsort(values, kind="stable")
        return points[order], values[order]
