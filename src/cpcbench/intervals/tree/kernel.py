"""Growing a tree of boxes, compiled: bound, cut down, take a face, see convexity, split, the lowest box first."""

from __future__ import annotations

from typing import Any

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import INF
from cpcbench.intervals.backward import contract
from cpcbench.intervals.compiled import compiled, entry
from cpcbench.intervals.forward import natural
from cpcbench.intervals.mean_value import best_by_slopes, slopes
from cpcbench.intervals.tree.branching import choose_axis, is_one_number, split_point
from cpcbench.intervals.tree.convex import convex_bound, is_time, peeled
from cpcbench.intervals.tree.heap import pop
from cpcbench.intervals.tree.squares import tangents_bound
from cpcbench.intervals.tree.store import (
    BOXES,
    BREAK,
    CONVEX,
    CUT,
    FALL,
    FREE,
    NATURAL,
    NODES,
    OPEN,
    PEELED,
    POOL,
    RISE,
    SLOPES,
    SQUARES,
    STUCK,
    keep_open,
    mark,
    new_node,
    noted,
    own_bound,
)

MOST_CUTS = 24
"""How often one box is cut down before it is split."""
WORTH = 20
"""A cut takes away at least this many 256ths of a side."""

DONE, SLICE, FULL = 0, 1, 2
"""Why growing stopped: nothing is open below the goal, the slice is over, or the store is full."""


@compiled
def look(code: Any, work: Any, store: Any, lower: Any, upper: Any) -> float:
    """The natural bound; +inf where the formula is defined nowhere."""
    store.count[BOXES] += 1
    if natural(code, work, lower, upper) == ops.NOWHERE:
        return INF
    return float(work.lo[len(code.op) - 1])


@entry
def advance(
    code: Any, work: Any, bent: Any, store: Any, lower: Any, upper: Any, target: float, goal: float, boxes: int
) -> int:
    """Works on the lowest boxes until none is below the goal; `lower`, `upper` are room for one box.

    A box is closed once its bound reaches the target. With None as `bent` no curves are looked at, and what looks at
    them is not compiled.
    """
    end = store.count[BOXES] + boxes
    while store.count[OPEN] > 0 and store.heap_key[0] < goal:
        if store.count[BOXES] >= end:
            return SLICE
        if _is_full(code, bent, store, len(lower)):
            return FULL
        key = store.heap_key[0]
        node = pop(store.heap_key, store.heap_node, store.count[OPEN])
        store.count[OPEN] -= 1
        _take(store, node, lower, upper)
        _work_on(code, work, bent, store, node, key, lower, upper, target)
    return DONE


@entry
def advance_on(
    code: Any, work: Any, bent: Any, store: Any, nodes: Any, keys: Any, lower: Any, upper: Any, target: float
) -> int:
    """Works on these boxes, which are no longer on the heap; gives for how many of them there was room."""
    for n in range(len(nodes)):
        if _is_full(code, bent, store, len(lower)):
            return n
        _take(store, nodes[n], lower, upper)
        _work_on(code, work, bent, store, nodes[n], keys[n], lower, upper, target)
    return len(nodes)


@compiled
def _is_full(code: Any, bent: Any, store: Any, dim: int) -> bool:
    """Whether there may be no room for what becomes of one box: each face allows for some more cuts."""
    room = 2 * MOST_CUTS + (MOST_CUTS + 1) * dim + 4
    numbers = room * len(code.domains)
    if bent is not None:
        numbers += len(bent.roots) + len(bent.squares.roots)
    return bool(
        store.count[NODES] + room > len(store.bound)
        or store.count[FREE] < room
        or store.count[POOL] + numbers > len(store.pool)
    )


@compiled
def _take(store: Any, node: int, lower: Any, upper: Any) -> None:
    """Takes a box out of the store."""
    place = store.place[node]
    lower[:], upper[:] = store.box[place, 0], store.box[place, 1]
    store.free[store.count[FREE]] = place
    store.count[FREE] += 1
    store.place[node] = -1


@compiled
def _child(code: Any, work: Any, store: Any, child: int, key: float, lower: Any, upper: Any, target: float) -> None:
    """Bounds the box of a new node, which stays open if the target is not reached."""
    bound = look(code, work, store, lower, upper)
    store.bound[child] = bound
    if bound < target:
        keep_open(store, child, max(key, bound), lower, upper)


