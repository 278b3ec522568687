"""What the functions of NumPy, `math` and `scipy.special` are in the language, by their names there."""

from __future__ import annotations

from collections.abc import Callable

from cpcbench.expr.functions import SPELLINGS, where
from cpcbench.expr.nodes import Expr, node, num, pi

HALF = num(0.5)


def _larger(a: Expr, b: Expr) -> Expr:
    return where(node("lt", a, b), b, a)


def _smaller(a: Expr, b: Expr) -> Expr:
    return where(node("lt", b, a), b, a)


def _floor(a: Expr) -> Expr:
    return node("floor", a)


def _ceil(a: Expr) -> Expr:
    return -_floor(-a)


def _rint(a: Expr) -> Expr:
    """Rounded to the nearest whole number, halves to the even one."""
    down = _floor(a + HALF)
    odd = node("lt", num(0), down - 2 * _floor(down / 2))
    return where(node("lt", down, a + HALF), down, where(odd, down - 1, down))


def _arctan2(y: Expr, x: Expr) -> Expr:
    """The angle, by the arctangent on each side; undefined at the origin."""
    angle = node("arctan", y / x)
    left = where(node("lt", y, num(0)), angle - pi, angle + pi)
    up = where(node("lt", y, num(0)), -(pi / 2), pi / 2)
    return where(node("lt", num(0), x), angle, where(node("lt", x, num(0)), left, up))


def _third(a: Expr) -> Expr:
    return node("sign", a) * node("abs", a) ** (num(1) / 3)


def _same_sign(a: Expr, b: Expr) -> Expr:
    return where(node("lt", b, num(0)), -node("abs", a), node("abs", a))


def _remainder(a: Expr, b: Expr) -> Expr:
    """As Python's %: of the sign of b."""
    return a - b * _floor(a / b)


def _trunc(a: Expr) -> Expr:
    return node("sign", a) * _floor(node("abs", a))


MADE: dict[str, Callable[..., Expr]] = {
    "add": lambda a, b: node("add", a, b),
    "subtract": lambda a, b: node("sub", a, b),
    "multiply": lambda a, b: node("mul", a, b),
    "true_divide": lambda a, b: node("div", a, b),
    "power": lambda a, b: node("pow", a, b),
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "absolute": lambda a: node("abs", a),
    "square": lambda a: a * a,
    "reciprocal": lambda a: 1 / a,
    "maximum": _larger,
    "minimum": _smaller,
    "clip": lambda a, low, high: _smaller(_larger(a, low), high),
    "floor_divide": lambda a, b: _floor(a / b),
    "remainder": _remainder,
    "fmod": lambda a, b: a - b * _trunc(a / b),
    "ceil": _ceil,
    "trunc": _trunc,
    "rint": _rint,
    "copysign": _same_sign,
    "heaviside": lambda a, b: where(node("lt", a, num(0)), num(0), where(node("lt", num(0), a), num(1), b)),
    "hypot": lambda a, b: node("sqrt", a * a + b * b),
    "log1p": lambda a: node("ln", 1 + a),
    "log2": lambda a: node("ln", a) / node("ln", num(2)),
    "log10": lambda a: node("ln", a) / node("ln", num(10)),
    "expm1": lambda a: node("exp", a) - 1,
    "exp2": lambda a: node("pow", num(2), a),
    "cbrt": _third,
    "arccos": lambda a: pi / 2 - node("arcsin", a),
    "arctan2": _arctan2,
    "arcsinh": lambda a: node("ln", a + node("sqrt", a * a + 1)),
    "arccosh": lambda a: node("ln", a + node("sqrt", a - 1) * node("sqrt", a + 1)),
    "arctanh": lambda a: node("ln", (1 + a) / (1 - a)) / 2,
    "deg2rad": lambda a: a * (pi / 180),
    "rad2deg": lambda a: a * (180 / pi),
    "logaddexp": lambda a, b: _larger(a, b) + node("ln", 1 + node("exp", -node("abs", a - b))),
    "expit": lambda a: 1 / (1 + node("exp", -a)),
    "xlogy": lambda a, b: where(node("le", a * a, num(0)), num(0), a * node("ln", b)),
}
"""Made of what the language has; where it has the function itself, that comes first."""

ALIKE = {
    "divide": "true_divide", "fabs": "absolute", "abs": "absolute", "pow": "power", "float_power": "power",
    "mod": "remainder", "fmax": "maximum", "fmin": "minimum", "radians": "deg2rad", "degrees": "rad2deg",
    "conjugate": "positive", "fix": "trunc", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
}  # fmt: skip
"""Other names of the same, and how NumPy calls it."""


def word(name: str) -> Callable[..., Expr] | None:
    """The function of expressions that a name means; None where the language cannot say it."""
    name = ALIKE.get(name, name)
    op = SPELLINGS.get(name)
    if op is not None and op != "where":
        return lambda *args: node(op, *args)
    return MADE.get(name)
