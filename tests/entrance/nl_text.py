"""Formulas written as AMPL's .nl files, for what reads them."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.expr.nodes import Expr, double, index
from cpcbench.expr.walk import walk

CODES = {
    "add": 0, "sub": 1, "mul": 2, "div": 3, "pow": 5, "floor": 13, "ceil": 14, "abs": 15, "neg": 16, "lt": 22, "le": 23,
    "where": 35, "tanh": 37, "tan": 38, "sqrt": 39, "sinh": 40, "sin": 41, "log10": 42, "ln": 43, "exp": 44, "cosh": 45,
    "cos": 46, "arctanh": 47, "arctan": 49, "arcsinh": 50, "arcsin": 51, "arccosh": 52, "arccos": 53,
}  # fmt: skip


def written(formula: Expr) -> str:
    """The expression, operators before their operands, a line each."""
    operations = {op: (lambda node, *parts: "\n".join([f"o{CODES[node.op]}", *parts])) for op in CODES}
    leaves = {
        "var": lambda node: f"v{index(node)}",
        "const": lambda node: f"n{double(node)!r}",
        "pi": lambda _: "n3.141592653589793",
    }
    return walk(formula, {**operations, **leaves})


def nl_text(objective: Expr, bounds: Sequence[tuple[float, float]], *, maximise: bool = False) -> str:
    """A file with one objective and bounds."""
    n = len(bounds)
    return "\n".join([
        "g3 1 1 0 # a problem", f" {n} 0 1 0 0", " 0 1", " 0 0", f" 0 {n} 0", " 0 0 0 1", " 0 0 0 0 0", f" 0 {n}",
        " 0 0", " 0 0 0 0 0", f"O0 {int(maximise)}", written(objective), f"x{n}",
        *(f"{i} 0.5" for i in range(n)), "b", *(f"0 {low!r} {high!r}" for low, high in bounds), f"k{n - 1}",
        *("0" for _ in range(n - 1)), f"G0 {n}", *(f"{i} 0" for i in range(n)), "",
    ])  # fmt: skip
