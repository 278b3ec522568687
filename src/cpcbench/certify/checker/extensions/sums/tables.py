"""Tables: piecewise linear functions of one variable, joined where two pieces meet or jumping there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from cpcbench.certify.checker.core.intervals import Interval, add, between, div, hull, mul, single, sub
from cpcbench.certify.checker.core.link import Ends
from cpcbench.certify.checker.core.numbers import in_use, of_double
from cpcbench.certify.checker.ground.fields import doubles, field, listed
from cpcbench.certify.checker.ground.verdict import RejectedError

NAME = "tables"
STEEPEST = Fraction(10) ** 300
MOST_KNOWN = 1 << 14
"""Values that are kept of a table."""


def read_table(data: object, low: float, high: float) -> Table:
    """A table from a certificate; it has to span the range of its variable."""
    breaks = doubles(field(data, "breaks"))
    values = listed(field(data, "values"))
    if len(breaks) < 2 or any(a >= b for a, b in pairwise(breaks)):
        raise RejectedError("its breakpoints do not rise")
    if (breaks[0], breaks[-1]) != (low, high):
        raise RejectedError(f"it goes from {breaks[0]!r} to {breaks[-1]!r}, its variable from {low!r} to {high!r}")
    if values and not isinstance(values[0], list):
        return Joined(breaks, doubles(values, len(breaks)))
    if len(values) != len(breaks) - 1:
        raise RejectedError(f"it has {len(breaks) - 1} cells but values for {len(values)}")
    return Jumping(breaks, [doubles(pair, 2) for pair in values])


@dataclass(frozen=True)
class Jumping:
    """On cell j, from breaks[j] to breaks[j + 1], the value is a + b (x - breaks[j]) for (a, b) = values[j]."""

    breaks: list[float]
    values: list[list[float]]

    def piece(self, cell: int, low: float, high: float) -> Interval:
        """The values of one piece over the part of its closed cell that is between two numbers."""
        place = between(max(low, self.breaks[cell]), min(high, self.breaks[cell + 1]))
        start, (a, b) = between(*[self.breaks[cell]] * 2), self.values[cell]
        return add(between(a, a), mul(between(b, b), sub(place, start)))

    def range(self, low: float, high: float) -> Interval:
        """The values over an interval."""
        return hull([self.piece(cell, low, high) for cell in _cells(self.breaks, low, high)])

    def slope(self, low: float, high: float) -> Interval | None:
        """The slope over an interval; None if there is none, as the table may jump."""
        cells = _cells(self.breaks, low, high)
        return between(*[self.values[cells[0]][1]] * 2) if len(cells) == 1 else None

    def inside(self, whole: Ends, part: Ends) -> Interval:
        """The values over a part of an interval; over the whole where the table has no slope on it."""
        cells = _cells(self.breaks, *whole)
        return self.piece(cells[0], *part) if len(cells) == 1 else self.range(*whole)


@dataclass(frozen=True)
class Joined:
    """The value runs straight from values[j] at breaks[j] to the next; so every interval has slopes."""

    breaks: list[float]
    values: list[float]

    @cached_property
    def slopes(self) -> list[Fraction]:
        """The slope of each cell."""
        found = []
        for (left, right), (first, last) in zip(pairwise(self.breaks), pairwise(self.values), strict=True):
            slope = (Fraction(last) - Fraction(first)) / (Fraction(right) - Fraction(left))
            if abs(slope) > STEEPEST:
                raise RejectedError("it is too steep")
            found.append(slope)
        return found

    @cached_property
    def known(self) -> dict[tuple[str, int, float], Interval]:
        """Values at numbers that come again and again, by the arithmetic and the cell."""
        return {}

    def at(self, cell: int, x: float) -> Interval:
        """The value at a number of the closed cell."""
        key = in_use(), cell, x
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[key] = self._at(cell, x)
        return self.known[key]

    def _at(self, cell: int, x: float) -> Interval:
        first, last = self.values[cell], self.values[cell + 1]
        if x in (self.breaks[cell], self.breaks[cell + 1]):
            return between(*[first if x == self.breaks[cell] else last] * 2)
        left, right = (of_double(end) for end in self.breaks[cell : cell + 2])
        share = div(sub(between(x, x), (left, left)), sub((right, right), (left, left)))[0]
        return add(between(first, first), mul(sub(between(last, last), between(first, first)), share))

    def range(self, low: float, high: float) -> Interval:
        """The values over an interval: those at its ends and at the breakpoints between."""
        cells = _cells(self.breaks, low, high)
        ends = [self.at(cells[0], low), self.at(cells[-1], high)]
        between_ = self.values[cells[0] + 1 : cells[-1] + 1]
        return hull([*ends, between(min(between_), max(between_))] if between_ else ends)

    def slope(self, low: float, high: float) -> Interval:
        """The slopes over an interval."""
        cells = _cells(self.breaks, low, high)
        chosen = self.slopes[cells[0] : cells[-1] + 1]
        return single(min(chosen))[0], single(max(chosen))[1]

    def inside(self, _whole: Ends, part: Ends) -> Interval:
        """The values over a part of an interval."""
        return self.range(*part)


Table = Jumping | Joined


@dataclass(frozen=True)
class Shift:
    """A table added to a link (sign 1) or taken off it (sign -1), on one of its axes."""

    axis: int
    sign: int
    table: Table

    @property
    def breaks(self) -> list[float]:
        return self.table.breaks

    def range(self, low: float, high: float) -> Interval:
        return self.table.range(low, high)

    def slope(self, low: float, high: float) -> Interval | None:
        return self.table.slope(low, high)

    def inside(self, whole: Ends, part: Ends) -> Interval:
        return self.table.inside(whole, part)


def _cells(breaks: list[float], low: float, high: float) -> range:
    """The cells that an interval overlaps in more than a point, or both beside a breakpoint."""
    if low == high:
        first, end = bisect_left(breaks, low) - 1, bisect_right(breaks, low) - 1
    else:
        first, end = bisect_right(breaks, low) - 1, bisect_left(breaks, high) - 1
    return range(max(first, 0), min(end, len(breaks) - 2) + 1)
