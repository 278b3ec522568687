"""Proof that a formula has no lower bound: one of its parts goes to a limit, and the formula to minus infinity.

For each v near the limit Krawczyk's operator gives a point of the box where the part is exactly v. Along these
points every part of the formula is a function of v; what it tends to is followed from the part to the root.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpcbench.certify.checker.core.intervals import EVERYWHERE, Interval, add, between, single, sub
from cpcbench.certify.checker.core.krawczyk import System, prove_solution
from cpcbench.certify.checker.core.numbers import precision
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Step, Values, WholePower
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.paths.tail_functions import applied, combined, positive_power, whole_power
from cpcbench.certify.checker.extensions.paths.tails import BOUNDED, INFINITE, Tail, constant, vanishing, within
from cpcbench.certify.checker.ground.fields import field, fraction, only, read_double
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr

NAME = "families"
LIMIT_BITS = 256

Tails = dict[int, Tail]
"""By slot; of the others only the ranges are known."""


@dataclass(frozen=True)
class Family:
    """Equations, a further node that takes all values of an interval, and how it vanishes along these."""

    system: System
    node: Expr
    near: Interval
    start: Tail | None
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
    part, eps = field(data, "vanishing"), read_double(field(data, "eps"))
    only(part, {"node", "value", "side"})
    node, value, side = (
        subject.node(field(part, "node")),
        fraction(field(part, "value")),
        part.get("side"),
    )
    if side not in ("+", "-") or not eps > 0:
        raise RejectedError("the vanishing part has a side '+' or '-', and eps is positive")
    system = System.read(subject, data)
    if id(node) in system.held:
        raise RejectedError("the vanishing part is also held at a value")
    precision(LIMIT_BITS)
    middle, reach = single(value), between(eps, eps)
    near: Interval = (middle[0], add(middle, reach)[1]) if side == "+" else (sub(middle, reach)[0], middle[1])
    start = vanishing(1 if side == "+" else -1) if value == 0 else None
    return Family(system, node, near, start, rule == "ieee")


def check_falls(subject: Subject, family: Family) -> None:
    """Rejects unless the formula tends to minus infinity along points that there are."""
    precision(LIMIT_BITS)
    extra, held = len(subject.bounds), family.system.held
    program = Program([subject.root], subject.numbers, ieee=family.ieee, pins=held, inputs={id(family.node): extra})
    box = {**family.system.intervals(), extra: family.near}
    _follow(program, box, extra, family.start, program.slots[id(subject.root)])


def _follow(program: Program, box: dict[int, Interval], free: int, start: Tail | None, root: int) -> None:
    if program.has_where:
        raise RejectedError("there are no limits with where()")
    if free not in program.variables or start is None:
        raise RejectedError("the vanishing part does not tend to 0, or the formula does not depend on it")
    values = list(program.start)
    for variable, slot in program.variables.items():
        values[slot] = box[variable]
    tails: Tails = {program.variables[free]: start}
    for made in program.steps:
        state = made.run(values)
        found = tail_of(made, program, values, tails)
        if state != EVERYWHERE and found is None:
            raise RejectedError(f"{made.op} (node {made.number}) is not proven to be defined near the limit")
        if found is not None and found.kind != BOUNDED:
            tails[made.slot] = found
    end = tails.get(root)
    if end is None or end.kind != INFINITE or end.side != -1:
        raise RejectedError("the formula is not proven to tend to minus infinity")


def tail_of(made: Step, program: Program, values: Values, tails: Tails) -> Tail | None:
    """What a step does near the limit; None if that does not show that it is defined there."""
    if not any(a in tails for a in made.args):
        return None
    args = [tails[a] if a in tails else _known(a, program, values) for a in made.args]
    if isinstance(made, WholePower):
        return whole_power(args[0], made.exponent)
    if made.op == "pow":
        return positive_power(*args)
    return applied(made.op, args[0]) if len(args) == 1 else combined(made.op, *args)


def _known(slot: int, program: Program, values: Values) -> Tail:
    return constant(program.exact[slot]) if slot in program.exact else within(values[slot])
