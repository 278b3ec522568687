"""Quotients such as sin(pi*x) / x, which have a value at x = 0 once they are read as a cardinal sine.

Two divisors a whole number k apart, w = u + k, can both be removable: sin(pi*u) vanishes with w as well, and
sin(pi*u) / (u*w) = (pi/k) (sinc(pi*u) - (-1)^k sinc(pi*w)).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import factors

MOST_APART = 2**53


class Partner(NamedTuple):
    """A second divisor: w = u + shift if it is `above`, else w = u - shift; `shift` is a whole number."""

    divisor: Expr
    shift: Expr
    above: bool

    @property
    def odd(self) -> bool:
        return bool(Fraction(self.shift.payload or 0) % 2 == 1)


class Cardinal(NamedTuple):
    """sin(angle) / u with angle = scale * u: scale * sinc(angle); no scale says that it is 1."""

    angle: Expr
    scale: Expr | None
    partner: Partner | None = None


class Quotient(NamedTuple):
    """A quotient with its removable parts taken out: a product of factors over a product of factors."""

    above: list[Expr | Cardinal]
    below: list[Expr]


def removable(node: Expr, constants: set[int]) -> Quotient | None:
    """The division with its removable singularities removed; None if it has none."""
    below = factors(node.args[1])
    above: list[Expr | Cardinal] = []
    found = False
    for factor in factors(node.args[0]):
        taken = _taken(factor, below, constants)
        if taken is None:
            above.append(factor)
            continue
        place, scale = taken
        divisor = below.pop(place)
        partner = None if scale is None or scale.op != "pi" else _partner(divisor, below)
        if partner is not None:
            below.remove(partner.divisor)
        above.append(Cardinal(factor.args[0], scale, partner))
        found = True
    return Quotient(above, below) if found else None


def _taken(factor: Expr, below: list[Expr], constants: set[int]) -> tuple[int, Expr | None] | None:
    """The place of the divisor that the sine's angle is a multiple of, and that multiple."""
    if factor.op != "sin" or id(factor) in constants:
        return None
    angle = factor.args[0]
    for place, divisor in enumerate(below):
        if angle is divisor:
            return place, None
    if angle.op == "mul":
        for scale, part in (angle.args, angle.args[::-1]):
            for place, divisor in enumerate(below):
                if divisor is part and id(scale) in constants:
                    return place, scale
    return None


def _partner(u: Expr, below: list[Expr]) -> Partner | None:
    """A divisor that is a whole number away from u, as one of the two is written."""
    for w in below:
        if u.op == "sub" and u.args[0] is w and _is_whole(u.args[1]):
            return Partner(w, u.args[1], above=True)
        if w.op == "sub" and w.args[0] is u and _is_whole(w.args[1]):
            return Partner(w, w.args[1], above=False)
    return None


def _is_whole(node: Expr) -> bool:
    """Whether it is a whole number itself, not only the double next to it."""
    value = Fraction(node.payload or 0) if node.op == "const" else Fraction(0)
    return value.denominator == 1 and 0 < value < MOST_APART
