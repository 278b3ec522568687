"""Cutting boxes down to where a formula is defined and low enough: forwards for ranges, backwards for cuts."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import needed
from cpcbench.readings.box_inverses import INVERSES, Cuts, power_cuts
from cpcbench.readings.boxes import CHUNK, ManyBoxes
from cpcbench.readings.spans import NOWHERE, Flags, Floats, Span


class Cutter(ManyBoxes):
    """Cuts boxes down without losing a point where the formula is defined and at most `limit`.

    `cut` takes corners of shape (m, n) and the limit; it gives new corners, inside the old ones, and a
    flag for each box: False if no such point is in it (its corners then mean nothing).
    """

    def __init__(self, root: Expr, rule: str = "ieee") -> None:
        super().__init__([root], rule)
        always = needed(root)  # what is inside a branch of a where() need not hold elsewhere
        first = len(self._numbers)
        steps = [(first + i, *step) for i, step in enumerate(self._steps) if id(step[0]) in always]
        self._backwards = [(place, node, places) for place, node, _, places in reversed(steps) if places]
        self._variables = [(place, index(node)) for place, node, _, _ in steps if node.op == "var"]

    def cut(self, lower: Floats, upper: Floats, limit: float = math.inf) -> tuple[Floats, Floats, Flags]:
        low, high = (np.array(corner) for corner in self._corners(lower, upper))
        alive = np.ones(len(low), dtype=np.bool_)
        with np.errstate(all="ignore"):
            for start in range(0, len(low), CHUNK):
                rows = slice(start, start + CHUNK)
                alive[rows] = self._cut(low[rows], high[rows], limit)
        return low, high, alive

    def _cut(self, low: Floats, high: Floats, limit: float) -> Flags:
        """Cuts the boxes in place."""
        spans = cast(list[Span], self._spans(low.T, high.T, keep=True))
        root = spans[self._roots[0]]
        dead = np.broadcast_to(root.state == NOWHERE, low.shape[:1]) | (root.lo > limit)
        spans[self._roots[0]] = Span(root.lo, np.minimum(root.hi, limit), root.state)
        for place, node, places in self._backwards:
            cuts = self._inverse(node, spans[place], [spans[p] for p in places])
            for p, cut in zip(places, cuts, strict=False):
                if cut is not None and p >= len(self._numbers):
                    old = spans[p]
                    lo, hi = np.fmax(old.lo, cut[0]), np.fmin(old.hi, cut[1])
                    empty = lo > hi
                    dead |= empty
                    spans[p] = Span(np.where(empty, old.lo, lo), np.where(empty, old.hi, hi), old.state)
        for place, i in self._variables:
            low[:, i], high[:, i] = spans[place].lo, spans[place].hi
        return ~dead

    def _inverse(self, node: Expr, result: Span, operands: list[Span]) -> Cuts:
        if node.op == "pow":
            constant = id(node.args[1]) in self._free
            return power_cuts(result, *operands, constant=constant, strict=self._rule == "strict")
        inverse = INVERSES.get(node.op)
        return () if inverse is None else inverse(node, result, *operands)
