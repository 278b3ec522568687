"""Proving a lower bound by a tree of boxes: the driver of the compiled search, and the tree that it leaves."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.certify.certificate.state import ProofState
from cpcbench.certify.lower.tree.grown import MOST_NODES, Tree, closing
from cpcbench.certify.lower.tree.parts import Part, put_back, share_out
from cpcbench.certify.threads import in_threads
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import Floats, corners_of, lower_bounds
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.convex import Bent, bent_of
from cpcbench.intervals.tree.growth import Growth
from cpcbench.intervals.tree.kernel import DONE, FULL, advance
from cpcbench.intervals.tree.kernel import SLICE as SLICED
from cpcbench.intervals.tree.store import BOXES, FREE, NODES, OPEN, plant

Progress = Callable[[float, int, float], None]
"""Called now and then with the bound reached, the boxes looked at and the seconds spent."""


FIRST_SLICE, SLICE, SLICE_SECONDS = 20, 20_000, 0.1
"""Boxes between two looks at the clock: at first, at most, and how long they should take about."""
EACH = 32
"""Open boxes for each thread from which on a tree is shared out."""
SHORT_PHASE, PHASE = 0.05, 0.5
"""Seconds after which what is open is shared out anew, at first and later."""


def prove(
    tape: Tape,
    lower: ArrayLike,
    upper: ArrayLike,
    target: float,
    *,
    seconds: float = 60.0,
    max_nodes: int = MOST_NODES,
    goal: float | None = None,
    progress: Progress | None = None,
    state: Tree | None = None,
    workers: int = 1,
    keep: ProofState | None = None,
    peels: bool = False,
) -> Tree:
    """A tree of boxes that proves `target`, or as much of it as is reached in the time and with `max_nodes` nodes.

    Boxes are closed at the target; the work ends once the bound over all of them is at least `goal` (the
    target itself unless it is lower). `state` is a tree to go on with. With more `workers` that
    many threads grow parts of it. `keep` is given the tree, by the name "tree", whenever it says that it is due.
    With `peels` leaves on which the formula is convex are kept small where it is least, so that they tell where.
    """
    low, high = corners_of(tape, np.atleast_2d(np.asarray(lower)), np.atleast_2d(np.asarray(upper)))
    if math.isnan(target) or not seconds >= 0.0 or max_nodes < 1:
        raise CpcbenchError(
            f"prove takes a number, seconds >= 0 and max_nodes >= 1, not {target}, {seconds}, {max_nodes}"
        )
    growth = _Growth(tape, low[0], high[0], target, max_nodes, peels)
    growth.start(state)
    growth.run(seconds, target if goal is None else min(goal, target), progress, workers, keep)
    return growth.tree()


def next_slice(size: int, took: float) -> int:
    """How many boxes to look at next: twice as many while that is quick, and fewer where boxes take long."""
    if took <= SLICE_SECONDS:
        return min(2 * size, SLICE)
    return max(int(size * SLICE_SECONDS / took), 1)


class _Growth(Growth):
    """The tree of a proof in the making."""

    def __init__(self, tape: Tape, lower: Floats, upper: Floats, target: float, max_nodes: int, peels: bool) -> None:
        self._target, self._most, self._peels = target, max_nodes, peels
        super().__init__(tape, lower, upper)

    def curvature(self) -> Bent:
        return bent_of(self.tape, self.tape.bent, self._peels, self.tape.squares)

    def start(self, state: Tree | None) -> None:
        if state is None:
            bound, _ = lower_bounds(self.tape, [self.lower], [self.upper], slopes=False)
            self.store.bound[0], self.store.count[NODES] = bound[0], 1
            if bound[0] < closing(self._target):
                plant(self.store, 0, float(bound[0]), self.lower, self.upper)
            return
        state.check_fits(self.tape, self.lower, self.upper)
        self.store = self.sized(state.store)
        self._reopen()

    def _reopen(self) -> None:
        """Leaves closed at a lower target than today's are opened again."""
        tree = self.tree()
        for node, low, high in tree.short_leaves(closing(self._target)):
            if tree.store.place[node] < 0:
                if self.store.count[FREE] == 0 or len(self.store.heap_key) <= self.store.count[OPEN]:
                    self.store = self.sized(self.store)
                plant(self.store, node, float(tree.store.bound[node]), low, high)

    def run(
        self, seconds: float, goal: float, progress: Progress | None, workers: int, keep: ProofState | None
    ) -> None:
        close = closing(self._target)
        self.advance(close, close, 0)  # compiles, the first time
        start = shown = time.monotonic()
        goal = closing(goal)
        size, phase = FIRST_SLICE, SHORT_PHASE
        now = start
        while True:
            begun = now
            if workers > 1 and self.store.count[OPEN] >= EACH * workers:
                why = self._at_once(min(start + seconds, begun + phase), goal, workers, min(size, SLICE // 10))
                phase = min(2.0 * phase, PHASE)
            else:
                why = self.advance(close, goal, size)
                size = next_slice(size, time.monotonic() - begun)
            now = time.monotonic()
            if progress is not None and (now - shown > 1.0 or why == DONE):
                progress(self._reached(), int(self.store.count[BOXES]), now - start)
                shown = now
            if keep is not None and keep.is_due():
                keep.put("tree", arrays=self.tree().arrays())
            if why == DONE or now - start > seconds:
                return
            if why == FULL:
                if self.store.count[NODES] >= self._most:
                    return
                self.store = self.sized(self.store)

    def _at_once(self, until: float, goal: float, workers: int, size: int) -> int:
        """Grows the parts of the tree for a while, one in each thread, so many boxes between two looks at the clock."""
        parts = share_out(self.store, goal, workers, 4096, 16 * self._pool)
        if not sum(len(part.roots) for part in parts):
            self.store = put_back(self.store, parts)
            return DONE
        left = self._most - int(self.store.count[NODES])
        stop = threading.Event()

        def grow(part: Part) -> None:
            work, bent, room = self.workspace(), self.curvature(), (self.lower.copy(), self.upper.copy())
            why = SLICED
            while why != DONE and not stop.is_set() and time.monotonic() < until:
                why = advance(self.tape.code, work, bent, part.store, *room, closing(self._target), goal, size)
                if why == FULL and sum(each.added for each in parts) >= left:
                    break
                if why == FULL:
                    part.store = self.sized(part.store)
            stop.set()  # the others would have all the work left: it is shared out again

        in_threads(grow, parts, workers)
        self.store = put_back(self.store, parts)
        return FULL if self.store.count[NODES] >= self._most else SLICED

    def _reached(self) -> float:
        return float(self.store.heap_key[0]) if self.store.count[OPEN] else self._target

    def tree(self) -> Tree:
        return Tree(self.tape, self.lower, self.upper, self._target, self.store)
