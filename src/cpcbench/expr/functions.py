"""The words definitions are written with, beside Python's operators; a function of the language is one line here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import ARITY, Expr, Operand, node, num, var

FUNCTIONS: list[str] = []
"""The names of those of one operand, in this order."""

PAIRS: list[str] = []
"""The names of those of two operands."""

FOLDED = frozenset({"min", "max", "hypot"})
"""Functions of two operands that formulas may give more: nests of two, from left to right."""

SPELLINGS: dict[str, str] = {"where": "where"}
"""Every name of a function that the parser reads, and the operation it means."""

JUMPS: set[str] = {"where"}
"""Operations that are not continuous where they are defined: constant between jumps, or one formula, then another."""

KINKS: set[str] = {"where"}
"""Operations whose slope may jump, or they themselves."""


STEPS: dict[str, Callable[[float], int]] = {"floor": math.floor, "ceil": math.ceil, "round": round}
"""Operations that have whole numbers as values, with jumps of 1 between them, and what they are in Python."""


def _function(name: str, *also: str, jumps: bool = False, kinks: bool = False) -> Callable[[Operand], Expr]:
    """A function of one argument, put into the language; formulas may write it `also` by other names."""
    ARITY[name] = 1
    FUNCTIONS.append(name)
    SPELLINGS.update(dict.fromkeys((name, *also), name))
    if jumps:
        JUMPS.add(name)
    if jumps or kinks:
        KINKS.add(name)
    return lambda a: node(name, a)


def _pair(name: str, *also: str, jumps: bool = False) -> Callable[[Operand, Operand], Expr]:
    """A function of two arguments, which at least has a kink somewhere."""
    ARITY[name] = 2
    PAIRS.append(name)
    SPELLINGS.update(dict.fromkeys((name, *also), name))
    KINKS.add(name)
    if jumps:
        JUMPS.add(name)
    return lambda a, b: node(name, a, b)


sqrt = _function("sqrt")
ln = _function("ln", "log")
exp = _function("exp")
sin = _function("sin")
cos = _function("cos")
tan = _function("tan")
arcsin = _function("arcsin", "asin")
arccos = _function("arccos", "acos")
arctan = _function("arctan", "atan")
sinh = _function("sinh")
cosh = _function("cosh")
tanh = _function("tanh")
arcsinh = _function("arcsinh", "asinh")
arccosh = _function("arccosh", "acosh")
arctanh = _function("arctanh", "atanh")
log10 = _function("log10")
log2 = _function("log2")
log1p = _function("log1p")
expm1 = _function("expm1")
cbrt = _function("cbrt", kinks=True)  # its slope has no bound at 0
erf = _function("erf")
_function("abs", kinks=True)  # written by Python's own abs()
floor = _function("floor", jumps=True)
ceil = _function("ceil", "ceiling", jumps=True)
_function("round", "rint", jumps=True)  # to the even one of two that are as near; the name is Python's
sign = _function("sign", "sgn", jumps=True)
whole = _function("whole", jumps=True)  # the number itself where it is whole, else undefined
minimum = _pair("min", "minimum")
maximum = _pair("max", "maximum")
hypot = _pair("hypot")
arctan2 = _pair("arctan2", "atan2", jumps=True)  # of y and x; 0 at the origin
mod = _pair("mod", jumps=True)  # of the sign of the divisor


def where(test: Expr, yes: Operand, no: Operand) -> Expr:
    """`yes` where the comparison holds, else `no`; only the chosen one has to be defined.

    With `undefined` beside a comparison that is not strict it is `given`, which is smooth.
    """
    if no is undefined and test.op == "le":
        return given(test, yes)
    if yes is undefined and test.op == "lt":
        return given(node("le", *test.args[::-1]), no)
    return node("where", test, yes, no)


def given(test: Expr, value: Operand) -> Expr:
    """`value` where the comparison a <= b holds, undefined elsewhere: `node("given", b - a, value)`.

    It asks its first operand to be at least 0, as a root does, and is its second one, as smooth as that is.
    """
    if test.op != "le":
        raise CpcbenchError("given() takes a comparison with <= or >=, such as given(x1 <= 1, x1)")
    least, most = test.args
    return node("given", most if least is ZERO else most - least, value)


ZERO = num(0)

undefined = node("given", -1, 0)
"""What has no value anywhere."""


def total(terms: Iterable[Operand]) -> Expr:
    """The sum, added from left to right; 0 if there are no terms."""
    return _fold("add", terms, 0)


def product(factors: Iterable[Operand]) -> Expr:
    """The product, multiplied from left to right; 1 if there are no factors."""
    return _fold("mul", factors, 1)


def variables(n: int) -> list[Expr]:
    """x1 to xn, as a list from 0."""
    if n < 1:
        raise CpcbenchError(f"a problem has at least one variable, not {n}")
    return [var(i) for i in range(n)]


def neighbours(x: list[Expr]) -> list[tuple[int, Expr, Expr]]:
    """(i, x_i, x_{i+1}) for i = 1 .. n-1: the pairs that chain problems are sums over."""
    return [(i, a, b) for i, (a, b) in enumerate(pairwise(x), start=1)]


def _fold(op: str, items: Iterable[Operand], empty: int) -> Expr:
    result: Expr | None = None
    for item in items:
        result = num(item) if result is None else node(op, result, item)
    return num(empty) if result is None else result
