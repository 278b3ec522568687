"""The formula as an expression of SymPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder, walk

NAMES = {"abs": "Abs", "ceil": "ceiling", "mod": "Mod", "min": "Min", "max": "Max"}
"""The functions that have a name of their own in SymPy."""


def sympy_itself() -> Any:
    """The library, or a word on how to get it."""
    try:
        import sympy
    except ImportError:
        raise MissingExtraError('this needs SymPy: pip install "cpcbench[sympy]"') from None
    return sympy


def symbolic(root: Expr, names: Sequence[str]) -> Any:
    """The formula as a SymPy expression of symbols with these names, nothing simplified."""
    sympy = sympy_itself()
    from sympy.codegen import cfunctions

    symbols = [sympy.Symbol(name) for name in names]

    def called(op: str) -> Callable[..., Any]:
        name = {**NAMES, "ln": "log"}.get(op, op.replace("arc", "a", 1))
        function = getattr(sympy, name, None) or getattr(cfunctions, name, None)
        if function is None:
            raise CpcbenchError(f"SymPy has no {op}")
        return lambda _, *args: function(*args, evaluate=False)

    table: dict[str, Callable[..., Any]] = {
        "const": lambda n: sympy.Rational(n.payload.numerator, n.payload.denominator),
        "pi": lambda _: sympy.pi,
        "var": lambda n: symbols[index(n)],
        "neg": lambda _, a: sympy.Mul(-1, a, evaluate=False),
        "add": lambda _, a, b: sympy.Add(a, b, evaluate=False),
        "sub": lambda _, a, b: sympy.Add(a, sympy.Mul(-1, b, evaluate=False), evaluate=False),
        "mul": lambda _, a, b: sympy.Mul(a, b, evaluate=False),
        "div": lambda _, a, b: sympy.Mul(a, sympy.Pow(b, -1, evaluate=False), evaluate=False),
        "pow": lambda _, a, b: sympy.Pow(a, b, evaluate=False),
        "sqrt": lambda _, a: sympy.Pow(a, sympy.Rational(1, 2), evaluate=False),
        "cbrt": lambda _, a: sympy.sign(a, evaluate=False) * sympy.Pow(abs(a), sympy.Rational(1, 3), evaluate=False),
        "exp": lambda _, a: sympy.exp(a, evaluate=False),
        "lt": lambda _, a, b: sympy.StrictLessThan(a, b, evaluate=False),
        "le": lambda _, a, b: sympy.LessThan(a, b, evaluate=False),
        "given": lambda _, a, b: sympy.Piecewise(
            (b, sympy.Ge(a, 0, evaluate=False)), (sympy.nan, True), evaluate=False
        ),
        "where": lambda _, test, yes, no: sympy.Piecewise((yes, test), (no, True), evaluate=False),
    }
    used = {n.op for n in postorder(root)}
    return walk(root, {**{op: called(op) for op in used - set(table)}, **table})
