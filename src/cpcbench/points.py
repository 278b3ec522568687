"""Points as users give them, turned into the one array layout the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpcbench.errors import PointError, shortened

Points = NDArray[np.float64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]
"""Arrays of numbers, of yes and no, and of places in other arrays."""


def bits(x: Floats) -> bytes:
    """The bits of a point's coordinates, by which it is found again; there is one 0."""
    return (x + 0.0).tobytes()


def as_points(x: ArrayLike, n: int, names: Sequence[str] | None = None) -> Points:
    """`x` as float64 of shape (..., n), copied only where its layout asks for it, never changed.

    The last axis is the point. Anything but finite real numbers raises PointError. A data frame or series with
    labels is read by them: they are the `names` of the variables (x1 to xn unless given), in any order.
    """
    given = _array(_by_name(x, n, names))
    if given.ndim == 0 or given.shape[-1] != n:
        raise PointError(
            f"a point here has {_count(n)}: expected an array of shape ({n},) or (..., {n}), got shape {given.shape}"
        )
    with np.errstate(all="ignore"):  # a long double may overflow; the check below names it
        points: Points = np.require(given, np.float64, ["C", "A", "W", "E"])
    check_finite(points)
    return points


def as_point(x: ArrayLike, n: int, names: Sequence[str] | None = None) -> Points:
    """`x` as one point, an array of shape (n,)."""
    point = as_points(x, n, names)
    if point.ndim != 1:
        raise PointError(f"one point at a time here: expected shape ({n},), got shape {point.shape}")
    return point


def check_finite(points: Points) -> None:
    """Raises PointError naming the first coordinate that is NaN or infinite, if there is one."""
    with np.errstate(all="ignore"):
        if np.isfinite(points.sum()):  # one cheap pass: a sum with NaN or infinity in it is not finite
            return
    finite = np.isfinite(points)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        row = f" of point {list(place[:-1]) if points.ndim > 2 else place[0]} (from 0)" if points.ndim > 1 else ""
        raise PointError(f"coordinates must be finite: x{place[-1] + 1}{row} is {points[place]}")


REACH = 100.0
"""How far a search looks at first where a variable has no bound."""


def search_box(lower: Points, upper: Points) -> tuple[Points, Points]:
    """The box to search in: the bounds where there are any, else `REACH` to both sides of 0, or of the other bound."""
    low = np.where(np.isfinite(lower), lower, np.minimum(-REACH, np.where(np.isfinite(upper), upper - REACH, -REACH)))
    high = np.where(np.isfinite(upper), upper, np.maximum(REACH, np.where(np.isfinite(lower), lower + REACH, REACH)))
    return low, high


def default_names(n: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(1, n + 1))


def _by_name(x: Any, n: int, names: Sequence[str] | None) -> Any:
    """What carries labels in the order of the variables; other objects, and labels that only count, as they are.

    pandas and Polars are known by their attributes: neither is imported.
    """
    if type(x) is np.ndarray or type(x) in (list, tuple):
        return x
    is_frame = hasattr(x, "columns") and hasattr(x, "to_numpy")
    is_series = not is_frame and hasattr(x, "index") and hasattr(x, "to_numpy")
    if not (is_frame or is_series):
        return x
    labels = list(x.columns if is_frame else x.index)
    wanted = list(default_names(n) if names is None else names)
    if labels == wanted or labels == list(range(len(labels))):
        return x
    if len(labels) != n or set(labels) != set(wanted):
        raise PointError(
            f"the labels of the {'columns' if is_frame else 'entries'} are {shortened(repr(labels), 80)}, those of the"
            f" variables {shortened(repr(wanted), 80)}: rename them, or give .to_numpy() to have them read by position"
        )
    return x[wanted]


def _array(x: Any) -> NDArray[Any]:
    if np.ma.is_masked(x):
        raise PointError(f"some coordinates are masked: {shortened(repr(x), 80)}")
    try:
        given = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise PointError(f"not a point or an array of points of equal length: {shortened(repr(x), 80)}") from error
    if given.dtype.kind not in "fiu" and given.size:
        raise PointError(f"coordinates must be real numbers, not {_kind(given)}: {shortened(repr(x), 80)}")
    return given


def _kind(given: NDArray[Any]) -> str:
    names = {"b": "booleans", "c": "complex numbers", "U": "text", "S": "bytes", "M": "dates", "m": "time spans"}
    return names.get(given.dtype.kind, f"values of type {given.dtype}")


def _count(n: int) -> str:
    return f"{n} coordinate{'' if n == 1 else 's'}"
