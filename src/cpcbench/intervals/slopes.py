"""Slopes of a tape over one box, compiled: adjoints from the root back to the variables."""

from __future__ import annotations

import math
from typing import Any

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import INF, Pair, divided, down, far_down, far_up, multiplied, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.functions.pairs import slope_of_pair
from cpcbench.intervals.functions.table import slope_of
from cpcbench.intervals.log_powers import log_power_slope
from cpcbench.intervals.powers import corners, fractional_power, whole_power
from cpcbench.intervals.table_ranges import table_slope


@compiled
def seed(adj_lo: Any, adj_hi: Any, slot: int, weight: float) -> None:
    """Lets this slot count for `weight` in what the slopes are of."""
    _give(adj_lo, adj_hi, slot, weight, weight)


@compiled
def _give(adj_lo: Any, adj_hi: Any, slot: int, lo: float, hi: float) -> None:
    if adj_lo[slot] == 0.0 and adj_hi[slot] == 0.0:
        adj_lo[slot], adj_hi[slot] = lo, hi
    else:
        adj_lo[slot], adj_hi[slot] = down(adj_lo[slot] + lo), up(adj_hi[slot] + hi)


@compiled
def back(code: Any, open_: Any, lo: Any, hi: Any, adj_lo: Any, adj_hi: Any) -> bool:
    """Carries the adjoints back, past no slot with an open condition but GIVEN; False if some slope does not exist."""
    ops_, left, right, uses = code.op, code.left, code.right, code.uses
    for k in range(len(ops_) - 1, -1, -1):
        s, t = adj_lo[k], adj_hi[k]
        op, i, j = ops_[k], left[k], right[k]
        if op == ops.WHERE:
            return False  # even where it is held still: the checker has no slopes with it
        if (s == 0.0 and t == 0.0) or op <= ops.VAR or (open_[k] and op != ops.GIVEN) or uses[k] == 0:
            continue
        if op == ops.GIVEN:
            _give(adj_lo, adj_hi, j, s, t)
            continue
        if ops.LT <= op <= ops.LE or (op == ops.THIN and not lo[i] > 0.0):
            return False  # a negative base has no slope: its exponent is whole
        if op == ops.TABLE:
            c, d = table_slope(code, j, lo[i], hi[i])
            c, d = multiplied(s, t, c, d)
            _give(adj_lo, adj_hi, i, c, d)
        elif op == ops.SLOPED:
            third = code.third[k]
            c, d = multiplied(s, t, lo[third], hi[third])
            _give(adj_lo, adj_hi, j, c, d)
        elif op >= ops.PAIR:
            c, d, e, f = slope_of_pair(op, lo[i], hi[i], lo[j], hi[j], lo[k], hi[k])
            if c > d:
                return False
            c, d = multiplied(s, t, c, d)
            e, f = multiplied(s, t, e, f)
            _give(adj_lo, adj_hi, i, c, d)
            _give(adj_lo, adj_hi, j, e, f)
        elif ops.ADD <= op <= ops.DIV or ops.VARYING <= op <= ops.THIN:
            c, d, e, f = _of_two(op, s, t, lo[i], hi[i], lo[j], hi[j], lo[k], hi[k])
            _give(adj_lo, adj_hi, i, c, d)
            _give(adj_lo, adj_hi, j, e, f)
        else:
            c, d = _of_one(op, lo[i], hi[i], lo[k], hi[k], code.lo[k], code.hi[k])
            if c > d:
                return False
            c, d = multiplied(s, t, c, d)
            _give(adj_lo, adj_hi, i, c, d)
    return True


@compiled
def _of_two(
    op: int, s: float, t: float, a: float, b: float, c: float, d: float, r: float, v: float
) -> tuple[float, float, float, float]:
    """What the adjoint [s, t] of an operation on [a, b] and [c, d] with the range [r, v] gives to the two."""
    if op == ops.ADD:
        return s, t, s, t
    if op == ops.SUB:
        return s, t, -t, -s
    if op == ops.MUL:
        e, f = multiplied(s, t, c, d)
        g, h = multiplied(s, t, a, b)
        return e, f, g, h
    if op == ops.DIV:
        e, f = divided(s, t, c, d)
        g, h = multiplied(e, f, r, v)
        return e, f, -h, -g
    a = max(a, 0.0)  # a^p: its slopes are p a^(p - 1) and a^p ln(a)
    e, f = corners(a, b, down(c - 1.0), up(d - 1.0))
    e, f = multiplied(e, f, c, d)
    e, f = multiplied(e, f, s, t)
    g = far_down(math.log(a)) if a > 0.0 else -INF
    h = far_up(math.log(b)) if b > 0.0 else -1e300
    g, h = multiplied(g, h, r, v)
    g, h = multiplied(g, h, s, t)
    return e, f, g, h


@compiled
def _of_one(op: int, a: float, b: float, r: float, s: float, p: float, q: float) -> Pair:
    """The slope of an operation on [a, b] with the range [r, s]."""
    if op >= ops.FUNCTION:
        return slope_of(op, a, b, r, s)  # type: ignore[no-any-return]
    if op == ops.NEG:
        return -1.0, -1.0
    if op == ops.SQUARE:
        return 2.0 * a, 2.0 * b
    if op == ops.LOG_POWER:
        return log_power_slope(a, b, p, q)
    return _slope_of_power(op, a, b, p, q)


@compiled
def _slope_of_power(op: int, a: float, b: float, p: float, q: float) -> Pair:
    if op == ops.WHOLE:
        c, d, _ = whole_power(a, b, p - 1.0)
        return multiplied(c, d, p, p)
    if p > 1.0 or q < 1.0:
        c, d, _ = fractional_power(max(a, 0.0), b, down(p - 1.0), up(q - 1.0))
    else:
        c, d = corners(max(a, 0.0), b, down(p - 1.0), up(q - 1.0))
    return multiplied(c, d, p, q)
