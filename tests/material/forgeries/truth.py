"""True values that the checker's are judged by: exact fractions, or Arb's balls of many bits, apart from the checker.

An end of the checker is turned into an exact ball by its mantissa and exponent, so that no rounding is between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import inf
from typing import Any

import flint
import gmpy2

from cpcbench.certify.checker.core import numbers
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import constants, postorder

BITS = 400
ARITHMETICS = ("arb", "mpfr")
PRECISIONS = (6, 10, 16, 64)

Ball = Any
"""A `flint.arb` around a true value."""


class UnclearError(Exception):
    """The true value, or whether there is one, is not decided with the bits at hand."""


@contextmanager
def setting(arithmetic: str, bits: int) -> Iterator[None]:
    """The checker at low precision; the context of MPFR's operators is made useless, so that one would show."""
    before = gmpy2.get_context()
    gmpy2.set_context(gmpy2.context(precision=2))
    try:
        with numbers.arithmetic(arithmetic, bits):
            yield
    finally:
        gmpy2.set_context(before)


@contextmanager
def many_bits(bits: int = BITS) -> Iterator[None]:
    """Balls of so many bits, whatever the checker uses."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def exact_end(end: Any) -> Ball:
    """An end as an exact ball."""
    if isinstance(end, flint.arb):
        return end
    if gmpy2.is_infinite(end):
        return flint.arb.pos_inf() if end > 0 else flint.arb.neg_inf()
    if gmpy2.is_nan(end):
        raise UnclearError
    if gmpy2.is_zero(end):
        return flint.arb(0)
    mantissa, exponent = end.as_mantissa_exp()
    return flint.arb((int(mantissa), int(exponent)))


def is_interval(pair: tuple[Any, Any]) -> bool:
    """Whether two ends are an interval with a real number in it."""
    low, high = pair
    return bool(low <= high and low < inf and high > -inf)


def is_outside(truth: Ball, interval: tuple[Any, Any]) -> bool:
    """Whether a true value is certainly not in an interval of the checker."""
    return bool(truth < exact_end(interval[0]) or truth > exact_end(interval[1]))


def ball(value: Fraction | int | float) -> Ball:
    """A ball around a rational number; within `many_bits`."""
    exact = Fraction(value)
    return flint.arb(exact.numerator) / flint.arb(exact.denominator)


def sign_of(value: Fraction | Ball) -> int:
    """The sign, if it is certain."""
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    if value > 0:
        return 1
    if value < 0:
        return -1
    if value == 0:
        return 0
    raise UnclearError


Value = Fraction | Any
"""A value known exactly, or a ball around it; None where there is none."""


def _ball(value: Value) -> Ball:
    return ball(value) if isinstance(value, Fraction) else value


def _power(a: Value, p: Value, whole: bool | None) -> Value:
    """a^p; `whole` says whether the exponent may be taken for a whole number where it is one."""
    if isinstance(p, Fraction) and p.denominator == 1 and whole:
        n = p.numerator
        if n < 0 and sign_of(a) == 0:
            return None
        if isinstance(a, Fraction) and abs(n) * max(a.numerator.bit_length(), a.denominator.bit_length()) < 4000:
            return a**n
        return _ball(a) ** n
    if not isinstance(p, Fraction) and whole is not False and not _is_not_whole(p):
        raise UnclearError
    side = sign_of(a)
    if side < 0 or (side == 0 and sign_of(p) < 0):
        return None
    if side == 0:
        return Fraction(1 if sign_of(p) == 0 else 0)
    return _ball(a) ** _ball(p)


def _is_not_whole(p: Ball) -> bool:
    return bool(not (p.floor() - p).contains(0) and not (p.ceil() - p).contains(0))


def _floor(a: Value) -> Fraction:
    if isinstance(a, Fraction):
        return Fraction(a.numerator // a.denominator)
    if not abs(a) < flint.arb(2) ** 10_000:
        raise UnclearError  # more digits than can be written out
    low = a.floor().unique_fmpz()
    if low is None:
        raise UnclearError
    return Fraction(int(low))


def _round(a: Value) -> Fraction:
    if isinstance(a, Fraction):
        return Fraction(round(a))
    below, above = _floor(a + ball(Fraction(1, 2))), -_floor(ball(Fraction(1, 2)) - a)
    if below != above:
        raise UnclearError
    return below


def _whole(a: Value) -> Value:
    if isinstance(a, Fraction):
        return a if a.denominator == 1 else None
    if a.contains_integer():
        raise UnclearError
    return None


def apply(op: str, args: Sequence[Value], whole: bool | None = True) -> Value:
    """The true result of an operation; None if it is undefined. Within `many_bits`."""
    if any(a is None for a in args):
        return None
    exact = all(isinstance(a, Fraction) for a in args)
    if op in ("add", "sub", "mul"):
        a, b = args if exact else [_ball(x) for x in args]
        return _short(a + b if op == "add" else a - b if op == "sub" else a * b)
    if op == "div":
        if sign_of(args[1]) == 0:
            return None
        a, b = args if exact else [_ball(x) for x in args]
        return _short(a / b)
    if op == "pow":
        return _power(args[0], args[1], whole)
    if op in ("lt", "le"):
        side = sign_of(args[0] - args[1] if exact else _ball(args[0]) - _ball(args[1]))
        return side < 0 or (op == "le" and side == 0)
    if op == "given":
        return args[1] if sign_of(args[0]) >= 0 else None
    return _PAIRS[op](*args) if op in _PAIRS else _FUNCTIONS[op](args[0])


def _short(value: Value) -> Value:
    """A fraction of reasonable length, or a ball."""
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > 20_000:
        return ball(value)
    return value


def _tan(a: Ball) -> Ball | None:
    if sign_of(a.cos()) == 0:
        return None
    return a.tan()


def _arcsin(a: Value) -> Value:
    if sign_of(1 - a) < 0 or sign_of(1 + a) < 0:
        return None
    return _ball(a).asin()


_FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "neg": lambda a: -a,
    "abs": lambda a: a if sign_of(a) >= 0 else -a,
    "floor": _floor,
    "sign": lambda a: Fraction(sign_of(a)),
    "sqrt": lambda a: None if sign_of(a) < 0 else Fraction(0) if sign_of(a) == 0 else _ball(a).sqrt(),
    "ln": lambda a: None if sign_of(a) <= 0 else _ball(a).log(),
    "exp": lambda a: _ball(a).exp(),
    "sin": lambda a: a if a == 0 else _ball(a).sin(),
    "cos": lambda a: _ball(a).cos(),
    "tan": lambda a: a if a == 0 else _tan(_ball(a)),
    "arcsin": _arcsin,
    "arccos": lambda a: None if sign_of(1 - abs(a)) < 0 else _ball(a).acos(),
    "arcsinh": lambda a: a if a == 0 else _ball(a).asinh(),
    "arccosh": lambda a: None if sign_of(a - 1) < 0 else _ball(a).acosh(),
    "arctanh": lambda a: None if sign_of(1 - abs(a)) <= 0 else a if a == 0 else _ball(a).atanh(),
    "log10": lambda a: None if sign_of(a) <= 0 else _ball(a).log() / flint.arb(10).log(),
    "log2": lambda a: None if sign_of(a) <= 0 else _ball(a).log() / flint.arb(2).log(),
    "log1p": lambda a: None if sign_of(1 + a) <= 0 else _ball(a).log1p(),
    "expm1": lambda a: a if a == 0 else _ball(a).expm1(),
    "cbrt": lambda a: a if a == 0 else sign_of(a) * abs(_ball(a)).root(3),
    "erf": lambda a: a if a == 0 else _ball(a).erf(),
    "ceil": lambda a: -_floor(-a),
    "round": _round,
    "whole": _whole,
    "arctan": lambda a: a if a == 0 else _ball(a).atan(),
    "sinh": lambda a: a if a == 0 else _ball(a).sinh(),
    "cosh": lambda a: _ball(a).cosh(),
    "tanh": lambda a: a if a == 0 else _ball(a).tanh(),
}


def _arctan2(y: Value, x: Value) -> Value:
    if sign_of(x) > 0:
        return (_ball(y) / _ball(x)).atan()
    if sign_of(y) == 0:
        return flint.arb.pi() if sign_of(x) < 0 else Fraction(0)
    return sign_of(y) * flint.arb.pi() / 2 - (_ball(x) / _ball(y)).atan()


def _mod(a: Value, b: Value) -> Value:
    if sign_of(b) == 0:
        return None
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a % b
    return _ball(a) - _ball(b) * _ball(_floor(_ball(a) / _ball(b)))


def _gap(a: Value, b: Value) -> int:
    return sign_of(a - b if isinstance(a, Fraction) and isinstance(b, Fraction) else _ball(a) - _ball(b))


_PAIRS: dict[str, Callable[[Value, Value], Value]] = {
    "min": lambda a, b: a if _gap(a, b) <= 0 else b,
    "max": lambda a, b: b if _gap(a, b) <= 0 else a,
    "hypot": lambda a, b: Fraction(0) if a == b == 0 else (_ball(a) * _ball(a) + _ball(b) * _ball(b)).sqrt(),
    "arctan2": _arctan2,
    "mod": _mod,
}


def values_at(root: Expr, x: Sequence[Value], ieee: bool) -> dict[int, Value]:
    """The true value of every node at a point, by id; None where it is undefined. Within `many_bits`."""
    fixed = constants(root)
    found: dict[int, Value] = {}
    for node in postorder(root):
        if node.op == "const":
            found[id(node)] = Fraction(node.payload or 0)
        elif node.op == "pi":
            found[id(node)] = flint.arb.pi()
        elif node.op == "var":
            found[id(node)] = x[int(node.payload or 0)]
        elif node.op == "where":
            test, yes, no = (found[id(a)] for a in node.args)
            found[id(node)] = None if test is None else yes if test else no
        else:
            whole = node.op != "pow" or ieee or id(node.args[1]) in fixed
            found[id(node)] = apply(node.op, [found[id(a)] for a in node.args], whole)
    return found


def value_at(root: Expr, x: Sequence[Fraction], ieee: bool) -> Value:
    """The true value of a formula at a point, None if it is undefined there: any operation outside `where` counts."""
    found = values_at(root, x, ieee)
    if not any(node.op == "where" for node in postorder(root)) and any(v is None for v in found.values()):
        return None
    return found[id(root)]


def as_ball(value: Value) -> Ball:
    """A value as a ball; unclear if it says nothing."""
    found = _ball(value)
    if not found.is_finite():
        raise UnclearError
    return found
