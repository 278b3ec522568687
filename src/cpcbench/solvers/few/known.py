"""What is known: points in the unit box, their values, NaN where there are none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from cpcbench.points import Floats

WALL = 0.7
"""A point is thought to be undefined if it is nearer to an undefined one than this part of its way to a defined one."""


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
        has = np.isfinite(self.values)
        if has.all() or not has.any():
            return np.ones(len(candidates), dtype=bool)
        away = cdist(candidates, self.points)
        return np.asarray(away[:, ~has].min(axis=1) > wall * away[:, has].min(axis=1))
