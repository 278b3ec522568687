"""The natural reading of a tape over one box, compiled: every slot's range, and where it is defined."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import INF, Part, divided, multiplied, squared, sum_down, sum_up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.functions.pairs import range_of_pair
from cpcbench.intervals.functions.table import range_of
from cpcbench.intervals.log_powers import log_power
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE, Code
from cpcbench.intervals.powers import fractional_power, thin_power, varying_power, whole_power
from cpcbench.intervals.table_ranges import jumps, table_inside, table_range


class Work(NamedTuple):
    """Room for one box. Of each slot: the range over the box (`lo`, `hi`) and its state; whether its own condition is
    open, or it is a table that may jump there; the range at a point, the range cut down, and the adjoint. Then what
    is known of each axis and of each condition; `scale` has the sides of the whole box."""

    lo: Any
    hi: Any
    state: Any
    open: Any
    at_lo: Any
    at_hi: Any
    cut_lo: Any
    cut_hi: Any
    adj_lo: Any
    adj_hi: Any
    centre: Any
    slope_lo: Any
    slope_hi: Any
    multiplier: Any
    trial: Any
    gradient: Any
    normals: Any
    value: Any
    scale: Any


def workspace(code: Code) -> Work:
    slots, axes, domains = len(code.op), len(code.place), len(code.domains)
    parts: list[Any] = [
        np.empty(slots),
        np.empty(slots),
        np.empty(slots, dtype=np.int8),
        np.zeros(slots, dtype=np.bool_),
    ]
    parts += [np.empty(slots) for _ in range(6)]
    parts += [np.zeros(axes) for _ in range(3)]
    parts += [np.zeros(domains) for _ in range(2)]
    parts += [np.zeros(axes), np.zeros((domains, axes)), np.zeros(domains), np.ones(axes)]
    return Work(*parts)


@compiled
def natural(code: Any, work: Any, lower: Any, upper: Any) -> int:
    """Fills `lo`, `hi`, `state` and `open`; gives the state of the root."""
    lo, hi, state, open_ = work.lo, work.hi, work.state, work.open
    ops_, left, right, third = code.op, code.left, code.right, code.third
    fixed_lo, fixed_hi, fixed_state, needed = code.lo, code.hi, code.state, code.needed
    last = len(ops_) - 1
    for k in range(last + 1):
        op, i, j = ops_[k], left[k], right[k]
        if op == ops.CONST:
            lo[k], hi[k], state[k] = fixed_lo[k], fixed_hi[k], fixed_state[k]
        elif op == ops.VAR:
            lo[k], hi[k], state[k] = lower[i], upper[i], EVERYWHERE
        elif op == ops.TABLE:
            lo[k], hi[k] = table_range(code, j, lo[i], hi[i])
            state[k] = EVERYWHERE
            open_[k] = jumps(code, j, lo[i], hi[i])  # a jump has no slope
        elif op == ops.WHERE:
            n = third[k]
            lo[k], hi[k], state[k] = chosen(
                hi[i] == 1.0, lo[i] == 0.0, state[i], lo[j], hi[j], state[j], lo[n], hi[n], state[n]
            )
        elif op == ops.EITHER:
            lo[k], hi[k], state[k] = _either(lo, hi, state, i, j)
        elif op == ops.SLOPED:
            open_[k] = state[third[k]] != EVERYWHERE  # then the quotient counts as independent of the other slot
            lo[k], hi[k], state[k] = lo[i], hi[i], min(state[i], MAYBE if open_[k] else EVERYWHERE)
        elif op == ops.FILLED:
            lo[k], hi[k] = _filled(lo, hi, i, j, third[k], state[third[k]] == EVERYWHERE)
            state[k] = min(state[i], state[j])
        else:
            j = max(j, 0)
            before = min(state[i], state[j]) if right[k] >= 0 else state[i]
            own = EVERYWHERE
            if before > NOWHERE:
                lo[k], hi[k], own = operation(op, i == j, lo[i], hi[i], lo[j], hi[j], fixed_lo[k], fixed_hi[k])
            open_[k] = own == MAYBE
            state[k] = min(before, own)
            if state[k] == NOWHERE:
                lo[k], hi[k] = -INF, INF
        if state[k] == NOWHERE and needed[k]:
            return NOWHERE
    return int(state[last])


@compiled
def frozen(code: Any, work: Any, point: Any) -> None:
    """Fills `at_lo`, `at_hi` at a point of the box, the slots with an open condition keeping their ranges.

    But for GIVEN, whose value does not change its formula where the condition fails.
    """
    lo, hi, old_lo, old_hi, open_ = work.at_lo, work.at_hi, work.lo, work.hi, work.open
    ops_, left, right = code.op, code.left, code.right
    for k in range(len(ops_)):
        op, i, j = ops_[k], left[k], right[k]
        if op == ops.CONST or (open_[k] and op != ops.GIVEN) or op == ops.WHERE:
            lo[k], hi[k] = old_lo[k], old_hi[k]
        elif op == ops.VAR:
            lo[k], hi[k] = point[i], point[i]
        elif op == ops.TABLE:
            lo[k], hi[k] = table_inside(code, j, old_lo[i], old_hi[i], lo[i], hi[i])
        elif op == ops.EITHER:
            lo[k], hi[k], _ = _either(lo, hi, work.state, i, j)
        elif op == ops.SLOPED:
            lo[k], hi[k] = lo[i], hi[i]
        elif op == ops.FILLED:
            lo[k], hi[k] = _filled(lo, hi, i, j, code.third[k], work.state[code.third[k]] == EVERYWHERE)
        else:
            j = max(j, 0)
            lo[k], hi[k], _ = operation(op, i == j, lo[i], hi[i], lo[j], hi[j], code.lo[k], code.hi[k])


@compiled
def operation(op: int, same: bool, a: float, b: float, c: float, d: float, p: float, q: float) -> Part:
    """One operation on [a, b] and, if it takes two, [c, d], or with the exponent [p, q]; the state is that of its
    own condition."""
    if op == ops.ADD:
        return sum_down(a, c), sum_up(b, d), EVERYWHERE
    if op == ops.SUB:
        return sum_down(a, -d), sum_up(b, -c), EVERYWHERE
    if op == ops.MUL:
        low, high = multiplied(a, b, c, d)
        return low, high, EVERYWHERE
    if op == ops.SQUARE:
        low, high = squared(a, b)
        return low, high, EVERYWHERE
    if op == ops.DIV:
        low, high = divided(a, b, c, d)
        if c == 0.0 and d == 0.0:
            return low, high, NOWHERE
        return low, high, EVERYWHERE if c > 0.0 or d < 0.0 else MAYBE
    if op >= ops.PAIR:
        return range_of_pair(op, a, b, c, d)  # type: ignore[no-any-return]
    if op >= ops.FUNCTION:
        return range_of(op, a, b)  # type: ignore[no-any-return]
    if op == ops.GIVEN:
        return c, d, NOWHERE if b < 0.0 else EVERYWHERE if a >= 0.0 else MAYBE
    if op >= ops.WHOLE:
        return _power(op, a, b, c, d, p, q)
    if op == ops.NEG:
        return -b, -a, EVERYWHERE
    if op == ops.LT:
        return 1.0 if b < c and not same else 0.0, 0.0 if a >= d or same else 1.0, EVERYWHERE
    return 1.0 if b <= c or same else 0.0, 0.0 if a > d else 1.0, EVERYWHERE


@compiled
def _power(op: int, a: float, b: float, c: float, d: float, p: float, q: float) -> Part:
    if op == ops.WHOLE:
        return whole_power(a, b, p)
    if op == ops.FRACTION:
        return fractional_power(a, b, p, q)
    if op == ops.VARYING:
        return varying_power(a, b, c, d)
    if op == ops.THIN:
        return thin_power(a, b, c, d)
    if op == ops.LOG_POWER:
        low, high = log_power(a, b, p, q)
        return low, high, EVERYWHERE
    return min(a, p), max(b, q), EVERYWHERE  # the hull with a constant


@compiled
def chosen(can: bool, cannot: bool, test: int, a: float, b: float, yes: int, c: float, d: float, no: int) -> Part:
    """The branch that a comparison takes, [a, b] if it holds, [c, d] if not; in doubt what holds of both."""
    use_yes, use_no = can and yes > NOWHERE, cannot and no > NOWHERE
    if test == NOWHERE or not (use_yes or use_no):
        return -INF, INF, NOWHERE
    low, high = INF, -INF
    if use_yes:
        low, high = a, b
    if use_no:
        low, high = min(low, c), max(high, d)
    whole = (not can or yes == EVERYWHERE) and (not cannot or no == EVERYWHERE)
    return low, high, EVERYWHERE if whole and test == EVERYWHERE else MAYBE


@compiled
def _either(lo: Any, hi: Any, state: Any, one: int, other: int) -> Part:
    """What two ways to know the same number say together, of those that are defined all over."""
    if state[one] == EVERYWHERE and state[other] == EVERYWHERE:
        return max(lo[one], lo[other]), min(hi[one], hi[other]), EVERYWHERE
    if state[one] == EVERYWHERE:
        return lo[one], hi[one], EVERYWHERE
    if state[other] == EVERYWHERE:
        return lo[other], hi[other], EVERYWHERE
    return -INF, INF, MAYBE


@compiled
def _filled(lo: Any, hi: Any, above: int, below: int, smooth: int, known: bool) -> tuple[float, float]:
    """A quotient whose holes are filled; where the divisor may be 0 its range is the smooth one, if that is known."""
    c, d = lo[below], hi[below]
    sure = c > 0.0 or d < 0.0
    if known and not sure:
        return lo[smooth], hi[smooth]
    if c == 0.0 and d == 0.0:
        return -INF, INF
    low, high = divided(lo[above], hi[above], c, d)
    return (max(low, lo[smooth]), min(high, hi[smooth])) if known else (low, high)
