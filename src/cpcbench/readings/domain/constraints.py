"""Constraints: conditions that are not hidden, stated beside a formula and put around it as `given`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import given, undefined
from cpcbench.expr.nodes import Expr, node, num
from cpcbench.expr.parser import parse_test
from cpcbench.expr.plain import formula
from cpcbench.expr.tests import Tree, choose, exactly

TOLERANCE = 1e-6
"""How far the two sides of an equation may be apart: much more than rounding errors, so that there are doubles that
meet it, and less than most solutions are asked to be exact."""


@dataclass(frozen=True)
class Constraint:
    """A statement as it was written, and what it asks to be at least 0, each with words for it.

    There are no such parts in a statement with `<`, `or` or `not`: it is met or not, and nothing says by how much.
    """

    text: str
    parts: tuple[tuple[Expr, str], ...]


class Statement(NamedTuple):
    """A test that was not written as text; without words of its own it is written as a formula."""

    tree: Tree
    text: str | None = None


def between(low: float, part: Expr, high: float, name: str | None = None) -> list[Statement]:
    """That a part, perhaps with a name for it, is between two numbers: one equation if they are the same, and infinite
    ones say nothing."""
    if low == high:
        return [Statement(("equal", part, num(low)), name and f"{name} == {low!r}")]
    found = []
    if math.isfinite(low):
        found.append(Statement(("is", node("le", num(low), part)), name and f"{name} >= {low!r}"))
    if math.isfinite(high):
        found.append(Statement(("is", node("le", part, num(high))), name and f"{name} <= {high!r}"))
    return found


def limited(
    expression: Expr, statements: Sequence[str | Statement], tolerance: float, *, n: int, names: Sequence[str] | None
) -> tuple[Expr, tuple[Constraint, ...]]:
    """The formula where all statements hold, undefined elsewhere, and the statements as they were read."""
    distance = checked_tolerance(tolerance)
    read = [s if isinstance(s, Statement) else Statement(parse_test(s, n=n, names=names), s) for s in statements]
    trees = [_loosened(statement.tree, distance) for statement in read]
    for tree in trees:
        if _comparisons(tree) is None:  # inside: what is smooth stays so outside of it
            expression = choose(_plain(tree), expression, undefined)
    found = []
    for statement, tree in zip(read, trees, strict=True):
        parts = []
        text = statement.text or _written(statement.tree, names)
        tests = _comparisons(tree) or []
        for test, words in tests:
            expression = given(test, expression)
            parts.append((expression.args[0], f"{text}{words}" if len(tests) == 1 or words else ""))
        found.append(Constraint(text, tuple(parts)))
    return expression, tuple(found)


def _written(tree: Tree, names: Sequence[str] | None) -> str:
    """A single comparison as text."""
    if tree[0] == "equal":
        return f"{formula(tree[1], names)} == {formula(tree[2], names)}"
    return " <= ".join(formula(side, names) for side in tree[1].args)


def words_of(constraints: Sequence[Constraint]) -> dict[int, str]:
    """Words for the parts that constraints ask to be at least 0, by id."""
    return {id(part): text for stated in constraints for part, text in stated.parts if text}


def checked_tolerance(tolerance: float) -> float:
    """How far the sides of an equation may be apart: at least 0, which means not at all."""
    if isinstance(tolerance, bool) or not isinstance(tolerance, Real) or not 0.0 <= float(tolerance) < math.inf:
        raise CpcbenchError(f"tolerance is a number from 0 on, 0 for exactly, not {tolerance!r}")
    return float(tolerance)


def _loosened(tree: Tree, tolerance: float) -> Tree:
    """The test with each equation a == b as two comparisons, which allow for the tolerance."""
    kind, *parts = tree
    if kind == "is":
        return tree
    if kind != "equal":
        return (kind, *(_loosened(part, tolerance) for part in parts))
    if tolerance == 0.0:
        _, above, below = exactly(*parts)
        words = " (not above)", " (not below)"
    else:
        a, b = parts
        above, below = ("is", node("le", a - b, num(tolerance))), ("is", node("le", b - a, num(tolerance)))
        words = f" (at most {tolerance:g} above)", f" (at most {tolerance:g} below)"
    return ("and", (*above, words[0]), (*below, words[1]))


def _comparisons(tree: Tree) -> list[tuple[Expr, str]] | None:
    """The comparisons with <= that must all hold, with words on them; None if the test is not made of such."""
    found, waiting = [], [tree]
    while waiting:
        kind, *parts = waiting.pop()
        if kind == "and":
            waiting += reversed(parts)
        elif kind == "is" and parts[0].op == "le":
            found.append((parts[0], parts[1] if len(parts) > 1 else ""))
        else:
            return None
    return found


def _plain(tree: Tree) -> Tree:
    """The test without words."""
    kind, *parts = tree
    return tree[:2] if kind == "is" else (kind, *map(_plain, parts))
