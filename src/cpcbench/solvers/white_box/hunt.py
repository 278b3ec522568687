"""The search in doubles: herds over the domain and over its edges, corners, climbs, slides, last bits."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import numpy as np

from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.archive import Archive
from cpcbench.solvers.white_box.evaluations import Counted, Lowest
from cpcbench.solvers.white_box.guard import Guard
from cpcbench.solvers.white_box.limits import Limits
from cpcbench.solvers.white_box.moves.climb import Climbers
from cpcbench.solvers.white_box.moves.descent import Descent
from cpcbench.solvers.white_box.moves.edges import Edges, chosen_edges
from cpcbench.solvers.white_box.moves.herd import Herd
from cpcbench.solvers.white_box.moves.slide import slide
from cpcbench.solvers.white_box.tuning import (
    BROUGHT,
    DESCENTS,
    DIGITS,
    EDGE_HERD,
    FINISHES,
    FIRST_HERD,
    FULL_HERD,
    GROWING,
    LARGEST_HERD,
    LEVELS,
    LOOKS,
    NEAR,
    PIECE,
    RACE,
)

Kernel = Callable[[Floats, Floats], float]


class Hunt:
    """One search of a problem without thin sets; `epoch` can be called again and again, each time with larger herds.

    Work is done piece by piece: it can be left at any `yield`, and gone on with later.
    `guarded`, it does not believe lowest values that look like accidents of rounding.
    """

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        limits: Limits,
        kernel: Counted,
        lowest: Lowest,
        guarded: bool = False,
    ) -> None:
        self.problem, self.rng = problem, rng
        self._limits, self._lowest = limits, lowest
        self.box = np.array([problem.lower, problem.upper])
        self.kernel: Kernel = Guard(problem, kernel) if guarded else kernel
        self.seed = rng.integers(2**64, size=1, dtype=np.uint64)
        self.edges = Edges(problem, limits.read)
        self.archive = Archive(self.box)
        self._descent = Descent(problem, self.edges, kernel, limits.take)
        self.epochs = 0

    def epoch(self) -> Iterator[None]:
        """Two herds over the whole box, polish, and a herd along edges that low points are near."""
        count = min(FIRST_HERD * 2**self.epochs, FULL_HERD * 2 ** (max(self.epochs - GROWING, 0) // 2), LARGEST_HERD)
        self.epochs += 1
        n = self.problem.dim
        if (yield from self._drive(self._herd(count), LEVELS)):
            yield from self._drive(self._herd(2 * count), LEVELS)
            yield from self._polish(6)
            yield from self._along_edges(1)
            if n > 2 and self.epochs % 2 == 0:
                yield from self._along_edges(int(self.rng.integers(2, n)))
            yield from self._polish(6)

    @property
    def grown(self) -> bool:
        """Whether its herds have had their full size."""
        return self.epochs > GROWING

    def finish(self) -> Iterator[None]:
        """Refines the lowest points once more, and longer."""
        for _ in range(FINISHES):
            self.archive.polished[:] = False
            yield from self._polish(3, longer=3)

    def add(self, points: Floats, values: Floats) -> None:
        """Points to keep; a lowest faithful one among them stays known, whatever replaces it in the archive."""
        self.archive.add(points, values)
        self._lowest.consider(points, values)

    # Herds

    def _herd(self, count: int, bring: Callable[[Floats], Floats] | None = None) -> Herd:
        return Herd(self.problem, self.rng, count, bring, self.kernel, self._limits.read)

    def _drive(self, herd: Herd, levels: int) -> Generator[None, None, bool]:
        """Drives a herd into the domain and down; whether it got in."""
        n = self.problem.dim
        inside = yield from herd.enter(0.5, 6 * n)
        if not inside:
            return False
        for level in range(levels):
            line = yield from herd.descend(0.5, 4 * n)
            if level in LOOKS:
                yield from self._look(herd)
            if not line - herd.keys.min() > 1e-15 * abs(line):
                break
        yield from self._look(herd)
        return True

    def _look(self, herd: Herd) -> Iterator[None]:
        """Climbs from some of the herd, the lowest and others, and Newton from some to edges and corners."""
        self.add(herd.points, herd.keys)
        some, many = (max(4, int(size * min(1.0, len(herd.keys) / FULL_HERD))) for size in (30, 160))
        rows = np.concatenate([np.argsort(herd.keys)[:some], self.rng.integers(len(herd.keys), size=some)])
        yield from self._climb(herd.points[rows], herd.keys[rows], 0.003)
        for count in range(1, self.problem.dim + 1):
            rows = self.rng.integers(len(herd.keys), size=many)
            self._corners(herd.points[rows], count)
            yield
        if len(self.edges.residuals):
            rows = self.rng.integers(len(herd.keys), size=many)
            self._all_zero(herd.points[rows])

    def _all_zero(self, points: Floats) -> None:
        """Newton for a sum of powers: all bases to 0."""
        chosen = np.tile(self.edges.residuals, (len(points), 1))
        self._climb_shortly(self.edges.onto(points, chosen, np.zeros(chosen.shape), 30))

    def _climb(self, points: Floats, values: Floats, sigma: float) -> Iterator[None]:
        """A race: all climb a little, the better third goes on."""
        climbers = Climbers(points, values, self.box, self.seed, sigma)
        for rounds in RACE:
            yield from self._run_on(climbers, rounds)
            climbers.keep(np.argsort(climbers.value)[: max(len(climbers.value) // 3, 4)])

    # Edges and corners

    def _corners(self, points: Floats, count: int) -> None:
        """Moves the points to `count` of their nearest edges each, and climbs from the best."""
        chosen = chosen_edges(self.edges.at(points), count, self.rng)
        self._climb_shortly(self.edges.onto(points, chosen, self._targets(chosen.shape)))

    def _climb_shortly(self, moved: Floats) -> None:
        """Short climbs from the lowest of points that Newton brought somewhere."""
        values = self._values(moved)
        best = np.argsort(values)[:8]
        best = best[np.isfinite(values[best])]
        if len(best):
            climbers = Climbers(moved[best], values[best], self.box, self.seed, 1e-8)
            self._run(climbers, 300)

    def _targets(self, shape: tuple[int, ...]) -> Floats:
        """Values to bring edges to: 0, or just inside by any order of magnitude."""
        return 10.0 ** self.rng.uniform(-17.0, -7.0, shape) * (self.rng.random(shape) < 0.8)

    def _along_edges(self, count: int) -> Iterator[None]:
        """A herd that stays on edges which one of the best points is near."""
        if not len(self.archive.values):
            return
        place = min(int(self.rng.exponential(2.0)), len(self.archive.values) - 1)
        sizes = self.edges.at(self.archive.points[place : place + 1])
        edges = chosen_edges(sizes, count, self.rng)[0]
        if not (sizes.distance[0, edges] < NEAR).all():
            return

        def bring(points: Floats) -> Floats:
            chosen = np.tile(edges, (len(points), 1))
            return self.edges.onto(points, chosen, self._targets(chosen.shape), 3)

        size = min(FIRST_HERD * 2**self.epochs, EDGE_HERD * 2 ** (max(self.epochs - GROWING, 0) // 3), LARGEST_HERD)
        yield from self._drive(self._herd(size, bring), LEVELS)

    # Polish

    def _polish(self, most: int, longer: int = 1) -> Iterator[None]:
        """Refines the lowest points that are not refined yet, in the open and along their edges."""
        todo = np.flatnonzero(~self.archive.polished)[:most]
        if not len(todo):
            return
        points, values = self.archive.points[todo], self.archive.values[todo]
        self.archive.polished[todo] = True
        if self._descent.stated:
            for point in points[:DESCENTS]:
                self.descend(point)
                yield
        spread = np.repeat(np.arange(len(todo)), 6)
        sigma = 10.0 ** self.rng.uniform(-14.0, -3.0, len(spread))
        climbers = Climbers(points[spread], values[spread], self.box, self.seed, sigma)
        for _ in range(4 * longer):
            yield from self._run_on(climbers, 700)
        for count in range(1, self.problem.dim):
            self._slide(points, count, 120 * longer)
            yield
        for count in range(1, self.problem.dim + 1):
            self._corners(np.repeat(points, 24, axis=0), count)
            yield
        self._last_bits(self.archive.points[:most], self.archive.values[:most])

    def promise(self, point: Floats) -> tuple[Floats, float]:
        """Where a descent from a point ends, and about what value there is; infinity where it ends outside."""
        end = self._descent(point)[0]
        return end, self._descent.promise(end)

    def descend(self, point: Floats) -> None:
        """Down under the constraints, and from there to the corner of those that are met with nothing to spare."""
        ways = self.down(point)
        near = int((self.edges.at(ways[:1]).distance[0] < NEAR).sum())
        for count in range(1, min(near, self.problem.dim) + 1):
            self._corners(np.repeat(ways[:1], 24, axis=0), count)

    def down(self, point: Floats) -> Floats:
        """Where a descent under the constraints and conditions ends, and the way back from there."""
        ways = self._descent(point)
        for part in self._parts(ways):
            values = self._values(part)
            self.add(part, values)
            if np.isfinite(values).any():
                break
        return ways

    def _parts(self, ways: Floats) -> Iterator[Floats]:
        """The end of a descent; where that is a trifle outside, beside a thin band say, points just inside; the way."""
        yield ways[:1]
        missed = self._descent.missed(ways[0])
        if len(missed) and np.isfinite(self._descent.promise(ways[0])):
            chosen = np.tile(missed, (BROUGHT, 1))
            yield self.edges.onto(np.tile(ways[0], (BROUGHT, 1)), chosen, self._targets(chosen.shape))
        yield ways[1:]

    def corners(self, points: Floats, chosen: Places, exact: bool) -> None:
        """Brings points onto edges, exactly or just inside."""
        target = np.zeros(chosen.shape) if exact else self._targets(chosen.shape)
        moved = self.edges.onto(points, chosen, target)
        if exact:  # a corner at 0.3 has values there, and perhaps not at the next double
            moved = np.vstack([moved, np.clip(np.round(moved, DIGITS), *self.box)])
        self.add(moved, self._values(moved))

    def _slide(self, points: Floats, count: int, rounds: int) -> None:
        starts = np.repeat(points, 8, axis=0)
        chosen = chosen_edges(self.edges.at(starts), count, self.rng)
        for sigma in (1e-4, 1e-6):
            target = self._targets(chosen.shape)
            found, value = slide(self.edges, self.kernel, starts, chosen, target, self.seed, rounds=rounds, sigma=sigma)
            self.add(found, value)
            starts = np.where(np.isfinite(value)[:, None], found, starts)

    def _last_bits(self, points: Floats, values: Floats) -> None:
        """Climbs whose steps are a few doubles."""
        spread = np.repeat(np.arange(len(points)), 8)
        climbers = Climbers(points[spread], values[spread], self.box, self.seed, 1e-16)
        self._run(climbers, 500)

    def _run_on(self, climbers: Climbers, rounds: int) -> Iterator[None]:
        """As `_run`, in pieces."""
        while rounds > 0:
            self._run(climbers, min(rounds, PIECE))
            rounds -= PIECE
            yield

    def _run(self, climbers: Climbers, rounds: int) -> None:
        climbers.run(self.kernel, rounds)
        self.add(climbers.x, climbers.value)

    def _values(self, points: Floats) -> Floats:
        out = np.empty(len(points))
        self.kernel(np.ascontiguousarray(points).reshape(-1), out)
        return out
