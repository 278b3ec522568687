"""Where a line leaves the domain, and which way the edge goes there: known from defined and undefined points alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.edges.ground import Asking, Ground, together

FINE = 0.005
"""How exactly a crossing is found, as a part of the way to it."""
NEARER = 0.2
"""The next try where only the start is known to be defined, as a part of the way to the undefined point."""
SIDEWAYS = (0.1, 0.01, 0.001)
"""How far beside a crossing others are looked for, as parts of the way to it: the first at which all are found."""
DOWN, UP = (-2.0, -8.0), (2.0, 8.0, 32.0)
"""Where along the line beside it points are thought to be defined and undefined, in lengths of the way aside."""
SLOPE_FINE = 1e-3
"""How exactly such a crossing is found, as a part of the way aside."""
SAME_PLANE, SAME_WAY = 0.05, 0.999
"""A crossing this near to a known edge, as a part of the way to it, is on it; edges with such a cosine are one."""
LEAST = 1e-13
"""Ways aside are no shorter."""


class Edge(NamedTuple):
    """A plane in place of an edge: a point on it, the unit vector into the domain, how far it was when it was found."""

    point: Floats
    inward: Floats
    far: float


class Crossing(NamedTuple):
    """How far along a way the domain ends, and whether the values come down towards that."""

    far: float
    way: Floats
    falls: bool


def crossing(
    ground: Ground, x: Floats, way: Floats, low: float, high: float, fine: float = FINE
) -> Asking[tuple[float, bool]]:
    """Between a defined and an undefined place on a line; and whether the last values came down towards it."""
    last, falls = math.nan, False
    while high - low > fine * high and high > LEAST * LEAST:
        middle = NEARER * high if low == 0.0 else math.sqrt(low * high) if high > 4.0 * low else 0.5 * (low + high)
        point = ground.moved(x, middle * way)
        if (point == ground.moved(x, low * way)).all() or (point == ground.moved(x, high * way)).all():
            break
        value = yield from ground.at(point)
        if math.isnan(value):
            high = middle
        else:
            low, last, falls = middle, value, not value > last
    return 0.5 * (low + high), falls


def inward(ground: Ground, x: Floats, found: Crossing, aside: float, rng: np.random.Generator) -> Asking[Floats | None]:
    """The unit vector into the domain where a line leaves it, by other crossings beside it; None if they are missed."""
    n = len(x)
    basis = np.linalg.qr(np.column_stack([found.way, rng.normal(size=(n, n - 1))]))[0]
    at = ground.moved(x, found.far * found.way)
    slopes = yield from together([_slope(ground, at, found.way, aside, basis[:, j]) for j in range(1, n)])
    known = [slope for slope in slopes if slope is not None]
    if len(known) < n - 1:
        return None
    out = found.way / math.sqrt(found.way @ found.way) - basis[:, 1:] @ np.array(known)
    return np.asarray(-out / math.sqrt(out @ out))


def _slope(ground: Ground, x: Floats, way: Floats, aside: float, sideways: Floats) -> Asking[float | None]:
    """How much farther a line that begins aside leaves the domain, for each length that it begins aside."""
    for sign in (1.0, -1.0):
        base = ground.moved(x, sign * aside * sideways)
        at = yield from _beside(ground, base, aside * way)
        if at is not None:
            return sign * at
    return None


def _beside(ground: Ground, base: Floats, way: Floats) -> Asking[float | None]:
    """Where the line through a point beside a crossing leaves the domain."""
    low = high = math.nan
    for place in DOWN:
        value = yield from ground.at(ground.moved(base, place * way))
        if not math.isnan(value):
            low = place
            break
    if math.isnan(low):
        return None
    for place in UP:
        value = yield from ground.at(ground.moved(base, place * way))
        if math.isnan(value):
            high = place
            break
        low = place
    if math.isnan(high):
        return None
    while high - low > SLOPE_FINE:
        middle = 0.5 * (low + high)
        value = yield from ground.at(ground.moved(base, middle * way))
        low, high = (low, middle) if math.isnan(value) else (middle, high)
    return 0.5 * (low + high)


def edges_about(
    ground: Ground, x: Floats, reach: float, towards: Floats, rng: np.random.Generator
) -> Asking[list[Edge]]:
    """The edges that lines from a point meet within reach and towards which the values come down, the nearest first."""
    n = len(x)
    axes = np.linalg.qr(rng.normal(size=(n, n)))[0]
    ways = [sign * axes[:, j] for j in range(n) for sign in (1.0, -1.0)]
    length = math.sqrt(towards @ towards)
    if length > 0.0:
        ways.insert(0, towards / length)
    shots = yield from together([_shot(ground, x, way, reach) for way in ways])
    found = [shot for shot in shots if shot is not None and shot.falls]
    edges: list[Edge] = []
    for each in sorted(found, key=lambda one: one.far):
        point = ground.moved(x, each.far * each.way)
        if len(edges) == n or any(_is_on(ground, edge, point, each.far) for edge in edges):
            continue
        for part in SIDEWAYS:
            normal = None
            if part * each.far > LEAST:
                normal = yield from inward(ground, x, each, part * each.far, rng)
            if normal is not None:
                break
        if normal is not None and not any(edge.inward @ normal > SAME_WAY for edge in edges):
            edges.append(Edge(point, normal, each.far))
    return edges


def _shot(ground: Ground, x: Floats, way: Floats, reach: float) -> Asking[Crossing | None]:
    value = yield from ground.at(ground.moved(x, reach * way))
    if not math.isnan(value):
        return None
    far, falls = yield from crossing(ground, x, way, 0.0, reach)
    return Crossing(far, way, falls)


def _is_on(ground: Ground, edge: Edge, point: Floats, far: float) -> bool:
    way = ground.way(edge.point, point)
    return bool(abs(edge.inward @ way) < SAME_PLANE * (far + math.sqrt(way @ way)))
