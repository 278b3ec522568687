"""The levels of multilevel splitting: a herd of points comes nearer to the domain step by step.

How far a point is away is read off the hidden conditions, each in its own unit (`sampling.walk`). Every level keeps the
nearest points, which are copied and moved about within it: studies count with it, the white-box search gets in by it.
"""

from __future__ import annotations

import numpy as np

from cpcbench.points import Floats

SHARE = 0.2
"""Of the points that each level keeps."""
MOST_LEVELS = 400
INSIDE = -1.0
"""The distance of an admissible point; all others are 0 or more."""


def units(amounts: Floats) -> Floats:
    """For each condition the median of what even draws miss it by; `amounts` has one column a condition."""
    return np.array([_unit(column) for column in amounts.T])


def _unit(amounts: Floats) -> float:
    missed = amounts[amounts > 0.0]
    return max(float(np.median(missed)) if len(missed) else 1.0, 1e-300)


def next_level(far: Floats, last: float) -> float | None:
    """The distance that the nearest fifth keeps, below the last level; None if nothing is nearer.

    Many points may share one distance; then the level is the next smaller one that occurs.
    """
    level = float(np.quantile(far, SHARE, method="inverted_cdf"))
    if level < last:
        return level
    nearer = far[far < last]
    return float(nearer.max()) if len(nearer) else None
