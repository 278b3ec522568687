"""What all parts of a walk share: the box, in whose sides lengths are measured, and the lowest point so far."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import TypeVar

import numpy as np

from cpcbench.points import Floats

T = TypeVar("T")
Asking = Generator[list[Floats], list[float], T]
"""What asks for the values at some points at a time, and gives a result in the end."""


def together(works: Sequence[Asking[T]]) -> Asking[list[T]]:
    """All of them at once: what each asks for next is asked for with what the others do."""
    results: dict[int, T] = {}
    wanted: dict[int, list[Floats]] = {}
    for i, work in enumerate(works):
        try:
            wanted[i] = next(work)
        except StopIteration as end:
            results[i] = end.value
    while wanted:
        values = yield [x for points in wanted.values() for x in points]
        for i, points in tuple(wanted.items()):
            own, values = values[: len(points)], values[len(points) :]
            try:
                wanted[i] = works[i].send(own)
            except StopIteration as end:
                results[i] = end.value
                del wanted[i]
    return [results[i] for i in range(len(works))]


class Ground:
    """Ways are in sides of the box; points are points of the box, so that no last bit is lost near them."""

    def __init__(self, lower: Floats, upper: Floats, x: Floats, value: float) -> None:
        self.lower, self.upper = lower, upper
        self.width = np.minimum(upper / 2 - lower / 2, np.finfo(float).max / 4) * 2
        self.best, self.best_x = value, x.copy()

    def moved(self, x: Floats, way: Floats) -> Floats:
        return np.asarray(x + self.width * way)

    def way(self, start: Floats, end: Floats) -> Floats:
        return np.asarray((end - start) / self.width)

    def at(self, x: Floats) -> Asking[float]:
        """The value at a point, NaN where it is undefined; outside of the box it is, and nobody is asked."""
        if not ((x >= self.lower) & (x <= self.upper)).all():
            return math.nan
        (value,) = yield [x]
        if value < self.best:
            self.best, self.best_x = value, x.copy()
        return value if math.isfinite(value) else math.nan
