"""Boxes on which a formula is convex, compiled: there the tangent at the least point bounds it from below.

The slopes of the partial derivatives over the box say whether it is convex; Newton's method finds the point.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cpcbench.intervals.arithmetic import INF, down
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.forward import natural, workspace
from cpcbench.intervals.functions.table import NUMBERS
from cpcbench.intervals.operations import EVERYWHERE
from cpcbench.intervals.slopes import back, seed
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.squares import squares_of

SIDE = 2.0**48
"""The parts of a side by which a place on it is told."""
ROOM = 1e-9
"""How far from 0 a pivot must be, of the second derivative that it starts as."""
STEPS = 15
"""Of Newton's method."""
NEAR, PEELED = 1e-7, 2.0**-12
"""A convex box with a value so near to the target is made smaller, down to this part of the whole box's sides: what
is cut off is above the target."""
ABS = NUMBERS["abs"]


class Bent(NamedTuple):
    """The formula with its derivatives, `roots` being their slots (none: nothing is known of them), and room for one
    box: the slopes of the derivatives, a matrix to factor, a point (or two corners) and a step, and the places on the
    sides that gave the best bound. With `peels` convex boxes are made smaller around the least points. And the squares
    of the formula."""

    code: Any
    work: Any
    roots: Any
    low: Any
    high: Any
    matrix: Any
    axes: Any
    point: Any
    other: Any
    step: Any
    places: Any
    peels: bool
    squares: Any


def bent_of(tape: Tape, bent: Tape | None, peels: bool, squares: Tape | None = None) -> Bent:
    """What is needed to see where the formula of a tape is convex, from that of its derivatives, and what its squares
    are; None sees nothing."""
    code, roots = (tape.code, []) if bent is None else (bent.code, bent.roots)
    low, high, matrix = (np.zeros((tape.dim, tape.dim)) for _ in range(3))
    point, other, step, places = (np.zeros(tape.dim) for _ in range(4))
    axes = np.zeros(tape.dim, dtype=np.int64)
    slots = np.array(roots, dtype=np.int64)
    room = low, high, matrix, axes, point, other, step, places
    return Bent(code, workspace(code), slots, *room, peels, squares_of(tape, squares))


@compiled
def is_time(scale: Any, lower: Any, upper: Any) -> bool:
    """Whether to look if a box is convex: that takes long, so it is done once for about every halving of all sides."""
    count, depth = 0, 0.0
    for i in range(len(lower)):
        if lower[i] < upper[i]:
            count += 1
            depth += math.log2(scale[i] / (upper[i] - lower[i]))
    return count > 0 and int(depth) % count == 0


@compiled
def convex_bound(bent: Any, lower: Any, upper: Any, target: float) -> float:
    """A lower bound over a box on which the formula is convex, with the `places` it is from; -inf if it is not seen
    to be: the best one by a tangent, on the way of Newton's method to the least point of the box."""
    best = -INF
    count = _axes(bent, lower, upper)
    if len(bent.roots) == 0 or count == 0:
        return best
    for step in range(STEPS + 1):
        if not _derive(bent, bent.point, bent.other, count):
            break
        if step == 0:
            if not _is_monotone(bent, lower, upper, count):
                break
            for i in range(len(lower)):
                bent.point[i] = 0.5 * (lower[i] + upper[i])
        else:
            best = max(best, _tangent(bent, lower, upper, count, best))
            if best >= target or not _step(bent, lower, upper, count):
                break
        _put(bent, lower, upper, count)
    return float(best)


@compiled
def _axes(bent: Any, lower: Any, upper: Any) -> int:
    """How many sides a box has, which are noted; no place is told yet."""
    count = 0
    for i in range(len(lower)):
        bent.places[i], bent.point[i], bent.other[i] = 0.0, lower[i], upper[i]
        if lower[i] < upper[i]:
            bent.axes[count] = i
            count += 1
    return count


@compiled
def _derive(bent: Any, lower: Any, upper: Any, count: int) -> bool:
    """Fills `low`, `high` with the slopes of the derivatives over a box; False if something is not defined or known."""
    code, work = bent.code, bent.work
    natural(code, work, lower, upper)
    if work.state[bent.roots[0]] != EVERYWHERE:
        return False
    for k in range(len(code.op)):
        if code.op[k] == ABS and work.lo[code.left[k]] <= 0.0 <= work.hi[code.left[k]]:
            return False
    for a in range(count):
        root = bent.roots[1 + bent.axes[a]]
        if work.state[root] != EVERYWHERE:
            return False
        work.adj_lo[:], work.adj_hi[:] = 0.0, 0.0
        seed(work.adj_lo, work.adj_hi, root, 1.0)
        if not back(code, work.open, work.lo, work.hi, work.adj_lo, work.adj_hi):
            return False
        for b in range(count):
            k = code.place[bent.axes[b]]
            low, high = (work.adj_lo[k], work.adj_hi[k]) if k >= 0 else (0.0, 0.0)
            if not -INF < low <= high < INF:
                return False
            bent.low[a, b], bent.high[a, b] = low, high
    return True


