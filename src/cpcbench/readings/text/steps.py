"""A formula as a row of assignments, for languages that cannot nest as deep as a formula may."""

from __future__ import annotations

from dataclasses import dataclass

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import COMPARISONS, Expr
from cpcbench.expr.printer import MAX_LENGTH, Language, Printer
from cpcbench.expr.walk import needed, postorder

DEEPEST = 40
SHARED = 3


@dataclass(frozen=True)
class Steps:
    """Assignments (name, pieces) in order, the pieces of the result, and how deep the deepest nests."""

    assignments: list[tuple[str, list[str]]]
    result: list[str]
    depth: int


def steps(root: Expr, language: Language) -> Steps:
    """Names what is used twice or lies too deep, if it is computed at every point."""
    always, uses = needed(root), _uses(root)
    printer = Printer(language)
    depth: dict[int, int] = {}
    assignments: list[tuple[str, list[str]]] = []
    deepest = length = 0
    for node in postorder(root):
        printer.learn(node)
        height = 1 + max((depth[id(arg)] for arg in node.args), default=-1)
        worth = height >= DEEPEST or (height >= SHARED and uses[id(node)] > 1)
        if worth and node is not root and id(node) in always and node.op not in COMPARISONS:
            name = f"t{len(assignments) + 1}"
            assignments.append((name, printer.pieces(node)))
            length += sum(map(len, assignments[-1][1]))
            if length > MAX_LENGTH:
                raise CpcbenchError(f"written out, the formula has more than {MAX_LENGTH:,} characters")
            printer.name(node, name)
            deepest, height = max(deepest, height), 0
        depth[id(node)] = height
    return Steps(assignments, printer.pieces(root), max(deepest, depth[id(root)]))


def _uses(root: Expr) -> dict[int, int]:
    uses: dict[int, int] = {id(root): 1}
    for node in postorder(root):
        for arg in node.args:
            uses[id(arg)] = uses.get(id(arg), 0) + 1
    return uses
