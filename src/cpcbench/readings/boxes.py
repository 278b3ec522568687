"""What a formula can come to over boxes: rigorous bounds on its real range and where it is defined.

Interval arithmetic on many boxes at once, one pass over the expression; the assumptions under which
the bounds are rigorous are those of `readings.spans`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import COMPARISONS, Expr, index
from cpcbench.expr.walk import constants, postorder, variables
from cpcbench.readings.box_powers import constant_power, varying_power
from cpcbench.readings.box_steps import STEPS
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.spans import EVERYWHERE, MAYBE, NOWHERE, Floats, Span, States, span
from cpcbench.rules import check_rule

Bounds = tuple[Floats, Floats, States]

CHUNK = 4096
"""Boxes read at a time: few enough that what is being worked on stays in the processor's cache."""


class Boxes:
    """A formula over boxes: call it with their lower and upper corners, arrays of shape (m, n).

    The answer is three arrays of length m: `low` and `high` enclose the real values of the formula on
    the part of each box where it is defined, and `state` is 0 if it is defined nowhere on the box
    (low is then +inf and high -inf), 2 if everywhere, 1 if neither is proven.
    """

    def __init__(self, root: Expr, rule: str = "ieee") -> None:
        self._many = ManyBoxes([root], rule)

    def __call__(self, lower: ArrayLike, upper: ArrayLike) -> Bounds:
        return self._many(lower, upper)[0]


class ManyBoxes:
    """Several formulas over the same boxes, their common parts read once; one answer a formula."""

    def __init__(self, roots: Sequence[Expr], rule: str = "ieee") -> None:
        check_rule(rule)
        if any(root.op in COMPARISONS for root in roots):
            raise CpcbenchError("a comparison has no range: read the where() that it belongs to")
        free = constants(*roots)
        parts = [n for n in postorder(*roots) if id(n) not in free or n.op in COMPARISONS]
        leaves = dict.fromkeys(a for n in parts for a in n.args if id(a) in free)
        numbers = [n for n in dict.fromkeys((*leaves, *roots)) if id(n) in free and n.op not in COMPARISONS]
        slots = {id(n): i for i, n in enumerate((*numbers, *parts))}
        self._free, self._rule = free, rule
        self._numbers = [_number(n, rule) for n in numbers]
        self._roots = [slots[id(root)] for root in roots]
        self._dim = max(variables(*roots), default=-1) + 1
        self._steps = [(n, _operation(n, rule, free), [slots[id(a)] for a in n.args]) for n in parts]
        self._spent = _last_uses([args for _, _, args in self._steps], {*self._roots, *range(len(numbers))})

    def __call__(self, lower: ArrayLike, upper: ArrayLike) -> list[Bounds]:
        low, high = self._corners(lower, upper)
        count = len(low)
        answers = [(np.empty(count), np.empty(count), np.empty(count, dtype=np.int8)) for _ in self._roots]
        with np.errstate(all="ignore"):
            for start in range(0, count, CHUNK):
                rows = slice(start, start + CHUNK)
                spans = self._spans(low[rows].T, high[rows].T)
                for answer, found in zip(answers, [cast(Span, spans[i]) for i in self._roots], strict=True):
                    nowhere = found.state == NOWHERE
                    answer[0][rows] = np.where(nowhere, math.inf, found.lo)
                    answer[1][rows] = np.where(nowhere, -math.inf, found.hi)
                    answer[2][rows] = found.state
        return answers

    def _spans(self, low: Floats, high: Floats, keep: bool = False) -> list[Span | None]:
        """The values of all parts; unless they are to be kept, only the roots' are left in the end."""
        everywhere = np.full(1, EVERYWHERE, dtype=np.int8)
        values: list[Span | None] = [*self._numbers]
        for (node, operation, places), spent in zip(self._steps, self._spent, strict=True):
            if node.op == "var":
                i = index(node)
                values.append(Span(np.ascontiguousarray(low[i]), np.ascontiguousarray(high[i]), everywhere))
            else:
                values.append(operation(node, *[values[place] for place in places]))
            for place in () if keep else spent:
                values[place] = None  # a deep formula must not hold all its parts at once
        return values

    def _corners(self, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
        low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        if low.ndim != 2 or low.shape != high.shape or low.shape[1] < self._dim:
            raise CpcbenchError(
                f"boxes are two arrays of shape (m, n), n at least {self._dim} here, not {low.shape} and {high.shape}"
            )
        if not (low <= high).all() or (low == math.inf).any() or (high == -math.inf).any():
            raise CpcbenchError("each lower corner of a box is at most its upper corner, and neither is NaN")
        return low, high


def _operation(node: Expr, rule: str, free: set[int]) -> Callable[..., Span]:
    if node.op != "pow":
        return STEPS.get(node.op, _no_step)
    if id(node.args[1]) in free:
        return lambda _node, a, p: constant_power(a, p)
    return partial(_varying, strict=rule == "strict")


def _varying(_node: Expr, a: Span, p: Span, *, strict: bool) -> Span:
    return varying_power(a, p, strict=strict)


def _no_step(node: Expr) -> Span:
    raise AssertionError(f"{node.op} is a leaf")


def _number(node: Expr, rule: str) -> Span:
    """A part without a variable, as tightly as doubles can enclose it."""
    found = enclose(node, (), rule=rule)
    if math.isnan(found.lower):
        return span(-math.inf, math.inf, MAYBE if found.defined is None else NOWHERE)
    return span(found.lower, found.upper, MAYBE if found.defined is None else EVERYWHERE)


def _last_uses(uses: list[list[int]], kept: set[int]) -> list[list[int]]:
    """For each step the values that no later step needs."""
    spent: list[list[int]] = []
    seen = set(kept)
    for places in reversed(uses):
        last = [place for place in dict.fromkeys(places) if place not in seen]
        seen.update(last)
        spent.append(last)
    return spent[::-1]
