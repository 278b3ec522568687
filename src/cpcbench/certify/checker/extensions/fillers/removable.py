"""Quotients such as sin(pi*u)/u: 0/0 where u is 0, and pi*sinc(pi*u) once the hole is filled.

Filling it only adds points to the domain, so what is proven of the filled formula holds for the formula.

With a second divisor w = u + k, k a whole number, sin(pi*u) is 0 at w = 0 too, and by partial fractions
sin(pi*u)/(u*w) = (pi/k)*(sinc(pi*u) - (-1)^k*sinc(pi*w)).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.checker.core.functions.waves import cos, sin
from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    Interval,
    add,
    div,
    magnitude,
    meet,
    mul,
    neg,
    single,
    sub,
)
from cpcbench.certify.checker.core.numbers import End, is_finite
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Step, Values
from cpcbench.expr.nodes import Expr

NAME = "removable"

FALLS_TO, BENDS_AT, SMALL = Fraction(449, 100), 2, Fraction(1, 1024)
"""sin(v)/v falls from 0 to 4.4934..., its slope from 0 to 2.0815...; below the third the slope's series is used."""

DEEPEST, STEEPEST = Fraction(-21723362821122166, 10**17), Fraction(4363, 10_000)
"""sin(v)/v is nowhere below -0.217233628211221657..., nor its slope beyond 0.43618... in size."""


def fill(program: Program, quotient: Expr) -> int | None:
    """The slot of a quotient with its removable holes filled; None if it has none that is known."""
    if quotient.op != "div":
        return None
    parts = filled(quotient, program.constant)
    if parts is None:
        return None
    program.rests_on.add(NAME)
    above = [program.slots[id(part)] for part in parts.plain]
    for place, (factor, angle) in enumerate(parts.cardinal):
        above += [] if factor is None else [program.slots[id(factor)]]
        cardinal = program.emit("sinc", [program.slots[id(angle)]], quotient, _Sinc)
        if place in parts.pairs and factor is not None:
            second, k = parts.pairs[place]
            turned = program.emit("mul", [program.slots[id(factor)], program.slots[id(second)]], quotient)
            other = program.emit("sinc", [turned], quotient, _Sinc)
            cardinal = program.emit("add" if k % 2 else "sub", [cardinal, other], quotient)
            above.append(program.number(Fraction(1, k)))
        above.append(cardinal)
    product = program.product(above, quotient)
    if not parts.divisors:
        return product
    below = program.product([program.slots[id(part)] for part in parts.divisors], quotient)
    return program.emit("div", [product, below], quotient)


@dataclass(frozen=True)
class Filled:
    """The quotient as a product: plain factors, factors c*sinc(v) as pairs (c or None for 1, v), over divisors.

    `pairs` holds the second divisor w of a cardinal factor by its place, with k: w is u + k.
    """

    plain: list[Expr]
    cardinal: list[tuple[Expr | None, Expr]]
    divisors: list[Expr]
    pairs: dict[int, tuple[Expr, int]]


def filled(quotient: Expr, constant: set[int]) -> Filled | None:
    """The quotient with each sine above cancelled against what its angle is a multiple of below; None if none is."""
    divisors = factors(quotient.args[1])
    plain: list[Expr] = []
    cardinal: list[tuple[Expr | None, Expr]] = []
    pairs: dict[int, tuple[Expr, int]] = {}
    for factor in factors(quotient.args[0]):
        match = _match(factor, divisors, constant) if factor.op == "sin" and id(factor) not in constant else None
        if match is None:
            plain.append(factor)
        else:
            u = divisors.pop(match[0])
            second = _second(u, divisors) if match[1] is not None and match[1].op == "pi" else None
            if second is not None:
                pairs[len(cardinal)] = (divisors.pop(second[0]), second[1])
            cardinal.append((match[1], factor.args[0]))
    return Filled(plain, cardinal, divisors, pairs) if cardinal else None


def _second(u: Expr, divisors: list[Expr]) -> tuple[int, int] | None:
    """Which other divisor is u + k for a whole number k written in it or in u, and k."""
    for place, w in enumerate(divisors):
        for whole, less, sign in ((w, u, 1), (u, w, -1)):  # less = whole - k
            if less.op == "sub" and less.args[0] is whole and (k := _whole_number(less.args[1])) is not None:
                return place, sign * k
    return None


def _whole_number(node: Expr) -> int | None:
    """A constant that is exactly a whole number of at least 1."""
    value = node.payload
    if node.op != "const" or not isinstance(value, Fraction) or value.denominator != 1 or value < 1:
        return None
    return value.numerator


def factors(product: Expr) -> list[Expr]:
    """From left to right."""
    found: list[Expr] = []
    stack = [product]
    while stack:
        part = stack.pop()
        if part.op == "mul":
            stack += reversed(part.args)
        else:
            found.append(part)
    return found


def _match(sine: Expr, divisors: list[Expr], constant: set[int]) -> tuple[int, Expr | None] | None:
    """Which divisor u the angle is c*u of, and c."""
    angle = sine.args[0]
    multiples: list[tuple[Expr, Expr | None]] = [(angle, None)]
    if angle.op == "mul":
        a, b = angle.args
        multiples += [(u, c) for c, u in ((a, b), (b, a)) if id(c) in constant]
    for u, c in multiples:
        for place, divisor in enumerate(divisors):
            if divisor is u:
                return place, c
    return None


class _Sinc(Step):
    def run(self, values: Values) -> int:
        values[self.slot] = sinc(values[self.args[0]])
        return EVERYWHERE

    def partials(self, values: Values) -> tuple[Interval, ...]:
        return (sinc_slope(values[self.args[0]]),)


def _everything() -> Interval:
    return single(DEEPEST)[0], single(1)[1]


def sinc(a: Interval) -> Interval:
    """sin(v)/v, 1 at 0."""
    low, high = magnitude(a)
    if not is_finite(high):
        return _everything()
    if high <= single(FALLS_TO)[0]:
        return _sinc_at(high)[0], _sinc_at(low)[1]
    if not low > 0:
        return _everything()
    return meet(div(sin((low, high)), (low, high))[0], _everything()) or _everything()


def _sinc_at(v: End) -> Interval:
    """At one place of at least 0."""
    if v == 0:
        return single(1)
    return meet(div(sin((v, v)), (v, v))[0], _everything()) or _everything()


def sinc_slope(a: Interval) -> Interval:
    """The derivative of sin(v)/v; it is odd."""
    steepest = (single(-STEEPEST)[0], single(STEEPEST)[1])
    low, high = a
    if low >= -BENDS_AT and high <= BENDS_AT:
        return _slope_at(high)[0], _slope_at(low)[1]
    if not (is_finite(low) and is_finite(high)) or low <= 0 <= high:
        return steepest
    away = a if low > 0 else neg(a)
    found = meet(div(sub(cos(away), sinc(away)), away)[0], steepest) or steepest
    return found if low > 0 else neg(found)


def _slope_at(v: End) -> Interval:
    """At one place; near 0 the alternating series -v/3 + v^3/30 - ..., cut off after two terms."""
    place = (v, v)
    size = magnitude(place)
    if size[0] > single(SMALL)[1]:
        found = div(sub(cos(size), sinc(size)), size)[0]
        return found if v > 0 else neg(found)
    square = mul(place, place)
    cube = mul(square, place)
    middle = sub(mul(cube, single(Fraction(1, 30))), mul(place, single(Fraction(1, 3))))
    error = mul(mul(mul(square, square), size), single(Fraction(1, 840)))[1]
    return add(middle, neg((error, error)))[0], add(middle, (error, error))[1]
