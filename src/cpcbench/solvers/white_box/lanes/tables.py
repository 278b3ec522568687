"""Lowest points of grids by tables of the formula's terms; the grids draw together around what was found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from cpcbench.intervals.boxes import Boxes
from cpcbench.points import Floats
from cpcbench.solvers.white_box.archive import Archive
from cpcbench.solvers.white_box.lanes.lane import Lane, Low
from cpcbench.solvers.white_box.moves.parts import Parts
from cpcbench.solvers.white_box.tuning import (
    GRIDS,
    LOW_OF_GRID,
    NARROWER,
    NARROWINGS,
    RANGES_BEGIN,
    TABLE,
    TABLE_NICHE,
    TABLES_GROW,
)


class Tables(Lane):
    """One attempt after the other, each from grids over the whole box, with more and more values."""

    name = "tables"
    grows = True

    def begin(self) -> None:
        self._low = Archive(self.box)

    def work(self) -> Iterator[None]:
        parts = Parts(self.regular, self.limits.read_table)
        if not parts.possible:
            return
        self._inside = self.box
        for attempt in count():
            if self.limits.before + self.limits.evaluations >= RANGES_BEGIN:
                self._inside = self._cut()
            size = int(GRIDS[parts.widest] * TABLES_GROW**attempt)
            mine = Archive(self.box, keep=LOW_OF_GRID, niche=TABLE_NICHE)
            for step in range(NARROWINGS):
                grids = [self._grid(i, size, step, mine.points[:, i]) for i in range(self.problem.dim)]
                points = parts.low(grids, LOW_OF_GRID)
                if len(points):
                    values = self.values(points)
                    mine.add(points, values)
                    self._low.add(points, values)
                self.limits.other_work += TABLE
                yield

    def _cut(self) -> Floats:
        """The box without sides where the formula is defined nowhere."""
        low, high, alive = Boxes(self.regular.expression, self.regular.rule).cut(self.box[:1], self.box[1:])
        return np.array([low[0], high[0]]) if alive[0] else self.box

    def _grid(self, place: int, size: int, step: int, near: Floats) -> Floats:
        """Values of one variable: even ones, and later as many near those of the lowest points."""
        low, high = self._inside[:, place]
        even = size // 2 if len(near) else size
        values = [low + (high - low) * (np.arange(even) + self.rng.random(even)) / even, [low, high]]
        if len(near):
            width = (high - low) * 10.0 ** self.rng.uniform(-1 - 2 * step * NARROWER, -1 - step * NARROWER, size - even)
            values += [near, self.rng.choice(near, size - even) + width * self.rng.standard_normal(size - even)]
        return np.unique(np.clip(np.concatenate(values), low, high))

    def low(self) -> Low:
        return self._low.points, self._low.values
