"""One solution of a system: from a point near it to a box in which there is exactly one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import flint
import numpy as np

from cpcbench.certify.upper.krawczyk import Box, System
from cpcbench.certify.upper.pinned import Pin, Pinned
from cpcbench.expr.functions import total
from cpcbench.expr.nodes import Expr
from cpcbench.points import Floats
from cpcbench.readings.reals.exact import working_precision

BITS = 256
STEPS = 60
SMALLEST, LARGEST, SMALL = -14, -1, 1e-6
"""Sizes of boxes that are tried, as powers of ten of the coordinates, which count as no smaller than the last."""


@dataclass(frozen=True)
class Root:
    """A solution: `lower` and `upper` enclose it, and it is the only one in the box `around`."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    around: tuple[tuple[float, float], ...]

    @cached_property
    def x(self) -> tuple[float, ...]:
        """The middle of the enclosure."""
        return tuple(a + (b - a) / 2 for a, b in zip(self.lower, self.upper, strict=True))

    def is_in(self, box: Sequence[tuple[float, float]]) -> bool:
        """Whether the enclosure lies in the box."""
        return all(low <= a and b <= high for (low, high), a, b in zip(box, self.lower, self.upper, strict=True))

    def may_be_in(self, box: Sequence[tuple[float, float]]) -> bool:
        """Whether the enclosure meets the box."""
        return all(low <= b and a <= high for (low, high), a, b in zip(box, self.lower, self.upper, strict=True))


class Roots:
    """Proves solutions of as many equations as there are variables; each equation is an expression that is to be 0."""

    def __init__(self, equations: Sequence[Expr], rule: str) -> None:
        self.n = len(equations)
        pinned = Pinned(total(equations), self.n, tuple(Pin(equation) for equation in equations))
        self._system, self._all = System(pinned, rule), list(range(self.n))

    def near(self, x: Floats) -> Root | None:
        """The solution that Newton's method comes to from a point, if one is proven to be there."""
        point = self._newton(x)
        if point is None:
            return None
        size = np.maximum(np.abs(point), SMALL)
        found = None
        for power in range(SMALLEST, LARGEST + 1):
            box = [(a - s, a + s) for a, s in zip(point.tolist(), (size * 10.0**power).tolist(), strict=True)]
            if self._system.has_solution(box, self._all, bits=BITS):
                found = found or box
                widest = box
            elif found is not None:
                break
        if found is None:
            return None
        return Root(tuple(a for a, _ in found), tuple(b for _, b in found), tuple(widest))

    def narrowed(self, box: Box) -> Box | None:
        """The box without parts that are proven to hold no solution; None if nothing of it is left."""
        with working_precision(64):
            image = self._system.image(box, self._all)
        if image is None:
            return box
        made = []
        for ball, (low, high) in zip(image, box, strict=True):
            if not ball.is_finite():
                return box
            left, right = max(low, _down(ball)), min(high, _up(ball))
            if left > right:
                return None
            made.append((left, right))
        return made

    def _newton(self, x: Floats) -> Floats | None:
        with working_precision(BITS):
            point = [flint.arb(v) for v in x.tolist()]
            for _ in range(STEPS):
                wrong, slopes = self._system.residuals(point), self._system.slopes(point, self._all)
                if not all(w.is_finite() for w in wrong):
                    return None
                try:
                    step = flint.arb_mat(slopes).solve(flint.arb_mat([[w] for w in wrong]))
                except (ZeroDivisionError, ValueError):
                    return None
                moved = [(a - step[i, 0]).mid() for i, a in enumerate(point)]
                if not all(m.is_finite() for m in moved):
                    return None
                small = all(
                    abs(m - a) <= abs(a) * flint.arb(2) ** (-BITS // 2) for m, a in zip(moved, point, strict=True)
                )
                point = moved
                if small:
                    break
            return np.array([float(a) for a in point])


def _down(ball: Any) -> float:
    return float(np.nextafter(float(ball.lower()), -np.inf))


def _up(ball: Any) -> float:
    return float(np.nextafter(float(ball.upper()), np.inf))
