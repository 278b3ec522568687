"""A tree of boxes that proves a lower bound: what it proves, its text, its leaves, and the arrays it is kept as."""

from __future__ import annotations

import hashlib
import heapq
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import Floats
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.store import (
    BOXES,
    BREAK,
    CONVEX,
    CUT,
    FALL,
    LEAF,
    NATURAL,
    NODES,
    OPEN,
    RISE,
    SQUARES,
    Store,
    evened,
    settle,
)

Leaf = tuple[int, Floats, Floats]

MOST_NODES = 2_000_000
"""Of a tree, unless it is said otherwise."""

LONG = 200_000
"""Nodes from which on a tree is written with parts that are halved evenly."""

MOST_OPTIMA = 5_000
"""Leaves that are joined to boxes of the optima at most."""

LETTERS = {CUT: "s", BREAK: "t", FALL: "l", RISE: "h"}


class Tree:
    """What was proven about a tape on a box: `bound` is a lower bound, proven by the tree's leaves."""

    def __init__(self, tape: Tape, lower: Floats, upper: Floats, target: float, store: Store) -> None:
        self.tape, self.lower, self.upper, self.target, self.store = tape, lower, upper, target, store
        self._bounds = _settled(store)

    @property
    def bound(self) -> float:
        """The proven lower bound: at it, `text` gives a tree that holds."""
        found = float(self._bounds[0])
        if not math.isfinite(found):
            return found
        if self.complete:
            return max(self.target, found - 1.001e-13 * (1.0 + abs(found)))
        return found - 1.001e-13 * (1.0 + abs(found))

    @property
    def complete(self) -> bool:
        """Whether the target is proven."""
        return bool(self._bounds[0] >= closing(self.target))

    @property
    def boxes(self) -> int:
        """How many boxes were looked at."""
        return int(self.store.count[BOXES])

    @property
    def open_boxes(self) -> int:
        return int(self.store.count[OPEN])

    def open_corners(self, most: int) -> tuple[Floats, Floats]:
        """The corners of the lowest open boxes."""
        count = self.open_boxes
        first = np.argsort(self.store.heap_key[:count], kind="stable")[:most]
        boxes = self.store.box[self.store.place[self.store.heap_node[:count][first]]]
        return boxes[:, 0].copy(), boxes[:, 1].copy()

    def lowest_points(self, most: int) -> list[Floats]:
        """The middles of the leaves with the lowest bounds: where the lowest values are, as far as the tree tells."""
        heap: list[tuple[float, int, Floats, Floats]] = [(float(self._bounds[0]), 0, self.lower, self.upper)]
        found: list[Floats] = []
        while heap and len(found) < most:
            _, node, low, high = heapq.heappop(heap)  # the numbers of nodes differ: arrays are never compared
            if self._ends(node, math.inf):
                found.append(low + 0.5 * (high - low))
                continue
            for child, below, above in self._children(node, low, high):
                heapq.heappush(heap, (float(self._bounds[child]), child, below, above))
        return found

    def text(self, threshold: float | None = None) -> str:
        """The tokens of the tree for a threshold up to the bound (unless given: the target, or the bound below it).

        Where a box is proven by itself what was done inside it is left out.
        """
        threshold = min(self.bound, self.target) if threshold is None else threshold
        if not self._bounds[0] >= closing(threshold):
            raise CpcbenchError(f"the tree proves {self.bound!r}, not {threshold!r}")
        return " ".join(self._tokens(closing(threshold)))

    def _tokens(self, close: float) -> Iterator[str]:
        """Those of the nodes, each before its children; lists, as there may be millions."""
        store, count = self.store, int(self.store.count[NODES])
        bound, action, axis = (part[:count].tolist() for part in (store.bound, store.action, store.axis))
        where, child, rule = (part[:count].tolist() for part in (store.where, store.child, store.rule))
        even = self._evened(close)
        stack = [0]
        while stack:
            node = stack.pop()
            if bound[node] >= close:
                yield self._leaf(node, rule[node])
                continue
            if even is not None and even[node] > 0:
                yield f"e{axis[node]}:{even[node]}"
                continue
            letter = LETTERS[action[node]]
            yield f"{letter}{axis[node]}:{where[node]}" if letter in "st" else f"{letter}{axis[node]}"
            stack += [child[node] + 1, child[node]] if letter in "st" else [child[node]]

    def _evened(self, close: float) -> list[int] | None:
        """How often the box of each node is halved evenly, of a long tree."""
        store, count = self.store, int(self.store.count[NODES])
        if count < LONG:
            return None
        depth = np.full(count, -1, dtype=np.int64)
        evened(store.bound, store.action, store.axis, store.where, store.child, store.rule, close, depth)
        found: list[int] = depth.tolist()
        return found

    def _leaf(self, node: int, rule: int) -> str:
        if rule == NATURAL:
            return "."
        first = int(self.store.weights[node])
        if rule == CONVEX:
            return "c:" + ",".join(str(int(k)) for k in self.store.pool[first : first + self.tape.dim])
        if rule == SQUARES and self.tape.squares is not None:
            count = len(self.tape.squares.roots) - 1
            return "q:" + ",".join(f"{z:.6g}" for z in self.store.pool[first : first + count])
        return "m" if first < 0 else "m:" + self._multipliers(node)

    def _multipliers(self, node: int) -> str:
        """The multipliers of the conditions that are open on the node's box: the others are kept as -1."""
        first = int(self.store.weights[node])
        kept = self.store.pool[first : first + len(self.tape.code.domains)]
        return ",".join(f"{x:.6g}" for x in kept if x >= 0.0)

    def leaves(self, threshold: float | None = None) -> tuple[Floats, Floats, Floats]:
        """The lower and upper corners and the bounds of the leaves (of the tree cut short at a threshold)."""
        close = math.inf if threshold is None else closing(threshold)
        found = [
            (low, high, self.store.bound[node]) for node, low, high in self._walk(close) if self._ends(node, close)
        ]
        dim = self.tape.dim
        corners = (np.array([leaf[i] for leaf in found]).reshape(-1, dim) for i in range(2))
        return *corners, np.array([leaf[2] for leaf in found])  # type: ignore[return-value]

    def short_leaves(self, close: float) -> Iterator[Leaf]:
        """The numbers and boxes of the leaves below a bound."""
        stack: list[Leaf] = [(0, self.lower, self.upper)]
        while stack:
            node, low, high = stack.pop()
            if self._bounds[node] >= close:
                continue
            if self.store.action[node] == LEAF:
                yield node, low, high
            else:
                stack.extend(self._children(node, low, high))

    def _ends(self, node: int, close: float) -> bool:
        return bool(self.store.action[node] == LEAF or self.store.bound[node] >= close)

    def _walk(self, close: float) -> Iterator[Leaf]:
        """Nodes with their boxes, each before its children, down to those that reach `close` by themselves."""
        stack: list[Leaf] = [(0, self.lower, self.upper)]
        while stack:
            node, low, high = stack.pop()
            yield node, low, high
            if not self._ends(node, close):
                stack.extend(self._children(node, low, high))

    def _children(self, node: int, low: Floats, high: Floats, whole: bool = False) -> list[Leaf]:
        """The last one first. With `whole` a face stands for the box that it is the face of."""
        action, axis, child = int(self.store.action[node]), int(self.store.axis[node]), int(self.store.child[node])
        low, high = low.copy(), high.copy()
        if action in (FALL, RISE):
            if not whole:
                low[axis] = high[axis] = low[axis] if action == FALL else high[axis]
            return [(child, low, high)]
        other_low, other_high = low.copy(), high.copy()
        high[axis] = other_low[axis] = self._split(node, action, low[axis], high[axis])
        return [(child + 1, other_low, other_high), (child, low, high)]

    def _split(self, node: int, action: int, low: float, high: float) -> float:
        where, code = int(self.store.where[node]), self.tape.code
        if action == CUT:
            return low + (high - low) * (where / 256.0)
        return float(code.breaks[code.first[code.table_of[self.store.axis[node]]] + where])

    def optima(self, upper: float) -> list[list[list[float]]] | None:
        """Boxes that hold every point with a value up to `upper`: the leaves not above it, joined where they touch.

        None where they are too many to tell anything.
        """
        close = closing(min(self.bound, self.target))
        lowest = _lowest_leaf(self.store, close)
        boxes: list[tuple[Floats, Floats]] = []
        stack: list[Leaf] = [(0, self.lower, self.upper)]
        while stack:
            node, low, high = stack.pop()
            if lowest[node] > upper:
                continue
            if not self._ends(node, close):
                stack.extend(self._children(node, low, high, whole=True))
                continue
            boxes.append((low, high))
            if len(boxes) > MOST_OPTIMA:
                return None
        return _listed(_joined(boxes))

    def arrays(self) -> dict[str, Any]:
        """All that is needed to go on with the tree later."""
        head = {"lower": self.lower, "upper": self.upper, "target": np.array(self.target), "tape": _mark(self.tape)}
        return {**self.store._asdict(), **{f"head_{name}": part for name, part in head.items()}}

    def check_fits(self, tape: Tape, lower: Floats, upper: Floats) -> None:
        if tape.text != self.tape.text or not (lower == self.lower).all() or not (upper == self.upper).all():
            raise CpcbenchError("the tree to go on with is about another formula or another box")


