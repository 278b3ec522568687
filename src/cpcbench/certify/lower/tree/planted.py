"""Trees of boxes that were grown elsewhere, on a graphics card, to go on with: all their bounds are computed anew."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from cpcbench.certify.lower.tree.grown import Tree, closing
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.means import First
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import Floats, lower_bounds
from cpcbench.intervals.gpu.growing import Levels, grow
from cpcbench.intervals.gpu.source import NotOnCardError, boxes_source
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.store import BOXES, CUT, HALF, NODES, Store, empty_store
from cpcbench.readings.gpu.device import CardModule

PATIENCE = 5.0
"""Seconds that the processor tries by itself: its bounds are better, and its trees smaller, where they do."""
MOST_BOXES = 40_000_000
"""Of a tree that a card grows."""
MOST_LEFT = 10_000
"""Boxes that a card may leave open: with more of them its plain bounds are not what is needed."""

Axes = npt.NDArray[np.int8]


def patient(
    tape: Tape,
    lower: Sequence[float],
    upper: Sequence[float],
    target: float,
    seconds: float,
    max_nodes: int,
    state: Tree | None = None,
    first: First | None = None,
) -> Tree:
    """A tree for the target; where it is not complete after a while, and there is another to begin with, that one."""
    soon = seconds if first is None else min(PATIENCE, 0.2 * seconds)
    start = time.monotonic()
    tree = prove(tape, lower, upper, target, seconds=soon, max_nodes=max_nodes, state=state)
    if first is None or tree.complete:
        return tree
    other = first(tape, lower, upper, target)
    left = max(seconds - (time.monotonic() - start), 0.1)
    if other is None:
        return prove(tape, lower, upper, target, seconds=left, max_nodes=max_nodes, state=tree)
    return prove(tape, lower, upper, target, seconds=left, max_nodes=max_nodes + other.boxes, state=other)


def on_card(tape: Tape, lower: Sequence[float], upper: Sequence[float], target: float) -> Tree | None:
    """A tree that a graphics card has grown; none where the tape is not for one, or too much is left open."""
    try:
        source = boxes_source(tape, lower, upper)
    except NotOnCardError:
        return None
    levels = grow(CardModule(source), lower, upper, closing(target), most=MOST_BOXES)
    return planted(tape, lower, upper, target, levels) if levels.left <= MOST_LEFT else None


def planted(tape: Tape, lower: ArrayLike, upper: ArrayLike, target: float, levels: Levels) -> Tree:
    """The tree of these levels; a leaf that does not reach the target here is open when the tree is gone on with."""
    store = empty_store(tape.dim, levels.nodes + 1, 1, 1)
    first = 0
    for axes, low, high in boxes_of(tape.dim, lower, upper, levels):
        _put(tape, store, first, axes, low, high)
        first += len(axes)
    store.count[NODES], store.count[BOXES] = levels.nodes, levels.nodes
    return Tree(tape, np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64), target, store)


def boxes_of(dim: int, lower: ArrayLike, upper: ArrayLike, levels: Levels) -> Iterator[tuple[Axes, Floats, Floats]]:
    """The boxes of each level, with what was done with them."""
    low, high = (np.asarray(side, dtype=np.float64).reshape(1, -1) for side in (lower, upper))
    for axes in levels.axes:
        if len(axes) != len(low):
            raise CpcbenchError(f"a level of the tree has {len(axes)} boxes, where those above it leave {len(low)}")
        split = axes >= 0
        if (axes[split] >= dim).any():
            raise CpcbenchError(f"a level of the tree splits an axis of a formula with {dim}")
        yield axes, low, high
        low, high = _halves(low[split], high[split], axes[split].astype(np.int64))
    if len(low):
        raise CpcbenchError("the last level of the tree splits boxes")


def _put(tape: Tape, store: Store, first: int, axes: Axes, low: Floats, high: Floats) -> None:
    """The nodes of one level, those of the next one behind them."""
    nodes = first + np.arange(len(axes))
    split = axes >= 0
    store.bound[nodes] = -math.inf
    if not split.all():
        store.bound[nodes[~split]], _ = lower_bounds(tape, low[~split], high[~split], slopes=False)
    store.action[nodes[split]], store.axis[nodes[split]], store.where[nodes[split]] = CUT, axes[split], HALF
    store.child[nodes[split]] = first + len(axes) + 2 * np.arange(int(split.sum()))


def _halves(low: Floats, high: Floats, axes: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    rows = np.arange(len(low))
    a, b = low[rows, axes], high[rows, axes]
    lows, highs = np.repeat(low, 2, axis=0), np.repeat(high, 2, axis=0)
    highs[2 * rows, axes] = lows[2 * rows + 1, axes] = a + (b - a) * (HALF / 256.0)
    return lows, highs
