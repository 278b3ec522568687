"""What straight conditions leave of single variables: pairs of them added up so that the other variable is gone.

One step of Fourier's and Motzkin's elimination, in exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from cpcbench.certify.certificate.schema import ProvenRange
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder


class Straight(NamedTuple):
    """A condition c_1 x_1 + ... + number >= 0, at a node of the formula."""

    place: int
    slopes: dict[int, Fraction]
    number: Fraction


def half_lines(root: Expr, bounds: Sequence[tuple[float, float]]) -> list[ProvenRange]:
    """Ends of variables' ranges that lie inside their bounds, each with the conditions that it follows from."""
    nodes = postorder(root)
    if any(node.op == "where" for node in nodes):
        return []
    places = {id(node): place for place, node in enumerate(nodes)}
    operands = {id(node.args[0]): node.args[0] for node in nodes if node.op in ("sqrt", "ln")}
    conditions = [Straight(places[key], *form) for key, node in operands.items() if (form := _straight(node))]
    best: dict[tuple[int, str], tuple[float, ProvenRange]] = {}
    for one, other in permutations(conditions, 2):
        for v in set(one.slopes) & set(other.slopes):
            a, b = one.slopes[v], other.slopes[v]
            if a > 0 > b:
                _note(best, bounds, one, other, -b, a)
    return [entry for _, entry in best.values()]


def _note(
    best: dict[tuple[int, str], tuple[float, ProvenRange]],
    bounds: Sequence[tuple[float, float]],
    one: Straight,
    other: Straight,
    p: Fraction,
    q: Fraction,
) -> None:
    """Keeps what p times one and q times the other say, if it is about one variable and narrows it."""
    slopes = {v: p * one.slopes.get(v, Fraction(0)) + q * other.slopes.get(v, Fraction(0)) for v in
              {*one.slopes, *other.slopes}}  # fmt: skip
    left = [(v, c) for v, c in slopes.items() if c != 0]
    if len(left) != 1:
        return
    (variable, slope), number = left[0], p * one.number + q * other.number
    side, end = ("low", below(-number / slope)) if slope > 0 else ("high", -below(number / slope))
    low, high = bounds[variable]
    if not low < end < high:
        return
    inward = end if side == "low" else -end
    if (variable, side) not in best or inward > best[variable, side][0]:
        first, last = (end, None) if side == "low" else (None, end)
        by = [(one.place, str(p)), (other.place, str(q))]
        best[variable, side] = inward, ProvenRange(variable, first, last, by)


def below(value: Fraction) -> float:
    """The largest double that is not above."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def _straight(root: Expr) -> tuple[dict[int, Fraction], Fraction] | None:
    """The slopes and the number of an expression that is straight; None of any other."""
    found: dict[int, tuple[dict[int, Fraction], Fraction]] = {}
    for node in postorder(root):
        parts = [found[id(a)] for a in node.args]
        if node.op == "var":
            found[id(node)] = {index(node): Fraction(1)}, Fraction(0)
        elif isinstance(node.payload, Fraction):
            found[id(node)] = {}, node.payload
        elif node.op in ("add", "sub"):
            found[id(node)] = _sum(parts[0], parts[1], Fraction(1 if node.op == "add" else -1))
        elif node.op == "neg":
            found[id(node)] = _sum(({}, Fraction(0)), parts[0], Fraction(-1))
        elif node.op == "mul" and not (parts[0][0] and parts[1][0]):
            factor, straight = parts if not parts[0][0] else parts[::-1]
            found[id(node)] = _sum(({}, Fraction(0)), straight, factor[1])
        elif node.op == "div" and not parts[1][0] and parts[1][1]:
            found[id(node)] = _sum(({}, Fraction(0)), parts[0], 1 / parts[1][1])
        else:
            return None
    return found[id(root)]


def _sum(
    a: tuple[dict[int, Fraction], Fraction], b: tuple[dict[int, Fraction], Fraction], factor: Fraction
) -> tuple[dict[int, Fraction], Fraction]:
    slopes = {v: a[0].get(v, Fraction(0)) + factor * b[0].get(v, Fraction(0)) for v in {*a[0], *b[0]}}
    return slopes, a[1] + factor * b[1]
