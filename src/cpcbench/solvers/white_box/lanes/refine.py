"""The lowest points once more: refined longer, judged by all readings, and faithful ones looked for near artefacts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cpcbench.points import Floats
from cpcbench.solvers.white_box.hunt import Hunt
from cpcbench.solvers.white_box.judge import Candidate
from cpcbench.solvers.white_box.lanes.lane import Lane, Low
from cpcbench.solvers.white_box.moves.edges import Edges
from cpcbench.solvers.white_box.settle import Settler
from cpcbench.solvers.white_box.thin import ThinHerd, few_points, slices, thin_points
from cpcbench.solvers.white_box.tuning import FIRST, JUDGED, THIN_BEGINS


class Refine(Lane):
    """Two archives, one of points that look faithful; sweeps over both."""

    name = "refine"
    begins = FIRST

    def begin(self) -> None:
        self._hunts = [
            Hunt(self.regular, self.rng, self.limits, self.kernel, self.lowest, guarded) for guarded in (False, True)
        ]

    def work(self) -> Iterator[None]:
        while True:
            while not len(self._hunts[0].archive.values):
                self.waits = True
                yield
            for hunt in self._hunts:
                if hunt is self._hunts[0] or self.result.artefact is not None:
                    yield from hunt.finish()
            for hunt in self._hunts:
                yield from self._settlements(hunt)
            yield

    def _settlements(self, hunt: Hunt) -> Iterator[None]:
        """Judges the lowest points, and near those that are not faithful looks for ones that are."""
        for x in hunt.archive.points[:JUDGED].copy():
            candidate = self.judge(x)
            self.result.offer(candidate)
            yield
            if candidate.kind != "faithful" and not candidate.value >= self.result.value:
                settle = Settler(self.judge, hunt.kernel, hunt.edges, self.rng)
                limit = math.inf if math.isnan(self.result.value) else self.result.value
                yield from offered(self, settle(candidate.x, limit))

    def hear(self, points: Floats, values: Floats) -> None:
        plain, guarded = self._hunts
        plain.add(points, values)
        guarded.add(*self.faithful_ones(points, values))

    def low(self) -> Low:
        return self._hunts[0].archive.points, self._hunts[0].archive.values


class Thin(Lane):
    """Slices of the box on which an exponent is a whole number, one after the other."""

    name = "thin"
    begins = THIN_BEGINS

    def work(self) -> Iterator[None]:
        if self.thin is None:
            return
        for part in slices(self.problem.expression):
            yield from few_points(self.problem, self.rng, part, self._thin_values)
        edges = Edges(self.problem, self.limits.read)
        for part in slices(self.problem.expression):
            herd = ThinHerd(self.problem, self.rng, part.bring, self.kernel, self.thin, self.limits.read)
            archive = yield from thin_points(herd, part)
            for x in archive.points[:3]:
                candidate = self.judge(x)
                self.result.offer(candidate)
                if candidate.kind != "thin":
                    limit = math.inf if self.result.thin is None else self.result.thin.value
                    settle = Settler(self.judge, herd.kernel_of_thin_points, edges, self.rng, "thin")
                    yield from offered(self, settle(candidate.x, limit))

    def _thin_values(self, points: Floats) -> Floats:
        values = self.values(points)
        return values if self.thin is None else self.thin(points, values)


def offered(lane: Lane, candidates: Iterator[Candidate | None]) -> Iterator[None]:
    """The candidates of a settlement, as far as they are any, to the lane's result."""
    for candidate in candidates:
        if candidate is not None:
            lane.result.offer(candidate)
        yield
