"""The language of formulas: nodes, the words to write them with, the parser, the one walker."""

from cpcbench.expr.functions import (
    arcsin,
    cos,
    exp,
    floor,
    ln,
    neighbours,
    product,
    sign,
    sin,
    sqrt,
    tan,
    total,
    variables,
    where,
)
from cpcbench.expr.nodes import Expr, num, pi, var

__all__ = [
    "Expr", "arcsin", "cos", "exp", "floor", "ln", "neighbours", "num", "pi", "product",
    "sign", "sin", "sqrt", "tan", "total", "var", "variables", "where",
]  # fmt: skip
