"""Potentials: piecewise linear functions of one variable, joined at their breakpoints or jumping there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from cpcbench.errors import CpcbenchError


@dataclass(frozen=True)
class Table:
    """A piecewise linear function of the variable with this index.

    `breaks` are the breakpoints t_j in ascending order, from one end of the variable's range to the other.
    `values` is either one number for each breakpoint: T runs straight from each (t_j, v_j) to the next; or a
    pair (a_j, b_j) for each cell: T(x) = a_j + b_j (x - t_j) from t_j up to (but for the last cell not with) the
    next breakpoint.
    """

    variable: int
    breaks: tuple[float, ...]
    values: tuple[float, ...] | tuple[tuple[float, float], ...]

    def __init__(self, variable: int, breaks: Iterable[float], values: Iterable[float] | Iterable[Iterable[float]]):
        object.__setattr__(self, "variable", int(variable))
        object.__setattr__(self, "breaks", tuple(float(t) for t in breaks))
        object.__setattr__(self, "values", tuple(_entry(value) for value in values))
        self._check()

    def _check(self) -> None:
        count = len(self.breaks) - 1
        if count < 1 or len(self.values) != (count + 1 if self.joined else count):
            raise CpcbenchError(
                f"a table of {len(self.breaks)} breakpoints has {count} cells, at least one, and a pair for each or "
                f"{count + 1} numbers, not {len(self.values)} values"
            )
        if not all(a < b for a, b in pairwise(self.breaks)):
            raise CpcbenchError("the breakpoints of a table are in ascending order, each once")
        if any(isinstance(value, float) != self.joined for value in self.values):
            raise CpcbenchError("the values of a table are all numbers or all pairs")
        if not all(math.isfinite(x) for x in (*self.breaks, *self._numbers())):
            raise CpcbenchError("the breakpoints and values of a table are finite")

    def _numbers(self) -> list[float]:
        return [x for value in self.values for x in (value if isinstance(value, tuple) else (value,))]

    @property
    def joined(self) -> bool:
        """Whether the table is continuous, given by its values at the breakpoints."""
        return bool(self.values) and isinstance(self.values[0], float)

    def lines(self) -> list[tuple[float, float]]:
        """The value at the left end and the slope of each cell; the slopes of a joined table are rounded."""
        if not self.joined:
            return list(self.values)  # type: ignore[arg-type]
        ends = zip(pairwise(self.breaks), pairwise(self._numbers()), strict=True)
        return [(v, (w - v) / (t - s)) for (s, t), (v, w) in ends]

    def __call__(self, x: float) -> float:
        """The value at x, in doubles; the last cell also holds its right end."""
        if not self.breaks[0] <= x <= self.breaks[-1]:
            raise CpcbenchError(f"x = {x} lies outside the table's range {self.breaks[0]} to {self.breaks[-1]}")
        cell = min(sum(t <= x for t in self.breaks), len(self.breaks) - 1) - 1
        a, b = self.lines()[cell]
        return a + b * (x - self.breaks[cell])


def _entry(value: float | Iterable[float]) -> float | tuple[float, float]:
    if isinstance(value, Iterable):
        a, b = value
        return float(a), float(b)
    return float(value)
