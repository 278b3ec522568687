"""Cutting one box down to where the formula is defined and low enough, compiled."""

from __future__ import annotations

from typing import Any

from cpcbench.intervals import operations as ops
from cpcbench.intervals.backward import inverse_of_one, inverse_of_two
from cpcbench.intervals.compiled import compiled


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
