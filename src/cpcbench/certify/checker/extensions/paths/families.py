"""Proof that a formula has no lower bound: one of its parts goes to a limit, and the formula to minus infinity.

For each v near the limit Krawczyk's operator gives a point of the box where the part is exactly v. Along these
points every part of the formula is a function of v; what it tends to is followed from the part to the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cpcbench.certify.checker.core.intervals import EVERYWHERE, Interval, add, between, single, sub
from cpcbench.certify.checker.core.krawczyk import System, prove_solution
from cpcbench.certify.checker.core.numbers import DOWN, UP, End, is_finite, precision
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Step, Values, WholePower
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.ground.fields import field, fraction, only, read_double
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr

NAME = "families"
LIMIT_BITS = 256


class Limit(NamedTuple):
    """A part that in the end has one sign (1 or -1) and tends to 0, or away from every bound."""

    infinite: bool
    sign: int


Limits = dict[int, Limit]
Found = tuple[Limit | None, bool]
"""What an operation tends to, None if only its range is known; and whether its limits show that it is defined."""


@dataclass(frozen=True)
class Family:
    """Equations, a further node that takes all values of an interval, and how it vanishes along these."""

    system: System
    node: Expr
    near: Interval
    start: Limit | None
    ieee: bool


def check_family(subject: Subject, data: object) -> None:
    """Rejects unless the formula is proven to take values below any bound on its box."""
    family = read_family(subject, data)
    prove_solution(subject, family.system, family.ieee, (family.node, family.near))
    check_falls(subject, family)


def read_family(subject: Subject, data: object) -> Family:
    only(data, {"by", "box", "equations", "solve", "vanishing", "eps", "rule"})
    subject.rests_on.add(NAME)
    if field(data, "by") != "family":
        raise RejectedError("an unbounded function is shown by a family")
    rule = field(data, "rule")
    if rule not in ("strict", "ieee") or (rule == "ieee" and not subject.ieee):
        raise RejectedError(f"the rule {str(rule)[:20]!r} does not go with the part {subject.part!r}")
    vanishing, eps = field(data, "vanishing"), read_double(field(data, "eps"))
    only(vanishing, {"node", "value", "side"})
    node, value, side = (
        subject.node(field(vanishing, "node")),
        fraction(field(vanishing, "value")),
        vanishing.get("side"),
    )
    if side not in ("+", "-") or not eps > 0:
        raise RejectedError("the vanishing part has a side '+' or '-', and eps is positive")
    system = System.read(subject, data)
    if id(node) in system.held:
        raise RejectedError("the vanishing part is also held at a value")
    precision(LIMIT_BITS)
    middle, reach = single(value), between(eps, eps)
    near: Interval = (middle[0], add(middle, reach)[1]) if side == "+" else (sub(middle, reach)[0], middle[1])
    start = Limit(False, 1 if side == "+" else -1) if value == 0 else None
    return Family(system, node, near, start, rule == "ieee")


def check_falls(subject: Subject, family: Family) -> None:
    """Rejects unless the formula tends to minus infinity along points that there are."""
    precision(LIMIT_BITS)
    extra, held = len(subject.bounds), family.system.held
    program = Program([subject.root], subject.numbers, ieee=family.ieee, pins=held, inputs={id(family.node): extra})
    box = {**family.system.intervals(), extra: family.near}
    _follow(program, box, extra, family.start, program.slots[id(subject.root)])


def _follow(program: Program, box: dict[int, Interval], vanishing: int, start: Limit | None, root: int) -> None:
    if program.has_where:
        raise RejectedError("there are no limits with where()")
    if vanishing not in program.variables or start is None:
        raise RejectedError("the vanishing part does not tend to 0, or the formula does not depend on it")
    values = list(program.start)
    for variable, slot in program.variables.items():
        values[slot] = box[variable]
    limits: Limits = {program.variables[vanishing]: start}
    for made in program.steps:
        state = made.run(values)
        found, defined = _limit(made, values, limits)
        if state != EVERYWHERE and not defined:
            raise RejectedError(f"{made.op} (node {made.number}) is not proven to be defined near the limit")
        if found is not None:
            limits[made.slot] = found
    if limits.get(root) != Limit(True, -1):
        raise RejectedError("the formula is not proven to tend to minus infinity")


def _limit(made: Step, values: Values, limits: Limits) -> Found:
    if not any(a in limits for a in made.args):
        return None, False
    if made.op in ("add", "sub"):
        return _sum(made, values, limits), False
    if made.op == "mul":
        return _product(_Part.of(made, 0, values, limits), _Part.of(made, 1, values, limits)), False
    if made.op == "div":
        return _quotient(_Part.of(made, 0, values, limits), _Part.of(made, 1, values, limits))
    if made.op == "pow":
        return _power(made, values, limits)
    return _function(made.op, limits[made.args[0]])


class _Part(NamedTuple):
    """An operand: its range and what it tends to."""

    low: End
    high: End
    limit: Limit | None

    @classmethod
    def of(cls, made: Step, place: int, values: Values, limits: Limits) -> _Part:
        slot = made.args[place]
        return cls(*values[slot], limits.get(slot))

    @property
    def infinite(self) -> bool:
        return self.limit is not None and self.limit.infinite

    @property
    def zero(self) -> bool:
        return self.limit is not None and not self.limit.infinite

    @property
    def sign(self) -> int:
        """1 or -1 if in the end it has that sign, else 0."""
        if self.limit is not None:
            return self.limit.sign
        return 1 if self.low > 0 else -1 if self.high < 0 else 0

    @property
    def bounded(self) -> bool:
        return is_finite(self.low) and is_finite(self.high)


def _sum(made: Step, values: Values, limits: Limits) -> Limit | None:
    a, b = _Part.of(made, 0, values, limits), _Part.of(made, 1, values, limits)
    if made.op == "sub":
        turned = None if b.limit is None else Limit(b.limit.infinite, -b.limit.sign)
        b = _Part(DOWN.neg(b.high), UP.neg(b.low), turned)
    if a.limit is not None and a.limit == b.limit:
        return a.limit
    for one, other in ((a, b), (b, a)):
        if one.infinite and not other.infinite:
            end = other.low if one.sign > 0 else other.high
            if other.zero or is_finite(end):
                return one.limit
    return None


def _product(a: _Part, b: _Part) -> Limit | None:
    sign = a.sign * b.sign
    if not sign:
        return None
    for one, other in ((a, b), (b, a)):
        if one.infinite and not other.zero:
            return Limit(True, sign)
        if one.zero and not other.infinite and (other.zero or other.bounded):
            return Limit(False, sign)
    return None


def _quotient(a: _Part, b: _Part) -> Found:
    sign = a.sign * b.sign
    if b.zero:
        return (Limit(True, sign) if sign and not a.zero else None), True
    if b.infinite:
        return (Limit(False, sign) if sign and not a.infinite and (a.zero or a.bounded) else None), True
    if sign and a.infinite and b.bounded:
        return Limit(True, sign), False
    return (Limit(False, sign) if sign and a.zero else None), False


def _power(made: Step, values: Values, limits: Limits) -> Found:
    base, exponent = _Part.of(made, 0, values, limits), _Part.of(made, 1, values, limits)
    if isinstance(made, WholePower):
        if base.limit is None or made.exponent == 0:
            return None, False
        return Limit(base.infinite == (made.exponent > 0), base.sign if made.exponent % 2 else 1), True
    if base.limit is None:
        return _varied(base, exponent)
    if base.sign < 0:
        return None, False
    if exponent.zero or not exponent.sign:
        return None, True
    return Limit(base.infinite == (exponent.sign > 0), 1), True


def _varied(base: _Part, exponent: _Part) -> Found:
    """A base with a range and an exponent with a limit."""
    if not exponent.infinite:
        return None, False
    if base.low > 1:
        return Limit(exponent.sign > 0, 1), False
    if base.low > 0 and base.high < 1:
        return Limit(exponent.sign < 0, 1), False
    return None, False


def _function(op: str, limit: Limit) -> Found:
    positive = limit.sign > 0
    if op == "neg":
        return Limit(limit.infinite, -limit.sign), False
    if op == "abs":
        return Limit(limit.infinite, 1), False
    if op == "sqrt":
        return (limit, True) if positive else (None, False)
    if op == "ln":
        return (Limit(True, 1 if limit.infinite else -1), True) if positive else (None, False)
    if op == "exp":
        return (Limit(positive, 1) if limit.infinite else None), False
    if op in ("sin", "tan", "arcsin"):
        return (None, False) if limit.infinite else (limit, True)
    return None, False
