"""Values of every part of a formula over a small box, as balls, with some parts held at exact values.

A ball that is NaN says: not proven to be defined everywhere on the box. So a finite ball is a proof
that the operation and all below it are defined there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from cpcbench.clock import look_at_clock
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import constants, postorder
from cpcbench.points import Points

NAN = flint.arb.nan()
LARGEST_WHOLE = 10_000
"""Whole exponents beyond this are not looked at."""

Values = dict[int, Any]
"""The ball of each node, by its id."""


class Balls:
    """The reading of some formulas under one rule; the precision is that of the moment."""

    def __init__(self, *roots: Expr, rule: str = "strict") -> None:
        self.roots, self.rule = roots, rule
        self.order = postorder(*roots)
        self._constant = constants(*roots)
        self._exact = rationals(*roots)

    def values(self, box: Sequence[Any], pins: Mapping[int, Any] | None = None) -> Values:
        """The ball of every node over the box; a node whose id is in `pins` has the value given there."""
        found: Values = {}
        pins = pins or {}
        for node in self.order:
            look_at_clock()
            if id(node) in pins:
                found[id(node)] = pins[id(node)]
            else:
                found[id(node)] = self._value(node, box, found)
        return found

    def _value(self, node: Expr, box: Sequence[Any], found: Values) -> Any:
        if node.op == "var":
            return box[index(node)]
        if id(node) in self._exact:
            return ball(self._exact[id(node)])
        if node.op == "pi":
            return flint.arb.pi()
        if node.op == "where":
            return _where(node, found)
        args = [found[id(a)] for a in node.args]
        if not all(a.is_finite() for a in args):
            return NAN
        return self._power(node, *args) if node.op == "pow" else _TABLE[node.op](*args)

    def _power(self, node: Expr, base: Any, exponent: Any) -> Any:
        """A whole number as the exponent allows a negative base; one that varies does so under `ieee` only."""
        exact = self._exact.get(id(node.args[1]))
        if exact is not None and exact.denominator == 1:
            return whole_power(base, exact.numerator)
        varies = exact is None and id(node.args[1]) not in self._constant
        if varies and self.rule != "strict" and exponent.is_exact() and exponent.is_integer():
            return whole_power(base, int(exponent.unique_fmpz()))
        return real_power(base, exponent)


def ball(value: Fraction) -> Any:
    """A rational number as the smallest ball around it."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def exact_point(x: Points) -> list[Any]:
    """Doubles as balls without a radius."""
    return [flint.arb(v) for v in x.tolist()]


def interval(low: Any, high: Any) -> Any:
    """The ball from one number to another."""
    return flint.arb(low).union(flint.arb(high))


def whole_power(base: Any, exponent: int) -> Any:
    """Any base if the exponent is not negative, else any but 0."""
    if abs(exponent) > LARGEST_WHOLE:
        return NAN
    if exponent < 0:
        return NAN if base.contains(0) else 1 / whole_power(base, -exponent)
    if exponent <= 1:
        return base if exponent else flint.arb(1)
    if not base.contains(0):
        return base**exponent
    ends = flint.arb(base.lower()) ** exponent, flint.arb(base.upper()) ** exponent
    hull = ends[0].union(ends[1])
    return hull.union(flint.arb(0)) if exponent % 2 == 0 else hull


def real_power(base: Any, exponent: Any) -> Any:
    """A positive base, or 0 and more with a positive exponent."""
    if base > 0:
        return base**exponent
    if not exponent > 0 or not base >= 0:
        return NAN
    if base.is_zero():
        return flint.arb(0)
    return flint.arb(0).union(flint.arb(base.upper()) ** exponent)


def rationals(*roots: Expr) -> dict[int, Fraction]:
    """The exact values of the parts that are whole-number arithmetic on constants, by id."""
    found: dict[int, Fraction] = {}
    for node in postorder(*roots):
        if node.op == "const":
            found[id(node)] = Fraction(node.payload or 0)
        elif node.op in _RATIONAL and all(id(a) in found for a in node.args):
            value = _RATIONAL[node.op](*[found[id(a)] for a in node.args])
            if value is not None:
                found[id(node)] = value
    return found


def _quotient(a: Fraction, b: Fraction) -> Fraction | None:
    return a / b if b else None


