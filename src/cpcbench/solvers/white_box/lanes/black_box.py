"""The black-box search on the formula's kernel: the same whatever the budget is, so that more is never worse."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.search.coordinates import Coordinates, MappedSearch
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.tuning import for_budget
from cpcbench.solvers.white_box.lanes.lane import Lane, Low
from cpcbench.solvers.white_box.tuning import BATCHES, LARGEST_BATCH, STAGES


class BlackBox(Lane):
    """Searches for more and more evaluations, one after the other; each knows what the one before found."""

    name = "black box"

    def begin(self) -> None:
        # of whole numbers one search for all, so that no point is asked for again
        self._stages: tuple[int, ...] = () if self.task.whole.all() else STAGES
        self._search = self._new(*self._stages[:1])

    def work(self) -> Iterator[None]:
        if len(self.task.starts):
            points = self.task.starts[: self.limits.room(len(self.task.starts))]
            self._search.know(points, self._read(points))
            yield
        for i, budget in enumerate(self._stages, start=1):
            yield from self._steps(self.limits.evaluations + budget)
            points, values = self._search.elites()
            self._search = self._new(*self._stages[i : i + 1])
            self._search.know(points, values)
        yield from self._steps(None)

    def _new(self, budget: int = 0) -> Search | MappedSearch:
        """One that is told how many evaluations it has, or, without a number, is not."""
        whole = self.task.whole
        if whole.all():
            return MappedSearch(Coordinates(self.problem.lower, self.problem.upper, whole), self.rng, 0)
        settings = for_budget(budget) if budget else {}
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
