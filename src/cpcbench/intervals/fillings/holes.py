"""Quotients g(u)/h(u) of two functions that vanish together at a rational place: finding them, and the places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.fillings.taylor import coefficients
from cpcbench.intervals.functions.table import FUNCTIONS
from cpcbench.points import Points
from cpcbench.readings.reals.exact import working_precision

MOST_VANISHING, TERMS = 3, 3
"""How often both may vanish at the same place, and the number of Taylor terms before the remainder."""

MOST_NODES, MOST_FACTORS, MOST_PLACES, MOST_HOLES = 300, 30, 12, 3
BITS = 128

BESIDE = tuple(2.0**-power for power in (12, 14, 16, 20, 30, 40))
"""How far from a hole points are tried, as shares of the box: nearer is better until digits are lost."""

Value = Any
"""A Fraction, or a ball of Arb for what is not rational."""


@dataclass(frozen=True)
class Hole:
    """At `place` the first `order` coefficients of both are 0; the next ones are `above` and `below`."""

    place: Fraction
    order: int
    above: list[Value | None]
    below: list[Value | None]


@dataclass(frozen=True)
class HoledQuotient:
    """(others above / others below) g/h, with g and h the products of what depends on u only."""

    u: Expr
    above: list[Expr]
    below: list[Expr]
    others_above: list[Expr]
    others_below: list[Expr]
    holes: list[Hole]

    @property
    def numerator(self) -> Expr:
        return _product(self.above)

    @property
    def divisor(self) -> Expr:
        return _product(self.below)


def holed_quotient(node: Expr, free: set[int]) -> HoledQuotient | None:
    """A division with holes that can be filled; None if none is found."""
    above, below = node.args
    if id(below) in free or len(postorder(node)) > MOST_NODES:
        return None
    shared = {id(part) for part in postorder(above)} - free
    for u in reversed(postorder(below)):
        if id(u) not in shared:
            continue
        top, bottom = _split(above, u, free), _split(below, u, free)
        if top is not None and bottom is not None and top[0] and bottom[0]:
            holes = _holes(_product(top[0]), _product(bottom[0]), u)
            if holes:
                return HoledQuotient(u, top[0], bottom[0], top[1], bottom[1], holes)
    return None


def beside_holes(root: Expr, box: Sequence[tuple[float, float]], point: Points) -> Iterator[Points]:
    """The point moved close to each hole at which one variable has a certain value."""
    free = constants(root)
    for node in postorder(root):
        quotient = holed_quotient(node, free) if node.op == "div" else None
        if quotient is not None and quotient.u.op == "var":
            i = index(quotient.u)
            low, high = box[i]
            for hole in quotient.holes:
                for shift in (s * (high - low) for size in BESIDE for s in (size, -size)):
                    moved = point.copy()
                    moved[i] = hole.place.numerator / hole.place.denominator + shift
                    if low <= moved[i] <= high:
                        yield moved


def _product(parts: list[Expr]) -> Expr:
    product = parts[0]
    for part in parts[1:]:
        product = product * part
    return product


def _split(product: Expr, u: Expr, free: set[int]) -> tuple[list[Expr], list[Expr]] | None:
    """The factors that depend on u only, and the others."""
    through: list[Expr] = []
    others: list[Expr] = []
    stack = [product]
    while stack:
        part = stack.pop()
        if part.op == "mul" and part is not u:
            stack.extend(reversed(part.args))
        elif id(part) not in free and _depends_only_on(u, part, free):
            through.append(part)
        else:
            others.append(part)
        if len(through) + len(others) + len(stack) > MOST_FACTORS:
            return None
    return through, others


def _depends_only_on(u: Expr, root: Expr, free: set[int]) -> bool:
    seen: set[int] = set()
    stack = [root]
    while stack:
        part = stack.pop()
        if part is u or id(part) in free or id(part) in seen:
            continue
        if part.op == "var":
            return False
        seen.add(id(part))
        stack.extend(part.args)
    return True


def _holes(g: Expr, h: Expr, u: Expr) -> list[Hole]:
    with working_precision(BITS):
        found = (_hole(g, h, u, place) for place in _places(g, h, u))
        return [hole for hole in found if hole is not None][:MOST_HOLES]


def _places(g: Expr, h: Expr, u: Expr) -> Iterator[Fraction]:
    """Numbers written in the two, and the zero of a divisor that is straight."""
    written = [Fraction(part.payload or 0) for part in postorder(h, g) if part.op == "const"]
    tried = [Fraction(0), Fraction(1), Fraction(-1), *(s * value for value in written for s in (1, -1))]
    at_0, at_1 = (_at(h, u, Fraction(place), 1) for place in (0, 1))
    if at_0 and at_1 and isinstance(at_0[0], Fraction) and isinstance(at_1[0], Fraction) and at_0[0] != at_1[0]:
        tried.insert(0, at_0[0] / (at_0[0] - at_1[0]))
    yield from list(dict.fromkeys(tried))[:MOST_PLACES]


def _hole(g: Expr, h: Expr, u: Expr, place: Fraction) -> Hole | None:
    first = _at(h, u, place, 1)
    if first is None or not _is_zero(first[0]):
        return None
    above, below = (_at(part, u, place, MOST_VANISHING + TERMS) for part in (g, h))
    if above is None or below is None:
        return None
    order = next((k for k, value in enumerate(below) if not _is_zero(value)), len(below))
    if not 1 <= order <= MOST_VANISHING or not all(_is_zero(value) for value in above[:order]):
        return None
    last = order + TERMS
    return Hole(place, order, above[order:last], below[order:last])


def _is_zero(value: Value | None) -> bool:
    return value is None or (isinstance(value, Fraction) and value == 0)


def _at(root: Expr, u: Expr, place: Fraction, order: int) -> list[Value | None] | None:
    """The coefficients at a place; None if one does not exist."""
    try:
        return coefficients(root, u, place, order, _Exact())
    except (ArithmeticError, ValueError):
        return None


class _Exact:
    """Fractions as far as they go, then balls; what is undefined is an error."""

    def constant(self, node: Expr) -> Value:
        values: dict[int, Value] = {}
        for part in postorder(node):
            if part.op == "const":
                values[id(part)] = Fraction(part.payload or 0)
            elif part.op == "pi":
                values[id(part)] = flint.arb.pi()
            elif part.op == "pow":
                values[id(part)] = self._power(*(values[id(a)] for a in part.args))
            else:
                values[id(part)] = self.of(part.op, *(values[id(a)] for a in part.args))
        return values[id(node)]

    def power(self, base: Value, exponent: Expr) -> Value:
        return self._power(base, self.constant(exponent))

    def _power(self, base: Value, exponent: Value) -> Value:
        if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= 10_000:
            whole = int(exponent)
            return base**whole if isinstance(base, Fraction) else _checked(base**whole)
        return _checked(_ball(base) ** _ball(exponent))

    def of(self, op: str, *args: Value) -> Value:
        if op in ("add", "sub", "mul", "div", "neg"):
            a, b = args if len(args) == 2 else (args[0], args[0])
            if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
                a, b = _ball(a), _ball(b)
            found = {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "div": lambda: a / b}
            return _checked(-a if op == "neg" else found[op]())
        if op not in FUNCTIONS or not FUNCTIONS[op].ball:
            raise ValueError(f"{op} has no Taylor series")
        return _checked(getattr(_ball(args[0]), FUNCTIONS[op].ball)())


def _ball(value: Value) -> Any:
    if isinstance(value, Fraction):
        return flint.arb(flint.fmpq(value.numerator, value.denominator))
    return value


def _checked(value: Value) -> Value:
    """A fraction if it is one exactly; an error if it is no number."""
    if isinstance(value, Fraction):
        return value
    if not value.is_finite():
        raise ValueError("not defined")
    if value.is_exact():
        mantissa, exponent = (int(part) for part in value.man_exp())
        if abs(exponent) < 10_000:
            return Fraction(mantissa) * Fraction(2) ** exponent
    return value
