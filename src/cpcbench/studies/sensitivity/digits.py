"""How many digits of a point are needed: what becomes of it when coordinates are known to fewer.

With d digits a coordinate lies on a grid whose unit is 10^-d of the size of its box (the least power
of ten that no bound exceeds), so that problems on boxes of different sizes can be compared. The
decimal grid itself favours points such as 0.125, which lie on it by accident; so grids of the same
unit are placed at random over the point, and the corners of the cell it falls into are tried.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.limits import checked_whole
from cpcbench.points import Floats, as_point
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.studies.sensitivity.neighbours import rounded

MOST_DIGITS = 40
MOST_CORNERS = 64
"""Corners of one cell that are tried: all up to n = 6, so many drawn ones beyond."""
ENOUGH_GRIDS = 0.5


@dataclass(frozen=True)
class Precision:
    """What is left of a point with so many digits.

    `nearest` and `truncated` are the values at the point rounded and cut off in decimals. `grids` is the
    share of the grids placed at random where a corner of the point's cell is good, that is admissible
    with a value within the tolerance; `admissible` and `good` are the shares of all corners tried,
    which are spread evenly over the cube of one unit to either side of the point.
    """

    digits: int
    decimals: tuple[int, ...]
    nearest: float
    truncated: float
    grids: float
    admissible: float
    good: float


def precision_profile(
    problem: Problem, x: ArrayLike, *, tolerance: float = 1e-4, grids: int = 24, rng: Rng = 0
) -> tuple[Precision, ...]:
    """From one digit to so many that the grid is finer than the doubles; values are the reference reading's.

    A value is good if it differs from that at the point by no more than `tolerance`, relative above 1
    and absolute below. Points outside the box count as inadmissible. An inadmissible point has no profile.
    """
    point = as_point(x, problem.dim, problem.names)
    if not 0.0 < tolerance < math.inf:
        raise CpcbenchError(f"tolerance is a number above 0, not {tolerance!r}")
    checked_whole(grids, "grids", 1)
    target = float(problem.reference(point))
    if math.isnan(target):
        return ()
    sizes = [_size(a, b) for a, b in problem.bounds]
    goal = _Goal(problem, point, target, tolerance * max(1.0, abs(target)))
    rng = generator_of(rng)
    all_digits = range(1, _last_digit(point.tolist(), sizes) + 1)
    return tuple(goal.precision(d, tuple(d - size for size in sizes), grids, rng) for d in all_digits)


def digits_needed(profile: Sequence[Precision]) -> float:
    """The least number of digits from which on half of the grids or more have a good corner; inf if none has.

    With fewer digits there is most likely no way to write down an admissible point beside this one whose
    value is close to its own.
    """
    needed = math.inf
    for row in reversed(profile):
        if row.grids < ENOUGH_GRIDS:
            break
        needed = float(row.digits)
    return needed


@dataclass(frozen=True)
class _Goal:
    problem: Problem
    point: Floats
    target: float
    allowance: float

    def precision(self, digits: int, decimals: tuple[int, ...], grids: int, rng: np.random.Generator) -> Precision:
        point = self.point.tolist()
        printed = [
            [float(rounded(v, d, way)) for v, d in zip(point, decimals, strict=True)] for way in ("nearest", "down")
        ]
        unit = np.array([10.0**-d for d in decimals])
        offsets = rng.random((grids, 1, self.problem.dim))
        with np.errstate(over="ignore"):  # what overflows is outside the box
            corners = self.point + unit * (_corners(self.problem.dim, rng) - offsets)
        values = self._values(corners.reshape(-1, self.problem.dim)).reshape(grids, -1)
        good = np.abs(values - self.target) <= self.allowance  # False for NaN
        nearest, truncated = self._values(np.array(printed)).tolist()
        return Precision(
            digits=digits,
            decimals=decimals,
            nearest=nearest,
            truncated=truncated,
            grids=float(good.any(axis=1).mean()),
            admissible=float((~np.isnan(values)).mean()),
            good=float(good.mean()),
        )

    def _values(self, points: Floats) -> Floats:
        values = np.full(len(points), math.nan)
        inside = ((points >= self.problem.lower) & (points <= self.problem.upper)).all(axis=1)  # infinite: outside
        values[inside] = self.problem.reference(points[inside])
        return values


def _corners(n: int, rng: np.random.Generator) -> Floats:
    """Zeros and ones, a corner a row."""
    if 2**n <= MOST_CORNERS:
        return np.array(list(product((0.0, 1.0), repeat=n)))
    return rng.integers(0, 2, (MOST_CORNERS, n)).astype(np.float64)


def _size(lower: float, upper: float) -> int:
    """The exponent of the least power of ten that no bound exceeds."""
    largest = Decimal(repr(max(abs(lower), abs(upper))))
    if largest == 0:
        return 0
    exponent = largest.adjusted()
    return exponent if largest == Decimal(1).scaleb(exponent) else exponent + 1


def _last_digit(point: list[float], sizes: list[int]) -> int:
    """From here on half a unit is less than half an ulp of any coordinate (zeros apart)."""
    needed = [size - math.floor(math.log10(math.ulp(v))) + 1 for v, size in zip(point, sizes, strict=True) if v]
    return min(max(needed, default=18), MOST_DIGITS)
