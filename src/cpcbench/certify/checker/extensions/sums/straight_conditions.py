"""Ranges of variables that straight conditions leave: two or more of them, added up, can bound a single variable.

Where sqrt(x - y) and sqrt(2*y + x) both have values, 2*(x - y) + (2*y + x) = 3*x is at least 0. All in exact fractions.
"""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.core.functions.table import FUNCTIONS
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.ground.fields import field, fraction, listed, only, read_double, whole
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder

Affine = dict[int, Fraction]
"""Coefficients by variable; -1 stands for the number without one."""
NUMBER = -1
NAME = "straight conditions"


def narrowed(subject: Subject, ranges: list[tuple[float, float]], data: object) -> list[tuple[float, float]]:
    """The ranges with what the stated combinations of conditions leave of them."""
    found = list(ranges)
    for entry in listed(data):
        only(entry, {"variable", "low", "high", "by"})
        variable = whole(field(entry, "variable"), len(found))
        slope, number = _combined(subject, field(entry, "by"), variable)
        low, high = found[variable]
        if slope > 0:  # slope * x + number >= 0
            low = max(low, _bound(entry, "low"))
            holds = Fraction(low) <= -number / slope or low == found[variable][0]
        else:
            high = min(high, _bound(entry, "high"))
            holds = Fraction(high) >= -number / slope or high == found[variable][1]
        if not holds:
            raise RejectedError(f"its conditions do not narrow variable {variable} as far as it says")
        if not low < high:
            raise RejectedError(f"nothing would be left of variable {variable}")
        found[variable] = (low, high)
    return found


def _bound(entry: object, side: str) -> float:
    return read_double(field(entry, side))


def _combined(subject: Subject, data: object, variable: int) -> tuple[Fraction, Fraction]:
    """The slope and the number of a sum of conditions with weights, in which only this variable is left."""
    total: Affine = {}
    for pair in listed(data):
        parts = listed(pair)
        if len(parts) != 2:
            raise RejectedError("a combination is a list of pairs: a node and its weight")
        node, weight = subject.node(parts[0]), fraction(parts[1])
        if weight < 0:
            raise RejectedError("a condition has a negative weight")
        if not _is_condition(subject, node):
            raise RejectedError(f"node {parts[0]} is not what a root, logarithm or constraint needs to be at least 0")
        for v, c in _affine(node).items():
            total[v] = total.get(v, Fraction(0)) + weight * c
    slope, number = total.pop(variable, Fraction(0)), total.pop(NUMBER, Fraction(0))
    if slope == 0 or any(c != 0 for c in total.values()):
        raise RejectedError(f"its conditions do not add up to one about variable {variable} alone")
    return slope, number


def _is_condition(subject: Subject, node: Expr) -> bool:
    """Whether some root, logarithm or constraint takes the node, in a formula without branches."""
    signed = {"given", *(op for op, function in FUNCTIONS.items() if function.domain.is_sign)}
    users = [user for user in subject.order if user.op in signed and user.args[0] is node]
    return bool(users) and all(other.op != "where" for other in subject.order)


def _affine(root: Expr) -> Affine:
    found: dict[int, Affine] = {}
    for node in postorder(root):
        parts = [found[id(a)] for a in node.args]
        if node.op == "var":
            found[id(node)] = {index(node): Fraction(1)}
        elif isinstance(node.payload, Fraction):
            found[id(node)] = {NUMBER: node.payload}
        elif node.op in ("add", "sub"):
            found[id(node)] = _plus(parts[0], parts[1], Fraction(1 if node.op == "add" else -1))
        elif node.op == "neg":
            found[id(node)] = _plus({}, parts[0], Fraction(-1))
        elif node.op == "mul" and any(set(part) <= {NUMBER} for part in parts):
            straight, factor = parts if set(parts[1]) <= {NUMBER} else parts[::-1]
            found[id(node)] = _plus({}, straight, factor.get(NUMBER, Fraction(0)))
        elif node.op == "div" and set(parts[1]) == {NUMBER} and parts[1][NUMBER] != 0:
            found[id(node)] = _plus({}, parts[0], 1 / parts[1][NUMBER])
        else:
            raise RejectedError("a condition that should be straight is not")
    return found[id(root)]


def _plus(a: Affine, b: Affine, factor: Fraction) -> Affine:
    return {v: a.get(v, Fraction(0)) + factor * b.get(v, Fraction(0)) for v in {*a, *b}}
