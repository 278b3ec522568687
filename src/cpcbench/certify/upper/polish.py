"""From a rough point to the lowest one nearby on which given parts of the formula are exactly 0, in high precision.

Newton's method on the equations, and on stationarity along what they leave free (Lagrange's
conditions); the steps are solved in doubles, the residuals in balls, so the precision is not limited
by the doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import flint
import numpy as np
import numpy.typing as npt
import scipy.linalg

from cpcbench.certify.upper.balls import Balls
from cpcbench.certify.upper.krawczyk import Box, System, doubles
from cpcbench.certify.upper.pinned import Pinned
from cpcbench.expr.nodes import Expr
from cpcbench.readings.gradient import derivatives
from cpcbench.readings.reals.exact import working_precision

BITS = 256
ROUNDS, FEW_ROUNDS = 40, 20
CLOSE = 2.0**-110
"""Steps, as shares of the box, after which Newton's method has ended."""
NUDGE = 2.0**-70
"""The step, as a share of the box, of the difference quotients of slopes."""
LONGEST = 0.02
"""Of one step, and of the way to a stationary point, as a share of the box."""

Point = list[Any]
"""Coordinates as exact balls."""


class Polisher:
    """Newton's methods for one pinned formula on its box; the variables in `held` stay where they are."""

    def __init__(self, pinned: Pinned, box: Box, rule: str, held: frozenset[int] = frozenset()) -> None:
        self.pinned, self.box, self.held = pinned, box, held
        self.system = System(pinned, rule)
        self.width = np.array([max(high - low, 1e-300) for low, high in box])
        self._rule = rule

    @cached_property
    def _gradient(self) -> list[Expr]:
        return derivatives(self.pinned.rest, self.pinned.dim)

    @cached_property
    def _downhill(self) -> Balls:
        return Balls(*self._gradient, rule=self._rule)

    def onto(self, point: Point, moving: Sequence[int] | None = None) -> Point | None:
        """The point moved, by shortest steps in units of the box, until the equations hold; None if they do not."""
        columns = self._free() if moving is None else list(moving)
        x = list(point)
        if len(columns) < self.system.count:
            return None
        with working_precision(BITS):
            for _ in range(ROUNDS):
                wrong, steep = self.system.residuals(x), self.system.slopes(x, columns)
                step = _solved(doubles(steep) * self.width[columns], wrong)
                if step is None:
                    return None
                longest = self._take(x, step, columns)
                if longest <= CLOSE:
                    return x
        return None

    def settled(self, point: Point) -> tuple[Point, list[int]] | None:
        """The point on the equations, and the variables that solve them best; the others are doubles."""
        solve = self._solve_variables(point)
        if solve is None:
            return None
        found = self.onto([v if i in solve else flint.arb(float(v)) for i, v in enumerate(point)], solve)
        return None if found is None else (found, solve)

    def _solve_variables(self, point: Point) -> list[int] | None:
        """The variables by which the equations can be solved best, none at a side of the box."""
        inside = [i for i, x in enumerate(point) if bool(x > self.box[i][0]) and bool(x < self.box[i][1])]
        if len(inside) < self.system.count:
            return None
        with working_precision(BITS):
            steep = doubles(self.system.slopes(point, inside))
        size = np.abs(steep).max(axis=1, keepdims=True)
        if not np.isfinite(steep).all() or not (size > 0.0).all():
            return None
        order = scipy.linalg.qr(steep / size * self.width[inside], mode="r", pivoting=True)[1]
        return sorted(inside[k] for k in order[: self.system.count])

    def _take(self, x: Point, step: npt.NDArray[np.float64], columns: list[int]) -> float:
        """Moves the point by a step in units of the box, shortened if long and kept inside; its length."""
        length = float(np.abs(step).max(initial=0.0))
        share = min(1.0, LONGEST / length) if length > 0.0 else 1.0
        for k, i in enumerate(columns):
            x[i] = _clipped((x[i] + flint.arb(float(step[k]) * share) * float(self.width[i])).mid(), self.box[i])
        return length

    def lowest(self, point: Point) -> Point | None:
        """A stationary point of the formula along the equations, near the given point, inside the box."""
        x, moving = list(point), self._free()
        with working_precision(BITS):
            for _ in range(3):
                found = self._stationary(list(x), moving)
                if found is None or not found[1]:
                    return None if found is None else found[0]
                x = found[0]
                moving = [i for i in moving if i not in found[1]]
        return None

    def _free(self) -> list[int]:
        return [i for i in range(self.pinned.dim) if i not in self.held]

    def _at_sides(self, point: Point) -> set[int]:
        return {i for i, x in enumerate(point) if bool(x == self.box[i][0]) or bool(x == self.box[i][1])}

    def _stationary(self, x: Point, moving: list[int]) -> tuple[Point, set[int]] | None:
        """Newton's method on Lagrange's conditions; also the variables that want to leave the box, if any."""
        weights: list[Any] | None = None
        start = list(x)
        if len(moving) < self.system.count:
            return None
        for _ in range(FEW_ROUNDS):
            slope, steep, wrong = self._read(x, moving)
            if not all(b.is_finite() for b in [*slope, *wrong, *(b for row in steep for b in row)]):
                return None
            if weights is None:
                weights = self._weights(slope, steep, moving)
            bend = self._curvature(x, moving, weights)
            matrix, right = self._newton(slope, steep, wrong, bend, weights, moving)
            step = _solved(matrix, right)
            if step is None:
                return None
            length = self._take(x, step[: len(moving)], moving)
            weights = [w + flint.arb(float(d)) for w, d in zip(weights, step[len(moving) :], strict=True)]
            weights = [w.mid() for w in weights]
            out = self._at_sides(x) & set(moving)
            if out or length <= CLOSE:
                return x, out
            if self._apart(start, x) > LONGEST:
                return None
        return None

    def _apart(self, a: Point, b: Point) -> float:
        return float(max(abs(float(p - q)) / w for p, q, w in zip(a, b, self.width.tolist(), strict=True)))

    def _read(self, x: Point, moving: list[int]) -> tuple[list[Any], list[list[Any]], list[Any]]:
        found = self._downhill.values(x)
        slope = [found[id(self._gradient[i])] for i in moving]
        if not self.system.count:
            return slope, [], []
        return slope, self.system.slopes(x, moving), self.system.residuals(x)

    def _weights(self, slope: list[Any], steep: list[list[Any]], moving: list[int]) -> list[Any]:
        """The multipliers that fit best."""
        if not steep:
            return []
        width = self.width[moving]
        rows, down = doubles(steep) * width, doubles([slope])[0] * width
        scale = np.abs(rows).max(axis=1, initial=0.0)
        scale[scale == 0.0] = 1.0  # an equation without a slope here has the multiplier 0
        fit = _least_squares((rows / scale[:, None]).T, -down)
        return [flint.arb(0)] * len(steep) if fit is None else [flint.arb(float(w)) for w in fit / scale]

    def _curvature(self, x: Point, moving: list[int], weights: list[Any]) -> npt.NDArray[np.float64]:
        """Second derivatives of Lagrange's function, by difference quotients far below a double's precision."""
        start = self._total(x, moving, weights)
        columns = []
        for i in moving:
            nudge = flint.arb(NUDGE) * float(self.width[i])
            other = list(x)
            other[i] = (x[i] + nudge).mid()
            end = self._total(other, moving, weights)
            columns.append([(b - a) / nudge for a, b in zip(start, end, strict=True)])
        return doubles(columns).T

    def _total(self, x: Point, moving: list[int], weights: list[Any]) -> list[Any]:
        slope, steep, _ = self._read(x, moving)
        return _combined(slope, steep, weights)

    def _newton(
        self,
        slope: list[Any],
        steep: list[list[Any]],
        wrong: list[Any],
        bend: npt.NDArray[np.float64],
        weights: list[Any],
        moving: list[int],
    ) -> tuple[npt.NDArray[np.float64], list[Any]]:
        """The linear equations of one step, in units of the box."""
        width, k, m = self.width[moving], len(moving), self.system.count
        matrix = np.zeros((k + m, k + m))
        matrix[:k, :k] = bend * width
        if m:
            rows = doubles(steep)
            matrix[:k, k:], matrix[k:, :k] = rows.T, rows * width
        return matrix, [*_combined(slope, steep, weights), *wrong]


