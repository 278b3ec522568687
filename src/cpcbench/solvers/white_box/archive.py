"""The lowest points found, one for each small neighbourhood."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.points import Flags, Floats


class Archive:
    """Points and values, lowest first; of points nearer to each other than `niche` of the box only the lowest stays."""

    def __init__(self, box: Floats, keep: int = 64, niche: float = 1e-4) -> None:
        self.points, self.values = np.empty((0, box.shape[1])), np.empty(0)
        self.polished = np.empty(0, dtype=np.bool_)
        self._keep, self._niche = keep, niche * np.maximum(box[1] - box[0], 1e-300)

    @property
    def best(self) -> float:
        return float(self.values[0]) if len(self.values) else math.inf

    def add(self, points: Floats, values: Floats) -> None:
        """Takes what is defined and lower than the highest kept; the new ones count as not polished."""
        useful = np.flatnonzero(np.isfinite(values))
        useful = useful[np.argsort(values[useful], kind="stable")][: 4 * self._keep]
        for i in useful.tolist():
            self._add(points[i], float(values[i]))
        order = np.argsort(self.values, kind="stable")[: self._keep]
        self.points, self.values, self.polished = self.points[order], self.values[order], self.polished[order]

    def near(self, x: Floats) -> Flags:
        """Which of them are in the neighbourhood of a point."""
        found: Flags = (np.abs(self.points - x) <= self._niche).all(axis=1)
        return found

    def _add(self, x: Floats, value: float) -> None:
        near = self.near(x)
        if (self.values[near] <= value).any():
            return
        much = near & ~(self.values - value <= 1e-9 * max(1.0, abs(value)))
        done = bool((self.polished & near & ~much).any())  # a last-bit gain needs no new polish
        stay = ~near
        self.points = np.concatenate([self.points[stay], x[None, :]])
        self.values = np.append(self.values[stay], value)
        self.polished = np.append(self.polished[stay], done)
