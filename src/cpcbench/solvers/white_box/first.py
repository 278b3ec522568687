"""The first evaluations go to the black-box search: it finds admissible points soon, and the herds begin with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.tuning import CLIMBING, climbers_for
from cpcbench.solvers.white_box.evaluations import Counted, ThinPart
from cpcbench.solvers.white_box.limits import Limits
from cpcbench.solvers.white_box.tuning import BATCHES, FIRST, LARGEST_BATCH


class FirstSearch:
    """The black-box search on the formula's kernel, the same for every budget: more of it is never worse."""

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        kernel: Counted,
        thin: ThinPart | None,
        starts: Floats | None = None,
    ) -> None:
        settings = {**CLIMBING, "at_once": float(climbers_for(FIRST))}
        self._search = Search(problem.lower, problem.upper, rng, **settings)
        self._kernel, self._thin, self._starts = kernel, thin, starts

    def steps(self, limits: Limits) -> Iterator[None]:
        """One batch after the other, first the points that were given; they grow as more is known."""
        if self._starts is not None and len(self._starts):
            points = self._starts[: limits.room(len(self._starts))]
            self._search.know(points, self._values(points))
            yield
        while limits.evaluations < FIRST:
            size = min(LARGEST_BATCH, max(1, limits.evaluations // BATCHES), FIRST - limits.evaluations)
            points = self._search.ask(limits.room(size))
            self._search.tell(points, self._values(points))
            yield

    def _values(self, points: Floats) -> Floats:
        values = np.empty(len(points))
        self._kernel(np.ascontiguousarray(points).reshape(-1), values)
        if self._thin is not None:
            self._thin(points, values)
        return values

    def elites(self) -> tuple[Floats, Floats]:
        return self._search.elites()
