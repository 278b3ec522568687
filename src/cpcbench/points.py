"""Points as users give them, turned into the one array layout the kernels read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpcbench.errors import PointError

Points = NDArray[np.float64]


def as_points(x: ArrayLike, n: int) -> Points:
    """`x` as float64 of shape (..., n), copied only where its layout asks for it, never changed.

    The last axis is the point. Anything but finite real numbers raises PointError.
    """
    given = _array(x)
    if given.ndim == 0 or given.shape[-1] != n:
        raise PointError(
            f"a point here has {_count(n)}: expected an array of shape ({n},) or (..., {n}), got shape {given.shape}"
        )
    with np.errstate(over="ignore"):  # a long double may overflow; the check below names it
        points: Points = np.require(given, np.float64, ["C", "A", "W", "E"])
    check_finite(points)
    return points


def as_point(x: ArrayLike, n: int) -> Points:
    """`x` as one point, an array of shape (n,)."""
    point = as_points(x, n)
    if point.ndim != 1:
        raise PointError(f"one point at a time here: expected shape ({n},), got shape {point.shape}")
    return point


def check_finite(points: Points) -> None:
    """Raises PointError naming the first coordinate that is NaN or infinite, if there is one."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(points.sum()):  # one cheap pass: a sum with NaN or infinity in it is not finite
            return
    finite = np.isfinite(points)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        row = f" of point {list(place[:-1]) if points.ndim > 2 else place[0]} (from 0)" if points.ndim > 1 else ""
        raise PointError(f"coordinates must be finite: x{place[-1] + 1}{row} is {points[place]}")


def _array(x: Any) -> NDArray[Any]:
    if np.ma.is_masked(x):
        raise PointError(f"some coordinates are masked: {_shown(x)}")
    try:
        given = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise PointError(f"not a point or an array of points of equal length: {_shown(x)}") from error
    if given.dtype.kind not in "fiu" and given.size:
        raise PointError(f"coordinates must be real numbers, not {_kind(given)}: {_shown(x)}")
    return given


def _kind(given: NDArray[Any]) -> str:
    names = {"b": "booleans", "c": "complex numbers", "U": "text", "S": "bytes", "M": "dates", "m": "time spans"}
    return names.get(given.dtype.kind, f"values of type {given.dtype}")


def _count(n: int) -> str:
    return f"{n} coordinate{'' if n == 1 else 's'}"


def _shown(x: object) -> str:
    text = repr(x)
    return text if len(text) <= 80 else text[:77] + "..."
