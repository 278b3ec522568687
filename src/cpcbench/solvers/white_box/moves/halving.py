"""Boxes halved by the ranges of a formula over them, the lowest and the oldest; and which middles are to be tried."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import cut_and_bound
from cpcbench.intervals.tape import Tape
from cpcbench.points import Flags, Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.tuning import (
    AT_A_TIME,
    CHANCE,
    CUTS,
    LOWEST_FIRST,
    MOST_BOXES,
    MOST_SIDES,
    OF_OPEN,
    SEEN,
    SMALLEST_BOX,
    SMALLEST_GAIN,
)


class Halving:
    """The open boxes of a problem, the oldest first; none where its formula cannot be read over boxes."""

    def __init__(self, problem: Problem, rng: np.random.Generator, whole: Flags) -> None:
        self._rng, self._whole = rng, whole
        self._half = problem.upper / 2 - problem.lower / 2
        self._lower, self._upper = problem.lower[None].copy(), problem.upper[None].copy()
        self._bounds, self._tried = np.full(1, -np.inf), np.zeros(1, dtype=np.bool_)
        self._most = min(MOST_BOXES, MOST_SIDES // problem.dim)
        try:
            self._tape = Tape.of_formula(problem.expression, problem.dim, rule=problem.rule)
        except CpcbenchError:
            self._keep(np.zeros(1, dtype=np.bool_))
        self.read = 0
        """Operations of the formula over boxes so far."""

    def __len__(self) -> int:
        return len(self._bounds)

    @property
    def corners(self) -> tuple[Floats, Floats]:
        """Of the open boxes."""
        return self._lower, self._upper

    def grow(self, looks: int, best: float) -> Iterator[None]:
        """Looks at so many halves of boxes; those that can hold no value lower than the best are left."""
        self._keep(self._bounds < _enough(best))
        while looks > 0 and len(self):
            count = min(max(len(self) // OF_OPEN, AT_A_TIME), looks)
            lowest = self._lowest(int(LOWEST_FIRST * count))
            rows = np.union1d(lowest, np.arange(min(count - len(lowest), len(self))))
            self._halve(rows, _enough(best))
            looks -= 2 * CUTS * len(rows)
            if len(self) > self._most:
                self._keep(np.isin(np.arange(len(self)), self._lowest(self._most // 2)))
            yield

    def _halve(self, rows: Places, enough: float) -> None:
        lower, upper, bounds = self._lower[rows], self._upper[rows], self._bounds[rows]
        axis, middle, wide = self._middles(lower, upper)
        rest = np.ones(len(self), dtype=np.bool_)
        rest[rows] = False
        self._keep(rest)
        lower, upper = np.repeat(lower[wide], 2, axis=0), np.repeat(upper[wide], 2, axis=0)
        places, axis = 2 * np.arange(int(wide.sum())), axis[wide]
        upper[places, axis], lower[places + 1, axis] = middle[wide], middle[wide]
        found = np.repeat(bounds[wide], 2)
        for _ in range(CUTS):
            lower, upper, now = cut_and_bound(self._tape, lower, upper, enough)
            self.read += len(found) * len(self._tape.code.op)
            found = np.maximum(found, now)
        new = found < enough
        self._lower, self._upper = np.concatenate([self._lower, lower[new]]), np.concatenate([self._upper, upper[new]])
        self._bounds = np.concatenate([self._bounds, found[new]])
        self._tried = np.pad(self._tried, (0, int(new.sum())))

    def _middles(self, lower: Floats, upper: Floats) -> tuple[Places, Floats, Flags]:
        """The longest side of each box, as a part of the whole one's, and its middle; False for boxes too small."""
        middle = 0.5 * lower + 0.5 * upper
        middle[:, self._whole] = np.floor(middle[:, self._whole]) + 0.5
        size = upper / 2 - lower / 2
        least = SMALLEST_BOX * np.minimum(self._half, np.maximum(np.fmax(np.abs(lower), np.abs(upper)), 1.0))
        part = np.where((lower < middle) & (middle < upper) & (size > least), size, 0.0)
        axis = np.argmax(part / np.where(self._half > 0.0, self._half, 1.0), axis=1)
        every = np.arange(len(axis))
        return axis, middle[every, axis], part[every, axis] > 0.0

    def middles(self, best: float) -> tuple[Places, Floats]:
        """Of some boxes not tried before, the lowest and others among them, and cut down to where the formula may be
        lower than the best: their places and middles."""
        fresh = np.flatnonzero(~self._tried & (self._bounds < _enough(best)))
        lowest = fresh[np.argsort(self._bounds[fresh], kind="stable")[:SEEN]]
        others = self._rng.permutation(fresh)[: SEEN // CHANCE]
        chosen = np.insert(lowest, np.minimum(CHANCE * np.arange(1, len(others) + 1), len(lowest)), others)
        chosen = chosen[np.sort(np.unique(chosen, return_index=True)[1])]
        return chosen, np.ascontiguousarray(0.5 * self._lower[chosen] + 0.5 * self._upper[chosen])

    def tried(self, places: Places) -> None:
        """The middles of these boxes are not given again."""
        self._tried[places] = True

    def _lowest(self, count: int) -> Places:
        """The places of so many boxes with the lowest bounds, of equals the oldest."""
        if count >= len(self):
            return np.arange(len(self))
        low = np.flatnonzero(self._bounds <= np.partition(self._bounds, count)[count])
        return low[np.argsort(self._bounds[low], kind="stable")[:count]]

    def _keep(self, rows: Flags) -> None:
        self._lower, self._upper = self._lower[rows], self._upper[rows]
        self._bounds, self._tried = self._bounds[rows], self._tried[rows]


def _enough(best: float) -> float:
    return best - SMALLEST_GAIN * max(1.0, abs(best)) if np.isfinite(best) else best
