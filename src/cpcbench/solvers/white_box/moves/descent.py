"""Down to a minimum by slopes: sequential quadratic programming, under the conditions of the domain. Constraints are
taken out of the formula and handed over beside it: on the way they may be missed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from cpcbench.expr.rewriting import unlimited
from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.moves.edge_kernel import conditions
from cpcbench.solvers.white_box.moves.edges import Edges
from cpcbench.solvers.white_box.tuning import BACK, IDLE, LITTLE, LOST, SQP_EVALUATIONS, SQP_STEPS, TRIFLE


class _LongEnoughError(Exception):
    """A descent has had its evaluations, or has met only undefined points for long."""


class Descent:
    """SciPy's SLSQP in units of the box; the kernel, or where there are constraints `take`, counts its evaluations."""

    def __init__(
        self, problem: Problem, edges: Edges, kernel: Callable[[Floats, Floats], float], take: Callable[[int], None]
    ) -> None:
        root, constraints = unlimited(problem.expression)
        self.stated = bool(constraints)
        self._kernel = None if self.stated else kernel
        self._places = edges.places([*constraints, *conditions(root, problem.rule)])
        self._edges, self._take = edges, take
        self._lower, self._width = problem.lower, problem.upper - problem.lower
        self._unit = 1.0
        self._left, self._lost, self._idle, self._lowest = 0, 0, 0, (np.inf, self._lower)
        self._last: tuple[Floats, float, Floats] | None = None
        self._free = Problem("without constraints", root, problem.lower, problem.upper, rule=problem.rule)

    def __call__(self, x: Floats) -> Floats:
        """Points on the way from where it ends, which may miss a constraint by a little, back to the point given."""
        scale, self._unit = self._scale(x), 1.0
        start = np.clip((x - self._lower) / np.where(self._width > 0.0, self._width, 1.0), 0.0, 1.0)
        self._left, self._lost, self._idle = SQP_EVALUATIONS * (1 + len(x)), 0, 0
        self._lowest, self._last = (np.inf, start), None
        size = float(np.linalg.norm(self._value(start)[1]))
        self._unit = size if 0.0 < size < np.inf else 1.0
        bounds = [(0.0, 1.0)] * len(x)
        limits = {"type": "ineq", "fun": lambda z: self._room(z, scale), "jac": lambda z: self._slopes(z, scale)}
        try:
            found = minimize(
                self._value, start, jac=True, method="SLSQP", bounds=bounds,
                constraints=[limits] if len(self._places) else [], options={"maxiter": SQP_STEPS, "ftol": 1e-14},
            ).x  # fmt: skip
        except _LongEnoughError:
            found = self._lowest[1]
        end = self._point(found)
        if not np.isfinite(end).all():
            return x[None, :]
        return np.clip(end + BACK[:, None] * (x - end), self._lower, self._lower + self._width)

    def promise(self, x: Floats) -> float:
        """The value at a point where no constraint is missed by more than a trifle; infinity elsewhere."""
        value = self._at(x)
        return value if np.isfinite(value) and (self._room_at(x, self._scale(x)) >= -TRIFLE).all() else np.inf

    def missed(self, x: Floats) -> Places:
        """The edges of constraints and conditions that a point has no more than a trifle to spare of, or misses."""
        if not len(self._places):
            return self._places
        found: Places = self._places[self._room_at(x, self._scale(x)) <= TRIFLE]
        return found

    def _at(self, x: Floats) -> float:
        """The value; where there are no constraints it is the problem's own."""
        if self._kernel is None:
            self._take(1)
            return float(self._free(x))
        out = np.empty(1)
        self._kernel(x, out)
        return float(out[0])

    def _point(self, z: Floats) -> Floats:
        return np.clip(self._lower + z * self._width, self._lower, self._lower + self._width)

    def _value(self, z: Floats) -> tuple[float, Floats]:
        value, slope = self._read(z)
        good = np.isfinite(value) and np.isfinite(slope).all()
        return (value / self._unit, slope / self._unit) if good else (1e10, np.zeros_like(z))

    def _read(self, z: Floats) -> tuple[float, Floats]:
        """The value and the slopes, which are asked for twice where it begins."""
        if self._last is None or not np.array_equal(self._last[0], z):
            if self._left <= 0 or self._lost >= LOST or self._idle >= IDLE:
                raise _LongEnoughError
            x = self._point(z)
            value = self._at(x)
            self._left, self._lost = self._left - 1, 0 if np.isfinite(value) else self._lost + 1
            gain = self._lowest[0] - value
            self._idle = 0 if self.stated or not gain <= LITTLE * max(1.0, abs(value)) else self._idle + 1
            if value < self._lowest[0] or self.stated:
                self._lowest = value, z.copy()
            self._last = z.copy(), value, self._free.gradient(x) * self._width
        return self._last[1:]

    def _scale(self, x: Floats) -> Floats:
        """By how much the constraints change across the box, near a point."""
        size = np.linalg.norm(self._edges.at(x[None, :]).slope[0, self._places], axis=1)
        return np.where(np.isfinite(size) & (size > 0.0), size, 1.0)

    def _room(self, z: Floats, scale: Floats) -> Floats:
        return self._room_at(self._point(z), scale)

    def _room_at(self, x: Floats, scale: Floats) -> Floats:
        room: Floats = self._edges.at(x[None, :]).value[0, self._places] / scale
        return np.nan_to_num(room, nan=-1e10)

    def _slopes(self, z: Floats, scale: Floats) -> Floats:
        slope: Floats = self._edges.at(self._point(z)[None, :]).slope[0, self._places] / scale[:, None]
        return np.nan_to_num(slope, nan=0.0, posinf=0.0, neginf=0.0)
