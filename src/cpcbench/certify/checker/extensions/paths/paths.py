"""Paths to an edge or a pole: points whose coordinates are polynomials in t, and what the formula does as t falls to 0.

With them a formula is proven to have no lower bound, also where the path starts on the edge of the box.
"""

from __future__ import annotations

import re
from fractions import Fraction

from cpcbench.certify.checker.core.numbers import precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.paths import powers_of_pi, tail_functions
from cpcbench.certify.checker.extensions.paths.powers_of_pi import Exact
from cpcbench.certify.checker.extensions.paths.tails import INFINITE, Tail, constant, exactly, less
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.fields import field, fraction, listed, only, text
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import constants

NAME = "paths"
BITS = 256
MOST_COEFFICIENTS = 9

_START = re.compile(r"([^*]+)\*pi")

Tails = dict[int, Tail | None]


def check_path_falls(subject: Subject, data: object) -> None:
    """Rejects unless the formula is proven to tend to minus infinity along a path of points of the box."""
    found = tail_along(subject, data)
    if found.kind != INFINITE or found.side != -1:
        raise RejectedError("the formula is not proven to tend to minus infinity along the path")


def tail_along(subject: Subject, data: object) -> Tail:
    """What the formula does along a path on which it is defined in the end."""
    only(data, {"by", "x"})
    if field(data, "by") != "path":
        raise RejectedError("it is by 'path'")
    precision(BITS)
    subject.rests_on.add(NAME)
    coordinates = [_coordinate(part) for part in listed(field(data, "x"), len(subject.bounds))]
    for place, (along, (low, high)) in enumerate(zip(coordinates, subject.bounds, strict=True)):
        if not _is_inside(along, low, high):
            raise RejectedError(f"coordinate {place} of the path does not stay inside [{low!r}, {high!r}]")
    tails = tails_of(subject, coordinates)
    found = tails[id(subject.root)]
    if found is None:
        number, op = next((i, n.op) for i, n in enumerate(subject.order) if _is_first(n, tails))
        raise RejectedError(f"{op} (node {number}) is not proven to be defined along the path")
    return found


def _is_first(node: Expr, tails: Tails) -> bool:
    """Whether a node that may be undefined has operands that are not, where they matter."""
    return tails.get(id(node)) is None and (node.op == "where" or all(tails.get(id(a)) is not None for a in node.args))


def _coordinate(data: object) -> Exact:
    """Coefficients of t^0, t^1, ... as rational numbers; the first may be a multiple of pi."""
    parts = [text(part) for part in listed(data, most=MOST_COEFFICIENTS)]
    if not parts:
        raise RejectedError("a coordinate of a path has at least one coefficient")
    turns = _START.fullmatch(parts[0])
    found = powers_of_pi.number(fraction(turns[1]), 1) if turns else powers_of_pi.number(fraction(parts[0]))
    for power, part in enumerate(parts[1:], start=1):
        factor = fraction(part)
        found = powers_of_pi.plus(found, {(power, 0): factor} if factor else {})
    if not powers_of_pi.is_short(found):
        raise RejectedError("a coefficient of a path is too long")
    return found


def _is_inside(along: Exact, low: float, high: float) -> bool:
    """Whether low <= x(t) <= high for small t > 0; both differences are polynomials with a first sign."""
    above = powers_of_pi.plus(along, powers_of_pi.number(-Fraction(low)))
    below = powers_of_pi.plus(powers_of_pi.number(Fraction(high)), powers_of_pi.turned(along))
    return all(exactly(part).sign in (0, 1) for part in (above, below))


def tails_of(subject: Subject, coordinates: list[Exact]) -> Tails:
    """The tail of every node; None where it is not shown to be defined."""
    fixed = constants(subject.root)
    tails: Tails = {}
    tests: dict[int, bool | None] = {}
    for node in subject.order:
        look_at_clock()
        if node.op in ("lt", "le"):
            tests[id(node)] = _test(node, tails)
            tails[id(node)] = None if tests[id(node)] is None else constant(0)
        elif node.op == "where":
            holds = tests[id(node.args[0])]
            tails[id(node)] = None if holds is None else tails[id(node.args[1 if holds else 2])]
        else:
            operands = [tails[id(a)] for a in node.args]
            known = [a for a in operands if a is not None]
            whole = id(node.args[1]) in fixed if node.op == "pow" else False
            tails[id(node)] = _tail(node, known, coordinates, whole) if len(known) == len(operands) else None
    return tails


def _test(node: Expr, tails: Tails) -> bool | None:
    a, b = (tails[id(part)] for part in node.args)
    return None if a is None or b is None else less(a, b, node.op == "lt")


def _tail(node: Expr, args: list[Tail], coordinates: list[Exact], whole: bool) -> Tail | None:
    if node.op == "const":
        return constant(Fraction(node.payload or 0))
    if node.op == "pi":
        return exactly(powers_of_pi.number(Fraction(1), 1))
    if node.op == "var":
        return exactly(coordinates[index(node)])
    if len(args) == 1:
        return tail_functions.applied(node.op, args[0])
    a, b = args
    if node.op != "pow":
        return tail_functions.combined(node.op, a, b)
    exponent = None if b.along is None or not whole else powers_of_pi.rational(b.along)
    if exponent is not None and exponent.denominator == 1:
        return tail_functions.whole_power(a, exponent.numerator)
    return tail_functions.positive_power(a, b)
