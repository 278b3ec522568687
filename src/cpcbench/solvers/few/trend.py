"""The trend below ripples: a quadratic under the points of a region, and where it is lowest."""

from __future__ import annotations

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.few.known import Known

CELLS = 12
"""Of each cell, so many across the region, the lowest point counts."""
LOWER = 0.6
"""The part of these points that is kept, the lowest: far up a function is seldom a quadratic."""
ROUNDS, ABOVE = 8, 0.05
"""Fits by least squares, and what a point above the last one counts beside one below it: the trend is a lower one."""
SPARE = 1.5
"""Points for each coefficient without which there is no trend."""
FLAT = 1e-6
"""Curvatures that are less than this part of the largest are none."""


def lowest_of_trend(known: Known, centre: Floats, region: float, rng: np.random.Generator) -> Floats | None:
    """Where the trend of the points within `region` of the centre is lowest; None if that is not within it."""
    points, values = _lower_points(known, centre, region, rng)
    n = len(centre)
    up = np.triu_indices(n)
    if len(points) <= SPARE * (1 + n + len(up[0])):
        return None
    ways = (points - centre) / region
    terms = np.hstack([np.ones((len(ways), 1)), ways, ways[:, up[0]] * ways[:, up[1]]])
    found = _expectile(terms, values)
    if not np.isfinite(found).all():
        return None
    curvature = np.zeros((n, n))
    curvature[up] = found[1 + n :]
    sizes, axes = np.linalg.eigh(curvature + curvature.T)
    if not sizes[0] > FLAT * sizes[-1]:
        return None
    way = -axes @ ((axes.T @ found[1 : 1 + n]) / sizes)
    place = centre + region * way
    within = np.abs(way).max() <= 1.0 and place.min() >= 0.0 and place.max() <= 1.0
    return np.asarray(place) if within else None


def _lower_points(known: Known, centre: Floats, region: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The lower ones of the lowest points of cells; where these are cut is drawn, so that trends differ."""
    points, values = known.defined()
    near = np.flatnonzero(np.abs(points - centre).max(axis=1) <= region)
    near = near[np.argsort(values[near], kind="stable")]
    cells = np.floor((points[near] - centre) * (0.5 * CELLS / region) + rng.uniform(size=len(centre)))
    first = np.sort(np.unique(cells, axis=0, return_index=True)[1])
    chosen = near[first[: int(np.ceil(LOWER * len(first)))]]
    return points[chosen], values[chosen]


def _expectile(terms: Floats, values: Floats) -> Floats:
    """The coefficients of an asymmetric least-squares fit, by rounds of ordinary ones."""
    weights = np.ones(len(values))
    for _ in range(ROUNDS):
        found = np.linalg.lstsq(terms * weights[:, None], values * weights, rcond=1e-10)[0]
        weights = np.where(values > terms @ found, np.sqrt(ABOVE), 1.0)
    return np.asarray(found)
