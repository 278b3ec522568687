"""A tree of boxes in the making: its store, with more room as it is needed, and the compiled search that grows it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.intervals.forward import workspace
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.heap import put_in_order
from cpcbench.intervals.tree.kernel import FULL, advance
from cpcbench.intervals.tree.store import FREE, NODES, OPEN, POOL, Store, empty_store, grown, kept_open, plant

Floats = npt.NDArray[np.float64]


class Growth:
    """A tree that has nothing in it yet, inside the box with the corners `lower` and `upper`."""

    def __init__(self, tape: Tape, lower: Floats, upper: Floats) -> None:
        self.tape, self.lower, self.upper = tape, lower, upper
        self._pool = 64 * (len(tape.code.domains) + 1)
        self.store = self.sized(empty_store(tape.dim, 1, 1, self._pool))
        self.work = self.workspace()
        self._room = lower.copy(), upper.copy()

    def workspace(self) -> Any:
        """Room for one box: each thread needs its own."""
        work = workspace(self.tape.code)
        work.scale[:] = np.where(self.upper > self.lower, self.upper - self.lower, 1.0)
        return work

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
        return int(advance(self.tape.code, self.work, self.store, *self._room, target, goal, boxes))

    def grow(self, target: float, boxes: int) -> int:
        """Looks at so many boxes, with as much room as that takes."""
        why = self.advance(target, target, boxes)
        while why == FULL:
            self.store = self.sized(self.store)
            why = self.advance(target, target, boxes)
        return why

    def forget(self, most: int) -> float:
        """Keeps nothing but the open boxes, the lowest ones; gives the lowest bound of those given up."""
        order = np.argsort(self.keys(), kind="stable")
        given_up = self.keys()[order[most:]].min(initial=math.inf)
        self.store = self.sized(kept_open(self.store, order[:most]))
        return float(given_up)

    def keys(self) -> Floats:
        """The bounds by which the open boxes are in order, those that cannot be split by their own."""
        count = int(self.store.count[OPEN])
        keys, nodes = self.store.heap_key[:count], self.store.heap_node[:count]
        return np.where(keys == math.inf, self.store.bound[nodes], keys)

    def opened_since(self, node: int) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
        """The open boxes whose nodes are this one or later ones: their nodes and corners."""
        nodes = self.store.heap_node[: int(self.store.count[OPEN])]
        nodes = np.sort(nodes[nodes >= node])
        boxes = self.store.box[self.store.place[nodes]]
        return nodes, boxes[:, 0].copy(), boxes[:, 1].copy()

    def shrink(self, nodes: npt.NDArray[np.int64], lower: Floats, upper: Floats) -> None:
        """Cuts open boxes down to these corners: what is cut off must not count."""
        self.store.box[self.store.place[nodes], 0], self.store.box[self.store.place[nodes], 1] = lower, upper

    def hurry(self, nodes: npt.NDArray[np.int64]) -> None:
        """Lets these open boxes come next: they count as if they were as low as the lowest."""
        count = int(self.store.count[OPEN])
        keys = self.store.heap_key[:count]
        hurried = np.zeros(int(self.store.count[NODES]), dtype=np.bool_)
        hurried[nodes] = True
        keys[hurried[self.store.heap_node[:count]] & (keys < math.inf)] = keys[:1].min(initial=math.inf)
        put_in_order(self.store.heap_key, self.store.heap_node, count)
