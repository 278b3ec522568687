"""What each operation requires of its arguments: the admissibility rule, stated once.

Every reading in doubles tests these requirements, each in its own way; a point is admissible when
all of them hold and no operation overflows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles.ranges import HUGE, Range, ranges
from cpcbench.readings.reals.reference import constant_values
from cpcbench.rules import check_rule

Kind = Literal["log", "root", "quotient", "arcsin", "power", "variable power", "overflow"]
Relation = Literal["positive", "nonnegative", "nonzero", "unit", "power", "strict power", "finite"]


@dataclass(frozen=True)
class Requirement:
    """One test: `relation` must hold of `operand` (for a variable power: of base and exponent)."""

    node: Expr
    kind: Kind
    relation: Relation
    operand: Expr
    exponent: Expr | None = None

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.operand,) if self.exponent is None else (self.operand, self.exponent)


def domain_requirement(node: Expr, rule: str, free: dict[int, float]) -> Requirement | None:
    """What the operation of this node needs to have a real result; `free`: the constant parts' values."""
    if node.op == "ln":
        return Requirement(node, "log", "positive", node.args[0])
    if node.op == "sqrt":
        return Requirement(node, "root", "nonnegative", node.args[0])
    if node.op == "div":
        return Requirement(node, "quotient", "nonzero", node.args[1])
    if node.op == "arcsin":
        return Requirement(node, "arcsin", "unit", node.args[0])
    if node.op == "pow":
        base, exponent = node.args
        if id(exponent) not in free:
            relation: Relation = "strict power" if rule == "strict" else "power"
            return Requirement(node, "variable power", relation, base, exponent)
        return _constant_power(node, base, free[id(exponent)])
    return None


def _constant_power(node: Expr, base: Expr, exponent: float) -> Requirement | None:
    whole = exponent == math.floor(exponent) if math.isfinite(exponent) else False
    if whole and exponent >= 0:
        return None
    relation: Relation = "nonzero" if whole else "nonnegative" if exponent > 0 else "positive"
    return Requirement(node, "power", relation, base)


def domain_requirements(*roots: Expr, rule: str = "ieee") -> list[Requirement]:
    """The requirements of the domain that can fail at all, innermost first."""
    check_rule(rule)
    free = constant_values(*roots)
    spans = ranges(roots)
    found = [domain_requirement(node, rule, free) for node in postorder(*roots)]
    return [r for r in found if r is not None and not always_holds(r, spans)]


def overflow_requirements(roots: Sequence[Expr], spans: dict[int, Range]) -> list[Requirement]:
    """Operands that must be seen to be finite, because their operation would hide an infinity.

    Elsewhere an overflow simply runs through to the result, where one last test finds it.
    """
    return [
        Requirement(node, "overflow", "finite", operand)
        for node in postorder(*roots)
        for operand in (node.args[1:] if node.op == "div" else node.args if node.op in _HIDES_INFINITY else ())
        if may_overflow(spans[id(operand)])
    ]


_HIDES_INFINITY = frozenset({"exp", "pow", "sign", "lt", "le"})


def may_overflow(span: Range) -> bool:
    return not (span[0] >= -HUGE and span[1] <= HUGE)


def always_holds(requirement: Requirement, spans: dict[int, Range]) -> bool:
    lo, hi = spans[id(requirement.operand)]
    if math.isnan(lo) or math.isnan(hi):
        return False
    if requirement.relation == "nonnegative":
        return lo >= 0.0
    if requirement.relation == "nonzero":
        return lo > 0.0 or hi < 0.0
    if requirement.relation == "unit":
        return lo >= -1.0 and hi <= 1.0
    return lo > 0.0 and requirement.relation != "finite"


def distinct(requirements: Sequence[Requirement]) -> list[Requirement]:
    """The first of each set that tests the same thing."""
    return list({(r.relation, *map(id, r.operands)): r for r in reversed(requirements)}.values())[::-1]
