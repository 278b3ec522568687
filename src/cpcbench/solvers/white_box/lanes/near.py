"""Few evaluations near what is known: descents by slopes, Newton to edges and corners, ways into the domain."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from itertools import combinations

import numpy as np

from cpcbench.expr.rewriting import unlimited
from cpcbench.points import Floats
from cpcbench.solvers.white_box.archive import Archive
from cpcbench.solvers.white_box.hunt import Hunt
from cpcbench.solvers.white_box.lanes.lane import Lane, Low
from cpcbench.solvers.white_box.moves.edges import chosen_edges
from cpcbench.solvers.white_box.moves.herd import Herd
from cpcbench.solvers.white_box.moves.lattice import Lattice
from cpcbench.solvers.white_box.tuning import (
    ALL_CORNERS,
    EARLY,
    ENTERING_HERD,
    HELD,
    NEAR_EACH,
    NEAR_NICHE,
    NEAR_SAME,
    NEAR_SPREAD,
    NEWTON,
    STARTS,
)


class Near(Lane):
    """The lowest points one after the other; when none is left that it knows, others that the conditions lead to."""

    name = "near"

    def begin(self) -> None:
        self._hunt = Hunt(self.regular, self.rng, self.limits, self.kernel, self.lowest)
        self._hunt.archive = Archive(self.box, niche=NEAR_NICHE)
        self._corners: list[list[int]] = []

    def work(self) -> Iterator[None]:
        for x in self.task.starts[::-1]:
            yield from self._around(x)
        promising = yield from self._held()
        for x in reversed(promising[-STARTS:]):
            self._hunt.descend(x)
            yield
        stated = bool(unlimited(self.regular.expression)[1])  # which may leave next to nothing of the box
        for _ in range(EARLY if stated else 0):
            yield from self._around(self._anywhere())
        yield from self._around(self.box.mean(axis=0))
        while True:
            archive = self._hunt.archive
            todo = np.flatnonzero(~archive.polished)
            if len(todo):
                archive.polished[todo[0]] = True
                yield from self._around(archive.points[todo[0]].copy())
            elif stated:
                yield from self._around(self._anywhere())
            else:
                yield from self._enter()

    def _anywhere(self) -> Floats:
        x: Floats = self.rng.uniform(self.box[0], self.box[1])
        return x

    def _around(self, x: Floats) -> Iterator[None]:
        """A descent from a point; and onto some of its nearest edges, and onto edges taken by chance."""
        self._hunt.down(x)
        self._worked()
        yield
        edges, n = self._hunt.edges, self.problem.dim
        for count in range(1, n + 1):
            points = self._about(x)
            self._hunt.corners(points, chosen_edges(edges.at(points), count, self.rng), exact=count % 2 == n % 2)
            self._worked()
            yield
        chosen = np.array([self._some_edges() for _ in range(NEAR_EACH)])
        self._hunt.corners(np.tile(x, (NEAR_EACH, 1)), chosen, exact=True)
        self._worked()
        yield

    def _about(self, x: Floats) -> Floats:
        """A point and others beside it, which may have other edges near, or another part of the same."""
        points = np.tile(x, (NEAR_EACH, 1))
        shape = NEAR_EACH - NEAR_SAME, self.problem.dim
        far = 10.0 ** self.rng.uniform(*NEAR_SPREAD, (shape[0], 1)) * self.rng.standard_normal(shape)
        points[NEAR_SAME:] += far * (self.box[1] - self.box[0])
        inside: Floats = np.clip(points, *self.box)
        return inside

    def _some_edges(self) -> list[int]:
        """As many edges as make a corner: all choices in turn where there are few, else by chance."""
        m, n = self._hunt.edges.count, self.problem.dim
        if math.comb(m, n) > ALL_CORNERS:
            return [int(i) for i in self.rng.permutation(m)[:n]]
        if not self._corners:
            self._corners = [list(each) for each in combinations(range(m), n)]
            self.rng.shuffle(self._corners)
        return self._corners.pop()

    def _worked(self) -> None:
        self.limits.other_work += NEWTON

    def _enter(self) -> Iterator[None]:
        """A few points that walk down their distances from the domain, until some are inside."""
        self._worked()
        herd = Herd(self.regular, self.rng, ENTERING_HERD, None, self.kernel, self.limits.read)
        if (yield from herd.enter(0.25, 2 * self.problem.dim)):
            self._hunt.add(herd.points, herd.keys)
            self._hunt.archive.polished[self._hunt.archive.values >= np.sort(herd.keys)[1]] = True
            yield from self._around(herd.points[int(np.argmin(herd.keys))])

    def _held(self) -> Generator[None, None, list[Floats]]:
        """Descents of the other variables with whole ones held, at those of the lowest point known and next to it."""
        whole = self.task.whole
        promising: list[Floats] = []
        if whole.all() or not whole.any():
            return promising
        lattice = Lattice(self.box[0], self.box[1], whole)
        best, centre = math.inf, self.task.starts[-1] if len(self.task.starts) else None
        while self.limits.evaluations < HELD:
            points = self.rng.uniform(self.box[0], self.box[1], (STARTS, self.problem.dim))
            if centre is not None:
                points[0] = centre
            numbers = lattice.next_to(points[0])
            if numbers is None:
                break
            for x in lattice.held(points, numbers):
                end, value = self._hunt.promise(x)
                if value < best:
                    best, centre = value, end
                    promising.append(end)
                yield
        return promising

    def hear(self, points: Floats, values: Floats) -> None:
        self._hunt.archive.add(points, values)

    def low(self) -> Low:
        return self._hunt.archive.points, self._hunt.archive.values