def joined_boxes(lower: Floats, upper: Floats) -> list[list[list[float]]]:
    """Boxes given by their corners, as [lower, upper] for each variable, joined where they touch."""
    return _listed(_joined(list(zip(lower, upper, strict=True))))


def _listed(boxes: list[tuple[Floats, Floats]]) -> list[list[list[float]]]:
    return [[[float(p), float(q)] for p, q in zip(*box, strict=True)] for box in boxes]


def _joined(boxes: list[tuple[Floats, Floats]]) -> list[tuple[Floats, Floats]]:
    """The hulls of boxes that touch; a hull that touches another one is joined with it too."""
    if not boxes:
        return []
    lows, highs = (np.empty((0, len(boxes[0][0]))) for _ in range(2))
    for first, last in boxes:
        low, high = first, last
        near = ((lows <= high) & (low <= highs)).all(axis=1)
        while near.any():
            low, high = np.minimum(low, lows[near].min(axis=0)), np.maximum(high, highs[near].max(axis=0))
            lows, highs = lows[~near], highs[~near]
            near = ((lows <= high) & (low <= highs)).all(axis=1)
        lows, highs = np.vstack([lows, low]), np.vstack([highs, high])
    return list(zip(lows, highs, strict=True))


def from_arrays(tape: Tape, kept: Mapping[str, Any], name: str) -> Tree:
    """The tree that these arrays are of, for the same tape; errors call it by a name."""
    try:
        store = Store(*(kept[field].copy() for field in Store._fields))
        head = {field: kept[f"head_{field}"] for field in ("lower", "upper", "target", "tape")}
    except KeyError as error:
        raise CpcbenchError(f"{name} is no saved tree: {error}") from None
    if not np.array_equal(head["tape"], _mark(tape)):
        raise CpcbenchError(f"{name} is the tree of another formula")
    return Tree(tape, head["lower"], head["upper"], float(head["target"]), store)


def _mark(tape: Tape) -> npt.NDArray[np.uint8]:
    return np.frombuffer(hashlib.sha256(tape.text.encode()).digest(), dtype=np.uint8)


def _settled(store: Store) -> Floats:
    """What is proven for each node's box: by its own bound, or by its children's."""
    count = int(store.count[NODES])
    bounds: Floats = store.bound[:count].copy()
    settle(bounds, store.action, store.child)
    return bounds


def _lowest_leaf(store: Store, close: float) -> Floats:
    """For each node the lowest bound of a leaf in it, in the tree cut short where a node reaches `close` by itself."""
    count = int(store.count[NODES])
    bounds: Floats = store.bound[:count].copy()
    action = store.action[:count].copy()
    action[bounds >= close] = LEAF
    bounds[action != LEAF] = -math.inf
    settle(bounds, action, store.child)
    return bounds


def closing(threshold: float) -> float:
    """What a bound must reach for a leaf at this threshold, with room for another program's rounding."""
    return threshold + 1e-13 * (1.0 + abs(threshold)) if math.isfinite(threshold) else threshold
