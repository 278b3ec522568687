"""Sums that repeat: where a variable enters through sines and cosines of its whole multiples only, one period will do.

For any point there is one with that variable in the stated range, a whole number of turns away, at which every
term of the sum has the same value; what is proven of the range holds for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.ground.fields import doubles
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder

NAME = "periods"
TURN = Fraction("6.283185307179587")
"""A little more than 2 pi."""


def ranges_of(subject: Subject, terms: Sequence[Expr], data: object) -> list[tuple[float, float]]:
    """The range of every variable in a sum: its bounds, or the period stated for it."""
    found = list(subject.bounds)
    if not isinstance(data, dict):
        raise RejectedError("its periods should be an object")
    for key, pair in data.items():
        if not isinstance(key, str) or key not in {str(v) for v in range(len(found))}:
            raise RejectedError(f"{str(key)[:40]!r} is no variable")
        low, high = doubles(pair, 2)
        if Fraction(high) - Fraction(low) < TURN:
            raise RejectedError(f"[{low!r}, {high!r}] is shorter than a period")
        if any(not repeats(term, int(key)) for term in terms):
            raise RejectedError(f"it does not repeat with variable {key}")
        found[int(key)] = (low, high)
    return found


def repeats(term: Expr, variable: int) -> bool:
    """Whether the variable enters only as a whole multiple under a sine or a cosine."""
    bare: set[int] = set()
    for node in postorder(term):
        if node.op == "var":
            if index(node) == variable:
                bare.add(id(node))
        elif any(id(a) in bare for a in node.args) and not _is_turned(node, variable):
            bare.add(id(node))
    return id(term) not in bare


def _is_turned(node: Expr, variable: int) -> bool:
    """sin or cos of m times the variable, m whole."""
    if node.op not in ("sin", "cos"):
        return False
    angle = node.args[0]
    factors = angle.args if angle.op == "mul" else (angle,)
    whole = all(a.op == "var" or (isinstance(a.payload, Fraction) and a.payload.denominator == 1) for a in factors)
    names = [index(a) for a in factors if a.op == "var"]
    return whole and names == [variable]
