"""Tables: piecewise linear functions of one variable, joined where two pieces meet or jumping there."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from cpcbench.certify.checker.intervals import Ball, Interval, between, exact, hull, single
from cpcbench.certify.checker.reading import doubles, field, listed
from cpcbench.certify.checker.verdict import RejectedError

Ends = tuple[float, float]


@dataclass(frozen=True)
class Table:
    """On cell j, from breaks[j] to breaks[j + 1], the value is a + b (x - breaks[j]) for (a, b) = values[j]."""

    breaks: list[float]
    values: list[list[float]]

    @staticmethod
    def read(data: object, low: float, high: float) -> Table | Joined:
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
        return Table(breaks, [doubles(pair, 2) for pair in values])

    @cached_property
    def balls(self) -> list[tuple[Ball, Ball, Ball]]:
        return [(exact(t), exact(a), exact(b)) for t, (a, b) in zip(self.breaks, self.values, strict=False)]

    def cells(self, low: float, high: float) -> range:
        """The cells that count for an interval: those it overlaps, or both beside a breakpoint."""
        return _cells(self.breaks, low, high)

    def piece(self, cell: int, low: float, high: float) -> Interval:
        """The values of one piece over the part of its closed cell that is between two numbers."""
        left, right = max(low, self.breaks[cell]), min(high, self.breaks[cell + 1])
        start, a, b = self.balls[cell]
        first = a + b * (exact(left) - start)
        if left == right:
            return single(first)
        last = a + b * (exact(right) - start)
        return (first, last) if self.values[cell][1] >= 0.0 else (last, first)

    def range(self, low: float, high: float) -> Interval:
        """The values over an interval."""
        cells = self.cells(low, high)
        if len(cells) == 1:
            return self.piece(cells[0], low, high)
        return hull(self.piece(cell, low, high) for cell in cells)

    def slope(self, low: float, high: float) -> Interval | None:
        """The slope over an interval; None if there is none, as the table may jump."""
        cells = self.cells(low, high)
        return single(self.balls[cells[0]][2]) if len(cells) == 1 else None

    def inside(self, whole: Ends, part: Ends) -> Interval:
        """The values over a part of an interval; over the whole where the table has no slope on it."""
        cells = self.cells(*whole)
        return self.piece(cells[0], *part) if len(cells) == 1 else self.range(*whole)


@dataclass(frozen=True)
class Joined:
    """The value runs straight from values[j] at breaks[j] to the next; so every interval has slopes."""

    breaks: list[float]
    values: list[float]

    @cached_property
    def slopes(self) -> list[Ends]:
        """Doubles around the slope of each cell."""
        found = []
        for (left, right), (first, last) in zip(pairwise(self.breaks), pairwise(self.values), strict=True):
            slope = (Fraction(last) - Fraction(first)) / (Fraction(right) - Fraction(left))
            if abs(slope) > Fraction(10) ** 300:
                raise RejectedError("it is too steep")
            near = float(slope)
            found.append((math.nextafter(near, -math.inf), math.nextafter(near, math.inf)))
        return found

    def at(self, cell: int, x: float) -> Ball:
        """The value at a number of the closed cell."""
        left, right = exact(self.breaks[cell]), exact(self.breaks[cell + 1])
        first, last = exact(self.values[cell]), exact(self.values[cell + 1])
        return first + (last - first) * ((exact(x) - left) / (right - left))

    def range(self, low: float, high: float) -> Interval:
        """The values over an interval: those at its ends and at the breakpoints between."""
        cells = _cells(self.breaks, low, high)
        first = self.at(cells[0], low)
        if low == high:
            return single(first)
        last = self.at(cells[-1], high)
        between_ = self.values[cells[0] + 1 : cells[-1] + 1]
        ends = first.min(last), first.max(last)
        return hull([ends, between(min(between_), max(between_))]) if between_ else ends

    def slope(self, low: float, high: float) -> Interval:
        """The slopes over an interval."""
        cells = _cells(self.breaks, low, high)
        chosen = self.slopes[cells[0] : cells[-1] + 1]
        return exact(min(low for low, _ in chosen)), exact(max(high for _, high in chosen))

    def inside(self, _whole: Ends, part: Ends) -> Interval:
        """The values over a part of an interval."""
        return self.range(*part)


def _cells(breaks: list[float], low: float, high: float) -> range:
    """The cells that an interval overlaps in more than a point, or both beside a breakpoint."""
    if low == high:
        first, end = bisect_left(breaks, low) - 1, bisect_right(breaks, low) - 1
    else:
        first, end = bisect_right(breaks, low) - 1, bisect_left(breaks, high) - 1
    return range(max(first, 0), min(end, len(breaks) - 2) + 1)
