"""How much of its box a formula is defined on: proven bounds from below and above, by splitting boxes."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.intervals.boxes import Floats, natural_ranges
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE
from cpcbench.intervals.tape import Tape
from cpcbench.limits import LONGEST

BATCH = 4096
MOST_OPEN = 2_000_000


def feasible_bounds(
    root: Expr,
    bounds: Sequence[tuple[float, float]],
    *,
    seconds: float = 10.0,
    tolerance: float = 0.0,
    rule: str = "strict",
) -> tuple[float, float, int]:
    """Two numbers between which the admissible share of the box lies, and how many boxes it took.

    The largest boxes of which nothing is proven are split first, until the two numbers are within the
    tolerance or the time is over. What has no volume does not count.
    """
    lower, upper = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
    if not len(lower) or not (np.isfinite(lower) & np.isfinite(upper) & (lower < upper)).all():
        raise CpcbenchError(f"bounds are pairs lower < upper, one for each variable, not {bounds!r}")
    if not 0.0 <= seconds <= LONGEST or not 0.0 <= tolerance < 1.0:
        raise CpcbenchError(
            f"seconds from 0 to {LONGEST:,.0f} and a tolerance from 0 to below 1 are accepted, "
            f"not {seconds}, {tolerance}"
        )
    count = _Count(Tape.of_formula(root, len(lower), rule=rule), lower, upper)
    count.sort(lower[None], upper[None])
    end = time.monotonic() + seconds
    while count.step() and count.high - count.low > tolerance and time.monotonic() < end:
        pass
    return count.low, count.high, count.boxes


class _Count:
    """Volumes of boxes, as shares of the whole: those inside and outside, and the boxes that are open."""

    def __init__(self, tape: Tape, lower: Floats, upper: Floats) -> None:
        self._tape, self._sides = tape, upper - lower
        self._lower, self._upper = np.empty((0, tape.dim)), np.empty((0, tape.dim))
        self._inside: list[float] = [0.0]
        self._outside: list[float] = [0.0]
        self._error = (2 * tape.dim + 4) * 2.0**-52
        self.boxes = 0

    @property
    def low(self) -> float:
        return max(math.fsum(self._inside) * (1.0 - self._error), 0.0)

    @property
    def high(self) -> float:
        return min(math.nextafter(1.0 - math.fsum(self._outside) * (1.0 - self._error), math.inf), 1.0)

    def sort(self, lower: Floats, upper: Floats) -> None:
        """Puts boxes where they belong; the largest open ones come first."""
        _, _, state = natural_ranges(self._tape, lower, upper)
        self.boxes += len(lower)
        shares = ((upper - lower) / self._sides).prod(axis=1)
        self._inside = [math.fsum([*self._inside, *shares[state == EVERYWHERE]]) * (1.0 - 2.0**-52)]
        self._outside = [math.fsum([*self._outside, *shares[state == NOWHERE]]) * (1.0 - 2.0**-52)]
        open_ = state == MAYBE
        self._lower = np.concatenate([self._lower, lower[open_]])
        self._upper = np.concatenate([self._upper, upper[open_]])

    def step(self) -> bool:
        """Splits the largest open boxes; False if none is left to split, or too many are open."""
        sides = (self._upper - self._lower) / self._sides
        order = np.argsort(-sides.prod(axis=1), kind="stable")[:BATCH]
        axis = sides[order].argmax(axis=1)
        rows = np.arange(len(order))
        low, high = self._lower[order], self._upper[order]
        middle = 0.5 * (low[rows, axis] + high[rows, axis])
        fine = (low[rows, axis] < middle) & (middle < high[rows, axis])
        if not fine.any() or len(self._lower) > MOST_OPEN:
            return False
        keep = np.ones(len(self._lower), dtype=np.bool_)
        keep[order[fine]] = False
        self._lower, self._upper = self._lower[keep], self._upper[keep]
        low, high, middle, axis = low[fine], high[fine], middle[fine], axis[fine]
        left, right = high.copy(), low.copy()
        left[np.arange(len(axis)), axis] = right[np.arange(len(axis)), axis] = middle
        self.sort(np.concatenate([low, right]), np.concatenate([left, high]))
        return True
