"""Proving a lower bound by a tree of boxes: the driver of the compiled search, and the tree that it leaves."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.certify.certificate.state import ProofState
from cpcbench.certify.lower.tree.grown import MOST_NODES, Tree, closing
from cpcbench.certify.lower.tree.kernel import DONE, FULL, advance
from cpcbench.certify.lower.tree.kernel import SLICE as SLICED
from cpcbench.certify.lower.tree.parts import Part, put_back, share_out
from cpcbench.certify.lower.tree.store import BOXES, FREE, NODES, OPEN, POOL, Store, empty_store, grown, plant
from cpcbench.certify.threads import in_threads
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import Floats, corners_of, lower_bounds
from cpcbench.intervals.forward import workspace
from cpcbench.intervals.tape import Tape

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
) -> Tree:
    """A tree of boxes that proves `target`, or as much of it as is reached in the time and with `max_nodes` nodes.

    Boxes are closed at the target; the work ends once the bound over all of them is at least `goal` (the
    target itself unless it is lower). `state` is a tree to go on with. With more `workers` that
    many threads grow parts of it. `keep` is given the tree, by the name "tree", whenever it says that it is due.
    """
    low, high = corners_of(tape, np.atleast_2d(np.asarray(lower)), np.atleast_2d(np.asarray(upper)))
    if math.isnan(target) or not seconds >= 0.0 or max_nodes < 1:
        raise CpcbenchError(
            f"prove takes a number, seconds >= 0 and max_nodes >= 1, not {target}, {seconds}, {max_nodes}"
        )
    growth = _Growth(tape, low[0], high[0], target, max_nodes)
    growth.start(state)
    growth.run(seconds, target if goal is None else min(goal, target), progress, workers, keep)
    return growth.tree()


def next_slice(size: int, took: float) -> int:
    """How many boxes to look at next: twice as many while that is quick, and fewer where boxes take long."""
    if took <= SLICE_SECONDS:
        return min(2 * size, SLICE)
    return max(int(size * SLICE_SECONDS / took), 1)


class _Growth:
    """A tree in the making."""

    def __init__(self, tape: Tape, lower: Floats, upper: Floats, target: float, max_nodes: int) -> None:
        self._tape, self._lower, self._upper, self._most = tape, lower, upper, max_nodes
        self._target = target
        self._work = self._workspace()
        self._pool = 64 * (len(tape.code.domains) + 1)

    def start(self, state: Tree | None) -> None:
        if state is None:
            self._store = self._sized(empty_store(self._tape.dim, 1, 1, self._pool))
            bound, _ = lower_bounds(self._tape, [self._lower], [self._upper], slopes=False)
            self._store.bound[0], self._store.count[NODES] = bound[0], 1
            if bound[0] < closing(self._target):
                plant(self._store, 0, float(bound[0]), self._lower, self._upper)
            return
        state.check_fits(self._tape, self._lower, self._upper)
        self._store = self._sized(state.store)
        self._reopen()

    def _reopen(self) -> None:
        """Leaves closed at a lower target than today's are opened again."""
        tree = self.tree()
        for node, low, high in tree.leaf_boxes():
            if tree.store.bound[node] < closing(self._target) and tree.store.place[node] < 0:
                if self._store.count[FREE] == 0 or len(self._store.heap_key) <= self._store.count[OPEN]:
                    self._store = self._sized(self._store)
                plant(self._store, node, float(tree.store.bound[node]), low, high)

    def _sized(self, store: Store) -> Store:
        nodes, pool = int(store.count[NODES]), int(store.count[POOL])
        used = len(store.heap_key) - int(store.count[FREE])
        return grown(store, 2 * nodes + 4096, len(store.heap_key) + used + 4096, 2 * pool + 16 * self._pool)

    def run(
        self, seconds: float, goal: float, progress: Progress | None, workers: int, keep: ProofState | None
    ) -> None:
        close = closing(self._target)
        room = self._lower.copy(), self._upper.copy()
        advance(self._tape.code, self._work, self._store, *room, close, close, 0)  # compiles, the first time
        start = shown = time.monotonic()
        goal = closing(goal)
        size, phase = FIRST_SLICE, SHORT_PHASE
        now = start
        while True:
            begun = now
            if workers > 1 and self._store.count[OPEN] >= EACH * workers:
                why = self._at_once(min(start + seconds, begun + phase), goal, workers, min(size, SLICE // 10))
                phase = min(2.0 * phase, PHASE)
            else:
                why = advance(self._tape.code, self._work, self._store, *room, close, goal, size)
                size = next_slice(size, time.monotonic() - begun)
            now = time.monotonic()
            if progress is not None and (now - shown > 1.0 or why == DONE):
                progress(self._reached(), int(self._store.count[BOXES]), now - start)
                shown = now
            if keep is not None and keep.is_due():
                keep.put("tree", arrays=self.tree().arrays())
            if why == DONE or now - start > seconds:
                return
            if why == FULL:
                if self._store.count[NODES] >= self._most:
                    return
                self._store = self._sized(self._store)

    def _at_once(self, until: float, goal: float, workers: int, size: int) -> int:
        """Grows the parts of the tree for a while, one in each thread, so many boxes between two looks at the clock."""
        parts = share_out(self._store, goal, workers, 4096, 16 * self._pool)
        if not sum(len(part.roots) for part in parts):
            self._store = put_back(self._store, parts)
            return DONE
        left = self._most - int(self._store.count[NODES])
        stop = threading.Event()

        def grow(part: Part) -> None:
            work, room = self._workspace(), (self._lower.copy(), self._upper.copy())
            why = SLICED
            while why != DONE and not stop.is_set() and time.monotonic() < until:
                why = advance(self._tape.code, work, part.store, *room, closing(self._target), goal, size)
                if why == FULL and sum(each.added for each in parts) >= left:
                    break
                if why == FULL:
                    part.store = self._sized(part.store)
            stop.set()  # the others would have all the work left: it is shared out again

        in_threads(grow, parts, workers)
        self._store = put_back(self._store, parts)
        return FULL if self._store.count[NODES] >= self._most else SLICED

    def _workspace(self) -> Any:
        work = workspace(self._tape.code)
        work.scale[:] = np.where(self._upper > self._lower, self._upper - self._lower, 1.0)
        return work

    def _reached(self) -> float:
        return float(self._store.heap_key[0]) if self._store.count[OPEN] else self._target

    def tree(self) -> Tree:
        return Tree(self._tape, self._lower, self._upper, self._target, self._store)
