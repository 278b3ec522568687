"""The names that functions have in Python, NumPy, SymPy, MATLAB and modelling languages, and what they are here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import FOLDED, SPELLINGS, where
from cpcbench.expr.nodes import ARITY, Expr, node, num, pi

MANY = 10**9


def _floor(a: Expr) -> Expr:
    return node("floor", a)


def _trunc(a: Expr) -> Expr:
    return node("sign", a) * _floor(node("abs", a))


def _same_sign(a: Expr, b: Expr) -> Expr:
    return where(node("lt", b, num(0)), -node("abs", a), node("abs", a))


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
    "clip": lambda a, low, high: node("min", node("max", a, low), high),
    "floor_divide": lambda a, b: _floor(a / b),
    "remainder": lambda a, b: node("mod", a, b),
    "fmod": lambda a, b: a - b * _trunc(a / b),
    "trunc": _trunc,
    "copysign": _same_sign,
    "heaviside": lambda a, b: where(node("lt", a, num(0)), num(0), where(node("lt", num(0), a), num(1), b)),
    "exp2": lambda a: node("pow", num(2), a),
    "deg2rad": lambda a: a * (pi / 180),
    "rad2deg": lambda a: a * (180 / pi),
    "logaddexp": lambda a, b: node("max", a, b) + node("log1p", node("exp", -node("abs", a - b))),
    "erfc": lambda a: 1 - node("erf", a),
    "expit": lambda a: 1 / (1 + node("exp", -a)),
    "xlogy": lambda a, b: where(node("le", a * a, num(0)), num(0), a * node("ln", b)),
}
"""Made of what the language has, by NumPy's or SciPy's names."""

ALIKE = {
    "divide": "true_divide", "fabs": "absolute", "abs": "absolute", "Abs": "absolute", "pow": "power",
    "float_power": "power", "sqr": "square", "mod": "remainder", "Mod": "remainder", "rem": "fmod", "fix": "trunc",
    "fmax": "maximum", "fmin": "minimum", "Max": "maximum", "Min": "minimum", "Cbrt": "cbrt",
    "radians": "deg2rad", "degrees": "rad2deg", "conjugate": "positive", "asin": "arcsin",
    "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "arsinh": "arcsinh", "arcosh": "arccosh",
    "artanh": "arctanh",
}  # fmt: skip
"""Other names of the same, and how NumPy calls it."""


def word(name: str) -> Callable[..., Expr] | None:
    """The function of expressions that a name means; None where the language cannot say it."""
    wanted = operands(name)
    return None if wanted is None or SPELLINGS.get(name) == "where" else lambda *args: called(name, args)


def operands(name: str) -> tuple[int, int] | None:
    """The least and the largest number of operands that a function of this name takes; None for no function's name."""
    if name == "log":
        return 1, 2
    name = name if name in SPELLINGS else ALIKE.get(name, name)
    op = SPELLINGS.get(name)
    if op is not None:
        return ARITY[op], MANY if op in FOLDED else ARITY[op]
    if name not in MADE:
        return None
    count = MADE[name].__code__.co_argcount
    return count, count


def called(name: str, args: Sequence[Expr]) -> Expr:
    """The function of this name on its operands: `log` may have a base, and more than two are folded from the left."""
    if name == "log" and len(args) == 2:
        return node("ln", args[0]) / node("ln", args[1])
    name = name if name in SPELLINGS else ALIKE.get(name, name)
    op = SPELLINGS.get(name)
    if op in FOLDED and len(args) > 1:
        return reduce(lambda a, b: node(op, a, b), args)
    if op is not None:
        return node(op, *args)
    if len(args) != MADE[name].__code__.co_argcount:
        raise CpcbenchError(f"{name} takes {MADE[name].__code__.co_argcount} values, not {len(args)}")
    return MADE[name](*args)
