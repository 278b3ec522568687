"""Where a tree of boxes is kept while it grows: arrays for its nodes, its open boxes and its multipliers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cpcbench.intervals.compiled import compiled, entry
from cpcbench.intervals.tree.heap import push

LEAF, CUT, BREAK, FALL, RISE = 0, 1, 2, 3, 4
"""What was done with a node: nothing, split at a part of its side, at a breakpoint, or left one face of it."""

NATURAL, SLOPES, CONVEX, SQUARES = 0, 1, 2, 3
"""How the node's own bound is proven."""

NO_WEIGHTS, PEELED = -1, -2
"""What is kept of a node without multipliers or places: nothing, or that it is part of a convex box."""

HALF, MOST_HALVINGS = 128, 20
"""The middle of a side, in 256ths, and how often a box is halved evenly at most."""

NODES, OPEN, FREE, POOL, BOXES, STUCK = 0, 1, 2, 3, 4, 5
"""Counts: nodes, open boxes, free places for boxes, multipliers kept, boxes looked at, boxes that cannot be split."""


class Store(NamedTuple):
    """For each node: what was done with it, along which axis and where, its first child (a second one follows), its
    own bound and how that is proven, where its multipliers or the places on its sides are (negative: none) and where
    its box is (-1: no longer kept); then the heap, the boxes with the stack of free places for them, the multipliers
    and places, and the counts."""

    action: Any
    axis: Any
    where: Any
    child: Any
    bound: Any
    rule: Any
    weights: Any
    place: Any
    heap_key: Any
    heap_node: Any
    box: Any
    free: Any
    pool: Any
    count: Any


def empty_store(dim: int, nodes: int, boxes: int, pool: int) -> Store:
    return Store(
        np.zeros(nodes, dtype=np.int8), np.zeros(nodes, dtype=np.int16), np.zeros(nodes, dtype=np.int32),
        np.full(nodes, -1, dtype=np.int64), np.full(nodes, -math.inf), np.zeros(nodes, dtype=np.int8),
        np.full(nodes, -1, dtype=np.int64), np.full(nodes, -1, dtype=np.int64),
        np.zeros(boxes), np.zeros(boxes, dtype=np.int64), np.zeros((boxes, 2, dim)),
        np.arange(boxes - 1, -1, -1, dtype=np.int64), np.zeros(pool), np.array([0, 0, boxes, 0, 0, 0], dtype=np.int64),
    )  # fmt: skip


def grown(store: Store, nodes: int, boxes: int, pool: int) -> Store:
    """The same tree with room for more."""
    new = empty_store(store.box.shape[2], nodes, boxes, pool)
    for old, fresh in zip(store[:-1], new[:-1], strict=True):
        if old is not store.free:
            fresh[: len(old)] = old
    added = boxes - len(store.heap_key)
    spare = int(store.count[FREE])
    new.free[:added] = np.arange(boxes - 1, len(store.heap_key) - 1, -1)
    new.free[added : added + spare] = store.free[:spare]
    new.count[:] = store.count
    new.count[FREE] = spare + added
    return new


def kept_open(store: Store, chosen: Any) -> Store:
    """A store of some open boxes, by their places in the heap, in ascending order of their keys, and nothing else."""
    count = len(chosen)
    new = empty_store(store.box.shape[2], count, count, len(store.pool))
    nodes = store.heap_node[chosen]
    new.heap_key[:], new.heap_node[:], new.place[:] = store.heap_key[chosen], np.arange(count), np.arange(count)
    new.bound[:], new.box[:] = store.bound[nodes], store.box[store.place[nodes]]
    new.count[:] = count, count, 0, 0, store.count[BOXES], store.count[STUCK]
    return new


@compiled
def new_node(store: Any, bound: float) -> int:
    node = store.count[NODES]
    store.count[NODES] += 1
    store.bound[node] = bound
    return int(node)


@compiled
def mark(store: Any, node: int, action: int, axis: int, where: int, child: int) -> None:
    store.action[node], store.axis[node], store.where[node], store.child[node] = action, axis, where, child


@compiled
def keep_open(store: Any, node: int, key: float, lower: Any, upper: Any) -> None:
    """Puts a box on the heap."""
    store.count[FREE] -= 1
    place = store.free[store.count[FREE]]
    store.place[node] = place
    for i in range(len(lower)):
        store.box[place, 0, i], store.box[place, 1, i] = lower[i], upper[i]
    store.count[OPEN] = push(store.heap_key, store.heap_node, store.count[OPEN], key, node)


@entry
def plant(store: Any, node: int, key: float, lower: Any, upper: Any) -> None:
    """`keep_open` for callers in Python."""
    keep_open(store, node, key, lower, upper)


@compiled
def own_bound(code: Any, work: Any, store: Any, node: int, bound: float, rule: int) -> None:
    """Notes a better bound of the node's own box, and what proves it; -1 stands for a condition that is not open."""
    multiplier = work.multiplier
    if bound <= store.bound[node]:
        return
    store.bound[node], store.rule[node] = bound, rule
    store.weights[node] = NO_WEIGHTS
    some = False
    for m in range(len(multiplier)):
        some = some or multiplier[m] > 0.0
    if rule == SLOPES and some:
        first = store.count[POOL]
        store.weights[node] = first
        for m in range(len(multiplier)):
            store.pool[first + m] = multiplier[m] if work.open[code.domains[m]] else -1.0
        store.count[POOL] += len(multiplier)


@compiled
def noted(store: Any, node: int, bound: float, rule: int, places: Any) -> None:
    """Notes a better bound of the node's own box, what proves it, and by which numbers: of a tangent the places on the
    box's sides where that touches, of tangents of squares where each of them does."""
    if bound <= store.bound[node]:
        return
    store.bound[node], store.rule[node] = bound, rule
    first = store.count[POOL]
    store.weights[node] = first
    store.pool[first : first + len(places)] = places
    store.count[POOL] += len(places)


@entry
def settle(bounds: Any, action: Any, child: Any) -> None:
    """Turns the nodes' own bounds into what is proven for their boxes, the children, which come later, first."""
    for node in range(len(bounds) - 1, -1, -1):
        if action[node] == LEAF:
            continue
        below = bounds[child[node]]
        if action[node] == CUT or action[node] == BREAK:
            below = min(below, bounds[child[node] + 1])
        bounds[node] = max(bounds[node], below)


@entry
def evened(bound: Any, action: Any, axis: Any, where: Any, child: Any, rule: Any, close: float, depth: Any) -> None:
    """For each node of a tree cut short where a node reaches `close` by itself: how often its box is halved along one
    axis until all parts reach it by their natural ranges, if that makes few more leaves than there are; else -1."""
    leaves = np.zeros(len(depth), dtype=np.int64)
    along = np.full(len(depth), -1, dtype=np.int64)
    for node in range(len(depth) - 1, -1, -1):
        depth[node] = -1
        if bound[node] >= close:
            if rule[node] == NATURAL:
                depth[node], leaves[node] = 0, 1
            continue
        first, second = child[node], child[node] + 1
        if action[node] != CUT or where[node] != HALF or depth[first] < 0 or depth[second] < 0:
            continue
        if (depth[first] and along[first] != axis[node]) or (depth[second] and along[second] != axis[node]):
            continue
        deep = 1 + max(depth[first], depth[second])
        count = leaves[first] + leaves[second]
        if deep <= MOST_HALVINGS and 2 * 2**deep <= 3 * count:
            depth[node], leaves[node], along[node] = deep, count, axis[node]
