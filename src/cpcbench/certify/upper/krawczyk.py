"""Proof that equations have a solution in a box: Krawczyk's operator in ball arithmetic maps the box into itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from cpcbench.certify.upper.balls import Balls, interval
from cpcbench.certify.upper.pinned import Pinned
from cpcbench.expr.functions import JUMPS
from cpcbench.readings.reals.exact import working_precision

Box = list[tuple[float, float]]

CHECKED_BITS = 64
"""What is proven is proven with this precision, so that a checker with this or a higher one agrees."""


class System:
    """The equations that hold some parts of a formula, with their slopes, over boxes and at points."""

    def __init__(self, pinned: Pinned, rule: str = "strict") -> None:
        self.pinned, self.count = pinned, len(pinned.pins)
        self._values = Balls(*pinned.equations, rule=rule)
        self._slopes = Balls(*[slope for row in pinned.slopes for slope in row], rule=rule)

    def residuals(self, box: Sequence[Any]) -> list[Any]:
        """What should be 0, over the box."""
        found = self._values.values(box)
        return [found[id(equation)] for equation in self.pinned.equations]

    def is_smooth(self, box: Sequence[Any]) -> bool:
        """Whether the equations are defined on the whole box and nothing in them jumps there."""
        found = self._values.values(box)
        steps = [found[id(n)] for n in self._values.order if n.op in JUMPS - {"where"}]
        whole = all(found[id(equation)].is_finite() for equation in self.pinned.equations)
        return whole and all(step.is_exact() for step in steps)

    def slopes(self, box: Sequence[Any], columns: Sequence[int]) -> list[list[Any]]:
        """One row for each equation, one column for each of these variables."""
        found = self._slopes.values(box)
        return [[found[id(row[i])] for i in columns] for row in self.pinned.slopes]

    def has_solution(self, box: Box, solve: Sequence[int], last: Any = None, bits: int = CHECKED_BITS) -> bool:
        """Whether a solution in the box is proven, the variables in `solve` being those that give way.

        With `last`, a ball, the last equation is a family: it equals each number of the ball in turn,
        and each of them is proven to have a solution.
        """
        if len(solve) != self.count or not all(box[i][0] < box[i][1] for i in solve):
            return False
        with working_precision(bits):
            found = self.image(box, list(solve), last)
            return found is not None and all(_inside(k, box[i]) for k, i in zip(found, solve, strict=True))

    def image(self, box: Box, solve: list[int], last: Any = None) -> list[Any] | None:
        """Krawczyk's operator on the box, a ball for each variable in `solve`: every solution in the box is in it.

        None where the equations are not proven to be smooth on the box. The precision is that of the moment.
        """
        around = [interval(low, high) for low, high in box]
        middle = list(around)
        for i in solve:
            middle[i] = flint.arb(0.5 * (box[i][0] + box[i][1]))
        wrong = self.residuals(middle)
        if last is not None:
            wrong[-1] = wrong[-1] - last
        steep = self.slopes(around, solve)
        inverse = _inverse(steep)
        if inverse is None or not all(w.is_finite() for w in wrong) or not self.is_smooth(around):
            return None
        away = [around[i] - middle[i] for i in solve]
        return [middle[i] + self._moved(inverse[k], k, wrong, steep, away) for k, i in enumerate(solve)]

    def _moved(self, row: list[Any], k: int, wrong: list[Any], steep: list[list[Any]], away: list[Any]) -> Any:
        """One coordinate of -C h(m) + (I - C J(X)) (X - m)."""
        places = range(self.count)
        total = -sum((row[j] * wrong[j] for j in places), flint.arb(0))
        for column in places:
            rest = -sum((row[j] * steep[j][column] for j in places), flint.arb(0))
            total += (rest + (1 if column == k else 0)) * away[column]
        return total


def _inside(found: Any, wanted: tuple[float, float]) -> bool:
    return bool(found > wanted[0]) and bool(found < wanted[1])


def _inverse(steep: list[list[Any]]) -> list[list[Any]] | None:
    """An approximate inverse of the slopes, as exact balls; None if there is none."""
    matrix = doubles(steep)
    if not np.isfinite(matrix).all():
        return None
    scale = np.abs(matrix).max(axis=1, keepdims=True)
    if not (scale > 0.0).all():
        return None
    try:
        inverse = np.linalg.inv(matrix / scale) / scale.T
    except np.linalg.LinAlgError:
        return None
    return [[flint.arb(entry) for entry in row] for row in inverse.tolist()] if np.isfinite(inverse).all() else None


def doubles(rows: Sequence[Sequence[Any]]) -> npt.NDArray[np.float64]:
    """The middles of balls as doubles; NaN where nothing is known."""
    return np.array([[float(b.mid()) if b.is_finite() else math.nan for b in row] for row in rows], dtype=np.float64)
