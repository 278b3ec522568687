"""Functions of one variable, two of them at once: where one plus a multiple of the other is least, in doubles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from cpcbench.expr.nodes import Expr, num, var
from cpcbench.expr.rewriting import replaced
from cpcbench.points import Points
from cpcbench.readings.doubles.arrays import evaluate

GRID, ZOOM, ZOOMS = 1001, 33, 3
"""Places of the first grid and of those about its lowest place, and how many of these there are."""
GOLDEN, STEPS = 0.6180339887498949, 60
FIRST, SHARE, WIDER = 1e-3, 0.05, 60
"""The first step away from a multiplier, or the share of it; and how often steps are doubled."""
CLOSE = 1e-8
"""How close the best multiplier is found, relative above 1."""

Signed = Sequence[tuple[int, Expr]]


class Line:
    """The sums `f` and `g` of signed terms in the variable `v` alone, between two ends."""

    def __init__(self, f: Signed, g: Signed, v: int, ends: tuple[float, float]) -> None:
        self.v, self.ends = v, ends
        self.f, self.g = _total(f, v), _total(g, v)
        self._set_up()

    def _set_up(self) -> None:
        self._grid = np.linspace(*self.ends, GRID if self.ends[0] < self.ends[1] else 1)
        self._f, self._g = _at(self.f, self._grid), _at(self.g, self._grid)

    @property
    def key(self) -> tuple[object, ...]:
        """The same for lines that differ in the names of their variables only."""
        return id(self.f), id(self.g), self.ends

    def between(self, low: float, high: float) -> Line:
        """The same between other ends."""
        made = object.__new__(Line)
        made.v, made.ends, made.f, made.g = self.v, (low, high), self.f, self.g
        made._set_up()
        return made

    def least(self, k: float) -> float:
        """The least value of f + k g, as far as ever finer grids tell."""
        grid, values, best = self._grid, self._f + k * self._g, math.inf
        if self.ends[0] == self.ends[1]:
            return float(values[0]) if np.isfinite(values[0]) else best
        for zoom in range(ZOOMS + 1):
            if np.isnan(values).all():
                break
            i = int(np.nanargmin(values))
            best = min(best, float(values[i]))
            if zoom == ZOOMS:
                break
            grid = np.linspace(grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)], ZOOM)
            values = _at(self.f, grid) + k * _at(self.g, grid)
        return best


def _at(part: Expr, points: Points) -> Points:
    values = np.array(evaluate(part, points[:, None]), dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    return values


def _total(part: Signed, v: int) -> Expr:
    total = num(0)
    for sign, term in part:
        total = total + term if sign > 0 else total - term
    return replaced(total, {id(var(v)): var(0)})


def best_multiplier(lines: Sequence[Line], first: float) -> float:
    """The number k for which the sum of the least values of f + k g is greatest: that sum is concave in k."""
    known: dict[tuple[object, ...], tuple[Line, int]] = {}
    for line in lines:
        known[line.key] = line, known.get(line.key, (line, 0))[1] + 1

    def value(k: float) -> float:
        return sum(count * line.least(k) for line, count in known.values())

    a, b = _bracket(value, first)
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_c, at_d = value(c), value(d)
    for _ in range(STEPS):
        if at_c >= at_d:
            b, d, at_d = d, c, at_c
            c = b - GOLDEN * (b - a)
            at_c = value(c)
        else:
            a, c, at_c = c, d, at_d
            d = a + GOLDEN * (b - a)
            at_d = value(d)
        if b - a <= CLOSE * max(1.0, abs(a), abs(b)):
            break
    return float(f"{0.5 * (a + b):.12g}")


def _bracket(value: Callable[[float], float], first: float) -> tuple[float, float]:
    """Two numbers with the best one between them."""
    step, middle = max(FIRST, SHARE * abs(first)), value(first)
    for way in (1.0, -1.0):
        at, best = first + way * step, value(first + way * step)
        if not best > middle:
            continue
        for _ in range(WIDER):
            step *= 2.0
            onward = value(at + way * step)
            if not onward > best:
                break
            at, best = at + way * step, onward
        return min(at - way * step, at + way * step), max(at - way * step, at + way * step)
    return first - step, first + step
