"""Ranges of a formula's parts where it is defined and limits on some of them hold, followed back to the operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    NOWHERE,
    Interval,
    add,
    div,
    meet,
    mul,
    neg,
    not_negative,
    single,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import UP, infinite, of_double
from cpcbench.certify.checker.core.powers import positive_power
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Applied, FixedPower, Paired, Step, Values, VaryingPower

NAME = "narrowing"
ROUNDS = 3

Limits = dict[int, Interval]
"""Intervals by slot."""


def narrowed(program: Program, box: Mapping[int, Interval], known: Mapping[int, Interval]) -> Values | None:
    """Ranges of all slots on the part of the box where all is defined and `known` holds; None if there is none."""
    limits: Limits = dict(known)
    for variable, slot in program.variables.items():
        shared = meet(box[variable], limits.get(slot, whole_line()))
        if shared is None:
            return None
        limits[slot] = shared
    for _ in range(ROUNDS):
        values = _forward(program, limits)
        if values is None or not _backward(program, values, limits):
            return None
    return _forward(program, limits)


def _forward(program: Program, limits: Limits) -> Values | None:
    values = list(program.start)
    for slot in program.variables.values():
        values[slot] = limits[slot]
    for made in program.steps:
        if made.run(values) == NOWHERE:
            return None
        shared = meet(values[made.slot], limits.get(made.slot, whole_line()))
        if shared is None:
            return None
        values[made.slot] = shared
    return values


def _backward(program: Program, values: Values, limits: Limits) -> bool:
    for made in reversed(program.steps):
        for arg, implied in zip(made.args, _implied(made, values), strict=False):
            if not program.uses[arg]:
                continue  # a constant is known as well as it can be
            shared = meet(values[arg], implied)
            if shared is None:
                return False
            values[arg] = limits[arg] = shared
    return True


def _implied(made: Step, values: Values) -> tuple[Interval, ...]:
    """For the operands, in their order, what follows from the range of the result and of the other operand."""
    result = values[made.slot]
    if isinstance(made, FixedPower):
        return (_root(result, made),)
    if isinstance(made, VaryingPower):
        return () if made.ieee else (_from_zero(),)
    if isinstance(made, Applied):
        return () if made.function.inverse is None else (made.function.inverse(result),)
    if isinstance(made, Paired):
        a, b = made.operands(values)
        return made.pair.inverse(a, b, result)
    if made.op == "neg":
        return (neg(result),)
    if made.op in _OF_TWO and made.args[0] != made.args[1]:
        return _OF_TWO[made.op](result, *made.operands(values))
    return ()


def _from_zero() -> Interval:
    return of_double(0), infinite(1)


def _root(result: Interval, made: FixedPower) -> Interval:
    """The bases whose powers are in a range: the range to the power 1/p, which is not 0 where p is negative."""
    inverse, state = div(single(1), made.exponent)
    return positive_power(not_negative(result), inverse) if state == EVERYWHERE else _from_zero()


def _quotient(a: Interval, b: Interval) -> Interval:
    """a / b; the whole line if b may be 0."""
    found, state = div(a, b)
    return found if state == EVERYWHERE else whole_line()


_OF_TWO: dict[str, Callable[[Interval, Interval, Interval], tuple[Interval, Interval]]] = {
    "add": lambda v, a, b: (sub(v, b), sub(v, a)),
    "sub": lambda v, a, b: (add(v, b), sub(a, v)),
    "mul": lambda v, a, b: (_quotient(v, b), _quotient(v, a)),
    "div": lambda v, a, b: (mul(v, b), _quotient(a, v)),
    "given": lambda v, _a, _b: (_from_zero(), v),
}


def below(limit: Fraction) -> Interval:
    """Everything up to a number."""
    return infinite(-1), UP.rational(limit)
