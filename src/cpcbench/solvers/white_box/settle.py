"""Faithful points near artefacts: neighbours on the lattice of doubles, the lowest that look faithful judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from cpcbench.points import Floats
from cpcbench.problems.kinds import Kind
from cpcbench.solvers.white_box.extended import looks_faithful
from cpcbench.solvers.white_box.judge import Candidate, Judge
from cpcbench.solvers.white_box.moves.edges import Edges, chosen_edges
from cpcbench.solvers.white_box.tuning import EACH, INWARD, NEIGHBOURS, ON_EDGE, SHORT, SPREADS


class Settler:
    """Looks for the lowest faithful point near a given one, or the lowest of another kind."""

    def __init__(
        self,
        judge: Judge,
        kernel: Callable[[Floats, Floats], float],
        edges: Edges,
        rng: np.random.Generator,
        wanted: Kind = "faithful",
    ) -> None:
        self._wanted = wanted
        self._judge, self._kernel, self._edges, self._rng = judge, kernel, edges, rng
        self._box = np.array(edges.box)
        self._centre = self._box[0]

    def __call__(self, x: Floats, limit: float = math.inf) -> Iterator[Candidate | None]:
        """Lower and lower faithful points below the limit, with None where another look found no lower one."""
        self._centre = x
        for points in self._rounds(x):
            best = self._lowest(points, limit)
            if best is not None:
                limit, self._centre = best.value, best.x
            yield best

    def _rounds(self, x: Floats) -> Iterator[Floats]:
        """Points near the given one and near the best found so far."""
        for spread in SPREADS:
            yield self._inward(x)
            yield self._short_numbers(x)
            yield self._neighbours(x, spread)
            yield self._inward(self._centre)
            yield self._neighbours(self._centre, spread)

    def _lowest(self, points: Floats, limit: float) -> Candidate | None:
        """The lowest of the points that is faithful, judged from the lowest on."""
        values = np.empty(len(points))
        self._kernel(points.reshape(-1), values)
        low = np.flatnonzero(values < limit)
        low = low[looks_faithful(self._judge.root, points[low], values[low])]
        order = low[np.argsort(values[low])]
        judged = (self._judge(points[i]) for i in order[:EACH].tolist())
        return next((candidate for candidate in judged if candidate.kind == self._wanted), None)

    def _inward(self, x: Floats) -> Floats:
        """Points a little inside the edges that this one is on, by all orders of magnitude."""
        sizes = self._edges.at(x[None, :])
        count = min(int((sizes.distance[0] < ON_EDGE).sum()), len(x))
        if not count:
            return self._neighbours(x, 1.0)
        chosen = np.tile(chosen_edges(sizes, count), (INWARD, 1))
        target = 10.0 ** (self._rng.uniform(-17.0, -6.0, (INWARD, 1)) + self._rng.uniform(-1.0, 1.0, chosen.shape))
        return np.ascontiguousarray(self._edges.onto(np.tile(x, (INWARD, 1)), chosen, target, 4))

    def _neighbours(self, x: Floats, spread: float) -> Floats:
        """Points at all distances from one double on, in some of the coordinates."""
        shape = (NEIGHBOURS, len(x))
        bits = np.rint(10.0 ** self._rng.uniform(0.0, spread, shape)) * self._rng.choice((-1.0, 1.0), shape)
        moved = self._rng.random(shape) < self._rng.random((NEIGHBOURS, 1))
        moved[np.arange(NEIGHBOURS), self._rng.integers(len(x), size=NEIGHBOURS)] = True
        return np.ascontiguousarray(np.clip(x + moved * bits * np.spacing(np.abs(x)), *self._box))

    def _short_numbers(self, x: Floats) -> Floats:
        """Points with short binary fractions in some coordinates, the others brought onto the nearest edges.

        Sums and products of short numbers are exact, so an edge can be met exactly.
        """
        count, n = SHORT, len(x)
        digits = np.exp2(self._rng.integers(0, 27, (count, 1)).astype(np.float64))
        snapped = np.rint(x * digits + self._rng.integers(-2, 3, (count, n))) / digits
        free = self._rng.random((count, n)) < 0.5
        free[np.arange(count), self._rng.integers(n, size=count)] = False
        points = np.where(free, x, np.clip(snapped, *self._box))
        most = max(1, int(free.sum(axis=1).max()))
        chosen = chosen_edges(self._edges.at(np.tile(x, (count, 1))), int(self._rng.integers(1, most + 1)))
        exact = self._edges.onto(points, chosen, np.zeros(chosen.shape), 6, free=free)
        return np.ascontiguousarray(np.concatenate([points, exact]))
