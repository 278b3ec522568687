"""What kind of exponent each power has: the domain of a power hangs on it."""

from __future__ import annotations

import operator
from collections.abc import Callable

from cpcbench.expr.nodes import Expr, double
from cpcbench.expr.walk import postorder

_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


def constant_values(root: Expr) -> dict[int, float]:
    """The doubles that the nodes made of constants and plain arithmetic come to."""
    values: dict[int, float] = {}
    for node in postorder(root):
        args = [values[id(arg)] for arg in node.args if id(arg) in values]
        if node.op == "const":
            values[id(node)] = double(node)
        elif len(args) == 1 == len(node.args) and node.op == "neg":
            values[id(node)] = -args[0]
        elif len(args) == 2 and node.op in _ARITHMETIC and not (node.op == "div" and args[1] == 0.0):
            values[id(node)] = _ARITHMETIC[node.op](*args)
    return values


def powers(root: Expr) -> list[Expr]:
    return [node for node in postorder(root) if node.op == "pow"]


def has_variable_power(root: Expr) -> bool:
    """Whether some exponent is not a plain constant."""
    values = constant_values(root)
    return any(id(node.args[1]) not in values for node in powers(root))
