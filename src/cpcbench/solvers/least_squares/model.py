"""The residuals of many points at once, with the parameters that enter linearly solved for (variable projection)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.expr.nodes import Expr, double, index
from cpcbench.expr.walk import postorder
from cpcbench.points import Floats, Places
from cpcbench.readings.doubles.arrays import OPERATIONS
from cpcbench.solvers.least_squares.squares import linear_variables, slopes

RANK = 1e-14
"""Singular values below this share of the largest are taken for 0."""


class Program:
    """Several formulas, evaluated together at many points, NumPy operation by operation."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        order = postorder(*roots)
        place = {id(part): i for i, part in enumerate(order)}
        self._steps = [(part, tuple(place[id(a)] for a in part.args)) for part in order]
        self._roots = [place[id(root)] for root in roots]

    def __call__(self, points: Floats) -> Floats:
        """The values, a row a point and a column a formula."""
        columns = np.ascontiguousarray(points.T)
        values: list[Floats | float] = []
        for part, arguments in self._steps:
            if part.op == "var":
                values.append(columns[index(part)])
            elif part.op == "const":
                values.append(double(part))
            else:
                values.append(OPERATIONS[part.op](part, *[values[i] for i in arguments]))
        made = np.empty((len(self._roots), len(points)))
        for row, i in zip(made, self._roots, strict=True):
            row[...] = values[i]
        return made.T


@dataclass(frozen=True)
class State:
    """Points with their residuals and sums of squares; `span` spans what the linear parameters can change."""

    points: Floats
    errors: Floats
    sums: Floats
    span: Floats

    def __getitem__(self, chosen: Places | slice) -> State:
        return State(self.points[chosen], self.errors[chosen], self.sums[chosen], self.span[chosen])

    @staticmethod
    def joined(parts: Sequence[State]) -> State:
        """One after the other."""
        names = ("points", "errors", "sums", "span")
        return State(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class Model:
    """The residuals r(b) of a sum of squares, as r0 + A c in the parameters c that enter linearly."""

    def __init__(
        self, parts: Sequence[Expr], n: int, take: Callable[[int], None], seen: Callable[[State], None]
    ) -> None:
        self._take, self._seen = take, seen
        by = slopes(parts, n)
        self.n = n
        self.linear = np.array(linear_variables(by, n), dtype=np.int64)
        self.free = np.array([j for j in range(n) if j not in self.linear], dtype=np.int64)
        self.count = len(parts)
        self._basis = Program([row[j] for row in by for j in self.linear])
        self._rest = Program(parts)
        self._slopes = Program([row[j] for row in by for j in self.free])
        self.scales = sorted({double(part) for root in parts for part in postorder(root) if part.op == "const"} - {0.0})

    def state(self, points: Floats) -> State:
        """The points with their linear parameters set to what is best."""
        m, p = len(points), len(self.linear)
        self._take(m)
        points = points.copy()
        with np.errstate(all="ignore"):
            if p:
                points[:, self.linear] = 0.0
                basis = self._basis(points).reshape(m, self.count, p)
                rest = self._rest(points)
                size = np.sqrt(np.einsum("mop,mop->mp", basis, basis))
                fine = np.isfinite(size).all(axis=1) & (size > 0.0).all(axis=1) & np.isfinite(rest).all(axis=1)
                basis[~fine] = 0.0
                size[~fine] = 1.0
                left, values, right = np.linalg.svd(basis / size[:, None, :], full_matrices=False)
                keep = values > RANK * values[:, :1]
                span = left * keep[:, None, :]
                inverse = np.where(keep, 1.0 / np.where(keep, values, 1.0), 0.0)
                along = np.einsum("mop,mo->mp", span, np.where(fine[:, None], rest, 0.0))
                points[:, self.linear] = -np.einsum("mkp,mk->mp", right, inverse * along) / size
                points[~fine] = np.nan
            else:
                span = np.zeros((m, self.count, 0))
            errors = self._rest(points)
            sums = np.einsum("mo,mo->m", errors, errors)
        sums[~np.isfinite(sums)] = np.inf
        made = State(points, errors, sums, span)
        self._seen(made)
        return made

    def jacobian(self, at: State) -> Floats:
        """The derivatives of the residuals by the free parameters, the linear ones following (Kaufman)."""
        m = len(at.points)
        self._take(m)
        with np.errstate(all="ignore"):
            full = self._slopes(at.points).reshape(m, self.count, len(self.free))
            full[~np.isfinite(full).all(axis=(1, 2))] = 0.0
            made: Floats = full - at.span @ (at.span.transpose(0, 2, 1) @ full)
        return made
