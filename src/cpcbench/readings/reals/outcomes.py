"""How a point stands to the domain of an operation, in the reals, as a set of what is still possible."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import flint

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.exact import NEGATIVE, POSITIVE, ZERO, Number
from cpcbench.readings.reals.operations import Reals

INSIDE = 1
"""Defined here and in a neighbourhood."""
EDGE = 2
"""Defined, and on the boundary of a condition."""
THIN = 4
"""Defined only because a varying exponent is a whole number just here, under a negative base."""
GAP = 8
"""On the boundary of a condition, and undefined."""
OUTSIDE = 16
"""A condition is strictly violated."""

DEFINED = INSIDE | EDGE | THIN
_RANKED = (INSIDE, EDGE, THIN, GAP, OUTSIDE)


@lru_cache
def both(a: int, b: int) -> int:
    """What is possible for two parts together: the worse of the two decides."""
    result = 0
    for i in _RANKED:
        for j in _RANKED:
            if a & i and b & j:
                result |= max(i, j)
    return result


def after(arguments: int, own: int) -> int:
    """What is possible for an operation, whose own condition is asked only where its arguments exist."""
    return arguments & ~DEFINED | both(arguments & DEFINED, own)


def is_open(outcome: int) -> bool:
    """Whether both defined and undefined are still possible."""
    return bool(outcome & DEFINED) and bool(outcome & ~DEFINED)


def whole_nodes(root: Expr) -> set[int]:
    """The ids of nodes that are whole numbers wherever they are defined, by the way they are written."""
    whole: set[int] = set()
    for node in postorder(root):
        if _is_whole(node, whole):
            whole.add(id(node))
    return whole


def _is_whole(node: Expr, whole: set[int]) -> bool:
    if node.op == "const":
        return isinstance(node.payload, Fraction) and node.payload.denominator == 1
    if node.op in ("floor", "ceil", "round", "sign", "whole"):
        return True
    parts = node.args[1:] if node.op in ("where", "given") else node.args
    return node.op in ("add", "sub", "mul", "neg", "abs", "where", "given") and all(id(a) in whole for a in parts)


def root_outcome(_reals: Reals, a: Number) -> int:
    return _by_sign(a.signs, OUTSIDE, EDGE, INSIDE)


def log_outcome(_reals: Reals, a: Number) -> int:
    return _by_sign(a.signs, OUTSIDE, GAP, INSIDE)


def quotient_outcome(_reals: Reals, _a: Number, b: Number) -> int:
    return _by_sign(b.signs, INSIDE, GAP, INSIDE)


def arcsine_outcome(reals: Reals, a: Number) -> int:
    return _by_sign(reals.sub(reals.one, reals.abs(a)).signs, OUTSIDE, EDGE, INSIDE)


def whole_outcome(_reals: Reals, a: Number) -> int:
    if a.rational is not None:
        return INSIDE if a.rational.q == 1 else OUTSIDE
    return OUTSIDE if not a.ball.contains_integer() else OUTSIDE | INSIDE


def arccosh_outcome(reals: Reals, a: Number) -> int:
    return _by_sign(reals.sub(a, reals.one).signs, OUTSIDE, EDGE, INSIDE)


def arctanh_outcome(reals: Reals, a: Number) -> int:
    return _by_sign(reals.sub(reals.one, reals.abs(a)).signs, OUTSIDE, GAP, INSIDE)


def log1p_outcome(reals: Reals, a: Number) -> int:
    return _by_sign(reals.add(reals.one, a).signs, OUTSIDE, GAP, INSIDE)


def tangent_outcome(reals: Reals, a: Number) -> int:
    """The poles of the tangent are the odd multiples of pi/2."""
    if a.exact is not None:
        b = a.pi_multiple
        return GAP if b is not None and (2 * b).q == 1 and (2 * b).p % 2 == 1 else INSIDE
    return _by_sign(reals.cos(a).signs, INSIDE, GAP, INSIDE)


def power_outcome(a: Number, p: Number, integer: bool | None, *, wobbles: bool, strict: bool) -> int:
    """`wobbles`: p need not stay whole near the point; `strict`: no negative base, whatever p is."""
    result = 0
    if integer is not False:
        on_zero = EDGE if wobbles or strict else INSIDE
        result |= _by_sign(
            a.signs,
            OUTSIDE if strict else THIN if wobbles else INSIDE,
            _by_sign(p.signs, GAP, on_zero, on_zero),
            INSIDE,
        )
    if integer is not True:
        result |= _by_sign(a.signs, OUTSIDE, _by_sign(p.signs & ~ZERO, GAP, 0, EDGE), INSIDE)
    return result


def is_integer(p: Number) -> bool | None:
    """True, False, or None where the ball leaves it open."""
    if p.exact is not None:
        return p.rational is not None and bool(p.rational.q == flint.fmpz(1))
    return None if p.ball.contains_integer() else False


def _by_sign(signs: int, negative: int, zero: int, positive: int) -> int:
    return (negative if signs & NEGATIVE else 0) | (zero if signs & ZERO else 0) | (positive if signs & POSITIVE else 0)
