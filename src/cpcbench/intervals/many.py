"""The natural reading of formulas as they are written over many boxes at once, compiled: operation by operation, so
that each is chosen once and not for every box."""

from __future__ import annotations

from typing import Any

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import multiplied, squared, sum_down, sum_up
from cpcbench.intervals.compiled import compiled, entry
from cpcbench.intervals.forward import chosen, operation
from cpcbench.intervals.operations import NOWHERE


@entry
def read_many(
    code: Any, lower: Any, upper: Any, roots: Any, rows: Any, states: Any, low: Any, high: Any, state: Any
) -> None:
    """Fills `low`, `high`, `state` with a row for each root; `rows` and `states` are room for some boxes at a time.

    Where a formula is defined nowhere its ends mean nothing.
    """
    count, most = len(lower), rows.shape[2]
    for start in range(0, count, most):
        size = min(most, count - start)
        if _read(code, lower[start : start + size], upper[start : start + size], rows, states):
            for r in range(len(roots)):
                for m in range(size):
                    low[r, start + m], high[r, start + m] = rows[0, roots[r], m], rows[1, roots[r], m]
                    state[r, start + m] = states[roots[r], m]
        else:
            state[:, start : start + size] = NOWHERE


@compiled
def _read(code: Any, lower: Any, upper: Any, rows: Any, states: Any) -> bool:
    """Reads all slots; False as soon as one that is needed is defined on no box."""
    size = len(lower)
    lo, hi = rows[0], rows[1]
    for k in range(len(code.op)):
        op, i, j, n = code.op[k], code.left[k], max(code.right[k], 0), code.third[k]
        if op == ops.CONST:
            lo[k, :size], hi[k, :size], states[k, :size] = code.lo[k], code.hi[k], code.state[k]
        elif op == ops.VAR:
            for m in range(size):
                lo[k, m], hi[k, m], states[k, m] = lower[m, i], upper[m, i], ops.EVERYWHERE
        elif op == ops.WHERE:
            for m in range(size):
                lo[k, m], hi[k, m], states[k, m] = chosen(
                    hi[i, m] == 1.0, lo[i, m] == 0.0, states[i, m],
                    lo[j, m], hi[j, m], states[j, m], lo[n, m], hi[n, m], states[n, m],
                )  # fmt: skip
        else:
            other = j if code.right[k] >= 0 else i
            for m in range(size):
                states[k, m] = min(states[i, m], states[other, m])
            _row(op, i == j, lo[i], hi[i], lo[j], hi[j], code.lo[k], code.hi[k], lo[k], hi[k], states[k], size)
        if code.needed[k] and (op >= ops.DIV or op == ops.CONST) and _is_nowhere(states[k], size):
            return False
    return True


@compiled
def _is_nowhere(state: Any, size: int) -> bool:
    """Whether it is defined on no box; not by `max`, for which Numba loads all that it knows of arrays."""
    for m in range(size):  # noqa: SIM110 - it is compiled
        if state[m] != NOWHERE:
            return False
    return True


@compiled
def _row(
    op: int, same: bool, a: Any, b: Any, c: Any, d: Any, p: float, q: float, lo: Any, hi: Any, state: Any, size: int
) -> None:
    """One operation on all boxes; the quick ones have loops of their own."""
    if op == ops.ADD:
        for m in range(size):
            lo[m], hi[m] = sum_down(a[m], c[m]), sum_up(b[m], d[m])
    elif op == ops.SUB:
        for m in range(size):
            lo[m], hi[m] = sum_down(a[m], -d[m]), sum_up(b[m], -c[m])
    elif op == ops.MUL:
        for m in range(size):
            lo[m], hi[m] = multiplied(a[m], b[m], c[m], d[m])
    elif op == ops.SQUARE:
        for m in range(size):
            lo[m], hi[m] = squared(a[m], b[m])
    else:
        for m in range(size):
            if state[m] > NOWHERE:
                lo[m], hi[m], own = operation(op, same, a[m], b[m], c[m], d[m], p, q)
                state[m] = min(state[m], own)
