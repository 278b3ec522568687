"""Numbers as the doubles that programs in other languages will read."""

from __future__ import annotations

from cpcbench.expr.nodes import Expr, double


def nearest(constant: Expr) -> str:
    """The shortest text that reads as the double nearest to the constant: `2`, `0.1`, `1e-5`, `1e22`."""
    return of_double(double(constant))


def of_double(value: float) -> str:
    """The shortest text of a finite double, without a superfluous `.0`, `+` or `e-05`."""
    mantissa, _, exponent = repr(float(value)).partition("e")
    mantissa = mantissa.removesuffix(".0")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
