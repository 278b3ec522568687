"""A tree of boxes by the formula's ranges: those that may hold the lowest values are halved, and few points are tried.

Ranges are no evaluations. Where a formula has many valleys or parts in few variables, they show which are worth one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from cpcbench.expr.rewriting import unlimited
from cpcbench.points import Floats
from cpcbench.solvers.white_box.archive import Archive
from cpcbench.solvers.white_box.hunt import Hunt
from cpcbench.solvers.white_box.lanes.lane import Lane, Low
from cpcbench.solvers.white_box.moves.halving import Halving
from cpcbench.solvers.white_box.tuning import BOX_NICHE, LOOKED_AT, RANGES_BEGIN, SLOT, TRIED


class BoxTree(Lane):
    """Halves boxes and tries their middles; it ends when none is left that may hold a value below the lowest known."""

    name = "boxes"
    begins = RANGES_BEGIN

    def begin(self) -> None:
        self._hunt = Hunt(self.regular, self.rng, self.limits, self.kernel, self.lowest)
        self._hunt.archive = Archive(self.box, niche=BOX_NICHE)
        self._heard = math.inf
        self._stated = bool(unlimited(self.regular.expression)[1])  # which may leave no middle with a value

    def work(self) -> Iterator[None]:
        tree = Halving(self.regular, self.rng, self.task.whole)
        while len(tree):
            before = tree.read
            for _ in tree.grow(LOOKED_AT, self._best):
                self.limits.read_table(0)  # which looks at the clock
            self.limits.other_work += SLOT * (tree.read - before)
            yield
            yield from self._try(tree)

    @property
    def _best(self) -> float:
        return min(self._heard, self._hunt.archive.best)

    def _try(self, tree: Halving) -> Iterator[None]:
        """The middles of a few boxes, where they have a value as the conditions say; and a descent from the lowest that
        there was none from."""
        places, middles = tree.middles(self._best)
        self.limits.read(len(middles))
        inside = self.regular.fast.admissible(middles)
        tree.tried(np.concatenate([places[~inside], places[inside][:TRIED]]))
        archive = self._hunt.archive
        if inside.any():
            points = middles[inside][:TRIED]
            self._hunt.add(points, self.values(points))
            yield
        elif self._stated and len(middles):
            self._hunt.down(middles[0])
            yield
        todo = np.flatnonzero(~archive.polished)
        if len(todo):
            archive.polished[todo[0]] = True
            end = self._hunt.down(archive.points[todo[0]].copy())[0]
            archive.polished[archive.near(end)] = True
            yield

    def hear(self, points: Floats, values: Floats) -> None:  # noqa: ARG002 - a tree needs no points
        self._heard = min(self._heard, *values[:1].tolist())

    def low(self) -> Low:
        return self._hunt.archive.points, self._hunt.archive.values
