"""The operations of the language on spans: real ranges over boxes, cut off at the edges of their domains."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cpcbench.expr.nodes import Expr
from cpcbench.readings.spans import (
    ELEMENTARY,
    EVERYWHERE,
    NOWHERE,
    Flags,
    Floats,
    Span,
    States,
    both,
    down,
    magnitude,
    restricted,
    settled,
    up,
)

HALF_PI_UP = 1.5707963267948968
"""The double above pi/2."""

TURNS_ERROR = 2.0**-50
"""More than the error of x / pi - shift, relative to 1 + |x / pi|."""


def _add(_node: Expr, a: Span, b: Span) -> Span:
    return Span(down(a.lo + b.lo), up(a.hi + b.hi), both(a, b))


def _sub(_node: Expr, a: Span, b: Span) -> Span:
    return Span(down(a.lo - b.hi), up(a.hi - b.lo), both(a, b))


def _mul(node: Expr, a: Span, b: Span) -> Span:
    if node.args[0] is node.args[1]:
        return square(a)
    products = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
    lo = np.fmin(np.fmin(products[0], products[1]), np.fmin(products[2], products[3]))
    hi = np.fmax(np.fmax(products[0], products[1]), np.fmax(products[2], products[3]))
    lo, hi = _zero_for_nan(lo), _zero_for_nan(hi)  # 0 times the whole line is 0
    return Span(down(lo), up(hi), both(a, b))


def _zero_for_nan(x: Floats) -> Floats:
    return np.where(np.isnan(x), 0.0, x)


def square(a: Span) -> Span:
    """a times itself."""
    low, high = magnitude(a)
    return Span(np.maximum(down(low * low), 0.0), up(high * high), a.state)


def _div(_node: Expr, a: Span, b: Span) -> Span:
    state = restricted(both(a, b), (b.lo != 0.0) | (b.hi != 0.0), (b.lo > 0.0) | (b.hi < 0.0))
    mirrored = b.hi <= 0.0
    b_lo, b_hi = np.where(mirrored, -b.hi, b.lo) + 0.0, np.where(mirrored, -b.lo, b.hi)  # + 0.0: no -0.0
    a_lo, a_hi = np.where(mirrored, -a.hi, a.lo), np.where(mirrored, -a.lo, a.hi)
    lo = _zero_for_nan(a_lo / np.where(a_lo >= 0.0, b_hi, b_lo))
    hi = _zero_for_nan(a_hi / np.where(a_hi >= 0.0, b_lo, b_hi))  # 0 / 0: the numerator is 0, the rest is not
    split = b_lo < 0.0  # 0 inside: both signs of the denominator, however small
    lo, hi = np.where(split, -math.inf, down(lo)), np.where(split, math.inf, up(hi))
    return settled(lo, hi, state)


def _neg(_node: Expr, a: Span) -> Span:
    return Span(-a.hi, -a.lo, a.state)


def _abs(_node: Expr, a: Span) -> Span:
    return Span(*magnitude(a), a.state)


def _floor(_node: Expr, a: Span) -> Span:
    return Span(np.floor(a.lo), np.floor(a.hi), a.state)


def _sign(_node: Expr, a: Span) -> Span:
    return Span(np.sign(a.lo), np.sign(a.hi), a.state)


def _sqrt(_node: Expr, a: Span) -> Span:
    state = restricted(a.state, a.hi >= 0.0, a.lo >= 0.0)
    lo = np.maximum(down(np.sqrt(np.maximum(a.lo, 0.0))), 0.0)
    return settled(lo, up(np.sqrt(np.maximum(a.hi, 0.0))), state)


def _ln(_node: Expr, a: Span) -> Span:
    state = restricted(a.state, a.hi > 0.0, a.lo > 0.0)
    lo = down(np.log(np.maximum(a.lo, 0.0)), ELEMENTARY)
    return settled(lo, up(np.log(np.maximum(a.hi, 0.0)), ELEMENTARY), state)


def _exp(_node: Expr, a: Span) -> Span:
    return Span(np.maximum(down(np.exp(a.lo), ELEMENTARY), 0.0), up(np.exp(a.hi), ELEMENTARY), a.state)


def _arcsin(_node: Expr, a: Span) -> Span:
    state = restricted(a.state, (a.hi >= -1.0) & (a.lo <= 1.0), (a.lo >= -1.0) & (a.hi <= 1.0))
    lo = np.maximum(down(np.arcsin(np.clip(a.lo, -1.0, 1.0)), ELEMENTARY), -HALF_PI_UP)
    hi = np.minimum(up(np.arcsin(np.clip(a.hi, -1.0, 1.0)), ELEMENTARY), HALF_PI_UP)
    return settled(lo, hi, state)


def _passes(a: Span, shift: float, period: float) -> Flags:
    """Whether a may contain (shift + k period) pi for some whole k; in doubt it may."""
    lo, hi = a.lo / math.pi, a.hi / math.pi
    lo -= shift + TURNS_ERROR * (1.0 + np.abs(lo))
    hi -= shift - TURNS_ERROR * (1.0 + np.abs(hi))
    passes: Flags = np.ceil(lo / period) <= np.floor(hi / period)
    return passes


def _wave(a: Span, ends: tuple[Floats, Floats], top: float) -> Span:
    """The range of sine or cosine from its values at the two ends; it is 1 at (top + 2k) pi."""
    lo = np.maximum(down(np.minimum(*ends), ELEMENTARY), -1.0)
    hi = np.minimum(up(np.maximum(*ends), ELEMENTARY), 1.0)
    return Span(np.where(_passes(a, top + 1.0, 2.0), -1.0, lo), np.where(_passes(a, top, 2.0), 1.0, hi), a.state)


def _sin(_node: Expr, a: Span) -> Span:
    return _wave(a, (np.sin(a.lo), np.sin(a.hi)), 0.5)


def _cos(_node: Expr, a: Span) -> Span:
    return _wave(a, (np.cos(a.lo), np.cos(a.hi)), 0.0)


def _tan(_node: Expr, a: Span) -> Span:
    pole = _passes(a, 0.5, 1.0)
    state = restricted(a.state, np.ones(1, dtype=np.bool_), ~pole)
    lo, hi = down(np.tan(a.lo), ELEMENTARY), up(np.tan(a.hi), ELEMENTARY)
    return Span(np.where(pole, -math.inf, lo), np.where(pole, math.inf, hi), state)


def _lt(node: Expr, a: Span, b: Span) -> Span:
    return _verdict(both(a, b), a.hi < b.lo, (a.lo >= b.hi) | (node.args[0] is node.args[1]))


def _le(node: Expr, a: Span, b: Span) -> Span:
    return _verdict(both(a, b), (a.hi <= b.lo) | (node.args[0] is node.args[1]), a.lo > b.hi)


def _verdict(state: States, holds: Flags, fails: Flags) -> Span:
    """A comparison as a span: [1, 1] holds, [0, 0] fails, [0, 1] undecided."""
    return Span(holds.astype(np.float64), (~fails).astype(np.float64), state)


def _where(_node: Expr, test: Span, yes: Span, no: Span) -> Span:
    """The branch taken; in doubt what holds of both."""
    can, cannot = test.hi == 1.0, test.lo == 0.0
    use_yes, use_no = can & (yes.state > NOWHERE), cannot & (no.state > NOWHERE)
    whole = (~can | (yes.state == EVERYWHERE)) & (~cannot | (no.state == EVERYWHERE))
    state = restricted(test.state, use_yes | use_no, whole)
    lo = np.minimum(np.where(use_yes, yes.lo, math.inf), np.where(use_no, no.lo, math.inf))
    hi = np.maximum(np.where(use_yes, yes.hi, -math.inf), np.where(use_no, no.hi, -math.inf))
    return settled(lo, hi, state)


STEPS: dict[str, Callable[..., Span]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "sqrt": _sqrt,
    "ln": _ln,
    "exp": _exp,
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "arcsin": _arcsin,
    "abs": _abs,
    "floor": _floor,
    "sign": _sign,
    "lt": _lt,
    "le": _le,
    "where": _where,
}
"""Every operation but the leaves and the powers."""
