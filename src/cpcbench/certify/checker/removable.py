"""Quotients such as sin(pi*u)/u: 0/0 where u is 0, and pi*sinc(pi*u) once the hole is filled.

Filling it only adds points to the domain, so what is proven of the filled formula holds for the formula.

With a second divisor w = u + k, k a whole number, sin(pi*u) is 0 at w = 0 too, and by partial fractions
sin(pi*u)/(u*w) = (pi/k)*(sinc(pi*u) - (-1)^k*sinc(pi*w)).
"""

from __future__ import annotations

from dataclasses import dataclass

from cpcbench.expr.nodes import Expr, double


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
    divisors = _factors(quotient.args[1])
    plain: list[Expr] = []
    cardinal: list[tuple[Expr | None, Expr]] = []
    pairs: dict[int, tuple[Expr, int]] = {}
    for factor in _factors(quotient.args[0]):
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
    if node.op != "const":
        return None
    value = double(node)
    return int(value) if value == int(value) and 0 < value < 2**53 else None


def _factors(product: Expr) -> list[Expr]:
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
