"""Where a new descent begins: away from what is known, where a radial surrogate is low and there seem to be values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import RBFInterpolator
from scipy.spatial.distance import cdist

from cpcbench.points import Floats
from cpcbench.solvers.few.known import Known

CANDIDATES = 100
"""Points that are compared, and so many more for each of the first four variables."""
MOST, CELL = 200, 0.01
"""Points of the surrogate, and the cells of which it has the lowest one each."""
WEIGHTS = (0.3, 0.6, 0.8, 0.95)
"""How much the surrogate counts against the distance, in turn."""
BASIN = 0.1
"""Nothing begins so near to where a descent has ended."""
DOUBT, REACH = 0.2, 0.15
"""How much it counts that a point is thought to be undefined; how far a known one speaks for others.
Little: where one cell of the domain is known, all of the box outside of it seems to be undefined, and the lowest values
may be in another cell."""


def spread_point(known: Known, turn: int, rng: np.random.Generator, ends: Sequence[Floats] = ()) -> Floats:
    """A point far from the known ones and from the ends of descents, low in the surrogate, and likely to be defined."""
    n = known.points.shape[1]
    candidates = rng.uniform(0.0, 1.0, (CANDIDATES * min(1 + n, 5), n))
    if not known.count:
        return np.asarray(candidates[0])
    has = np.isfinite(known.values)
    far = cdist(candidates, known.points[np.argsort(has, kind="stable")], "sqeuclidean")  # the undefined ones first
    away = far.min(axis=1)
    points, values = known.defined()
    score = -_ranks(away)
    if len(values) > n + 1:
        weight = WEIGHTS[turn % len(WEIGHTS)]
        score = weight * _ranks(_surrogate(points, values, candidates)) - (1.0 - weight) * _ranks(away)
    if len(ends):
        score = score + (cdist(candidates, np.array(ends), "chebyshev").min(axis=1) < BASIN)
    low = np.flatnonzero(score <= score.min() + DOUBT)  # no other can become the lowest
    doubt = DOUBT * _undefined(far[low], n, int((~has).sum()))
    return np.asarray(candidates[low[np.argmin(score[low] + doubt)]])


def _undefined(far: Floats, n: int, count: int) -> Floats:
    """How likely it is that there is no value: the share of undefined points about, a half where there are none; from
    the squared distances of known points, of which the first `count` are undefined, in their place."""
    far /= -(REACH**2 * n)
    near = np.exp(far, out=far)
    lost, kept = near[:, :count].sum(axis=1), near[:, count:].sum(axis=1)
    return np.asarray((lost + 0.25) / (lost + kept + 0.5))


def _surrogate(points: Floats, values: Floats, candidates: Floats) -> Floats:
    """A cubic radial model of the values up to their median, of the lowest point of each small cell."""
    order = np.argsort(values, kind="stable")
    _, first = np.unique(np.floor(points[order] / CELL), axis=0, return_index=True)
    chosen = order[np.sort(first)[:MOST]]
    if len(chosen) < points.shape[1] + 2:
        return np.zeros(len(candidates))
    clipped = np.minimum(values[chosen], np.median(values[chosen]))
    try:
        return np.asarray(RBFInterpolator(points[chosen], clipped, kernel="cubic", degree=1)(candidates))
    except np.linalg.LinAlgError:
        return np.zeros(len(candidates))


def _ranks(values: Floats) -> Floats:
    """From 0 for the lowest to 1 for the highest."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.linspace(0.0, 1.0, len(values))
    return ranks
