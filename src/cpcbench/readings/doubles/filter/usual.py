"""How the values of a formula usually are, by a fixed sample of the box: what is decided by it changes speed alone."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cpcbench.expr.walk import postorder
from cpcbench.points import search_box
from cpcbench.readings.doubles.arrays import array_values, holds
from cpcbench.readings.doubles.lowering import Plan

SAMPLE = 2048
RARE = 1 / 1024
"""Of the points that have a value, so many may be smaller."""
LARGE = 5_000
"""Formulas of more nodes are not sampled."""


class Usual(NamedTuple):
    """For nodes by their id a size that few values are below, and one that few are above (at least 1).

    For each test of the plan, the share of points that come as far as it; the last entry is of those that pass all.
    """

    sizes: dict[int, tuple[float, float]]
    shares: list[float]


@lru_cache(maxsize=8)
def usual(plan: Plan) -> Usual:
    if len(postorder(plan.root)) > LARGE:
        return Usual({}, [0.5**i for i in range(len(plan.tests) + 1)])
    with np.errstate(all="ignore"):  # whatever NumPy was told
        return _sampled(plan)


def _sampled(plan: Plan) -> Usual:
    low, high = search_box(np.asarray(plan.lower), np.asarray(plan.upper))
    unit = np.random.default_rng(20_261_117).random((len(low), SAMPLE))
    columns = 2.0 * (low[:, None] / 2 + (high[:, None] / 2 - low[:, None] / 2) * unit)
    values = array_values(plan.root, columns)
    alive, shares = np.ones(SAMPLE, dtype=np.bool_), [1.0]
    for test in plan.tests:
        alive = alive & holds(test, values)
        shares.append(float(alive.mean()))
    return Usual({id(node): _ends(values[id(node)]) for node in postorder(plan.root)}, shares)


def _ends(values: object) -> tuple[float, float]:
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0.0)]
    if not len(sizes):
        return 0.0, 100.0
    low, high = np.quantile(sizes, [RARE, 1.0 - RARE])
    return float(low), max(8.0 * float(high), 1.0)
