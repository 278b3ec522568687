"""The neighbours of a point, and all readings there: its last printed digits moved, or a few doubles up and down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal, localcontext
from functools import cached_property
from itertools import product

from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.points import as_point
from cpcbench.problems.problem import Problem
from cpcbench.problems.worth import Worth
from cpcbench.rng import Rng, generator_of
from cpcbench.studies.sensitivity.doubles import moved

ROUNDINGS = {"nearest": ROUND_HALF_EVEN, "down": ROUND_DOWN}
PRINTED_DIGITS = 15
LONG_ENOUGH = 12
MOST_TOGETHER = 243
"""Neighbours with all coordinates moved at once: all 3^n of them up to n = 5, so many drawn ones beyond."""
MOST_DECIMALS = 40
ENOUGH_DIGITS = 800
"""Decimal digits to calculate with: those of the largest double beside those of the smallest step."""


@dataclass(frozen=True)
class Neighbour(Worth):
    """A point by all readings, and how many units each coordinate was moved to get there.

    `same_double`: the digit moved is finer than the doubles there, so that this is the point itself.
    """

    steps: tuple[int, ...]
    same_double: bool = False

    @cached_property
    def failing(self) -> tuple[str, ...]:
        """The texts of the conditions that are violated in the reference reading."""
        return failing(self.of, self.x) if math.isnan(self.reference) else ()


def decimal_neighbours(
    problem: Problem,
    x: ArrayLike,
    *,
    decimals: int | None = None,
    rounding: str = "nearest",
    reach: int = 1,
    coordinates: Sequence[int] | None = None,
) -> tuple[Neighbour, ...]:
    """The point as printed and with the last digit of one coordinate moved, by 1 to `reach` up and down.

    The coordinates are first rounded ("nearest", or "down": cut off) to `decimals` places after the
    point; without that each keeps the digits of its shortest text (see `printed_decimals`).
    `coordinates` (from 0) names those to be moved, all by default. In the order of the points.
    """
    point = as_point(x, problem.dim, problem.names).tolist()
    places = [printed_decimals(v) if decimals is None else _checked_decimals(decimals) for v in point]
    start = [rounded(v, d, rounding) for v, d in zip(point, places, strict=True)]
    found = []
    for steps in moves(problem.dim, range(1, _checked_reach(reach) + 1), coordinates):
        shifted = tuple(_shifted(v, d, k) for v, d, k in zip(start, places, steps, strict=True))
        found.append(Neighbour(problem, shifted, steps, any(steps) and shifted == tuple(map(float, start))))
    return tuple(found)


def ulp_neighbours(
    problem: Problem, x: ArrayLike, *, ulps: Sequence[int] = (1, 2, 4), together: bool = False, rng: Rng = 0
) -> tuple[Neighbour, ...]:
    """The point and its neighbours in doubles, so many ulps up and down in one coordinate.

    With `together` all coordinates move at once, by -u, 0 or u for the smallest of `ulps`: all 3^n
    combinations, or `MOST_TOGETHER` of them drawn with `rng`. In the order of the points.
    """
    point = as_point(x, problem.dim, problem.names).tolist()
    sizes = sorted({_checked_reach(u) for u in ulps})
    if not sizes:
        raise CpcbenchError("ulps names at least one number of ulps, such as (1, 2, 4)")
    chosen = _combinations(problem.dim, sizes[0], rng) if together else moves(problem.dim, sizes)
    return tuple(Neighbour(problem, tuple(moved(v, u) for v, u in zip(point, k, strict=True)), k) for k in chosen)


def moves(n: int, sizes: Sequence[int], coordinates: Sequence[int] | None = None) -> list[tuple[int, ...]]:
    """No move, and every move of one coordinate by one of the sizes, up or down; in order."""
    chosen = range(n) if coordinates is None else [_coordinate(i, n) for i in coordinates]
    found = {(0,) * n}
    for i, size, sign in product(chosen, sizes, (-1, 1)):
        found.add(tuple(sign * size if j == i else 0 for j in range(n)))
    return sorted(found)


def failing(problem: Problem, x: ArrayLike) -> tuple[str, ...]:
    """The texts of the conditions that the point violates; those that cannot be computed are left out."""
    point = as_point(x, problem.dim, problem.names).tolist()
    return tuple(c.text for c in problem.conditions if c.at(point).satisfied is False)


def printed_decimals(value: float) -> int:
    """How many decimals the shortest text of a double has.

    A number that happens to be short, such as 3 or 0.125, counts as if printed with 15 significant digits.
    """
    text = Decimal(repr(value)).normalize()
    if len(text.as_tuple().digits) >= LONG_ENOUGH:
        return -int(text.as_tuple().exponent)
    return PRINTED_DIGITS - 1 - text.adjusted()


def rounded(value: float, decimals: int, rounding: str = "nearest") -> Decimal:
    """The shortest text of a double, rounded to so many decimals (negative ones: to tens, hundreds ...)."""
    if rounding not in ROUNDINGS:
        raise CpcbenchError(f"unknown rounding {rounding!r}: it is {' or '.join(ROUNDINGS)}")
    with localcontext(prec=ENOUGH_DIGITS):
        return Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUNDINGS[rounding])


def _shifted(start: Decimal, decimals: int, units: int) -> float:
    with localcontext(prec=ENOUGH_DIGITS):
        return float(start + Decimal(units).scaleb(-decimals))


def _combinations(n: int, size: int, rng: Rng) -> list[tuple[int, ...]]:
    if 3**n <= MOST_TOGETHER:
        return list(product((-size, 0, size), repeat=n))
    rng = generator_of(rng)
    drawn = {(0,) * n}
    while len(drawn) < MOST_TOGETHER:
        drawn.add(tuple(int(k) * size for k in rng.integers(-1, 2, n)))
    return sorted(drawn)


def _checked_decimals(decimals: int) -> int:
    if isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= MOST_DECIMALS:
        raise CpcbenchError(f"decimals is a whole number from 0 to {MOST_DECIMALS}, not {decimals!r}")
    return decimals


def _checked_reach(count: int) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 2**52:
        raise CpcbenchError(f"a point is moved by a whole number of units from 1 on, not {count!r}")
    return count


def _coordinate(index: int, n: int) -> int:
    if not 0 <= index < n:
        raise CpcbenchError(f"coordinates are numbered from 0 to {n - 1} here, not {index!r}")
    return index
