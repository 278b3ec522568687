"""What the solvers share: values that can be ranked, first points, and checks of their settings."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points, as_points
from cpcbench.problems.undefined import PENALTY
from cpcbench.solvers.objective import Objective

UNDEFINED = PENALTY
"""A value is admissible where `value < UNDEFINED`: false for NaN, infinity and the penalty."""


def ranked(values: Points) -> Points:
    """Values that can be sorted: NaN and infinities become the penalty, graded penalties above it stay."""
    return np.where(np.isfinite(values), values, UNDEFINED)


def first_points(
    objective: Objective,
    rng: np.random.Generator,
    count: int,
    start: ArrayLike | None = None,
    box: tuple[Points, Points] | None = None,
) -> Points:
    """`count` points, or more if more are given: those of `start`, then even draws from the box."""
    lower, upper = (objective.lower, objective.upper) if box is None else box
    given = np.empty((0, objective.dim)) if start is None else _given(objective, start)
    drawn = rng.uniform(lower, upper, (max(0, count - len(given)), objective.dim))
    # rounding can carry a draw past its bound
    return np.concatenate([given, np.clip(drawn, lower, upper)])


def _given(objective: Objective, start: ArrayLike) -> Points:
    points = as_points(start, objective.dim).reshape(-1, objective.dim)
    if not len(points) or not ((objective.lower <= points) & (points <= objective.upper)).all():
        raise CpcbenchError(f"start points lie in the box, and there is at least one, not {start!r}")
    return points


def best_of(points: Points, values: Points, nfev: int, nit: int, message: str) -> OptimizeResult:
    """The best of some points; none if even that is undefined."""
    best = int(np.argmin(values))
    found = bool(values[best] < UNDEFINED)
    return OptimizeResult(
        x=points[best].copy() if found else None,
        fun=float(values[best]) if found else math.nan,
        nfev=nfev,
        nit=nit,
        success=found,
        message=message if found else f"nothing admissible was found; {message}",
    )


def check_whole(**counts: object) -> None:
    """Refuses what is not a whole number from 1 on."""
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise CpcbenchError(f"{name} is a whole number from 1 on, not {count!r}")
