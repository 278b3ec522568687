"""Parts of a formula that are straight: sums of variables times numbers, and a number, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from cpcbench.expr.nodes import Expr, index


class Straight(NamedTuple):
    """c_1 x_1 + ... + number."""

    slopes: dict[int, Fraction]
    number: Fraction

    def plus(self, other: Straight, factor: Fraction) -> Straight:
        """With a multiple of another one added; slopes of 0 stay."""
        both = {*self.slopes, *other.slopes}
        slopes = {v: self.slopes.get(v, Fraction(0)) + factor * other.slopes.get(v, Fraction(0)) for v in both}
        return Straight(slopes, self.number + factor * other.number)


ZERO = Straight({}, Fraction(0))


def straight_parts(order: Sequence[Expr]) -> dict[int, Straight]:
    """The straight ones among nodes, arguments first, by their ids."""
    found: dict[int, Straight] = {}
    for node in order:
        parts = [found[id(a)] for a in node.args if id(a) in found]
        if len(parts) == len(node.args):
            form = _form(node, parts)
            if form is not None:
                found[id(node)] = form
    return found


def _form(node: Expr, parts: list[Straight]) -> Straight | None:
    if node.op == "var":
        return Straight({index(node): Fraction(1)}, Fraction(0))
    if isinstance(node.payload, Fraction):
        return Straight({}, node.payload)
    if node.op in ("add", "sub"):
        return parts[0].plus(parts[1], Fraction(1 if node.op == "add" else -1))
    if node.op == "neg":
        return ZERO.plus(parts[0], Fraction(-1))
    if node.op == "mul" and not (parts[0].slopes and parts[1].slopes):
        factor, other = parts if not parts[0].slopes else parts[::-1]
        return ZERO.plus(other, factor.number)
    if node.op == "div" and not parts[1].slopes and parts[1].number:
        return ZERO.plus(parts[0], 1 / parts[1].number)
    return None
