"""First derivatives, exactly: each partial derivative is an expression again.

One backward pass over the expression, so the derivatives share their subexpressions with it. A
derivative is undefined where the formula is, and also where the formula is defined but has no
derivative in doubles: the root of 0, the exponent of a power whose base is not positive. It is the
derivative in the reals too: an exponent counts as 0, 1 or 2 only where it is that exactly.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

from cpcbench.clock import look_at_clock
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import cos, cosh, exp, floor, hypot, ln, sign, sin, sinh, sqrt, where
from cpcbench.expr.nodes import Expr, num, pi, var
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.reference import constant_values

ZERO = num(0)
ONE = num(1)
MOST_BRANCHES = 50

Known = dict[int, list[Expr]]
"""The derivatives of branches by their id: a branch that many choices share is differentiated once."""


def derivatives(root: Expr, n: int) -> list[Expr]:
    """The partial derivatives by x1 .. xn."""
    return _derivatives(root, n, 0, {})


def _derivatives(root: Expr, n: int, depth: int, known: Known) -> list[Expr]:
    if depth > MOST_BRANCHES:
        raise CpcbenchError(f"derivatives of where() nested more than {MOST_BRANCHES} deep are not supported")
    if id(root) not in known:
        known[id(root)] = _backward(root, n, depth, known)
    return known[id(root)]


def _backward(root: Expr, n: int, depth: int, known: Known) -> list[Expr]:
    free = constant_values(root)
    held = [var(i) for i in range(n)]  # kept alive: ids are keys below
    slope: dict[int, Expr] = {id(root): ONE}
    for current in reversed(postorder(root)):
        look_at_clock()
        outer = slope.get(id(current))
        if outer is None or not current.args or id(current) in free:
            continue
        if current.op == "where":
            _add_branches(slope, outer, current, n, depth, known)
            continue
        for argument, inner in zip(current.args, _partials(current, free), strict=True):
            if inner is None or id(argument) in free:
                continue
            slope[id(argument)] = _plus(slope.get(id(argument)), inner(outer))
    return [slope.get(id(x), ZERO) for x in held]


Chain = Callable[[Expr], Expr]
"""From the slope at an operation to what it adds to the slope at one argument; None adds nothing."""


def _plus(a: Expr | None, b: Expr) -> Expr:
    return b if a is None else a + b


def _times(outer: Expr, factor: Expr) -> Expr:
    return factor if outer is ONE else outer * factor


def _scaled(factor: Expr) -> Chain:
    return lambda outer: _times(outer, factor)


def _same(outer: Expr) -> Expr:
    return outer


def _minus(outer: Expr) -> Expr:
    return -outer


def _partials(current: Expr, free: dict[int, float]) -> list[Chain | None]:
    if current.op == "pow":
        return _power(current, *current.args, value=free.get(id(current.args[1])))
    return _TABLE[current.op](current, *current.args)


def derivative(function: Expr) -> Expr:
    """Of a function of one argument that is smooth, by that argument."""
    (inner,) = _TABLE[function.op](function, *function.args)
    return ZERO if inner is None else inner(ONE)


def _power(current: Expr, base: Expr, exponent: Expr, *, value: float | None) -> list[Chain | None]:
    if value is None:
        return [_scaled(exponent * base ** (exponent - 1)), _scaled(current * ln(base))]
    exact = _plain(exponent)
    if exact == value == 0.0:
        return [None, None]
    if exact == value == 1.0:
        return [_same, None]
    lowered = base if exact == value == 2.0 else base ** _less_one(exponent, value)
    return [_scaled(exponent * lowered), None]


def _less_one(exponent: Expr, value: float) -> Expr:
    """The exponent minus one, exactly where it is a plain number: 0.2 - 1 is -0.8, not a sum.

    A number that only rounds to a whole one stays a difference, whole in doubles and not in the reals.
    """
    exact = _plain(exponent) if exponent.op in ("const", "neg") else None
    if exact is None or (exact != value and value == math.floor(value)):
        return exponent - 1
    return num(exact - 1)


def _plain(exponent: Expr) -> Fraction | None:
    """What a number, its negation, or one sum, product or quotient of two numbers is in the reals."""
    parts = [part.payload for part in exponent.args or (exponent,) if part.op == "const"]
    numbers = [part for part in parts if isinstance(part, Fraction)]
    if len(numbers) != max(1, len(exponent.args)) or exponent.op not in _RATIONAL:
        return None
    try:
        return _RATIONAL[exponent.op](*numbers)
    except ZeroDivisionError:
        return None


_RATIONAL: dict[str, Callable[..., Fraction]] = {
    "const": operator.pos,
    "neg": operator.neg,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


def _add_branches(slope: dict[int, Expr], outer: Expr, current: Expr, n: int, depth: int, known: Known) -> None:
    """A choice is differentiated branch by branch, so that the branch not taken may be undefined."""
    test, yes, no = current.args
    branches = (_derivatives(branch, n, depth + 1, known) for branch in (yes, no))
    for i, (up, down) in enumerate(zip(*branches, strict=True)):
        if up is not ZERO or down is not ZERO:
            slope[id(var(i))] = _plus(slope.get(id(var(i))), _times(outer, where(test, up, down)))


def _quotient(_current: Expr, a: Expr, b: Expr) -> list[Chain | None]:
    return [lambda outer: outer / b, lambda outer: -(outer * (a / b) / b)]


def _angle(_current: Expr, y: Expr, x: Expr) -> list[Chain | None]:
    size = hypot(y, x)
    return [lambda outer: outer * (x / size) / size, lambda outer: -(outer * (y / size) / size)]


def _nothing(current: Expr, *_args: Expr) -> list[Chain | None]:
    return [None] * len(current.args)


_TABLE: dict[str, Callable[..., list[Chain | None]]] = {
    "add": lambda c, a, b: [_same, _same],
    "sub": lambda c, a, b: [_same, _minus],
    "mul": lambda c, a, b: [_scaled(b), _scaled(a)],
    "div": _quotient,
    "neg": lambda c, a: [_minus],
    "sqrt": lambda c, a: [lambda outer: outer / (2 * c)],
    "ln": lambda c, a: [lambda outer: outer / a],
    "exp": lambda c, a: [_scaled(exp(a))],
    "sin": lambda c, a: [_scaled(cos(a))],
    "cos": lambda c, a: [_scaled(-sin(a))],
    "tan": lambda c, a: [_scaled(1 + c * c)],
    "arcsin": lambda c, a: [lambda outer: outer / sqrt((1 - a) * (1 + a))],  # 1 - a * a would cancel
    "arccos": lambda c, a: [lambda outer: -(outer / sqrt((1 - a) * (1 + a)))],
    "arctan": lambda c, a: [lambda outer: outer / (1 + a * a)],
    "sinh": lambda c, a: [_scaled(cosh(a))],
    "cosh": lambda c, a: [_scaled(sinh(a))],
    "tanh": lambda c, a: [_scaled((1 - c) * (1 + c))],
    "arcsinh": lambda c, a: [lambda outer: outer / sqrt(1 + a * a)],
    "arccosh": lambda c, a: [lambda outer: outer / (sqrt(a - 1) * sqrt(a + 1))],
    "arctanh": lambda c, a: [lambda outer: outer / ((1 - a) * (1 + a))],
    "log10": lambda c, a: [lambda outer: outer / (a * ln(num(10)))],
    "log2": lambda c, a: [lambda outer: outer / (a * ln(num(2)))],
    "log1p": lambda c, a: [lambda outer: outer / (1 + a)],
    "expm1": lambda c, a: [_scaled(exp(a))],
    "cbrt": lambda c, a: [lambda outer: outer / (3 * c * c)],
    "erf": lambda c, a: [_scaled(2 / sqrt(pi) * exp(-(a * a)))],
    "abs": lambda c, a: [_scaled(sign(a))],
    "floor": _nothing,
    "ceil": _nothing,
    "round": _nothing,
    "sign": _nothing,
    "whole": lambda c, a: [_same],
    "min": lambda c, a, b: [_scaled(where(a <= b, 1, 0)), _scaled(where(a <= b, 0, 1))],
    "max": lambda c, a, b: [_scaled(where(b <= a, 1, 0)), _scaled(where(b <= a, 0, 1))],
    "hypot": lambda c, a, b: [_scaled(a / c), _scaled(b / c)],
    "arctan2": _angle,
    "mod": lambda c, a, b: [_same, lambda outer: -(outer * floor(a / b))],
    "lt": _nothing,
    "le": _nothing,
    "given": lambda c, condition, value: [None, _same],
}
