"""Where to split a box, compiled: the axis whose halves are nearest to being closed."""

from __future__ import annotations

import math
from typing import Any

from cpcbench.intervals import operations as ops
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.forward import natural
from cpcbench.intervals.table_ranges import middle_break

TRIED = 6
"""With up to this many axes both halves along each of them are looked at."""
SHORT, WEAK, LEAST = 0.1, 0.05, -12.0
"""What an axis loses for each time its side, or its part in the slopes, is half the largest one's."""


@compiled
def split_point(lower: float, upper: float, number: int) -> float:
    return lower + (upper - lower) * (number / 256.0)


@compiled
def is_one_number(code: Any, lower: Any, upper: Any, i: int) -> bool:
    """Whether a box holds but one number that counts along an axis, however wide it is."""
    return bool(code.whole[i] and math.ceil(lower[i]) == math.floor(upper[i]))


@compiled
def choose_axis(
    code: Any, work: Any, lower: Any, upper: Any, known: bool, target: float, bound: float
) -> tuple[int, int]:
    """The axis to split and the breakpoint to do it at (-1: in the middle); axis -1 if nothing can be split."""
    count = 0
    for i in range(len(lower)):
        count += lower[i] < upper[i]
    best, best_axis, best_table = -math.inf, -1, -1
    widest, steepest = 0.0, 0.0
    for i in range(len(lower)):
        widest = max(widest, (upper[i] - lower[i]) / work.scale[i])
        steepest = max(steepest, _share(work, lower, upper, i))
    for i in range(len(lower)):
        table = middle_break(code, i, lower[i], upper[i])
        at = 0.5 * (lower[i] + upper[i])
        if (not lower[i] < at < upper[i] and table < 0) or is_one_number(code, lower, upper, i):
            continue
        score = SHORT * math.log2((upper[i] - lower[i]) / work.scale[i] / widest)
        if known and 0.0 < steepest < math.inf:
            share = _share(work, lower, upper, i)
            score += WEAK * max(math.log2(share / steepest) if share > 0.0 else LEAST, LEAST)
        if count <= TRIED:
            if table >= 0:
                at = code.breaks[code.first[code.table_of[i]] + table]
            score += _gain(code, work, lower, upper, i, at, target, bound)
        if score > best:
            best, best_axis, best_table = score, i, table
    return best_axis, best_table


@compiled
def _share(work: Any, lower: Any, upper: Any, i: int) -> float:
    """How much the values can differ along an axis, by the slopes."""
    width = upper[i] - lower[i]
    return float(width * max(abs(work.slope_lo[i]), abs(work.slope_hi[i]))) if width > 0.0 else 0.0


@compiled
def _gain(code: Any, work: Any, lower: Any, upper: Any, i: int, at: float, target: float, bound: float) -> float:
    """How much nearer to the target the bounds of the two halves are: from 0 to 2, a closed half counts as 1."""
    old_lower, old_upper = lower[i], upper[i]
    gain = 0.0
    for half in range(2):
        lower[i], upper[i] = (old_lower, at) if half == 0 else (at, old_upper)
        if natural(code, work, lower, upper) == ops.NOWHERE:
            gain += 1.0
        else:
            now = work.lo[len(code.op) - 1]
            if now >= target:
                gain += 1.0
            elif math.isfinite(bound) and now > bound:
                gain += (now - bound) / (target - bound)
            elif now > bound:
                gain += 0.5
    lower[i], upper[i] = old_lower, old_upper
    return gain
