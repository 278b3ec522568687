"""Partial derivatives of a sum of terms, as formulas.

At a point of a box where every operation of the terms and of these formulas is defined, the sum is differentiable along
every segment of the box through it, by the chain rule from the terms down to the variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cpcbench.certify.checker.core.functions.table import FUNCTIONS
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr, index, node, num
from cpcbench.expr.walk import postorder

Pull = Callable[[Expr], Expr] | None
"""From the derivative by an operation to what that adds to the one by an operand; None adds nothing."""


def gradient(terms: Sequence[tuple[int, Expr]], along: Iterable[int]) -> tuple[dict[int, Expr], list[Expr]]:
    """The derivatives by the variables in `along`, for all others held still; those that are 0 everywhere are left out.

    The second list has operands of functions with a kink at 0: the formulas hold only where none of them is 0.
    """
    order = postorder(*(term for _, term in terms))
    moving = _moving(order, set(along))
    by: dict[int, Expr] = {}
    for sign, term in terms:
        _give(by, term, num(sign))
    kinks: list[Expr] = []
    found: dict[int, Expr] = {}
    for part in reversed(order):
        look_at_clock()
        if id(part) not in moving or id(part) not in by:
            continue
        outer = by[id(part)]
        if part.op == "var":
            found[index(part)] = outer
            continue
        if part.op in FUNCTIONS and FUNCTIONS[part.op].off_0 is not None:
            kinks.append(part.args[0])
        for operand, pull in zip(part.args, _pulls(part, moving), strict=True):
            if pull is not None and id(operand) in moving:
                _give(by, operand, pull(outer))
    return found, kinks


def _moving(order: list[Expr], along: set[int]) -> set[int]:
    """The nodes that depend on these variables."""
    found: set[int] = set()
    for part in order:
        if (part.op == "var" and index(part) in along) or any(id(a) in found for a in part.args):
            found.add(id(part))
    return found


def _give(by: dict[int, Expr], part: Expr, more: Expr) -> None:
    by[id(part)] = by[id(part)] + more if id(part) in by else more


def _times(outer: Expr, factor: Expr) -> Expr:
    return factor if outer is num(1) else outer * factor


def _same(outer: Expr) -> Expr:
    return outer


def _pulls(part: Expr, moving: set[int]) -> list[Pull]:
    if part.op == "pow":
        return _power(part, id(part.args[1]) in moving)
    if part.op in ARITHMETIC:
        return ARITHMETIC[part.op](part, *part.args)
    known = FUNCTIONS.get(part.op)
    if known is not None and known.derivative is not None:
        slope = known.derivative(part.args[0], part)
    elif known is not None and known.off_0 is not None:
        slope = known.off_0(part.args[0])
    else:
        raise RejectedError(f"{part.op} has no derivative that is known")
    return [lambda outer: _times(outer, slope)]


def _power(part: Expr, varies: bool) -> list[Pull]:
    """p a^(p - 1) and a^p ln(a), the second for a positive base only, which its logarithm sees to."""
    base, exponent = part.args
    value = exponent.payload if exponent.op == "const" else None
    if value == 1:
        return [_same, None]
    try:
        less = exponent - 1 if value is None else num(value - 1)
    except CpcbenchError:
        raise RejectedError("an exponent is too near to 1") from None
    slope = exponent * (base if value == 2 else base**less)
    by_exponent = (lambda outer: outer * (part * node("ln", base))) if varies else None
    return [lambda outer: _times(outer, slope), by_exponent]


ARITHMETIC: dict[str, Callable[..., list[Pull]]] = {
    "add": lambda part, a, b: [_same, _same],
    "sub": lambda part, a, b: [_same, lambda outer: -outer],
    "neg": lambda part, a: [lambda outer: -outer],
    "mul": lambda part, a, b: [lambda outer: _times(outer, b), lambda outer: _times(outer, a)],
    "div": lambda part, a, b: [lambda outer: outer / b, lambda outer: -(outer * part / b)],
    "sqrt": lambda part, a: [lambda outer: outer / (2 * part)],
    "given": lambda part, condition, value: [None, _same],
}