@compiled
def _is_monotone(bent: Any, lower: Any, upper: Any, count: int) -> bool:
    """Whether all matrices of the slopes are positive: what is uncertain beside the diagonal is taken off it."""
    matrix = bent.matrix
    for a in range(count):
        if not bent.low[a, a] > 0.0:
            return False
        matrix[a, a] = bent.low[a, a]
    for a in range(count):
        for b in range(a):
            low, high = bent.low[a, b] + bent.low[b, a], bent.high[a, b] + bent.high[b, a]
            matrix[a, b] = 0.25 * (low + high)
            i, j = bent.axes[a], bent.axes[b]
            ratio = (upper[j] - lower[j]) / (upper[i] - lower[i])
            matrix[a, a] -= 0.25 * (high - low) * ratio
            matrix[b, b] -= 0.25 * (high - low) / ratio
    return _factored(bent, count)


@compiled
def _factored(bent: Any, count: int) -> bool:
    """Cholesky's factor in place; False if a pivot is not clearly positive."""
    matrix = bent.matrix
    for k in range(count):
        pivot = matrix[k, k]
        for j in range(k):
            pivot -= matrix[k, j] * matrix[k, j]
        if not pivot > ROOM * bent.low[k, k] or not bent.low[k, k] > 0.0:
            return False
        matrix[k, k] = math.sqrt(pivot)
        for i in range(k + 1, count):
            for j in range(k):
                matrix[i, k] -= matrix[i, j] * matrix[k, j]
            matrix[i, k] /= matrix[k, k]
    return True


@compiled
def _put(bent: Any, lower: Any, upper: Any, count: int) -> None:
    """Moves the point to one of the places on the sides that can be told."""
    for i in range(len(lower)):
        bent.point[i] = min(max(bent.point[i], lower[i]), upper[i])
    for a in range(count):
        i = bent.axes[a]
        bent.step[i] = round((bent.point[i] - lower[i]) / (upper[i] - lower[i]) * SIDE)
        bent.point[i] = min(lower[i] + (upper[i] - lower[i]) * (bent.step[i] / SIDE), upper[i])
    for i in range(len(lower)):
        bent.other[i] = bent.point[i]


@compiled
def _tangent(bent: Any, lower: Any, upper: Any, count: int, best: float) -> float:
    """The bound by the tangent at the point; its places are noted if it is the best."""
    work, roots, point = bent.work, bent.roots, bent.point
    bound = work.lo[roots[0]]
    for a in range(count):
        i = bent.axes[a]
        low, high = work.lo[roots[1 + i]], work.hi[roots[1 + i]]
        bound = down(bound + down(min(low * (upper[i] - point[i]), high * (lower[i] - point[i]), 0.0)))
    if bound > best:
        for a in range(count):
            i = bent.axes[a]
            bent.places[i] = round((point[i] - lower[i]) / (upper[i] - lower[i]) * SIDE)
    return bound if bound == bound else -INF


@compiled
def _step(bent: Any, lower: Any, upper: Any, count: int) -> bool:
    """Moves the point to where the parabola there is least, along the axes that do not lead out; False if it stays."""
    matrix, point, step, work = bent.matrix, bent.point, bent.step, bent.work
    for a in range(count):
        i = bent.axes[a]
        root = bent.roots[1 + i]
        slope = 0.5 * (work.lo[root] + work.hi[root])
        held = (point[i] <= lower[i] and slope >= 0.0) or (point[i] >= upper[i] and slope <= 0.0)
        step[a] = 0.0 if held else -slope
        for b in range(count):
            matrix[a, b] = 0.25 * (bent.low[a, b] + bent.high[a, b] + bent.low[b, a] + bent.high[b, a])
        if held:
            bent.low[a, a] = -1.0
    for a in range(count):
        if bent.low[a, a] < 0.0:  # held: an equation of its own
            for b in range(count):
                matrix[a, b], matrix[b, a] = 0.0, 0.0
            matrix[a, a] = bent.low[a, a] = 1.0
    if not _factored(bent, count):
        return False
    for a in range(count):
        for b in range(a):
            step[a] -= matrix[a, b] * step[b]
        step[a] /= matrix[a, a]
    for a in range(count - 1, -1, -1):
        for b in range(a + 1, count):
            step[a] -= matrix[b, a] * step[b]
        step[a] /= matrix[a, a]
    moved = False
    for a in range(count):
        i = bent.axes[a]
        to = min(max(point[i] + step[a], lower[i]), upper[i])
        moved = moved or to != point[i]
        point[i] = to
    return moved


@compiled
def peeled(bent: Any, scale: Any, lower: Any, upper: Any, bound: float, target: float) -> tuple[int, int]:
    """The axis along which a convex box is to be made smaller, and the 256th at which to split it; axis -1 if none."""
    if not bent.peels or bound > target + NEAR * max(1.0, abs(target)):
        return -1, 0
    axis, widest = -1, PEELED
    for i in range(len(lower)):
        if (upper[i] - lower[i]) / scale[i] > widest:
            axis, widest = i, (upper[i] - lower[i]) / scale[i]
    if axis < 0:
        return -1, 0
    place = bent.places[axis] / SIDE
    return axis, int(256.0 * (place + 0.125 if place <= 0.5 else place - 0.125))
