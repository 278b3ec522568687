"""What is known: points in the unit box, their values, NaN where there are none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from cpcbench.points import Floats

WALL = 0.7
"""A point is thought to be undefined if it is nearer to an undefined one than this part of its way to a defined one."""

AT_ONCE = 60
"""Candidates for which a tree of the points is not worth its making."""


class Known:
    """Points of the unit box and their values, in the order they came."""

    def __init__(self, dim: int) -> None:
        self.count = 0
        self._points, self._values = np.empty((64, dim)), np.empty(64)

    @property
    def points(self) -> Floats:
        return self._points[: self.count]

    @property
    def values(self) -> Floats:
        return self._values[: self.count]

    @property
    def any_defined(self) -> bool:
        return bool(np.isfinite(self.values).any())

    def add(self, point: Floats, value: float) -> None:
        if self.count == len(self._values):
            self._points = np.vstack([self._points, np.empty_like(self._points)])
            self._values = np.concatenate([self._values, np.empty_like(self._values)])
        self._points[self.count], self._values[self.count] = point, value
        self.count += 1

    def defined(self) -> tuple[Floats, Floats]:
        has = np.isfinite(self.values)
        return self.points[has], self.values[has]

    def open_to(self, candidates: Floats, wall: float = WALL) -> NDArray[np.bool_]:
        """Which candidates are not to be thought undefined."""
        defined, undefined = self.nearest(candidates)
        return np.asarray(undefined > wall * defined) | ~np.isfinite(defined)

    def nearest(self, candidates: Floats) -> tuple[Floats, Floats]:
        """How far each candidate is from the next defined point and from the next undefined one; infinite without."""
        has = np.isfinite(self.values)
        return _nearest(candidates, self.points[has]), _nearest(candidates, self.points[~has])


def _nearest(candidates: Floats, points: Floats) -> Floats:
    if not len(points):
        return np.full(len(candidates), np.inf)
    if len(candidates) <= AT_ONCE:
        return np.asarray(cdist(candidates, points).min(axis=1))
    return np.asarray(cKDTree(points).query(candidates)[0])
