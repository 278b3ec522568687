"""Random expressions and points for property tests.

Expressions are grown step by step from a pool of earlier ones, so that parts are shared. Functions
with a narrow domain mostly get an argument they accept, so that a fair share is defined.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import strategies as st

from cpcbench.expr import (
    Expr,
    arcsin,
    arctan,
    cos,
    cosh,
    exp,
    floor,
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
from cpcbench.expr.functions import FUNCTIONS, PAIRS, given
from cpcbench.expr.nodes import ARITY, node

NEWER = ["arccos", "arcsinh", "arccosh", "arctanh", "log10", "log2", "log1p", "expm1", "cbrt", "ceil", "round", "erf"]

FRIENDLY = (0, 1, 2, 3, 10, 47, 0.5, 0.2, 0.1, 1.5, 2.5, 0.6, 0.001, 1e-5, 123.456)
WHOLE_EXPONENTS = (0, 1, 2, 3, 5, -1, -2)
FRACTIONAL_EXPONENTS = (0.5, 0.2, 1.5, 0.65, -0.5, -0.2, 1.02)

ONE: tuple[Callable[[Expr], Expr], ...] = (
    ln, sqrt, arcsin, sign, tan, sin, cos, abs, floor, exp, arctan, sinh, cosh, tanh,
    *(partial(node, op) for op in NEWER),
    lambda a: node("whole", floor(a)),
    lambda a: -a, lambda a: exp(-abs(a)), lambda a: exp(sin(a)), lambda a: sqrt(abs(a)), lambda a: ln(num(1.5) + a * a),
    lambda a: ln(abs(a)), lambda a: arcsin(sin(a)), lambda a: arcsin(a / 10), lambda a: pi * a,
)  # fmt: skip
TWO: tuple[Callable[[Expr, Expr], Expr], ...] = (
    lambda a, b: a + b, lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a - b, lambda a, b: a * b,
    lambda a, b: a / b, lambda a, b: a / (num(0.5) + b * b), lambda a, b: a**b, lambda a, b: a ** floor(b),
    *(partial(node, op) for op in PAIRS), lambda a, b: abs(a) ** sin(b), lambda a, b: (a * a + 1) ** b,
)  # fmt: skip
COMPARE: tuple[Callable[[Expr, Expr], Expr], ...] = (
    lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b,
)  # fmt: skip


@st.composite
def expressions(draw: st.DrawFn, n_vars: int = 3, max_leaves: int = 12) -> Expr:
    """An expression of at most `n_vars` variables, grown in at most `max_leaves` steps."""
    pool = [num(draw(st.sampled_from(FRIENDLY))), *[var(i) for i in range(n_vars)]]
    kinds = st.sampled_from(("one", "one", "two", "two", "two", "whole", "fraction", "constant", "where", "given"))
    for _ in range(draw(st.integers(min(3, max_leaves), max_leaves))):
        recent, other = draw(st.sampled_from(pool[-3:])), draw(st.sampled_from(pool))
        kind = draw(kinds)
        if kind == "one":
            grown = draw(st.sampled_from(ONE))(recent)
        elif kind == "two":
            pair = draw(st.permutations((recent, other)))
            grown = draw(st.sampled_from(TWO))(*pair)
        elif kind == "whole":
            grown = recent ** draw(st.sampled_from(WHOLE_EXPONENTS))
        elif kind == "fraction":
            grown = draw(st.sampled_from((recent, abs(recent)))) ** draw(st.sampled_from(FRACTIONAL_EXPONENTS))
        elif kind == "constant":
            grown = recent * draw(st.sampled_from(FRIENDLY)) + draw(st.sampled_from(FRIENDLY))
        elif kind == "given":
            grown = given(node("le", other, draw(st.sampled_from(pool))), recent)
        else:
            test = draw(st.sampled_from(COMPARE))(other, draw(st.sampled_from(pool)))
            grown = where(test, recent, draw(st.sampled_from(pool)))
        pool.append(grown)
    return pool[-1]


def constants() -> st.SearchStrategy[Expr]:
    """Constants of every size, with few digits and many; negative ones are negations."""
    return st.one_of(
        st.integers(-(10**30), 10**30).map(num),
        st.floats(allow_nan=False, allow_infinity=False).map(num),
        st.sampled_from((1e-5, 1e100, 123456789.123, 5e-324, 1.7976931348623157e308, 0.1, 0.0)).map(num),
    )


@st.composite
def wild_expressions(draw: st.DrawFn, n_vars: int = 3, max_leaves: int = 20) -> Expr:
    """Any expression at all, defined somewhere or not: for readings that only look at its shape."""
    pool: list[Expr] = [var(draw(st.integers(0, n_vars - 1))), pi, draw(constants())]
    values = ("add", "sub", "mul", "div", "pow", "neg", "neg", "pow", "where", "given", *FUNCTIONS, *PAIRS, "leaf")
    for _ in range(draw(st.integers(0, max_leaves))):
        op = draw(st.sampled_from(values))
        args: list[Any] = [draw(st.sampled_from(pool[-4:])) for _ in range(4)]
        if op == "leaf":
            pool.append(draw(st.one_of(constants(), st.integers(0, n_vars - 1).map(var))))
        elif op == "where":
            test = node(draw(st.sampled_from(("lt", "le"))), args[0], args[1])
            pool.append(where(test, args[2], args[3]))
        else:
            pool.append(node(op, *args[: ARITY[op]]))
    return pool[-1]


def points(n: int = 3) -> st.SearchStrategy[list[float]]:
    """Points of n moderate coordinates; whole and half numbers, where domains end, are frequent."""
    coordinate = st.one_of(
        st.floats(-6.0, 6.0, allow_subnormal=False),
        st.floats(0.01, 3.0),
        st.integers(-3, 3).map(float),
        st.sampled_from((0.5, -0.5, 1.5, 0.25)),
    )
    return st.lists(coordinate, min_size=n, max_size=n)
