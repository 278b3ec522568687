"""What a user knows before a search begins: points to start from, points whose values are known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points


class Known(NamedTuple):
    """`starts` are evaluated first; `points` have been, with these `values` (NaN: undefined)."""

    starts: Points
    points: Points
    values: Points

    @property
    def all(self) -> Points:
        """Every point, for a search that evaluates all of them."""
        return np.concatenate([self.points, self.starts])


def known_of(x0: Any, known: Any, lower: Points, upper: Points, whole: NDArray[np.bool_] | None = None) -> Known:
    """What was given as `x0=` and `known=`, looked through; a point outside of the box is an error, and so is a
    number that should be `whole`."""
    none = np.empty((0, len(lower)))
    starts = none if x0 is None else _points(x0, lower, upper, "x0", whole)
    if known is None:
        return Known(starts, none, np.empty(0))
    try:
        points, values = known
        told = np.atleast_1d(np.array(values, dtype=float))
    except (TypeError, ValueError):
        raise CpcbenchError("known is (points, values): a list of points and the value at each") from None
    seen = _points(points, lower, upper, "known", whole)
    if told.shape != (len(seen),):
        raise CpcbenchError(f"known has {len(seen)} points and {told.size} values: one value for each point is needed")
    return Known(starts, seen, np.where(np.isfinite(told), told, np.nan))


def _points(given: Any, lower: Points, upper: Points, name: str, whole: NDArray[np.bool_] | None) -> Points:
    try:
        points = np.atleast_2d(np.array(given, dtype=float))
    except (TypeError, ValueError):
        points = np.empty((0, 0))
    if points.ndim != 2 or points.shape[1] != len(lower) or not np.isfinite(points).all():
        raise CpcbenchError(f"{name} takes points of {len(lower)} finite coordinates, one or several, not {given!r}")
    outside = ((points < lower) | (points > upper)).any(axis=1)
    if outside.any():
        raise CpcbenchError(f"{name} has a point outside of the bounds: {points[int(np.argmax(outside))].tolist()}")
    if whole is not None and (points[:, whole] != np.rint(points[:, whole])).any():
        i = int(np.argmax((points[:, whole] != np.rint(points[:, whole])).any(axis=1)))
        raise CpcbenchError(f"{name} has a point without whole numbers where they are asked for: {points[i].tolist()}")
    return points
