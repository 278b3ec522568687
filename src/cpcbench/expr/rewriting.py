"""Formulas taken apart and put together: the terms of a sum, the factors of a product, parts replaced by others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cpcbench.expr.nodes import Expr, node
from cpcbench.expr.walk import needed, postorder

LINEAR = frozenset({"add", "sub", "neg"})
"""What sums are made of."""


def replaced(root: Expr, parts: Mapping[int, Expr]) -> Expr:
    """The formula with some parts, by id, replaced; what holds none of them stays the same object."""
    made: dict[int, Expr] = {}
    for part in postorder(root):
        args = [made[id(a)] for a in part.args]
        same = all(new is old for new, old in zip(args, part.args, strict=True))
        made[id(part)] = parts[id(part)] if id(part) in parts else part if same else node(part.op, *args)
    return made[id(root)]


def unlimited(root: Expr) -> tuple[Expr, list[Expr]]:
    """The formula without the `given` that every point needs, and what these ask to be at least 0, inner ones first."""
    must = needed(root)
    made: dict[int, Expr] = {}
    conditions: dict[int, Expr] = {}
    for part in postorder(root):
        args = [made[id(a)] for a in part.args]
        if part.op == "given" and id(part) in must:
            made[id(part)] = args[1]
            conditions[id(args[0])] = args[0]
        else:
            same = all(new is old for new, old in zip(args, part.args, strict=True))
            made[id(part)] = part if same else node(part.op, *args)
    return made[id(root)], list(conditions.values())


def terms(root: Expr, may_open: Callable[[Expr], bool] = lambda _: True) -> list[tuple[int, Expr]]:
    """The terms of a sum with their signs, from left to right, through sums, differences and negations."""
    found: list[tuple[int, Expr]] = []
    stack = [(1, root)]
    while stack:
        sign, part = stack.pop()
        if part.op not in LINEAR or not may_open(part):
            found.append((sign, part))
        elif part.op == "neg":
            stack.append((-sign, part.args[0]))
        else:
            stack += [(sign if part.op == "add" else -sign, part.args[1]), (sign, part.args[0])]
    return found


def factors(root: Expr) -> list[Expr]:
    """What is multiplied, from left to right."""
    found: list[Expr] = []
    stack = [root]
    while stack:
        part = stack.pop()
        if part.op == "mul":
            stack.extend(reversed(part.args))
        else:
            found.append(part)
    return found


def squared_part(term: Expr) -> Expr | None:
    """What a term is the square of, as `r^2` or `r*r`; None if it is no square."""
    if term.op == "pow" and term.args[1].op == "const" and term.args[1].payload == 2:
        return term.args[0]
    return term.args[0] if term.op == "mul" and term.args[0] is term.args[1] else None
