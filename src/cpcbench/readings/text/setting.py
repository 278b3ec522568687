"""What formulas set as mathematics, in LaTeX or MathML, have in common."""

from __future__ import annotations

from collections.abc import Callable

from cpcbench.expr.decimals import decimal, mantissa, shortest
from cpcbench.expr.nodes import Expr
from cpcbench.expr.printer import ATOM, MUL, POW, Form, Slot


def beside(node: Expr, plain: str, dotted: str) -> Form:
    """Factors side by side, with a dot where a number or a fraction would run into the one before."""
    right = node.args[1]
    start = right.args[0] if right.op == "pow" else right
    between = dotted if start.op in ("const", "div") else plain
    return Form(MUL, (Slot(0, MUL), between, Slot(1, MUL + 1, minus=False)))


def number(constant: Expr, digit: Callable[[str], str], dotted: str, ten: Callable[[int], str]) -> Form:
    """A number in its digits, or times a power of ten where that is clearly shorter."""
    digits, exponent = decimal(constant)
    text = shortest(digits, exponent)
    if "e" not in text:
        return Form(ATOM, (digit(text),))
    power = ten(len(digits) + exponent - 1)
    return Form(POW, (power,)) if digits == "1" else Form(MUL, (f"{digit(mantissa(digits))}{dotted}{power}",))
