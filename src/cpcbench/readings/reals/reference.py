"""The verdict: every operation rounded correctly to an IEEE double, the same bits everywhere.

Sums, products, quotients and square roots are correctly rounded by the hardware already, so
Python's floats do them; the elementary functions go through MPFR in double format (53 bits,
double exponent range, subnormals).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from cpcbench.expr.nodes import Expr, double
from cpcbench.expr.walk import constants, needed, postorder

NAN = math.nan
EXACT_FLOOR = 2.0**52
"""From here on every double is a whole number."""


class Reference:
    """One expression under one admissibility rule; call it with a point."""

    def __init__(self, root: Expr, rule: str = "ieee") -> None:
        self._order = postorder(root)
        self._needed = needed(root)
        place = {id(node): i for i, node in enumerate(self._order)}
        free = constants(root)
        self._steps = [
            (_function(node, rule, free), tuple(place[id(a)] for a in node.args), id(node) in self._needed)
            for node in self._order
        ]

    def __call__(self, point: Sequence[float]) -> float:
        values: list[Any] = []
        for function, places, must in self._steps:
            value = function(point, *[values[i] for i in places])
            if not math.isfinite(value):
                if must:
                    return NAN
                value = NAN
            values.append(value)
        return float(values[-1])

    def values(self, point: Sequence[float]) -> dict[int, float]:
        """The value of every node by its id, NaN where it is undefined."""
        values: list[Any] = []
        for function, places, _ in self._steps:
            value = function(point, *[values[i] for i in places])
            values.append(value if math.isfinite(value) else NAN)
        return {id(node): float(value) for node, value in zip(self._order, values, strict=True)}


def constant_values(*roots: Expr) -> dict[int, float]:
    """The doubles that the variable-free parts come to, by node id, NaN where undefined."""
    found: dict[int, Any] = {}
    for node in postorder(*roots):
        if node.op != "var" and all(id(a) in found for a in node.args):
            value = _function(node, "ieee", set())((), *[found[id(a)] for a in node.args])
            found[id(node)] = value if math.isfinite(value) else NAN
    return found


def power_is_defined(base: float, exponent: float) -> bool:
    """The paper's four cases in one line each: positive, zero and negative base."""
    if base > 0.0:
        return True
    if base == 0.0:
        return exponent >= 0.0
    return exponent == _floor(exponent)


@lru_cache(maxsize=1)
def _mpfr() -> Any:
    import gmpy2

    return gmpy2.ieee(64)


def _function(node: Expr, rule: str, free: set[int]) -> Callable[..., Any]:
    if node.op == "const":
        value = double(node)
        return lambda point: value
    if node.op == "var":
        index = node.payload
        return lambda point: point[index]
    if node.op == "pow" and rule == "strict" and id(node.args[1]) not in free:
        return _strict_power
    return _TABLE[node.op]


def _elementary(name: str) -> Callable[..., float]:
    """By its name in MPFR, whose value is NaN or infinite outside of the domain."""

    def function(_point: Sequence[float], a: float) -> float:
        return float(getattr(_mpfr(), name)(a))

    return function


def _divide(_point: Sequence[float], a: float, b: float) -> float:
    return a / b if b != 0.0 else NAN


def _power(_point: Sequence[float], a: float, b: float) -> float:
    if a != a or b != b or not power_is_defined(a, b):  # a power of NaN must stay NaN: C's pow(NaN, 0) is 1
        return NAN
    return float(_mpfr().pow(a, b))


def _strict_power(point: Sequence[float], a: float, b: float) -> float:
    return _power(point, a, b) if a >= 0.0 else NAN


def _ln(_point: Sequence[float], a: float) -> float:
    return float(_mpfr().log(a)) if a > 0.0 else NAN


def _floor(a: float) -> float:
    return a if not abs(a) < EXACT_FLOOR or a == 0.0 else float(math.floor(a))


def _round(_point: Sequence[float], a: float) -> float:
    return a if not abs(a) < EXACT_FLOOR else math.copysign(round(a), a)


def _sign(_point: Sequence[float], a: float) -> float:
    return a if a != a else float((a > 0.0) - (a < 0.0))


_TABLE: dict[str, Callable[..., Any]] = {
    "pi": lambda point: math.pi,
    "add": lambda point, a, b: a + b,
    "sub": lambda point, a, b: a - b,
    "mul": lambda point, a, b: a * b,
    "div": _divide,
    "neg": lambda point, a: -a,
    "pow": _power,
    "sqrt": lambda point, a: math.sqrt(a) if a >= 0.0 else NAN,
    "ln": _ln,
    "exp": _elementary("exp"),
    "sin": _elementary("sin"),
    "cos": _elementary("cos"),
    "tan": _elementary("tan"),
    "arcsin": _elementary("asin"),
    "arccos": _elementary("acos"),
    "arctan": _elementary("atan"),
    "sinh": _elementary("sinh"),
    "cosh": _elementary("cosh"),
    "tanh": _elementary("tanh"),
    "arcsinh": _elementary("asinh"),
    "arccosh": _elementary("acosh"),
    "arctanh": _elementary("atanh"),
    "log10": _elementary("log10"),
    "log2": _elementary("log2"),
    "log1p": _elementary("log1p"),
    "expm1": _elementary("expm1"),
    "cbrt": _elementary("cbrt"),
    "erf": _elementary("erf"),
    "abs": lambda point, a: abs(a),
    "floor": lambda point, a: _floor(a),
    "ceil": lambda point, a: -_floor(-a),
    "round": _round,
    "sign": _sign,
    "whole": lambda point, a: a if a == _floor(a) else NAN,
    "min": lambda point, a, b: NAN if a != a or b != b else b if b < a else a,
    "max": lambda point, a, b: NAN if a != a or b != b else b if b > a else a,
    "hypot": lambda point, a, b: NAN if a != a or b != b else float(_mpfr().hypot(a, b)),
    "arctan2": lambda point, y, x: float(_mpfr().atan2(y + 0.0, x + 0.0)),  # no -0.0
    "mod": lambda point, a, b: a % b if b != 0.0 else NAN,  # exact but for one sum, which is rounded correctly
    "lt": lambda point, a, b: NAN if a != a or b != b else a < b,
    "le": lambda point, a, b: NAN if a != a or b != b else a <= b,
    "where": lambda point, test, yes, no: NAN if test != test else (yes if test else no),
    "given": lambda point, condition, value: value if condition >= 0.0 else NAN,
}
