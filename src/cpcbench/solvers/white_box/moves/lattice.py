"""Whole variables held at numbers, one choice after the other: those of the lowest point, and their neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Floats
from cpcbench.solvers.white_box.tuning import ALL_NUMBERS


class Lattice:
    """The choices of whole numbers in a box, for variables that act by what they are nearest to."""

    def __init__(self, lower: Floats, upper: Floats, which: NDArray[np.bool_]) -> None:
        self.which = which
        self._lower, self._upper = np.ceil(lower[which]), np.floor(upper[which])
        self._few = math.prod((self._upper - self._lower + 1.0).tolist()) <= ALL_NUMBERS
        self._seen: set[bytes] = set()

    def next_to(self, x: Floats) -> Floats | None:
        """The choice nearest to a point's that was not given yet: all where there are few, else up to two steps of 1.

        None where there is no other.
        """
        centre = np.clip(np.floor(x[self.which] + 0.5), self._lower, self._upper)
        for numbers in self._all(centre) if self._few else self._steps(centre):
            inside = (numbers >= self._lower).all() and (numbers <= self._upper).all()
            if inside and numbers.tobytes() not in self._seen:
                self._seen.add(numbers.tobytes())
                return numbers
        return None

    def held(self, points: Floats, numbers: Floats) -> Floats:
        """The points with these numbers."""
        moved = points.copy()
        moved[:, self.which] = numbers
        return moved

    def _all(self, centre: Floats) -> list[Floats]:
        ends = zip(self._lower.astype(int).tolist(), self._upper.astype(int).tolist(), strict=True)
        every = np.array(list(product(*(range(low, high + 1) for low, high in ends))), dtype=float)
        return list(every[np.argsort(np.abs(every - centre).sum(axis=1), kind="stable")])

    def _steps(self, centre: Floats) -> Iterator[Floats]:
        for count in (0, 1, 2):
            for moved in combinations(range(len(centre)), min(count, len(centre))):
                for signs in product((-1.0, 1.0), repeat=len(moved)):
                    numbers = centre.copy()
                    numbers[list(moved)] += signs
                    yield numbers + 0.0  # there is one 0
