"""How far it is from a point to the edge of the domain, along each coordinate, up and down.

The edge is the first change *found*: the ray is probed at the next few doubles, at distances that grow
geometrically and at evenly spaced ones up to the end of the box, and the first interval that holds a
change is halved down to two neighbouring doubles. A gap between two probes goes unseen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError, PointError
from cpcbench.points import Floats, as_point
from cpcbench.problems.problem import Problem
from cpcbench.studies.sensitivity.doubles import double_at, moved, place
from cpcbench.studies.sensitivity.neighbours import failing

FIRST_DOUBLES = 8
GROWING = 240
EVEN = 64


@dataclass(frozen=True)
class Edge:
    """The first change of admissibility found from a point, in one direction of one coordinate.

    `last` and `first` are neighbouring doubles: the last coordinate where nothing has changed and
    the first where it has; distances are to `first`. All are infinite (`first` is NaN) where
    nothing changes up to the end of the box. `failing` are the conditions violated on the
    inadmissible side.
    """

    coordinate: int
    direction: Literal["down", "up"]
    admissible: bool
    """Whether the point itself is; if not, the change is to the first admissible double."""
    last: float
    first: float
    distance: float
    share: float
    """The distance as a share of the box's width."""
    ulps: float
    failing: tuple[str, ...]


def edges(problem: Problem, x: ArrayLike, *, reading: str = "reference") -> tuple[Edge, ...]:
    """Down and up along every coordinate; `reading` decides what is admissible: "reference" or "fast"."""
    point = as_point(x, problem.dim, problem.names)
    if reading not in ("reference", "fast"):
        raise CpcbenchError(f"the reading is 'reference' or 'fast', not {reading!r}")
    if not problem.in_box(point):
        raise PointError(f"the point is outside the box of {problem.id}")
    return tuple(
        _edge(_Ray(problem, point, i, reading), direction) for i in range(problem.dim) for direction in ("down", "up")
    )


@dataclass(frozen=True)
class _Ray:
    problem: Problem
    point: Floats
    coordinate: int
    reading: str

    def points(self, values: Floats) -> Floats:
        found = np.tile(self.point, (len(values), 1))
        found[:, self.coordinate] = values
        return found

    def admissible(self, values: Floats) -> npt.NDArray[np.bool_]:
        points = self.points(values)
        if self.reading == "fast":
            return np.asarray(self.problem.admissible(points), dtype=bool)
        return np.array([not math.isnan(value) for value in self.problem.reference(points)], dtype=bool)


def _edge(ray: _Ray, direction: Literal["down", "up"]) -> Edge:
    problem, i = ray.problem, ray.coordinate
    start = float(ray.point[i])
    end = float((problem.lower if direction == "down" else problem.upper)[i])
    state = bool(ray.admissible(np.array([start]))[0])
    probes = _probes(start, end)
    changed = np.flatnonzero(ray.admissible(probes) != state) if len(probes) else np.array([], dtype=int)
    if len(changed) == 0:
        return Edge(i, direction, state, end, math.nan, math.inf, math.inf, math.inf, ())
    k = int(changed[0])
    last, first = _halved(ray, float(probes[k - 1]) if k else start, float(probes[k]), state)
    distance = abs(first - start)
    beyond = ray.points(np.array([first if state else last]))[0]
    return Edge(
        coordinate=i,
        direction=direction,
        admissible=state,
        last=last,
        first=first,
        distance=distance,
        share=distance / 2.0 / float(problem.upper[i] / 2.0 - problem.lower[i] / 2.0),
        ulps=float(abs(place(first) - place(start))),
        failing=failing(problem, beyond),
    )


def _probes(start: float, end: float) -> Floats:
    """Coordinates from the one next to `start` to `end`, the nearest first."""
    if start == end:
        return np.array([])
    sign = 1 if end > start else -1
    near = [moved(start, sign * k) for k in range(1, FIRST_DOUBLES + 1)]
    half = abs(end / 2.0 - start / 2.0)
    smallest = max(abs(near[0] - start) / 2.0 / half, 5e-324)
    shares = np.concatenate([np.geomspace(min(smallest, 1.0), 1.0, GROWING), np.linspace(0.0, 1.0, EVEN + 1)[1:]])
    far = start * (1.0 - shares) + end * shares
    low, high = min(start, end), max(start, end)
    found = np.unique(np.clip(np.concatenate([near, far, [end]]), low, high))
    ahead: Floats = found[found != start]
    return ahead if sign > 0 else ahead[::-1]


def _halved(ray: _Ray, last: float, first: float, state: bool) -> tuple[float, float]:
    """Two neighbouring doubles, the one as it was, the other changed."""
    low, high = place(last), place(first)
    while abs(high - low) > 1:
        middle = (low + high) // 2
        if bool(ray.admissible(np.array([double_at(middle)]))[0]) == state:
            low = middle
        else:
            high = middle
    return double_at(low), double_at(high)
