"""Open boxes of a branch and bound, taken out by lowest bound; plain arrays, so that many move at once."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cpcbench.points import Points

Places = npt.NDArray[np.intp]


class Batch(NamedTuple):
    """Boxes: their corners, a lower bound of the objective on each, the lowest value seen in each
    (infinite if none was defined), how often each was halved, and the axis to halve it along next."""

    lower: Points
    upper: Points
    bound: Points
    seen: Points
    depth: npt.NDArray[np.int32]
    axis: npt.NDArray[np.int32]

    def pick(self, which: npt.NDArray[np.bool_] | Places | slice) -> Batch:
        """Some of the boxes."""
        return Batch._make(column[which] for column in self)


class BoxPool:
    """The boxes still to be looked at."""

    def __init__(self, dim: int) -> None:
        self._columns = Batch(
            np.empty((64, dim)),
            np.empty((64, dim)),
            np.empty(64),
            np.empty(64),
            np.empty(64, dtype=np.int32),
            np.empty(64, dtype=np.int32),
        )
        self.size = 0

    @property
    def lowest(self) -> float:
        """The lowest bound of all boxes here; infinite if there are none."""
        return float(self._columns.bound[: self.size].min(initial=math.inf))

    def push(self, boxes: Batch) -> None:
        end = self.size + len(boxes.bound)
        if end > len(self._columns.bound):
            self._columns = Batch._make(_grown(column, self.size, 2 * end) for column in self._columns)
        for name in Batch._fields:
            getattr(self._columns, name)[self.size : end] = getattr(boxes, name)
        self.size = end

    def pop(self, count: int, promising: int = 0) -> Batch:
        """The boxes with the lowest bounds, the larger first among equals, and some where low values were seen."""
        places = self._lowest_places(count)
        if promising and self.size > count:
            seen = self._columns.seen[: self.size]
            places = np.union1d(places, np.argpartition(seen, min(promising, self.size - 1))[:promising])
        taken = self._columns.pick(places)
        self._remove(places)
        return taken

    def discard_above(self, limit: float) -> float:
        """Discards the boxes whose bound is above the limit; returns the lowest bound among them."""
        bound = self._columns.bound[: self.size]
        places = np.flatnonzero(bound > limit)
        least = float(bound[places].min(initial=math.inf))
        self._remove(places)
        return least

    def shrink(self, count: int) -> float:
        """Keeps the boxes with the lowest bounds; returns the lowest bound among those given up."""
        order = np.argpartition(self._columns.bound[: self.size], count)[count:]
        least = float(self._columns.bound[order].min(initial=math.inf))
        self._remove(np.sort(order))
        return least

    def _lowest_places(self, count: int) -> Places:
        bound = self._columns.bound[: self.size]
        if self.size <= count:
            return np.arange(self.size)
        limit = np.partition(bound, count - 1)[count - 1]
        below, equal = np.flatnonzero(bound < limit), np.flatnonzero(bound == limit)
        missing = count - len(below)
        if missing < len(equal):
            equal = equal[np.argpartition(self._columns.depth[equal], missing)[:missing]]
        return np.sort(np.concatenate([below, equal]))

    def _remove(self, places: Places) -> None:
        """Fills the holes at these places (ascending) with the last boxes."""
        left = self.size - len(places)
        holes = places[places < left]
        tail = np.setdiff1d(np.arange(left, self.size), places, assume_unique=True)
        for column in self._columns:
            column[holes] = column[tail]
        self.size = left


def _grown(column: npt.NDArray[Any], size: int, capacity: int) -> npt.NDArray[Any]:
    grown = np.empty((capacity, *column.shape[1:]), dtype=column.dtype)
    grown[:size] = column[:size]
    return grown
