"""Branch and prune: a box is cut down and split until all of it is proven to hold no solution but known ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cpcbench.certify.systems.roots import Root, Roots
from cpcbench.expr.nodes import Expr
from cpcbench.intervals.boxes import Boxes
from cpcbench.points import Floats

BATCH, ROUNDS = 64, 3
"""Boxes that are cut down together, and how often."""
ENOUGH = 0.7
"""A box that lost less of its widest side than this leaves over is split."""
NARROW = 1e-13
"""Sides this small, as a share of the coordinate, are not split any more."""


class Pruned(NamedTuple):
    """How many boxes are left, and whether none is."""

    boxes: int
    complete: bool


def pruned(
    equations: Sequence[Expr],
    proofs: Roots,
    pairs: Sequence[tuple[float, float]],
    found: Sequence[Root],
    add: Callable[[Floats], Root | None],
    rule: str,
    end: float,
) -> Pruned:
    """Looks through the whole box until the time is over; what it finds is told to `add`, which proves it."""
    cuts = [Boxes(side, rule) for e in equations for side in (e, -e)]
    first = np.array(pairs).T
    stack = [(first[0], first[1])]
    stuck = 0
    while stack:
        if time.perf_counter() >= end:
            return Pruned(len(stack) + stuck, False)
        batch, stack = stack[-BATCH:], stack[:-BATCH]
        lower, upper = (np.array(side) for side in zip(*batch, strict=True))
        before = upper - lower
        for _ in range(ROUNDS):
            for cut in cuts:
                lower, upper, alive = cut.cut(lower, upper, 0.0)
                lower, upper, before = lower[alive], upper[alive], before[alive]
                if not len(lower):
                    break
        for low, high, was in zip(lower, upper, before, strict=True):
            stuck += _looked_at(low, high, was, proofs, found, add, stack)
    return Pruned(stuck, not stuck)


def _looked_at(
    low: Floats, high: Floats, was: Floats, proofs: Roots, found: Sequence[Root],
    add: Callable[[Floats], Root | None], stack: list[tuple[Floats, Floats]],
) -> int:  # fmt: skip
    """One box: dropped, narrowed or split; 1 if it is too narrow for that and stays open."""
    box = list(zip(low.tolist(), high.tolist(), strict=True))
    if any(_within(box, root.around) for root in found):
        return 0
    left = proofs.narrowed(box)
    if left is None:
        return 0
    if left is not box:
        add(np.array([a + (b - a) / 2 for a, b in left]))
        if any(_within(left, root.around) for root in found):
            return 0
    low, high = np.array(left).T
    width = high - low
    if (width < ENOUGH * was).any() and (width <= was).all():
        stack.append((low, high))
        return 0
    size = width / np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
    axis = int(size.argmax())
    if size[axis] <= NARROW:
        return 1
    middle = low[axis] + width[axis] / 2
    below, above = high.copy(), low.copy()
    below[axis] = above[axis] = middle
    stack += [(low, below), (above, high)]
    return 0


def _within(box: Sequence[tuple[float, float]], around: Sequence[tuple[float, float]]) -> bool:
    return all(low <= a and b <= high for (a, b), (low, high) in zip(box, around, strict=True))
