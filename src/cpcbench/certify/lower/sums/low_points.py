"""A low point of a sum, part by part: the best paths along its chains, and the best place of each single variable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cpcbench.certify.lower.sums.chains import Chain
from cpcbench.certify.lower.sums.structure import Bounds, order_of, sums_of
from cpcbench.clock import look_at_clock
from cpcbench.expr.nodes import Expr
from cpcbench.points import Points
from cpcbench.readings.doubles.arrays import evaluate

PLACES, KEPT, FINER, ZOOMS = 4_097, 64, 33, 9
"""Places of a variable that are tried at first, how many of the best are kept, how many are tried around each of
these, and how often."""


def low_point(root: Expr, bounds: Bounds, workers: int = 1) -> Points | None:
    """A low point of a formula that is a sum of chains and of terms in single variables; None of any other formula."""
    sums = sums_of(root)
    if not sums or sums[0].node is not root:
        return None
    point = np.array([0.5 * (low + high) for low, high in bounds])
    for chain in sums[0].chains:
        look_at_clock()
        order = order_of(chain)
        if len(order) == 1:
            point[order[0]] = _best_place(sums[0].signed(chain[0], "min"), order[0], bounds)
            continue
        links = [sums[0].signed(part, "min") for part in chain]
        path = Chain(order, links, bounds, point.tolist(), 0.0, 1e-9, workers).path()
        if not path:
            return None
        for v in order:
            point[v] = path[v]
    return point


def _best_place(terms: Sequence[tuple[int, Expr]], variable: int, bounds: Bounds) -> float:
    """Where the terms in one variable are least, of many places, and of more and more around the best of them."""
    low, high = bounds[variable]
    places, step = np.linspace(low, high, PLACES), (high - low) / (PLACES - 1)
    best = places[[len(places) // 2]]
    around = np.linspace(-1.0, 1.0, FINER)
    for _ in range(ZOOMS):
        points = np.zeros((len(places), variable + 1))
        points[:, variable] = places
        values = np.zeros(len(places))
        for sign, term in terms:
            values += sign * evaluate(term, points)
        values[~np.isfinite(values)] = np.inf
        best = places[np.argsort(values, kind="stable")[:KEPT]]
        places = np.clip((best[:, None] + step * around).ravel(), low, high)
        step *= 2.0 / (FINER - 1)
    return float(best[0])
