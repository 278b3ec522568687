"""What each operation requires of its arguments: the admissibility rule, stated once.

Every reading in doubles tests these requirements, each in its own way; a point is admissible when
all of them hold and no operation overflows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles.ranges import HUGE, Range, ranges
from cpcbench.readings.reals.reference import constant_values
from cpcbench.rules import check_rule

Kind = Literal[
    "constraint", "log", "root", "quotient", "arcsin", "arccos", "arccosh", "arctanh", "power", "variable power",
    "whole", "overflow",
]  # fmt: skip
Relation = Literal[
    "positive", "nonnegative", "above -1", "at least 1", "unit", "inside unit",
    "nonzero", "whole", "power", "strict power", "finite",
]  # fmt: skip


class Span(NamedTuple):
    """The numbers from `low` to `high`, which is infinite or -low; `closed`: the ends belong to it."""

    low: float
    high: float
    closed: bool

    @property
    def is_half_line(self) -> bool:
        return self.high == math.inf

    def holds(self, low: float, high: float) -> bool:
        """Whether all numbers of a range are in it."""
        if self.closed:
            return low >= self.low and high <= self.high
        return low > self.low and (self.is_half_line or high < self.high)

    def text(self, operand: str) -> str:
        """That an operand is in it: `x1 > 0`, `-1 <= x1 <= 1`."""
        less, more = ("<=", ">=") if self.closed else ("<", ">")
        if self.is_half_line:
            return f"{operand} {more} {self.low:g}"
        return f"{self.low:g} {less} {operand} {less} {self.high:g}"


SPANS: dict[str, Span] = {
    "positive": Span(0.0, math.inf, False),
    "nonnegative": Span(0.0, math.inf, True),
    "above -1": Span(-1.0, math.inf, False),
    "at least 1": Span(1.0, math.inf, True),
    "unit": Span(-1.0, 1.0, True),
    "inside unit": Span(-1.0, 1.0, False),
}
"""The relations that say in which numbers an operand must lie."""


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


class Demand(NamedTuple):
    """What an operation asks of its arguments: that `relation` holds of argument `of`, and no infinity in `hides`.

    There it would not show: exp of minus infinity is 0. A function without a condition has an empty demand.
    """

    kind: Kind | None = None
    relation: Relation | None = None
    of: int = 0
    hides: tuple[int, ...] = ()


DEMANDS: dict[str, Demand] = {
    "div": Demand("quotient", "nonzero", of=1, hides=(1,)),
    "pow": Demand(hides=(0, 1)),
    "sqrt": Demand("root", "nonnegative"),
    "ln": Demand("log", "positive"),
    "exp": Demand(hides=(0,)),
    "sin": Demand(),
    "cos": Demand(),
    "tan": Demand(),
    "arcsin": Demand("arcsin", "unit"),
    "arccos": Demand("arccos", "unit"),
    "arctan": Demand(hides=(0,)),
    "sinh": Demand(),
    "cosh": Demand(),
    "tanh": Demand(hides=(0,)),
    "arcsinh": Demand(),
    "arccosh": Demand("arccosh", "at least 1"),
    "arctanh": Demand("arctanh", "inside unit"),
    "log10": Demand("log", "positive"),
    "log2": Demand("log", "positive"),
    "log1p": Demand("log", "above -1"),
    "expm1": Demand(hides=(0,)),
    "cbrt": Demand(),
    "erf": Demand(hides=(0,)),
    "abs": Demand(),
    "floor": Demand(),
    "ceil": Demand(),
    "round": Demand(),
    "sign": Demand(hides=(0,)),
    "whole": Demand("whole", "whole"),
    "min": Demand(hides=(0, 1)),
    "max": Demand(hides=(0, 1)),
    "hypot": Demand(),
    "arctan2": Demand(hides=(0, 1)),
    "mod": Demand("quotient", "nonzero", of=1, hides=(1,)),
    "given": Demand("constraint", "nonnegative", hides=(0,)),
    "lt": Demand(hides=(0, 1)),
    "le": Demand(hides=(0, 1)),
}
"""The rule of each operation; what a power needs hangs on its exponent, so it is said below."""


def domain_requirement(node: Expr, rule: str, free: dict[int, float]) -> Requirement | None:
    """What the operation of this node needs to have a real result; `free`: the constant parts' values."""
    if node.op == "pow":
        base, exponent = node.args
        if id(exponent) in free:
            return _constant_power(node, base, free[id(exponent)])
        return Requirement(node, "variable power", "strict power" if rule == "strict" else "power", base, exponent)
    demand = DEMANDS.get(node.op)
    if demand is None or demand.kind is None or demand.relation is None:
        return None
    return Requirement(node, demand.kind, demand.relation, node.args[demand.of])


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
        for place, operand in enumerate(node.args)
        if node.op in DEMANDS and place in DEMANDS[node.op].hides and may_overflow(spans[id(operand)])
    ]


def may_overflow(span: Range) -> bool:
    return not (span[0] >= -HUGE and span[1] <= HUGE)


def always_holds(requirement: Requirement, spans: dict[int, Range]) -> bool:
    return is_proven(requirement.relation, *spans[id(requirement.operand)])


def is_proven(relation: str, low: float, high: float) -> bool:
    """Whether the relation holds of every number in a range."""
    if math.isnan(low) or math.isnan(high) or low > high:
        return False
    if relation in SPANS:
        return SPANS[relation].holds(low, high)
    if relation == "nonzero":
        return low > 0.0 or high < 0.0
    if relation == "whole":
        return low == high == math.floor(low) if math.isfinite(low) else False
    return low > 0.0 and relation != "finite"


def distinct(requirements: Sequence[Requirement]) -> list[Requirement]:
    """The first of each set that tests the same thing."""
    return list({(r.relation, *map(id, r.operands)): r for r in reversed(requirements)}.values())[::-1]
