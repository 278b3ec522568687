"""Backwards through a tape, compiled: where an operand must lie for the result to lie in a given range, and so what
is left of a box where the formula is defined and low enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import INF, Pair, down, either_sign, multiplied, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.functions.pairs import inverse_of_pair
from cpcbench.intervals.functions.table import inverse_of
from cpcbench.intervals.powers import is_even, root


@compiled
def solved_quotient(a: float, b: float, c: float, d: float) -> Pair:
    """All q with q y = x for some x in [a, b] and y in [c, d]; where y may be 0 nothing is said."""
    if c <= 0.0 <= d:
        return -INF, INF
    return _hull_of_quotients(a, b, c, d)


@compiled
def _hull_of_quotients(a: float, b: float, c: float, d: float) -> Pair:
    lo, hi = INF, -INF
    for x in (a, b):
        for y in (c, d):
            q = x / y
            if q == q:  # inf / inf drops out: 0 comes from the other ends
                lo, hi = min(lo, q), max(hi, q)
    return down(lo), up(hi)


@compiled
def inverse_of_one(op: int, r: float, s: float, a: float, b: float, p: float, q: float) -> Pair:
    """The operand of an operation with the result in [r, s], itself in [a, b]; [p, q] is a constant exponent."""
    if op >= ops.FUNCTION:
        return inverse_of(op, r, s, a, b)  # type: ignore[no-any-return]
    if op == ops.NEG:
        return -s, -r
    if op == ops.SQUARE:
        low, high = root(max(r, 0.0), max(s, 0.0), 2.0, 2.0)
        return either_sign(low, high, a, b)
    if ops.WHOLE <= op <= ops.FRACTION:
        return _inverse_of_power(op, r, s, a, b, p, q)
    return -INF, INF


@compiled
def _inverse_of_power(op: int, r: float, s: float, a: float, b: float, p: float, q: float) -> Pair:
    if op == ops.FRACTION:
        return root(max(r, 0.0), max(s, 0.0), p, q)
    if p <= 0.0:
        return -INF, INF
    if is_even(p):
        low, high = root(max(r, 0.0), max(s, 0.0), p, p)
        return either_sign(low, high, a, b)
    near, far = root(abs(r), abs(r), p, p)
    low = -far if r < 0.0 else near
    near, far = root(abs(s), abs(s), p, p)
    return low, -near if s < 0.0 else far


@compiled
def inverse_of_two(
    op: int, r: float, s: float, a: float, b: float, c: float, d: float
) -> tuple[float, float, float, float]:
    """The two operands, in [a, b] and [c, d], of an operation with the result in [r, s]."""
    if op >= ops.PAIR:
        return inverse_of_pair(op, r, s, a, b, c, d)  # type: ignore[no-any-return]
    if op == ops.ADD:
        return down(r - d), up(s - c), down(r - b), up(s - a)
    if op == ops.SUB:
        return down(r + c), up(s + d), down(a - s), up(b - r)
    if op == ops.GIVEN:
        return 0.0, INF, r, s
    if op == ops.MUL:
        e, f = solved_quotient(r, s, c, d)
        g, h = solved_quotient(r, s, a, b)
        return e, f, g, h
    if op == ops.DIV:
        e, f = multiplied(r, s, c, d)
        g, h = solved_quotient(a, b, r, s)
        return e, f, g, h
    if op == ops.VARYING or (op == ops.THIN and (a >= 0.0 or np.ceil(c) > np.floor(d))):
        if c > 0.0 or d < 0.0:
            e, f = root(max(r, 0.0), max(s, 0.0), c, d)
        else:
            e, f = 0.0, INF
        return e, f, -INF, INF
    return -INF, INF, -INF, INF


# Through the whole tape


@compiled
def contract(code: Any, work: Any, limit: float) -> bool:
    """Fills `cut_lo`, `cut_hi` from the ranges read last: no point with a value up to the limit is lost.

    False if two cuts leave nothing of some slot: there is no such point.
    """
    lo, hi = work.cut_lo, work.cut_hi
    ops_, left, right, needed = code.op, code.left, code.right, code.needed
    lo[:], hi[:] = work.lo, work.hi
    last = len(ops_) - 1
    hi[last] = min(hi[last], limit)
    if lo[last] > hi[last]:
        return False
    for k in range(last, -1, -1):
        op, i, j = ops_[k], left[k], right[k]
        if op <= ops.TABLE or not needed[k] or ops.LT <= op <= ops.WHERE:
            continue
        if j >= 0:
            a, b, c, d = inverse_of_two(op, lo[k], hi[k], lo[i], hi[i], lo[j], hi[j])
            if not (_cut(lo, hi, i, a, b) and _cut(lo, hi, j, c, d)):
                return False
        else:
            a, b = inverse_of_one(op, lo[k], hi[k], lo[i], hi[i], code.lo[k], code.hi[k])
            if not _cut(lo, hi, i, a, b):
                return False
    return True


@compiled
def _cut(lo: Any, hi: Any, slot: int, low: float, high: float) -> bool:
    if low > lo[slot]:  # noqa: PLR1730 - NaN cuts nothing
        lo[slot] = low
    if high < hi[slot]:  # noqa: PLR1730
        hi[slot] = high
    return bool(lo[slot] <= hi[slot])
