"""Upper bounds: a point, or a box proven to hold a point at which parts of the formula have exact values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval
from cpcbench.certify.checker.core.krawczyk import BITS, System, prove_solution
from cpcbench.certify.checker.core.numbers import End, of_double, precision, shown
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.ground.fields import doubles, field, only
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, var

POINT_BITS = (64, 128, 256, 512, 1024, 2048, 4096)

Held = tuple[dict[int, Fraction], dict[int, Interval], tuple[int, ...]]
"""Parts at exact values, by id, a box for the variables, and the precisions to try."""


def check_witness(subject: Subject, data: object, upper: float) -> None:
    """Rejects unless some value of the formula is proven to be at most `upper`."""
    least = None
    for found in upper_ends(subject, subject.root, held_by(subject, data)):
        if found <= of_double(upper):
            return
        least = found
    raise RejectedError(f"its value there is only proven to be at most {shown(least)}, not {upper!r}")


def held_by(subject: Subject, data: object) -> Held:
    """What a witness holds, once its point is proven to exist in the box."""
    by = field(data, "by")
    if by == "point":
        only(data, {"by", "x"})
        return _point(subject, doubles(field(data, "x"), len(subject.bounds))), {}, POINT_BITS
    if by != "pinned":
        raise RejectedError(f"the witness is {by!r}, neither 'point' nor 'pinned'"[:120])
    only(data, {"by", "box", "equations", "solve"})
    system = System.read(subject, data)
    prove_solution(subject, system, subject.ieee)
    pins = {id(node): Fraction(system.box[v][0]) for v, node in variables(subject) if v not in system.solve}
    return {**pins, **system.held}, system.intervals(), BITS


def _point(subject: Subject, x: list[float]) -> dict[int, Fraction]:
    for place, (value, (low, high)) in enumerate(zip(x, subject.bounds, strict=True)):
        if not low <= value <= high:
            raise RejectedError(f"coordinate {place} of the point, {value!r}, is outside [{low!r}, {high!r}]")
    return {id(node): Fraction(x[place]) for place, node in variables(subject)}


def variables(subject: Subject) -> list[tuple[int, Expr]]:
    """The variables that the formula has, with their places."""
    found = [(place, var(place)) for place in range(len(subject.bounds))]
    return [(place, node) for place, node in found if id(node) in subject.numbers]


def upper_ends(subject: Subject, root: Expr, held: Held) -> Iterator[End]:
    """Upper ends of a part that is proven to be defined, one for each precision that shows it."""
    pins, box, precisions = held
    shown_defined = False
    for bits in precisions:
        precision(bits)
        program = Program([root], subject.numbers, ieee=subject.ieee, pins=pins)
        values = program.everywhere(box)
        if values is not None:
            shown_defined = True
            yield values[program.slots[id(root)]][1]
    if not shown_defined:
        raise RejectedError("the formula is not proven to be defined there")
