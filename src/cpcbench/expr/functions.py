"""The words definitions are written with, beside Python's own operators."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr, Operand, node, num, var


def sqrt(a: Operand) -> Expr:
    return node("sqrt", a)


def ln(a: Operand) -> Expr:
    return node("ln", a)


def exp(a: Operand) -> Expr:
    return node("exp", a)


def sin(a: Operand) -> Expr:
    return node("sin", a)


def cos(a: Operand) -> Expr:
    return node("cos", a)


def tan(a: Operand) -> Expr:
    return node("tan", a)


def arcsin(a: Operand) -> Expr:
    return node("arcsin", a)


def floor(a: Operand) -> Expr:
    return node("floor", a)


def sign(a: Operand) -> Expr:
    """-1, 0 or 1."""
    return node("sign", a)


def where(test: Expr, yes: Operand, no: Operand) -> Expr:
    """`yes` where the comparison holds, else `no`; only the chosen one has to be defined."""
    return node("where", test, yes, no)


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
