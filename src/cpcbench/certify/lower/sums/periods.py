"""Variables that enter a sum through sines and cosines of whole multiples only: one turn of them is enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder
from cpcbench.points import Points

HALF_TURN = math.nextafter(math.pi, 4.0) * (1.0 + 2.0**-50)
"""A little more than half a turn."""


def one_period(
    terms: Sequence[Expr], bounds: Sequence[tuple[float, float]], x: Points
) -> dict[int, tuple[float, float]]:
    """For each variable that repeats and has room for more than a turn, the turn about its coordinate of x."""
    found = {}
    for v, (low, high) in enumerate(bounds):
        if high - low > 4.0 * HALF_TURN and all(_repeats(term, v) for term in terms):
            middle = math.remainder(float(x[v]), 2.0 * math.pi)
            found[v] = (middle - HALF_TURN, middle + HALF_TURN)
    return found


def _repeats(term: Expr, variable: int) -> bool:
    plain: dict[int, bool] = {}  # whether the value of a node changes from turn to turn
    for node in postorder(term):
        if node.op == "var":
            plain[id(node)] = index(node) == variable
        elif node.op in ("sin", "cos") and _is_multiple(node.args[0], variable):
            plain[id(node)] = False
        else:
            plain[id(node)] = any(plain[id(a)] for a in node.args)
    return not plain[id(term)]


def _is_multiple(angle: Expr, variable: int) -> bool:
    """The variable itself, or a whole number times it."""
    if angle.op == "var":
        return index(angle) == variable
    if angle.op != "mul":
        return False
    for factor, other in (angle.args, angle.args[::-1]):
        if isinstance(factor.payload, Fraction) and factor.payload.denominator == 1 and other.op == "var":
            return index(other) == variable
    return False