@compiled
def _work_on(
    code: Any, work: Any, bent: Any, store: Any, node: int, key: float, lower: Any, upper: Any, target: float
) -> None:
    last = len(code.op) - 1
    cuts = 0
    known = False
    peel = store.weights[node] == PEELED
    while True:
        bound = look(code, work, store, lower, upper)
        own_bound(code, work, store, node, bound, NATURAL)
        if bound >= target:
            return
        if cuts < MOST_CUTS and contract(code, work, target):
            axis, side, part = _best_cut(code, work, lower, upper)
            if axis >= 0:
                node = _cut_off(code, work, store, node, key, lower, upper, target, axis, side, part)
                cuts += 1
                continue
        bound = best_by_slopes(code, work, lower, upper, target)
        own_bound(code, work, store, node, bound, SLOPES)
        if bound >= target:
            return
        work.trial[:] = 0.0
        known = slopes(code, work, work.trial)
        taken = _faces(code, work, store, node, lower, upper) if known else node
        if taken == node:
            break
        node = taken
        cuts = min(cuts, MOST_CUTS // 2)
    if bent is not None and _by_curves(code, work, bent, store, node, key, lower, upper, target, peel):
        return
    key = max(key, store.bound[node])
    axis, table = choose_axis(code, work, lower, upper, known, target, work.lo[last])
    if axis < 0:
        store.count[STUCK] += 1
        keep_open(store, node, INF, lower, upper)
        return
    _split(code, work, store, node, key, lower, upper, target, axis, 128, table)


@compiled
def _by_curves(
    code: Any, work: Any, bent: Any, store: Any, node: int, key: float, lower: Any, upper: Any, target: float,
    peel: bool,
) -> bool:  # fmt: skip
    """Bounds a box by tangents of squares, and as one on which the formula is convex; whether that is all for it."""
    if len(bent.squares.roots) > 0:
        bound = tangents_bound(bent.squares, lower, upper)
        noted(store, node, bound, SQUARES, bent.squares.left)
        if bound >= target:
            return True
    if not peel and not is_time(work.scale, lower, upper):
        return False
    bound = convex_bound(bent, lower, upper, target)
    if bound >= target:
        axis, number = peeled(bent, work.scale, lower, upper, bound, target)
        if axis >= 0:
            first = store.count[NODES]
            _split(code, work, store, node, key, lower, upper, target, axis, number, -1)
            store.weights[first], store.weights[first + 1] = PEELED, PEELED
            return True
    noted(store, node, bound, CONVEX, bent.places)
    return bool(bound >= target)


@compiled
def _best_cut(code: Any, work: Any, lower: Any, upper: Any) -> tuple[int, int, int]:
    """The axis, side and number of 256ths of the largest cut that is worth it; axis -1 if none is."""
    best, axis, side = WORTH - 1, -1, 0
    for i in range(len(lower)):
        k = code.place[i]
        width = upper[i] - lower[i]
        if k < 0 or not width > 0.0 or is_one_number(code, lower, upper, i):
            continue
        low = int(256.0 * min((work.cut_lo[k] - lower[i]) / width, 1.0))
        high = int(256.0 * min((upper[i] - work.cut_hi[k]) / width, 1.0))
        if min(low, 255) > best:
            best, axis, side = min(low, 255), i, 0
        if min(high, 255) > best:
            best, axis, side = min(high, 255), i, 1
    return axis, side, best


@compiled
def _cut_off(
    code: Any, work: Any, store: Any, node: int, key: float, lower: Any, upper: Any, target: float,
    axis: int, side: int, part: int,
) -> int:  # fmt: skip
    """Splits off a slab, which is closed if its natural bound says so; goes on with the rest, in place."""
    number = part if side == 0 else 256 - part
    at = split_point(lower[axis], upper[axis], number)
    first = new_node(store, -INF)
    second = new_node(store, -INF)
    mark(store, node, CUT, axis, number, first)
    old_lower, old_upper = lower[axis], upper[axis]
    slab, rest = (first, second) if side == 0 else (second, first)
    if side == 0:
        upper[axis] = at
    else:
        lower[axis] = at
    _child(code, work, store, slab, key, lower, upper, target)
    lower[axis], upper[axis] = (at, old_upper) if side == 0 else (old_lower, at)
    return int(rest)


@compiled
def _faces(code: Any, work: Any, store: Any, node: int, lower: Any, upper: Any) -> int:
    """Leaves the face along each axis on which the formula is monotone and that enters no open condition."""
    entered = 0
    for k in range(len(code.op)):
        if work.open[k] and code.needed[k]:
            entered |= code.uses[code.left[k] if code.op[k] == ops.GIVEN else k]
    for i in range(len(lower)):
        enters = (entered >> min(i, ops.LAST_BIT)) & 1
        if not lower[i] < upper[i] or enters or code.table_of[i] >= 0:  # at a breakpoint a table jumps
            continue
        if work.slope_lo[i] >= 0.0 or work.slope_hi[i] <= 0.0:
            child = new_node(store, -INF)
            if work.slope_lo[i] >= 0.0:
                mark(store, node, FALL, i, 0, child)
                upper[i] = lower[i]
            else:
                mark(store, node, RISE, i, 0, child)
                lower[i] = upper[i]
            node = child
    return node


@compiled
def _split(
    code: Any, work: Any, store: Any, node: int, key: float, lower: Any, upper: Any, target: float,
    axis: int, number: int, table: int,
) -> None:  # fmt: skip
    """Splits a box in two, at a breakpoint of the table if one is named."""
    if table >= 0:
        at = code.breaks[code.first[code.table_of[axis]] + table]
    else:
        at = split_point(lower[axis], upper[axis], number)
    first = new_node(store, -INF)
    second = new_node(store, -INF)
    mark(store, node, CUT if table < 0 else BREAK, axis, number if table < 0 else table, first)
    old_lower, old_upper = lower[axis], upper[axis]
    for child in (first, second):
        lower[axis], upper[axis] = (old_lower, at) if child == first else (at, old_upper)
        _child(code, work, store, child, key, lower, upper, target)