def _rational_power(a: Fraction, p: Fraction) -> Fraction | None:
    if p.denominator != 1 or abs(p) > 64 or (not a and p < 0):
        return None
    return Fraction(a**p.numerator)


_RATIONAL: dict[str, Callable[..., Fraction | None]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "div": _quotient,
    "pow": _rational_power,
}


def _where(node: Expr, found: Values) -> Any:
    test, yes, no = (found[id(a)] for a in node.args)
    return NAN if not test.is_finite() or not test.is_exact() else no if test.is_zero() else yes


def _compared(certain: bool, impossible: bool) -> Any:
    return flint.arb(1) if certain else flint.arb(0) if impossible else flint.arb(0.5, 0.5)


def _sqrt(a: Any) -> Any:
    if not a >= 0:
        return NAN
    return a.sqrt() if a > 0 or a.is_zero() else flint.arb(0).union(flint.arb(a.upper()).sqrt())


def _arcsin(a: Any) -> Any:
    return a.asin() if a >= -1 and a <= 1 else NAN


def _abs(a: Any) -> Any:
    return abs(a) if a > 0 or a < 0 or a.is_zero() else flint.arb(0).union(a.abs_upper())


def _floor(a: Any) -> Any:
    low, high = a.lower().floor(), a.upper().floor()
    return low.union(high)


def _round(a: Any) -> Any:
    half = ball(Fraction(1, 2))
    return (a.lower() - half).ceil().union((a.upper() + half).floor())


def _cbrt(a: Any) -> Any:
    ends = (e if e.is_zero() else e.root(3) if e > 0 else -(-e).root(3) for e in (a.lower(), a.upper()))
    return next(ends).union(next(ends))


def _arctan2(y: Any, x: Any) -> Any:
    if x > 0:
        return (y / x).atan()
    quarter = flint.arb.pi() / 2
    if y > 0 or y < 0:
        return (quarter if y > 0 else -quarter) - (x / y).atan()
    if y.is_zero() and (x < 0 or x.is_zero()):
        return 2 * quarter if x < 0 else y
    return flint.arb(0).union(2 * quarter).union(-2 * quarter)


def _sign(a: Any) -> Any:
    return flint.arb(1) if a > 0 else flint.arb(-1) if a < 0 else a if a.is_zero() else flint.arb(0, 1)


_TABLE: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b if a is not b else whole_power(a, 2),
    "neg": lambda a: -a,
    "div": lambda a, b: NAN if b.contains(0) else a / b,
    "sqrt": _sqrt,
    "ln": lambda a: a.log() if a > 0 else NAN,
    "exp": lambda a: a.exp(),
    "sin": lambda a: a.sin(),
    "cos": lambda a: a.cos(),
    "tan": lambda a: a.tan(),
    "arcsin": _arcsin,
    "arccos": lambda a: a.acos() if a >= -1 and a <= 1 else NAN,
    "arctan": lambda a: a.atan(),
    "sinh": lambda a: a.sinh(),
    "cosh": lambda a: a.cosh(),
    "tanh": lambda a: a.tanh(),
    "arcsinh": lambda a: a.asinh(),
    "arccosh": lambda a: a.acosh() if a >= 1 else NAN,
    "arctanh": lambda a: a.atanh() if a > -1 and a < 1 else NAN,
    "log10": lambda a: a.log() / flint.arb.const_log10() if a > 0 else NAN,
    "log2": lambda a: a.log() / flint.arb.const_log2() if a > 0 else NAN,
    "log1p": lambda a: a.log1p() if a > -1 else NAN,
    "expm1": lambda a: a.expm1(),
    "cbrt": _cbrt,
    "erf": lambda a: a.erf(),
    "abs": _abs,
    "floor": _floor,
    "ceil": lambda a: -_floor(-a),
    "round": _round,
    "sign": _sign,
    "whole": lambda a: a if a.is_integer() else NAN,
    "min": lambda a, b: a.min(b),
    "max": lambda a, b: a.max(b),
    "hypot": lambda a, b: _sqrt(whole_power(a, 2) + whole_power(b, 2)),
    "arctan2": _arctan2,
    "mod": lambda a, b: NAN if b.contains(0) else a - b * _floor(a / b),
    "lt": lambda a, b: _compared(bool(a < b), bool(a >= b)),
    "le": lambda a, b: _compared(bool(a <= b), bool(a > b)),
    "given": lambda condition, value: value if condition >= 0 else NAN,
}
