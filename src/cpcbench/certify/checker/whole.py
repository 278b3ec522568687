"""The lower end of a whole formula over its box, from natural evaluation and what is proven of its sums."""

from __future__ import annotations

from cpcbench.certify.checker.intervals import INFINITE, MINUS_INFINITE, Ball, Interval, between, exact
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.sums import Proven


def lower_end(subject: Subject, proven: list[Proven]) -> Ball | None:
    """The lower end; None if the formula is defined nowhere on the box."""
    program = Program([subject.root], subject.numbers, ieee=subject.ieee)
    for sum_ in proven:
        if id(sum_.node) in program.slots:
            program.restrict(program.slots[id(sum_.node)], _range(sum_))
    evaluated = program.ranges({v: between(*pair) for v, pair in enumerate(subject.bounds)})
    if evaluated is None:
        return None
    value = evaluated[0][program.slots[id(subject.root)]]
    return MINUS_INFINITE if value is None else value[0]


def _range(sum_: Proven) -> Interval:
    return (exact(sum_.bound), INFINITE) if sum_.side == "min" else (MINUS_INFINITE, exact(sum_.bound))
