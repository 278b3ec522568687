"""Random formulas and points, and two slow readings of them to check the rigorous one against."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import gmpy2

from cpcbench.expr import (
    Expr,
    arcsin,
    arctan,
    cos,
    cosh,
    exp,
    floor,
    given,
    ln,
    num,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    var,
    where,
)
from cpcbench.expr.nodes import node
from cpcbench.expr.walk import walk

Builder = Callable[[random.Random, Callable[[], Expr]], Expr]

RATIONAL: list[Builder] = [
    lambda r, e: e() + e(),
    lambda r, e: e() - e(),
    lambda r, e: e() * e(),
    lambda r, e: e() / e(),
    lambda r, e: -e(),
    lambda r, e: abs(e()),
    lambda r, e: node("whole", floor(e())),
    lambda r, e: node(r.choice(["ceil", "round"]), e()),
    lambda r, e: sign(e()),
    lambda r, e: node(r.choice(["min", "max", "mod"]), e(), e()),
    lambda r, e: e() ** r.choice([0, 1, 2, 3, -1, -2]),
    lambda r, e: given(e() <= e(), e()),
    lambda r, e: given(e() >= -2, e()),
    lambda r, e: where(e() < e(), e(), e()),
    lambda r, e: where(e() <= e(), e(), e()),
]
"""Operations that take rational numbers to rational numbers."""

ELEMENTARY: list[Builder] = [
    lambda r, e: sqrt(e()),
    lambda r, e: sqrt(abs(e())),
    lambda r, e: ln(e()),
    lambda r, e: ln(abs(e()) + 0.1),
    lambda r, e: exp(e()),
    lambda r, e: sin(e()),
    lambda r, e: cos(e()),
    lambda r, e: tan(e()),
    lambda r, e: arcsin(e()),
    lambda r, e: arcsin(sin(e())),
    lambda r, e: arctan(e()),
    lambda r, e: node(r.choice(["hypot", "arctan2"]), e(), e()),
    lambda r, e: node(r.choice(["arccos", "arcsinh", "arctanh", "expm1", "cbrt", "erf"]), e()),
    lambda r, e: node(r.choice(["arccosh", "log10", "log2", "log1p"]), e()),
    lambda r, e: node(r.choice(["arccos", "arctanh"]), sin(e())),
    lambda r, e: sinh(e()),
    lambda r, e: cosh(e()),
    lambda r, e: tanh(e()),
    lambda r, e: e() ** num(r.choice([0.2, 0.5, 1.03, 2.5, 0.25])),
    lambda r, e: e() ** -num(r.choice([0.2, 0.5, 1.5])),
    lambda r, e: abs(e()) ** e(),
    lambda r, e: e() ** e(),
    lambda r, e: e() * pi,
]


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311


def formula(r: random.Random, size: int, builders: Sequence[Builder], variables: int = 2) -> Expr:
    """A random formula of about `size` operations."""
    if size <= 0:
        if r.random() < 0.7:
            return var(r.randrange(variables))
        return num(r.choice([1, 2, 3, 7, 0.1, 0.5, 2.25]))
    return r.choice(builders)(r, lambda: formula(r, r.randrange(size), builders, variables))


def point(r: random.Random, variables: int = 2) -> list[float]:
    """Coordinates of either kind: quarters, where ties happen, and doubles of all 53 bits."""
    return [r.randrange(-12, 13) / 4 if r.random() < 0.5 else r.uniform(-4.0, 4.0) for _ in range(variables)]


def fraction_at(root: Expr, x: Sequence[float]) -> Fraction | None:
    """The value of a formula built from rational operations, None if it is undefined."""

    def lifted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def apply(node: Expr, *a: Any) -> Any:
            try:
                return None if None in a else operation(*a)
            except ZeroDivisionError:
                return None

        return apply

    table: dict[str, Callable[..., Any]] = {
        "const": lambda node: node.payload,
        "var": lambda node: Fraction(x[node.payload]),
        "add": lifted(lambda a, b: a + b),
        "sub": lifted(lambda a, b: a - b),
        "mul": lifted(lambda a, b: a * b),
        "div": lifted(lambda a, b: a / b),
        "neg": lifted(lambda a: -a),
        "abs": lifted(abs),
        "floor": lifted(lambda a: Fraction(math.floor(a))),
        "ceil": lifted(lambda a: Fraction(math.ceil(a))),
        "round": lifted(lambda a: Fraction(round(a))),
        "sign": lifted(lambda a: Fraction((a > 0) - (a < 0))),
        "whole": lifted(lambda a: a if a.denominator == 1 else None),
        "min": lifted(min),
        "max": lifted(max),
        "mod": lifted(lambda a, b: a % b),
        "pow": lifted(lambda a, b: a ** int(b)),
        "lt": lifted(lambda a, b: a < b),
        "le": lifted(lambda a, b: a <= b),
        "given": lifted(lambda condition, value: value if condition >= 0 else None),
        "where": lambda node, test, yes, no: None if test is None else yes if test else no,
    }
    value: Fraction | None = walk(root, table)
    return value


class UnclearError(Exception):
    """A decision that many digits do not settle: two numbers that differ by next to nothing."""


def mpfr_at(root: Expr, x: Sequence[float], bits: int) -> Any:
    """The value with this many bits, rounded to nearest; None if undefined, `UnclearError` if a test is too close."""

    def side(a: Any) -> int:
        if a != 0 and abs(a) < gmpy2.mpfr(2) ** -150:
            raise UnclearError
        return int(gmpy2.sign(a))

    def whole(a: Any) -> bool:
        return side(a - gmpy2.rint(a)) == 0

    def power(a: Any, p: Any) -> Any:
        if side(a) > 0 or (whole(p) and (p >= 0 or side(a))) or (side(a) == 0 and p > 0):
            return a**p
        return None

    def lifted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def apply(node: Expr, *a: Any) -> Any:
            if None in a:
                return None
            result = operation(*a)
            if result is not None and not isinstance(result, bool) and not gmpy2.is_finite(result):
                raise UnclearError
            return result

        return apply

    def step(a: Any) -> Any:
        side(a - gmpy2.rint(a))
        return gmpy2.floor(a)

    def even(a: Any) -> Any:
        side(2 * a - gmpy2.rint(2 * a))
        return gmpy2.rint(a)

    table: dict[str, Callable[..., Any]] = {
        "const": lambda node: gmpy2.mpfr(gmpy2.mpq(node.payload)),
        "pi": lambda node: gmpy2.const_pi(),
        "var": lambda node: gmpy2.mpfr(x[node.payload]),
        "add": lifted(lambda a, b: a + b),
        "sub": lifted(lambda a, b: a - b),
        "mul": lifted(lambda a, b: a * b),
        "div": lifted(lambda a, b: a / b if side(b) else None),
        "neg": lifted(lambda a: -a),
        "abs": lifted(abs),
        "floor": lifted(step),
        "ceil": lifted(lambda a: -step(-a)),
        "round": lifted(even),
        "sign": lifted(lambda a: gmpy2.mpfr(side(a))),
        "whole": lifted(lambda a: a if whole(a) else None),
        "min": lifted(lambda a, b: a if side(a - b) <= 0 else b),
        "max": lifted(lambda a, b: a if side(a - b) >= 0 else b),
        "hypot": lifted(gmpy2.hypot),
        "arctan2": lifted(lambda y, x: gmpy2.atan2(y if side(y) else 0, x if side(x) else 0)),
        "mod": lifted(lambda a, b: a - b * step(a / b) if side(b) else None),
        "sqrt": lifted(lambda a: gmpy2.sqrt(a) if side(a) >= 0 else None),
        "ln": lifted(lambda a: gmpy2.log(a) if side(a) > 0 else None),
        "exp": lifted(gmpy2.exp),
        "sin": lifted(gmpy2.sin),
        "cos": lifted(gmpy2.cos),
        "tan": lifted(lambda a: gmpy2.tan(a) if side(gmpy2.cos(a)) else None),
        "arcsin": lifted(lambda a: gmpy2.asin(a) if side(1 - abs(a)) >= 0 else None),
        "arccos": lifted(lambda a: gmpy2.acos(a) if side(1 - abs(a)) >= 0 else None),
        "arctan": lifted(gmpy2.atan),
        "arcsinh": lifted(gmpy2.asinh),
        "arccosh": lifted(lambda a: gmpy2.acosh(a) if side(a - 1) >= 0 else None),
        "arctanh": lifted(lambda a: gmpy2.atanh(a) if side(1 - abs(a)) > 0 else None),
        "log10": lifted(lambda a: gmpy2.log10(a) if side(a) > 0 else None),
        "log2": lifted(lambda a: gmpy2.log2(a) if side(a) > 0 else None),
        "log1p": lifted(lambda a: gmpy2.log1p(a) if side(1 + a) > 0 else None),
        "expm1": lifted(gmpy2.expm1),
        "cbrt": lifted(gmpy2.cbrt),
        "erf": lifted(gmpy2.erf),
        "sinh": lifted(gmpy2.sinh),
        "cosh": lifted(gmpy2.cosh),
        "tanh": lifted(gmpy2.tanh),
        "pow": lifted(power),
        "lt": lifted(lambda a, b: side(a - b) < 0),
        "le": lifted(lambda a, b: side(a - b) <= 0),
        "given": lifted(lambda condition, value: value if side(condition) >= 0 else None),
        "where": lambda node, test, yes, no: None if test is None else yes if test else no,
    }
    with gmpy2.context(gmpy2.get_context(), precision=bits):
        return walk(root, table)
