"""The one walker: every reading is a small table of operations handed to `walk`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from cpcbench.expr.nodes import Expr

T = TypeVar("T")


def postorder(*roots: Expr) -> list[Expr]:
    """Each distinct node once, arguments before their users, in the order written."""
    order: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args) if id(arg) not in seen)
    return order


def walk(root: Expr, table: Mapping[str, Callable[..., T]]) -> T:
    """Reads an expression: `table[op](node, *values of its arguments)` for each node, once."""
    values: dict[int, Any] = {}
    for node in postorder(root):
        values[id(node)] = table[node.op](node, *[values[id(a)] for a in node.args])
    result: T = values[id(root)]
    return result


def variables(*roots: Expr) -> list[int]:
    """The indices of the variables that occur, ascending."""
    return sorted(n.payload for n in postorder(*roots) if n.op == "var" and isinstance(n.payload, int))


def dimension(*roots: Expr) -> int:
    """How many variables there are if those that occur are among x1, x2, ...: the number of the last one."""
    return max(variables(*roots), default=-1) + 1


def constants(*roots: Expr) -> set[int]:
    """The ids of the nodes below and at the roots that depend on no variable."""
    free: set[int] = set()
    for node in postorder(*roots):
        if node.op != "var" and all(id(a) in free for a in node.args):
            free.add(id(node))
    return free


def needed(root: Expr) -> set[int]:
    """The ids of the nodes whose value is always needed: those not inside a branch of a `where`."""
    found = {id(root)}
    for node in reversed(postorder(root)):
        if id(node) in found:
            found.update(id(a) for a in (node.args[:1] if node.op == "where" else node.args))
    return found
