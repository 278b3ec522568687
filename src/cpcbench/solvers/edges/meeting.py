"""Where several edges meet: points at the same small distance from each of them, down to the last doubles."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.edges.crossings import Edge, crossing
from cpcbench.solvers.edges.ground import Asking, Ground, together

FARTHER, TIMES = 3.0, 12
"""How much farther an edge is looked for where it was not met, and how often."""
BEYOND = 1.5
"""The first place where it is looked for, in distances that it is thought to have."""
CLOSER, LESS_CLOSE, LEAST_CLOSE, TRIES = 0.01, 4.0, 0.6, 4
"""A step towards all edges leaves this part of the distance; where it misses the domain so many times that, but no more
than the third; and how often it is tried."""
STEPS = 14
"""Steps towards the edges at most."""
NEAR = 2.0
"""Within so many times the distance that is wanted the last step is made."""
HIGHER = 5.0
"""How much farther from the edges a point is looked for that is defined."""
PRESSED, LAST = 0.003, 1e-18
"""Distances from the edges one after the other, as parts of the one before, and the last of them."""


class Meeting:
    """Edges by their planes: `apart` moves away from one of them only, `along` from none."""

    def __init__(self, edges: Sequence[Edge], n: int) -> None:
        self.normals = np.array([edge.inward for edge in edges]).reshape(len(edges), n)
        self.apart = np.linalg.pinv(self.normals) if edges else np.zeros((n, 0))
        _, sizes, axes = np.linalg.svd(self.normals) if edges else (None, np.ones(1), np.eye(n))
        self.along = np.asarray(axes[len(edges) :].T)
        self.flatness = float(sizes[-1])
        """How far from parallel the edges are."""

    @property
    def count(self) -> int:
        return self.apart.shape[1]

    def lifted(
        self, ground: Ground, x: Floats, first: float, most: float
    ) -> Asking[tuple[Floats, float, float] | None]:
        """The first defined point at such distances from where x is; its value, and the distance."""
        away = self.apart.sum(axis=1)
        while first <= most:
            point = ground.moved(x, first * away)
            value = yield from ground.at(point)
            if not math.isnan(value):
                return point, value, first
            first *= HIGHER
        return None

    def settled(
        self, ground: Ground, x: Floats, value: float, distance: float, about: float
    ) -> Asking[tuple[Floats, float] | None]:
        """From a defined point, thought to be `about` so far from the edges, to one at this distance from each."""
        close = CLOSER
        for _ in range(STEPS):
            each = yield from together([self._far(ground, x, i, about) for i in range(self.count)])
            far = np.array([one for one in each if one is not None])
            if len(far) < self.count:
                return None
            last = far.max() <= NEAR * distance
            for _ in range(TRIES):
                about = distance if last else max(distance, close * float(far.max()))
                point = ground.moved(x, -(self.apart @ (far - about)))
                found = yield from ground.at(point)
                if not math.isnan(found):
                    break
                if last:
                    return x, value
                close = min(LESS_CLOSE * close, LEAST_CLOSE)
            else:
                return None
            x, value = point, found
            if last:
                return x, value
        return None

    def _far(self, ground: Ground, x: Floats, i: int, about: float) -> Asking[float | None]:
        """How far a point is from edge i."""
        way, low, high = -self.apart[:, i], 0.0, BEYOND * about
        for _ in range(TIMES):
            value = yield from ground.at(ground.moved(x, high * way))
            if math.isnan(value):
                far, _ = yield from crossing(ground, x, way, low, high)
                return far
            low, high = high, FARTHER * high
        return None

    def pressed(self, ground: Ground, x: Floats, value: float, distance: float) -> Asking[None]:
        """On towards the edges, until doubles end."""
        while distance > LAST:
            found = yield from self.settled(ground, x, value, PRESSED * distance, distance)
            if found is None:
                return
            x, value = found
            distance *= PRESSED
