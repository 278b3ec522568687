"""What straight conditions leave of single variables: pairs of them added up so that the other variable is gone.

One step of Fourier's and Motzkin's elimination, in exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from cpcbench.certify.certificate.schema import ProvenRange
from cpcbench.certify.straight import ZERO, Straight, straight_parts
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder

Condition = tuple[int, Straight]
"""The number of a node, and what is at least 0 there."""


def half_lines(root: Expr, bounds: Sequence[tuple[float, float]]) -> list[ProvenRange]:
    """Ends of variables' ranges that lie inside their bounds, each with the conditions that it follows from."""
    nodes = postorder(root)
    if any(node.op == "where" for node in nodes):
        return []
    places = {id(node): place for place, node in enumerate(nodes)}
    forms = straight_parts(nodes)
    operands = dict.fromkeys(id(node.args[0]) for node in nodes if node.op in ("sqrt", "ln"))
    conditions = [(places[key], forms[key]) for key in operands if key in forms]
    best: dict[tuple[int, str], tuple[float, ProvenRange]] = {}
    for one, other in permutations(conditions, 2):
        for v in set(one[1].slopes) & set(other[1].slopes):
            a, b = one[1].slopes[v], other[1].slopes[v]
            if a > 0 > b:
                _note(best, bounds, one, other, -b, a)
    return [entry for _, entry in best.values()]


def _note(
    best: dict[tuple[int, str], tuple[float, ProvenRange]],
    bounds: Sequence[tuple[float, float]],
    one: Condition,
    other: Condition,
    p: Fraction,
    q: Fraction,
) -> None:
    """Keeps what p times one and q times the other say, if it is about one variable and narrows it."""
    slopes, number = ZERO.plus(one[1], p).plus(other[1], q)
    left = [(v, c) for v, c in slopes.items() if c != 0]
    if len(left) != 1:
        return
    variable, slope = left[0]
    side, end = ("low", below(-number / slope)) if slope > 0 else ("high", -below(number / slope))
    low, high = bounds[variable]
    if not low < end < high:
        return
    inward = end if side == "low" else -end
    if (variable, side) not in best or inward > best[variable, side][0]:
        first, last = (end, None) if side == "low" else (None, end)
        by = [(one[0], str(p)), (other[0], str(q))]
        best[variable, side] = inward, ProvenRange(variable, first, last, by)


def below(value: Fraction) -> float:
    """The largest double that is not above."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)
