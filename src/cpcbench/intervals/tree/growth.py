"""A tree of boxes in the making: its store, with more room as it is needed, and the compiled search that grows it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.intervals.forward import workspace
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.convex import Bent
from cpcbench.intervals.tree.kernel import advance, advance_on
from cpcbench.intervals.tree.store import FREE, NODES, OPEN, POOL, Store, empty_store, grown, kept_open, plant

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int64]


class Growth:
    """A tree that has nothing in it yet, inside the box with the corners `lower` and `upper`."""

    def __init__(self, tape: Tape, lower: Floats, upper: Floats) -> None:
        self.tape, self.lower, self.upper = tape, lower, upper
        self.work, self.bent = self.workspace(), self.curvature()
        squares = 0 if self.bent is None else len(self.bent.squares.roots)
        self._pool = 64 * (max(len(tape.code.domains), tape.dim, squares) + 1)
        self.store = self.sized(empty_store(tape.dim, 1, 1, self._pool))
        self._room = lower.copy(), upper.copy()

    def workspace(self) -> Any:
        """Room for one box: each thread needs its own."""
        work = workspace(self.tape.code)
        with np.errstate(over="ignore"):
            width = np.minimum(self.upper - self.lower, np.finfo(np.float64).max)
        work.scale[:] = np.where(width > 0.0, width, 1.0)
        return work

    def curvature(self) -> Bent | None:
        """Room to see convexity on one box, and what squares give: likewise. None: neither is looked at."""
        return None

    def sized(self, store: Store) -> Store:
        """The same tree with more room."""
        nodes, pool = int(store.count[NODES]), int(store.count[POOL])
        used = len(store.heap_key) - int(store.count[FREE])
        return grown(store, 2 * nodes + 4096, len(store.heap_key) + used + 4096, 2 * pool + 16 * self._pool)

    def plant(self, lower: Floats, upper: Floats, bound: float) -> None:
        """A box without a parent, open."""
        node = int(self.store.count[NODES])
        self.store.bound[node], self.store.count[NODES] = bound, node + 1
        plant(self.store, node, bound, lower, upper)

    def advance(self, target: float, goal: float, boxes: int) -> int:
        """Looks at so many boxes; see the kernel."""
        return int(advance(self.tape.code, self.work, self.bent, self.store, *self._room, target, goal, boxes))

    def lowest(self, count: int, below: float) -> Nodes:
        """The nodes of the open boxes with the lowest bounds, below a limit; the older and so larger among equals."""
        nodes, keys = self._open()
        low = np.flatnonzero(keys < below)
        return nodes[low[np.lexsort((nodes[low], keys[low]))[:count]]]

    def work_on(self, nodes: Nodes, target: float) -> None:
        """Does all that is to be done with these open boxes, in any order; the heap is no longer one."""
        open_, keys = self._open()
        chosen = np.zeros(int(self.store.count[NODES]), dtype=np.bool_)
        chosen[nodes] = True
        taken = chosen[open_]
        wanted, their_keys, left = open_[taken], keys[taken], len(open_) - int(taken.sum())
        self.store.heap_node[:left], self.store.heap_key[:left] = open_[~taken], keys[~taken]
        self.store.count[OPEN] = left
        while len(wanted):
            done = advance_on(self.tape.code, self.work, self.bent, self.store, wanted, their_keys, *self._room, target)
            wanted, their_keys = wanted[done:], their_keys[done:]
            if len(wanted):
                self.store = self.sized(self.store)

    def _open(self) -> tuple[Nodes, Floats]:
        count = int(self.store.count[OPEN])
        return self.store.heap_node[:count].copy(), self.store.heap_key[:count].copy()

    def forget(self, most: int) -> float:
        """Keeps nothing but the open boxes, the lowest ones; gives the lowest bound of those given up."""
        order = np.argsort(self.keys(), kind="stable")
        given_up = self.keys()[order[most:]].min(initial=math.inf)
        self.store = self.sized(kept_open(self.store, order[:most]))
        return float(given_up)

    def keys(self) -> Floats:
        """The bounds by which the open boxes are in order, those that cannot be split by their own."""
        nodes, keys = self._open()
        return np.where(keys == math.inf, self.store.bound[nodes], keys)

    def opened_since(self, node: int) -> tuple[Nodes, Floats, Floats]:
        """The open boxes whose nodes are this one or later ones: their nodes and corners."""
        nodes, _ = self._open()
        nodes = np.sort(nodes[nodes >= node])
        boxes = self.store.box[self.store.place[nodes]]
        return nodes, boxes[:, 0].copy(), boxes[:, 1].copy()

    def shrink(self, nodes: Nodes, lower: Floats, upper: Floats) -> None:
        """Cuts open boxes down to these corners: what is cut off must not count."""
        self.store.box[self.store.place[nodes], 0], self.store.box[self.store.place[nodes], 1] = lower, upper
