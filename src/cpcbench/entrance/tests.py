"""Tests: a comparison, or several joined by and, or, not."""

from __future__ import annotations

from typing import Any

from cpcbench.entrance.paths import decide
from cpcbench.expr.functions import where
from cpcbench.expr.nodes import Expr, node

Tree = tuple[Any, ...]
"""("is", comparison), ("not", tree), ("and", tree, tree) or ("or", tree, tree)."""

Truth = Tree | bool


def compared(op: str, a: Expr, b: Expr) -> Tree:
    """a < b ("less"), and so on by NumPy's names."""
    if op in ("equal", "not_equal"):
        same = ("and", ("is", node("le", a, b)), ("is", node("le", b, a)))
        return same if op == "equal" else ("not", same)
    first, second = (b, a) if op.startswith("greater") else (a, b)
    return ("is", node("le" if op.endswith("equal") else "lt", first, second))


def choose(test: Truth, yes: Expr, no: Expr) -> Expr:
    """`yes` where the test holds, else `no`."""
    if isinstance(test, bool):
        return yes if test else no
    if yes is no:
        return yes
    if test[0] == "is":
        return where(test[1], yes, no)
    if test[0] == "not":
        return choose(test[1], no, yes)
    if test[0] == "and":
        return choose(test[1], choose(test[2], yes, no), no)
    return choose(test[1], yes, choose(test[2], yes, no))


def holds(test: Truth) -> bool:
    """The truth on the way that is being traced, asked for as Python asks: from the left, no more than needed."""
    if isinstance(test, bool):
        return test
    if test[0] == "is":
        return decide(test[1])
    if test[0] == "not":
        return not holds(test[1])
    first = holds(test[1])
    return first if first == (test[0] == "or") else holds(test[2])


def joined(kind: str, a: Truth, b: Truth) -> Truth:
    """Two tests joined by "and", "or" or "xor"."""
    if kind == "xor":
        return joined("or", joined("and", a, opposite(b)), joined("and", opposite(a), b))
    for known, other in ((a, b), (b, a)):
        if isinstance(known, bool):
            return known if known == (kind == "or") else other
    return (kind, a, b)


def opposite(a: Truth) -> Truth:
    """The test that holds where this one does not."""
    return (not a) if isinstance(a, bool) else ("not", a)
