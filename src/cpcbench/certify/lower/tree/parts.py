"""A growing tree shared out: open boxes in stores of their own, which grow by themselves and are put back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpcbench.intervals.boxes import Floats
from cpcbench.intervals.tree.store import BOXES, FREE, NO_WEIGHTS, NODES, OPEN, POOL, STUCK, Store, empty_store, grown

Ints = npt.NDArray[np.int64]

NODE_FIELDS = ("weights", "action", "axis", "where", "child", "bound", "rule")
"""What is kept of each node; the weights first, as it depends on the bound before whether they are new."""


@dataclass
class Part:
    """A store whose first nodes stand for nodes of the tree, `roots`."""

    store: Store
    roots: Ints

    @property
    def lowest(self) -> float:
        return float(self.store.heap_key[0]) if self.store.count[OPEN] else math.inf

    @property
    def added(self) -> int:
        """Nodes that the tree gets once the part is put back."""
        return int(self.store.count[NODES]) - len(self.roots)


def share_out(store: Store, below: float, parts: int, nodes: int, pool: int) -> list[Part]:
    """Takes the open boxes below a bound out of the tree, dealt like cards so that all parts have low ones.

    Each part has room for so many nodes and multipliers more.
    """
    keys, numbers, boxes = _open(store)
    taken = keys < below
    _set_open(store, keys[~taken], numbers[~taken], boxes[~taken])
    keys, numbers, boxes = keys[taken], numbers[taken], boxes[taken]
    return [_part(store, keys[i::parts], numbers[i::parts], boxes[i::parts], nodes, pool) for i in range(parts)]


def _part(store: Store, keys: Floats, roots: Ints, boxes: Floats, nodes: int, pool: int) -> Part:
    count = len(roots)
    own = empty_store(store.box.shape[2], count + nodes, count + nodes, pool)
    for name in ("bound", "rule"):
        getattr(own, name)[:count] = getattr(store, name)[roots]
    own.weights[:count] = np.minimum(store.weights[roots], NO_WEIGHTS)
    own.count[NODES] = count
    _set_open(own, keys, np.arange(count), boxes)
    return Part(own, roots)


def put_back(store: Store, parts: list[Part]) -> Store:
    """The tree with what has grown in its parts; the same store where it has room."""
    open_ = [_open(store)]
    nodes = int(store.count[NODES]) + sum(part.added for part in parts)
    pool = int(store.count[POOL]) + sum(int(part.store.count[POOL]) for part in parts)
    boxes = int(store.count[OPEN]) + sum(int(part.store.count[OPEN]) for part in parts)
    if nodes > len(store.bound) or pool > len(store.pool) or boxes > len(store.heap_key):
        have = len(store.bound), len(store.heap_key), len(store.pool)
        store = grown(store, *(max(2 * new, old) for new, old in zip((nodes, boxes, pool), have, strict=True)))
    open_ += [_graft(store, part) for part in parts]
    keys, numbers, corners = (np.concatenate(side) for side in zip(*open_, strict=True))
    _set_open(store, keys, numbers, corners)
    return store


def _graft(store: Store, part: Part) -> tuple[Floats, Ints, Floats]:
    """Copies the nodes of a part; its open boxes are told, with their numbers in the tree."""
    own, count = part.store, int(part.store.count[NODES])
    first, pool = int(store.count[NODES]), int(store.count[POOL])
    number = np.concatenate([part.roots, np.arange(first, first + part.added)])
    for name in NODE_FIELDS:
        values = getattr(own, name)[:count]
        if name == "child":
            values = np.where(values >= 0, number[values], -1)
        elif name == "weights":
            values = np.where(values >= 0, values + pool, values)
            some = slice(len(part.roots))  # a root that was not bounded better keeps what it had
            better = own.bound[some] > store.bound[part.roots]
            values[some] = np.where(better, values[some], store.weights[part.roots])
        getattr(store, name)[number] = values
    used = int(own.count[POOL])
    store.pool[pool : pool + used] = own.pool[:used]
    store.count[NODES], store.count[POOL] = first + part.added, pool + used
    for place in (BOXES, STUCK):
        store.count[place] += own.count[place]
    keys, numbers, boxes = _open(own)
    return keys, number[numbers], boxes


def _open(store: Store) -> tuple[Floats, Ints, Floats]:
    """The keys, nodes and boxes on the heap."""
    count = int(store.count[OPEN])
    numbers = store.heap_node[:count].copy()
    return store.heap_key[:count].copy(), numbers, store.box[store.place[numbers]].copy()


def _set_open(store: Store, keys: Floats, numbers: Ints, boxes: Floats) -> None:
    """Makes these the open boxes, the lowest first, which is a heap."""
    order = np.argsort(keys, kind="stable")
    count, room = len(order), len(store.heap_key)
    store.place[: int(store.count[NODES])] = -1
    store.heap_key[:count], store.heap_node[:count] = keys[order], numbers[order]
    store.box[:count] = boxes[order]
    store.place[numbers[order]] = np.arange(count)
    store.free[: room - count] = np.arange(room - 1, count - 1, -1)
    store.count[OPEN], store.count[FREE] = count, room - count
