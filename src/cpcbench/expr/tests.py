"""Tests: a comparison, or several joined by and, or, not; and what is chosen by one."""

from __future__ import annotations

from typing import Any

from cpcbench.expr.functions import undefined, where
from cpcbench.expr.nodes import Expr, node

Tree = tuple[Any, ...]
"""("is", comparison), ("equal", a, b), ("not", tree), ("and", tree, tree) or ("or", tree, tree)."""

Truth = Tree | bool


def compared(op: str, a: Expr, b: Expr) -> Tree:
    """a < b ("less"), and so on by NumPy's names."""
    if op in ("equal", "not_equal"):
        return ("equal", a, b) if op == "equal" else ("not", ("equal", a, b))
    first, second = (b, a) if op.startswith("greater") else (a, b)
    return ("is", node("le" if op.endswith("equal") else "lt", first, second))


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


def both_ways(a: Expr, b: Expr) -> Tree:
    """a == b by two comparisons."""
    return ("and", ("is", node("le", a, b)), ("is", node("le", b, a)))


def exactly(a: Expr, b: Expr) -> Tree:
    """a == b by one difference and its negation: what is held at 0 settles both."""
    return ("and", ("is", node("le", a, b)), ("is", node("le", 0, -(b - a))))


def choose(test: Truth, yes: Expr, no: Expr) -> Expr:
    """`yes` where the test holds, else `no`; as in Python a second test is asked only if the first does not decide."""
    if isinstance(test, bool):
        return yes if test else no
    made: list[Expr | None] = [yes, no, None]
    waiting = [(test, 0, 1, 2)]  # tests, and the places in `made` of the two values and of the result
    while waiting:
        (kind, *parts), first, second, to = waiting.pop()
        if kind == "equal":
            kind, *parts = (exactly if made[second] is undefined else both_ways)(*parts)
        if kind == "is":
            up, down = made[first], made[second]
            assert up is not None and down is not None  # noqa: S101, PT018 - what is needed is made before
            made[to] = where(parts[0], up, down)
        elif kind == "not":
            waiting.append((parts[0], second, first, to))
        else:
            made.append(None)
            inner = len(made) - 1
            outer = (inner, second) if kind == "and" else (first, inner)
            waiting += [(parts[0], *outer, to), (parts[1], first, second, inner)]
    result = made[2]
    assert result is not None  # noqa: S101
    return result
