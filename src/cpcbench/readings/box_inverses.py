"""Backwards through the operations: where the operands must lie for the result to lie in a given range.

Each function gets the range of the result (never empty, inside the range that the operands allow) and
the spans of the operands, and gives a range for each operand that it may be cut down to; None says
nothing. As in `readings.spans` everything is rounded outward.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cpcbench.expr.nodes import Expr
from cpcbench.readings.spans import ELEMENTARY, EVERYWHERE, Flags, Floats, Span, down, up

Range = tuple[Floats, Floats]
Cuts = tuple[Range | None, ...]

TURN = 2.0 * math.pi
TURN_ERROR = 2.0**-47
"""More than all errors in going round the circle, relative to 1 + |angle|."""


def _add(_node: Expr, r: Span, a: Span, b: Span) -> Cuts:
    return _difference(r, b), _difference(r, a)


def _sub(_node: Expr, r: Span, a: Span, b: Span) -> Cuts:
    return (down(r.lo + b.lo), up(r.hi + b.hi)), _difference(a, r)


def _difference(a: Span, b: Span) -> Range:
    return down(a.lo - b.hi), up(a.hi - b.lo)


def _mul(node: Expr, r: Span, a: Span, b: Span) -> Cuts:
    if node.args[0] is node.args[1]:
        cut = _even_root(r, a, 2.0)
        return cut, cut
    return _quotient(r, b), _quotient(r, a)


def _div(_node: Expr, r: Span, a: Span, b: Span) -> Cuts:
    return _product(r, b), _quotient(a, r)


def _product(a: Span, b: Span) -> Range:
    corners = [np.nan_to_num(x * y, nan=0.0, posinf=math.inf, neginf=-math.inf) for x in a[:2] for y in b[:2]]
    lo = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
    hi = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
    return down(lo), up(hi)


def _quotient(a: Span, b: Span) -> Range:
    """All q with q b = a for some a and b; where b may be 0 nothing is said."""
    open_ = (b.lo <= 0.0) & (b.hi >= 0.0)
    corners = [x / y for x in a[:2] for y in b[:2]]  # inf / inf is NaN and drops out: 0 comes from the other ends
    lo = np.fmin(np.fmin(corners[0], corners[1]), np.fmin(corners[2], corners[3]))
    hi = np.fmax(np.fmax(corners[0], corners[1]), np.fmax(corners[2], corners[3]))
    return np.where(open_, -math.inf, down(lo)), np.where(open_, math.inf, up(hi))


def _neg(_node: Expr, r: Span, _a: Span) -> Cuts:
    return ((-r.hi, -r.lo),)


def _abs(_node: Expr, r: Span, a: Span) -> Cuts:
    return (_either_sign(r.lo, r.hi, a),)


def _either_sign(smallest: Floats, largest: Floats, a: Span) -> Range:
    """smallest <= |a| <= largest."""
    smallest = np.maximum(smallest, 0.0)
    lo = np.where(a.lo > -smallest, smallest, -largest)
    hi = np.where(a.hi < smallest, -smallest, largest)
    return lo, hi


def _floor(_node: Expr, r: Span, _a: Span) -> Cuts:
    return ((np.ceil(r.lo), up(np.floor(r.hi) + 1.0)),)


def _sqrt(_node: Expr, r: Span, _a: Span) -> Cuts:
    low, high = np.maximum(r.lo, 0.0), np.maximum(r.hi, 0.0)
    return ((np.maximum(down(low * low), 0.0), up(high * high)),)


def _ln(_node: Expr, r: Span, _a: Span) -> Cuts:
    return ((np.maximum(down(np.exp(r.lo), ELEMENTARY), 0.0), up(np.exp(r.hi), ELEMENTARY)),)


def _exp(_node: Expr, r: Span, _a: Span) -> Cuts:
    return ((down(np.log(np.maximum(r.lo, 0.0)), ELEMENTARY), up(np.log(np.maximum(r.hi, 0.0)), ELEMENTARY)),)


def _arcsin(_node: Expr, r: Span, _a: Span) -> Cuts:
    quarter = 0.5 * math.pi
    low, high = np.clip(r.lo, -quarter, quarter), np.clip(r.hi, -quarter, quarter)
    lo = np.maximum(down(np.sin(low), ELEMENTARY), -1.0)
    return ((lo, np.minimum(up(np.sin(high), ELEMENTARY), 1.0)),)


def _sin(_node: Expr, r: Span, a: Span) -> Cuts:
    low, high = np.arcsin(np.clip(r.lo, -1.0, 1.0)), np.arcsin(np.clip(r.hi, -1.0, 1.0))
    return (_on_arcs(a, (low, high), (math.pi - high, math.pi - low)),)


def _cos(_node: Expr, r: Span, a: Span) -> Cuts:
    near, far = np.arccos(np.clip(r.hi, -1.0, 1.0)), np.arccos(np.clip(r.lo, -1.0, 1.0))
    return (_on_arcs(a, (near, far), (-far, -near)),)


def _on_arcs(a: Span, *arcs: Range) -> Range:
    """From the first to the last angle of a that lies on an arc, up to whole turns."""
    lo, hi = np.full(1, math.inf), np.full(1, -math.inf)
    for first, last in arcs:
        slack = TURN_ERROR * (1.0 + np.abs(a.lo))
        start = first + TURN * np.ceil((a.lo - last) / TURN - slack) - slack
        lo = np.minimum(lo, np.maximum(start - TURN_ERROR * np.abs(start), a.lo))
        slack = TURN_ERROR * (1.0 + np.abs(a.hi))
        end = last + TURN * np.floor((a.hi - first) / TURN + slack) + slack
        hi = np.maximum(hi, np.minimum(end + TURN_ERROR * np.abs(end), a.hi))
    return lo, hi


def power_cuts(r: Span, a: Span, p: Span, *, constant: bool, strict: bool) -> Cuts:
    """The base of a power: its root where the exponent is a number, at least its sign elsewhere."""
    low, high = float(p.lo[0]), float(p.hi[0])
    if not constant or p.state[0] != EVERYWHERE or not math.isfinite(low) or not math.isfinite(high):
        return (_sign_cut(p, strict=strict and not constant), None)
    if low == high and low == math.floor(low):
        if low <= 0.0:
            return None, None
        return (_even_root(r, a, low) if low % 2.0 == 0.0 else _odd_root(r, low)), None
    if math.ceil(low) <= math.floor(high) or low * high <= 0.0:
        return None, None
    return _root(np.maximum(r.lo, 0.0), np.maximum(r.hi, 0.0), low, high), None


def _sign_cut(p: Span, *, strict: bool) -> Range:
    fractional: Flags = np.ceil(p.lo) > np.floor(p.hi)
    return np.where(fractional | strict, 0.0, -math.inf), np.full(1, math.inf)


def _even_root(r: Span, a: Span, n: float) -> Range:
    return _either_sign(*_root(np.maximum(r.lo, 0.0), np.maximum(r.hi, 0.0), n, n), a)


def _odd_root(r: Span, n: float) -> Range:
    bottom, top = np.abs(r.lo), np.abs(r.hi)
    (near_lo, far_lo), (near_hi, far_hi) = _root(bottom, bottom, n, n), _root(top, top, n, n)
    return np.where(r.lo < 0.0, -far_lo, near_lo), np.where(r.hi < 0.0, -near_hi, far_hi)


def _root(low: Floats, high: Floats, p_low: float, p_high: float) -> Range:
    """All a >= 0 with low <= a^p <= high, for an exponent that is not 0."""
    exponents = (math.nextafter(1.0 / p_high, -math.inf), math.nextafter(1.0 / p_low, math.inf))
    low, high = np.abs(low), np.abs(high)
    corners = [np.power(x, e) for x in (low, high) for e in exponents]
    lo = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
    hi = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
    return np.maximum(down(lo, ELEMENTARY), 0.0), up(hi, ELEMENTARY)


INVERSES: dict[str, Callable[..., Cuts]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "abs": _abs,
    "floor": _floor,
    "sqrt": _sqrt,
    "ln": _ln,
    "exp": _exp,
    "arcsin": _arcsin,
    "sin": _sin,
    "cos": _cos,
}
"""Powers go by `power_cuts`; the others (tan, sign, where and its comparison) say nothing."""
