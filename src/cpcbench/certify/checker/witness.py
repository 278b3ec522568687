"""Upper bounds: a point, or a box proven to hold a point at which parts of the formula have exact values."""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.exact import precision
from cpcbench.certify.checker.intervals import Interval, between, exact
from cpcbench.certify.checker.krawczyk import BITS, System, prove_solution
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.reading import doubles, field, only
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.verdict import RejectedError
from cpcbench.expr.nodes import Expr, var

POINT_BITS = (64, 128, 256, 512, 1024, 2048, 4096)


def check_witness(subject: Subject, data: object, upper: float) -> None:
    """Rejects unless some value of the formula is proven to be at most `upper`."""
    by = field(data, "by")
    if by == "point":
        only(data, {"by", "x"})
        _check_point(subject, doubles(field(data, "x"), len(subject.bounds)), upper)
    elif by == "pinned":
        only(data, {"by", "box", "equations", "solve"})
        _check_pinned(subject, System.read(subject, data), upper)
    else:
        raise RejectedError(f"the witness is {by!r}, neither 'point' nor 'pinned'"[:120])


def _check_point(subject: Subject, x: list[float], upper: float) -> None:
    for place, (value, (low, high)) in enumerate(zip(x, subject.bounds, strict=True)):
        if not low <= value <= high:
            raise RejectedError(f"coordinate {place} of the point, {value!r}, is outside [{low!r}, {high!r}]")
    pins = {id(node): Fraction(value) for node, value in zip(variables(subject), x, strict=True)}
    _check_value(subject, pins, {}, upper, POINT_BITS)


def variables(subject: Subject) -> list[Expr]:
    return [var(place) for place in range(len(subject.bounds))]


def _check_pinned(subject: Subject, system: System, upper: float) -> None:
    prove_solution(subject, system, subject.ieee)
    box = {v: between(*pair) for v, pair in enumerate(system.box)}
    pins = {id(node): Fraction(system.box[v][0]) for v, node in enumerate(variables(subject)) if v not in system.solve}
    _check_value(subject, {**pins, **system.held}, box, upper, BITS)


def _check_value(
    subject: Subject, pins: dict[int, Fraction], box: dict[int, Interval], upper: float, precisions: tuple[int, ...]
) -> None:
    """Rejects unless the formula is defined everywhere on the box, parts held, with an upper end at most `upper`."""
    found: Interval | None = None
    for bits in precisions:
        precision(bits)
        program = Program([subject.root], subject.numbers, ieee=subject.ieee, pins=pins, fill=False)
        evaluated = program.ranges(box)
        if evaluated is not None and not evaluated[1]:
            found = evaluated[0][program.slots[id(subject.root)]]
            if found is not None and found[1] <= exact(upper):
                return
    if found is None:
        raise RejectedError("the formula is not proven to be defined there")
    raise RejectedError(f"its value there is only proven to be at most {float(found[1])!r}, not {upper!r}")
