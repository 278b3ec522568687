"""Ranges of a formula's parts where it is defined and limits on some of them hold, followed back to the operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cpcbench.certify.checker import functions
from cpcbench.certify.checker.intervals import (
    EVERYWHERE,
    INFINITE,
    MINUS_INFINITE,
    NOWHERE,
    ONE,
    WHOLE,
    ZERO,
    Ball,
    Interval,
    add,
    bounded,
    div,
    exact,
    intersection,
    mul,
    neg,
    square,
    sub,
)
from cpcbench.certify.checker.powers import fixed_power
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.steps import FixedPower, Step, Values, VaryingPower

ROUNDS = 3
QUARTER_TURN = exact(1.5707)
"""Less than half of pi."""
NOT_NEGATIVE: Interval = (ZERO, INFINITE)

Limits = dict[int, Interval]
"""Intervals by slot."""


def narrowed(program: Program, box: Mapping[int, Interval], known: Mapping[int, Interval]) -> Values | None:
    """Ranges of all slots on the part of the box where all is defined and `known` holds; None if there is none."""
    limits: Limits = dict(known)
    for variable, slot in program.variables.items():
        limits[slot] = box[variable]
    for _ in range(ROUNDS):
        values = _forward(program, limits)
        if values is None or not _backward(program, values, limits):
            return None
    return _forward(program, limits)


def _forward(program: Program, limits: Limits) -> Values | None:
    values: Values = list(program.start)
    for slot in program.variables.values():
        values[slot] = limits[slot]
    for made in program.steps:
        if made.run(values) == NOWHERE or not _meet(values, made.slot, limits.get(made.slot, WHOLE)):
            return None
    return values


def _meet(values: Values, slot: int, other: Interval) -> bool:
    """Narrows a slot; False if nothing is left of it."""
    shared = intersection(values[slot] or WHOLE, other)
    if shared is not None:
        values[slot] = shared
    return shared is not None


def _backward(program: Program, values: Values, limits: Limits) -> bool:
    for made in reversed(program.steps):
        for arg, implied in zip(made.args, _implied(made, values), strict=False):
            if not program.uses[arg]:
                continue  # a constant is known as well as it can be
            if not _meet(values, arg, implied):
                return False
            limits[arg] = values[arg] or WHOLE
    return True


def _implied(made: Step, values: Values) -> tuple[Interval, ...]:
    """For the operands, in their order, what follows from the range of the result and of the other operand."""
    result = values[made.slot] or WHOLE
    if isinstance(made, FixedPower):
        return (fixed_power(_not_negative(result), ONE / made.exponent)[0],)
    if isinstance(made, VaryingPower):
        return () if made.ieee else (NOT_NEGATIVE,)
    if made.op in _OF_ONE:
        return (_OF_ONE[made.op](result),)
    if made.op in _OF_TWO and made.args[0] != made.args[1]:
        return _OF_TWO[made.op](result, *made.operands(values))
    return ()


def _not_negative(a: Interval) -> Interval:
    return a if a[0] >= ZERO else (ZERO, a[1])


def _logarithm(result: Interval) -> Interval:
    """Of a result that is positive."""
    if not result[1] > ZERO:
        return WHOLE
    return bounded(*functions.ln((result[0] if result[0] > ZERO else ZERO, result[1]))[0])


def _sine(end: Ball, edge: Ball) -> Ball:
    """The sine at one end of a range of arcsines, where it rises; its edge if the end says nothing."""
    return end.sin() if abs(end) < QUARTER_TURN else edge


def _product(result: Interval, a: Interval, b: Interval) -> tuple[Interval, Interval]:
    return _quotient(result, b), _quotient(result, a)


def _quotient(a: Interval, b: Interval) -> Interval:
    """a / b; the whole line if b may be 0."""
    found, state = div(a, b)
    return found if state == EVERYWHERE else WHOLE


_OF_ONE: dict[str, Callable[[Interval], Interval]] = {
    "neg": neg,
    "sqrt": lambda v: square(_not_negative(v)) if v[1].is_finite() else NOT_NEGATIVE,
    "ln": functions.exp,
    "exp": _logarithm,
    "arcsin": lambda v: (_sine(v[0], -ONE), _sine(v[1], ONE)),
}
_OF_TWO: dict[str, Callable[[Interval, Interval, Interval], tuple[Interval, Interval]]] = {
    "add": lambda v, a, b: (sub(v, b), sub(v, a)),
    "sub": lambda v, a, b: (add(v, b), sub(a, v)),
    "mul": _product,
    "div": lambda v, a, b: (mul(v, b), _quotient(a, v)),
}


def below(limit: float) -> Interval:
    """Everything up to a double."""
    return MINUS_INFINITE, exact(limit)
