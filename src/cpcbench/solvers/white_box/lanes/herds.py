"""Herds over the domain and along its edges, epoch after epoch; a guarded lane where low points are artefacts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cpcbench.points import Floats
from cpcbench.solvers.white_box.hunt import Hunt
from cpcbench.solvers.white_box.lanes.lane import Lane, Low
from cpcbench.solvers.white_box.tuning import FIRST, PATIENCE, SAME


class Herds(Lane):
    """It ends after a few epochs without a lower value, or when there have been as many as were asked for."""

    name = "herds"
    begins = FIRST
    guarded = False

    def begin(self) -> None:
        self._hunt = Hunt(self.regular, self.rng, self.limits, self.kernel, self.lowest, self.guarded)
        self._lowest_heard: tuple[float, Floats | None] = math.inf, None

    def work(self) -> Iterator[None]:
        best, idle = math.inf, 0
        while idle < PATIENCE and (self.task.epochs is None or self._hunt.epochs < self.task.epochs):
            yield from self._epoch()
            now = self._hunt.archive.best
            idle = 0 if now < best - SAME * abs(best) or math.isinf(now) or not self._hunt.grown else idle + 1
            best = min(best, now)

    def _epoch(self) -> Iterator[None]:
        yield from self._hunt.epoch()

    @property
    def epochs(self) -> int:
        return self._hunt.epochs

    def hear(self, points: Floats, values: Floats) -> None:
        self._hunt.add(points, values)

    def low(self) -> Low:
        return self._hunt.archive.points, self._hunt.archive.values


class Guarded(Herds):
    """Believes only what looks faithful; it waits as long as the lowest point that it heard of is faithful."""

    name = "guarded"
    guarded = True

    def _epoch(self) -> Iterator[None]:
        while self._lowest_heard[1] is None or self.judge(self._lowest_heard[1]).kind == "faithful":
            self.waits = True
            yield
        yield from self._hunt.epoch()

    def hear(self, points: Floats, values: Floats) -> None:
        if len(values) and values[0] < self._lowest_heard[0]:
            self._lowest_heard = float(values[0]), points[0].copy()
        self._hunt.add(*self.faithful_ones(points, values))
