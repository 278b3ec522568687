"""Descents along the edges: quadratic models of the values at a small distance from where they meet."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.edges.ground import Asking, Ground
from cpcbench.solvers.edges.meeting import Meeting
from cpcbench.solvers.few.descent import Descent
from cpcbench.solvers.few.known import Known

SPAN = 20.0
"""How far it may lead, in first radii."""
ENDS = 0.02
"""The descent ends where its region is this part of what it was."""
MOST = 8
"""Steps at most, for each number of a quadratic model twice."""
FIRST, CURVED, HIGHEST, LOWEST = 0.05, 2.0, 0.5, 100.0
"""How far from the edges a point is first looked for, as a part of the step; then so many times what was missed by
before; how far at most, as a part of the step and in distances that are wanted."""


class Way:
    """Points reached along the edges, as places on the plane along them and how far the edges were from it there."""

    def __init__(self, along: int, edges: int) -> None:
        self._places, self._bends = [np.zeros(along)], [np.zeros(edges)]
        self._missed, self._step = 0.0, 0.0

    def bend(self, place: Floats) -> Floats:
        """Where the edges are thought to be at a place, from the nearest places reached."""
        m = len(place)
        if len(self._places) < m + 2:
            return np.zeros_like(self._bends[0])
        ways = np.array(self._places) - place
        away = np.abs(ways).max(axis=1)
        up = np.triu_indices(m)
        nearest = np.argsort(away, kind="stable")[: 2 * (1 + m + len(up[0]))]
        s = ways[nearest] / max(away[nearest].max(), 1e-300)
        terms = np.hstack([np.ones((len(s), 1)), s, s[:, up[0]] * s[:, up[1]]])
        return np.asarray(np.linalg.lstsq(terms, np.array(self._bends)[nearest], rcond=1e-10)[0][0])

    def first(self, step: float, distance: float) -> float:
        """How far from the edges a point after such a step is first looked for."""
        if not self._step:
            return max(distance, FIRST * step)
        return max(distance, CURVED * self._missed * (step / self._step) ** 2)

    def learn(self, place: Floats, bend: Floats, thought: Floats, step: float, distance: float) -> None:
        self._places.append(place)
        self._bends.append(bend)
        self._missed, self._step = max(float(np.abs(bend - thought).max()), distance), max(step, 1e-14)


def descend(
    ground: Ground, edges: Meeting, x: Floats, value: float, distance: float, radius: float, rng: np.random.Generator
) -> Asking[tuple[Floats, float]]:
    """The lowest point found at this distance from the edges, and its value."""
    m, span = edges.along.shape[1], SPAN * radius
    known, descent = Known(m), Descent(np.full(m, 0.5), value, radius / (2.0 * span), rng)
    known.add(descent.centre, value)
    way, start = Way(m, edges.count), x
    while not (descent.is_stopped or descent.is_slow or descent.radius * 2.0 * span < ENDS * radius):
        unit = descent.step(known) if descent.steps <= MOST * (m + 1) * (m + 2) else None
        if unit is None:
            break
        place = (unit - 0.5) * 2.0 * span
        step = float(np.abs(unit - descent.centre).max()) * 2.0 * span
        reached = yield from _reached(ground, edges, start, place, step, way, distance)
        found = math.nan if reached is None else reached[1]
        descent.learn(unit, found)
        known.add(unit, found)
        if reached is not None and found < value:
            x, value = reached
    return x, value


def _reached(
    ground: Ground, edges: Meeting, start: Floats, place: Floats, step: float, way: Way, distance: float
) -> Asking[tuple[Floats, float] | None]:
    """The point at this distance from all edges at a place of the plane along them, if there is one."""
    if not edges.count:
        point = ground.moved(start, edges.along @ place)
        value = yield from ground.at(point)
        return None if math.isnan(value) else (point, value)
    thought = way.bend(place)
    aim = ground.moved(start, edges.along @ place + edges.apart @ thought)
    lifted = yield from edges.lifted(ground, aim, way.first(step, distance), max(HIGHEST * step, LOWEST * distance))
    if lifted is None:
        return None
    reached = yield from edges.settled(ground, lifted[0], lifted[1], distance, lifted[2])
    if reached is not None:
        went = ground.way(start, reached[0])
        way.learn(edges.along.T @ went, edges.normals @ went, thought, step, distance)
    return reached
