"""The edges of the domain as equations: which are near a point, and Newton's way onto them or to their corners.

An edge is what a condition is about (0 on the edge, positive inside), a side of the box, the inside
of an absolute value, or the base of an even power: optima like to lie where some of these are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.expr.nodes import Expr
from cpcbench.points import Flags, Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.moves.edge_kernel import edge_kernel, residuals
from cpcbench.solvers.white_box.tuning import APART, HALVINGS, LONGEST, NOISE, RIDGE


@dataclass(frozen=True)
class Sizes:
    """At some points: the values of all edges and their slopes, in units of the box; NaN where undefined."""

    value: Floats
    slope: Floats

    @property
    def distance(self) -> Floats:
        """How far the edge is, to first order, as a share of the box."""
        with np.errstate(all="ignore"):
            far = np.abs(self.value) / np.sqrt(np.square(self.slope).sum(axis=2))
        return np.where(np.isfinite(far), far, np.inf)


class Edges:
    """All edges of a problem, the sides of the box included, at many points at once; `take` counts these."""

    def __init__(self, problem: Problem, take: Callable[[int], None] = lambda _: None) -> None:
        self._take = take
        self._width = problem.upper - problem.lower
        self.box = problem.lower, problem.upper
        self._kernel, edges = edge_kernel(problem)
        self.count = len(edges)
        self._operands = edges
        self.residuals = np.array([edges.index(r) for r in residuals(problem.expression) if r in edges], dtype=np.int64)

    def places(self, operands: Sequence[Expr]) -> Places:
        """The numbers of the edges on which these parts of the formula are 0."""
        known = {id(edge): place for place, edge in enumerate(self._operands)}
        return np.array([known[id(part)] for part in operands if id(part) in known], dtype=np.int64)

    def at(self, points: Floats) -> Sizes:
        """Values and slopes at the rows of `points`."""
        out = self._read(points)
        with np.errstate(all="ignore"):
            return Sizes(out[:, :, 0], out[:, :, 1:] * self._width)

    def _read(self, points: Floats) -> Floats:
        """For each point and each edge its value and its slopes."""
        self._take(len(points))
        out = np.empty((len(points), self.count, 1 + points.shape[1]))
        self._kernel(np.ascontiguousarray(points).reshape(-1), out.reshape(-1))
        return out

    def onto(
        self, points: Floats, chosen: Places, target: Floats, rounds: int = 10, free: Flags | None = None
    ) -> Floats:
        """The points moved, each by Newton's method, to where its chosen edges have the target values.

        `chosen` has one row of edges a point; steps are the shortest that do it, in units of the box,
        and at most a tenth of it; only the coordinates that are `free` move. What does not converge
        ends somewhere, to be judged by its value.
        """
        x = points.copy()
        rows = np.arange(len(x))[:, None]
        scale = self._width if free is None else self._width * free[:, None, :]
        with np.errstate(all="ignore"):
            there = self._read(x)[rows, chosen]
            for _ in range(rounds):
                step = _shortest(there[:, :, 1:] * scale, there[:, :, 0] - target)
                length = np.sqrt(np.square(step).sum(axis=1))
                step[~np.isfinite(length)] = 0.0  # undefined there, or nothing free that would help
                longest = float(np.max(length, where=np.isfinite(length), initial=0.0))
                if longest <= 1e-18:
                    break
                if longest > LONGEST:
                    step *= np.fmin(1.0, LONGEST / np.maximum(length, 1e-300))[:, None]
                x, there = self._stepped(x, step, chosen)
        return x

    def _stepped(self, x: Floats, step: Floats, chosen: Places) -> tuple[Floats, Floats]:
        """The points after the steps, each shortened until the chosen edges have values there; and these values."""
        rows = np.arange(len(x))[:, None]
        fresh = np.clip(x - step * self._width, *self.box)
        there = self._read(fresh)[rows, chosen]
        for _ in range(HALVINGS):
            bad = np.flatnonzero(step.any(axis=1) & ~np.isfinite(there[:, :, 0]).all(axis=1))
            if not len(bad):
                break
            step[bad] *= 0.25
            fresh[bad] = np.clip(x[bad] - step[bad] * self._width, *self.box)
            there[bad] = self._read(fresh[bad])[np.arange(len(bad))[:, None], chosen[bad]]
        return fresh, there


def _shortest(slope: Floats, value: Floats) -> Floats:
    """For each point the shortest step that changes its edges by these values; least squares if there is none."""
    norm = np.sqrt(np.square(slope).sum(axis=2, keepdims=True))
    rows, wanted = slope / norm, value / norm[:, :, 0]
    if slope.shape[1] == 1:
        only: Floats = rows[:, 0, :] * wanted
        return only
    usable = np.isfinite(rows).all(axis=(1, 2)) & np.isfinite(wanted).all(axis=1)
    step = np.full((len(slope), slope.shape[2]), np.nan)
    rows, wanted = rows[usable], wanted[usable]
    squares = rows @ rows.transpose(0, 2, 1) + RIDGE * np.eye(slope.shape[1])
    step[usable] = (rows.transpose(0, 2, 1) @ np.linalg.solve(squares, wanted[:, :, None]))[:, :, 0]
    return step


def chosen_edges(sizes: Sizes, count: int, rng: np.random.Generator | None = None) -> Places:
    """For each point `count` of its nearest edges, none along others chosen before; with `rng`, roughly the nearest."""
    distance = sizes.distance
    if rng is not None:
        distance = distance * 10.0 ** (NOISE * rng.standard_normal(distance.shape))
    rows = np.arange(len(distance))
    slope = np.where(np.isfinite(sizes.slope), sizes.slope, 0.0)
    with np.errstate(all="ignore"):
        slope = np.nan_to_num(slope / np.linalg.norm(slope, axis=2, keepdims=True))
    chosen = np.empty((len(distance), count), dtype=np.int64)
    for place in range(count):
        nearest = np.argmin(distance, axis=1)
        chosen[:, place] = nearest
        along = slope[rows, nearest]
        along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
        slope = slope - np.einsum("kmn,kn->km", slope, along)[:, :, None] * along[:, None, :]
        distance = np.where(np.linalg.norm(slope, axis=2) > APART, distance, np.inf)
    return chosen
