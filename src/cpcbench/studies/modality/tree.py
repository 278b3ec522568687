"""A box cut into cells that are admissible throughout, or may be in part; the rest is proven to be undefined.

Cells that interval arithmetic cannot decide are cut in halves along every side, level by level, until
the next level would hold too many.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from cpcbench.intervals.boxes import Boxes
from cpcbench.intervals.operations import EVERYWHERE, MAYBE
from cpcbench.points import Flags, Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.studies.modality.parts import Progress, silent

KEY_BITS = 58
"""Of 63 for the place of a cell among its level's; the rest names the level."""
DEEPEST = 28


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells that are left: cell i is number `place[i]` (a coordinate each) of the 2^level[i] a side.

    `certain[i]` if it is admissible throughout, else it is undecided; undecided cells are all of the
    deepest level. Neighbouring cells share their edges: cells are closed.
    """

    problem: Problem
    level: Places
    place: Places
    certain: Flags
    deepest: int
    read: int
    """Boxes that interval arithmetic was asked about."""

    def corners(self) -> tuple[Floats, Floats]:
        return _corner(self.problem, self.level, self.place), _corner(self.problem, self.level, self.place + 1)

    @cached_property
    def shares(self) -> Floats:
        """Of the box, cell by cell."""
        return 2.0 ** -(self.level * int(_free(self.problem).sum())).astype(np.float64)

    def touching(self) -> tuple[Places, Places]:
        """All pairs of cells that have a point in common, each once."""
        keys = _keys(self.level, self.place)
        order = np.argsort(keys)
        table = keys[order]
        pairs = [self._pairs(b, offset, table, order) for b in np.unique(self.level) for offset in self._offsets]
        if not pairs:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        left, right = (np.concatenate(side) for side in zip(*pairs, strict=True))
        both = np.unique(np.stack([np.minimum(left, right), np.maximum(left, right)], axis=1), axis=0)
        return both[:, 0], both[:, 1]

    @cached_property
    def _offsets(self) -> list[Places]:
        free = _free(self.problem)
        steps = [(-1, 0, 1) if f else (0,) for f in free]
        return [np.array(s, dtype=np.int64) for s in product(*steps) if any(s)]

    def _pairs(self, level: int, offset: Places, table: Places, order: Places) -> tuple[Places, Places]:
        """The cells of one level with the neighbour in one direction, of the same or a coarser level."""
        own = np.flatnonzero(self.level == level)
        beside = self.place[own] + offset
        free = _free(self.problem)
        inside = ((beside >= 0) & (beside < 2**level))[:, free].all(axis=1)
        own, beside = own[inside], beside[inside]
        found: list[tuple[Places, Places]] = []
        for coarser in np.unique(self.level[self.level <= level]):
            keys = _keys(np.full(len(own), coarser), beside >> (level - coarser))
            at = np.minimum(np.searchsorted(table, keys), len(table) - 1)
            hit = table[at] == keys
            found.append((own[hit], order[at[hit]]))
        return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])


def cut(problem: Problem, most: int, progress: Progress = silent) -> Cells:
    """The cells of a problem's box, at most `most` undecided ones."""
    free = _free(problem)
    reading = Boxes(problem.expression, problem.rule)
    children = np.array(list(product(*[(0, 1) if f else (0,) for f in free])), dtype=np.int64)
    open_ = np.zeros((1, problem.dim), dtype=np.int64)
    level, read, kept = 0, 1, []
    state = reading(problem.lower[None], problem.upper[None])[2]
    if state[0] == EVERYWHERE:
        kept.append((0, open_))
    open_ = open_[state == MAYBE]
    deepest = min(DEEPEST, KEY_BITS // problem.dim - 1)
    while len(open_) and free.any() and level < deepest and len(open_) * len(children) <= most:
        level += 1
        open_ = (open_[:, None] * 2 + children[None]).reshape(-1, problem.dim)
        levels = np.full(len(open_), level)
        state = reading(_corner(problem, levels, open_), _corner(problem, levels, open_ + 1))[2]
        read += len(open_)
        kept.append((level, open_[state == EVERYWHERE]))
        open_ = open_[state == MAYBE]
        progress(f"cells of level {level}: {len(open_):,} undecided")
    return _cells(problem, kept, open_, level, read)


def _cells(problem: Problem, kept: list[tuple[int, Places]], open_: Places, level: int, read: int) -> Cells:
    places = [*(p for _, p in kept), open_]
    levels = [*(np.full(len(p), at) for at, p in kept), np.full(len(open_), level)]
    certain = [*(np.ones(len(p), dtype=bool) for _, p in kept), np.zeros(len(open_), dtype=bool)]
    return Cells(
        problem, np.concatenate(levels).astype(np.int64), np.concatenate(places), np.concatenate(certain), level, read
    )


def _free(problem: Problem) -> Flags:
    """The sides that have a width."""
    return np.asarray(problem.lower < problem.upper)


def _corner(problem: Problem, level: Places, place: Places) -> Floats:
    """The point at whole numbers of cells from the lower corner: the same double from whichever cell it is asked."""
    share = place / 2.0 ** level[:, None]
    corner: Floats = np.clip(problem.lower * (1.0 - share) + problem.upper * share, problem.lower, problem.upper)
    return corner


def _keys(level: Places, place: Places) -> Places:
    keys = np.asarray(level, dtype=np.int64) << np.int64(KEY_BITS)
    bits = KEY_BITS // place.shape[1]
    for i in range(place.shape[1]):
        keys = keys | (place[:, i] << np.int64(i * bits))
    return keys