def _combined(slope: list[Any], steep: list[list[Any]], weights: list[Any]) -> list[Any]:
    return [
        down + sum((w * row[k] for w, row in zip(weights, steep, strict=True)), flint.arb(0))
        for k, down in enumerate(slope)
    ]


def _clipped(x: Any, side: tuple[float, float]) -> Any:
    return flint.arb(side[0]) if x < side[0] else flint.arb(side[1]) if x > side[1] else x


def _solved(matrix: npt.NDArray[np.float64], right: list[Any]) -> npt.NDArray[np.float64] | None:
    """The shortest step that takes the right side away; rows and columns are scaled first, right sides may be tiny."""
    if not all(b.is_finite() for b in right) or not np.isfinite(matrix).all():
        return None
    rows = np.abs(matrix).max(axis=1, initial=0.0)
    rows[rows == 0.0] = 1.0
    columns = np.ones(matrix.shape[1])
    if matrix.shape[0] == matrix.shape[1]:
        columns = np.abs(matrix / rows[:, None]).max(axis=0, initial=0.0)
        columns[columns == 0.0] = 1.0
    wanted = np.array([float(-b.mid() / flint.arb(float(r))) for b, r in zip(right, rows, strict=True)])
    step = _least_squares(matrix / rows[:, None] / columns, wanted, 1e-13)
    if step is None:
        return None
    found: npt.NDArray[np.float64] = step / columns
    return found if np.isfinite(found).all() else None


def _least_squares(
    matrix: npt.NDArray[np.float64], right: npt.NDArray[np.float64], rcond: float | None = None
) -> npt.NDArray[np.float64] | None:
    """The shortest solution; None if there is none in doubles."""
    if not np.isfinite(matrix).all() or not np.isfinite(right).all():
        return None
    try:
        found = np.asarray(np.linalg.lstsq(matrix, right, rcond=rcond)[0], dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return found if np.isfinite(found).all() else None
