"""Upper bounds: a point, or a box proven to hold a point at which parts of the formula have exact values."""

from __future__ import annotations

import math
from fractions import Fraction

from cpcbench.certify.checker.exact import precision
from cpcbench.certify.checker.intervals import Ball, Interval, between, exact
from cpcbench.certify.checker.krawczyk import BITS, System, prove_solution
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.reading import doubles, field, only
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.thin import ThinSet, read_exponents, thin_sets
from cpcbench.certify.checker.verdict import RejectedError
from cpcbench.expr.nodes import Expr, var

POINT_BITS = (64, 128, 256, 512, 1024, 2048, 4096)


def check_witness(subject: Subject, data: object, upper: float) -> None:
    """Rejects unless some value of the formula is proven to be at most `upper`."""
    if subject.part == "thin":
        _check_thin(subject, data, upper)
        return
    pins, box, precisions = _held(subject, data)
    found = _upper_end(subject, subject.root, (pins, box, precisions), upper)
    if found is not None:
        raise RejectedError(f"its value there is only proven to be at most {float(found)!r}, not {upper!r}")


def _check_thin(subject: Subject, data: object, upper: float) -> None:
    """A witness for the formula of a thin set, at which the bases are negative."""
    if field(data, "by") != "thin":
        raise RejectedError("a value on a thin set is shown by 'thin'")
    only(data, {"by", "exponents", "witness"})
    found = thin_sets(subject).get(read_exponents(field(data, "exponents")))
    if found is None:
        raise RejectedError("its exponents are those of no thin set")
    witness = field(data, "witness")
    check_witness(found.subject, witness, upper)
    check_negative(found, witness)


def check_negative(thin: ThinSet, witness: object) -> None:
    """Rejects unless a witness for the formula of a thin set is on the set itself, where the bases are not 0."""
    held = _held(thin.subject, witness)
    for base in thin.bases:
        if _upper_end(thin.subject, base, held, -SMALLEST) is not None:
            raise RejectedError("a base is not proven to be negative there")


SMALLEST = math.ulp(0.0)
"""What is at most its negative is below 0."""

Held = tuple[dict[int, Fraction], dict[int, Interval], tuple[int, ...]]
"""Parts at exact values, by id, a box for the variables, and the precisions to try."""


def _held(subject: Subject, data: object) -> Held:
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
    return {**pins, **system.held}, {v: between(*pair) for v, pair in enumerate(system.box)}, BITS


def _point(subject: Subject, x: list[float]) -> dict[int, Fraction]:
    for place, (value, (low, high)) in enumerate(zip(x, subject.bounds, strict=True)):
        if not low <= value <= high:
            raise RejectedError(f"coordinate {place} of the point, {value!r}, is outside [{low!r}, {high!r}]")
    return {id(node): Fraction(x[place]) for place, node in variables(subject)}


def variables(subject: Subject) -> list[tuple[int, Expr]]:
    """The variables that the formula has, with their places."""
    found = [(place, var(place)) for place in range(len(subject.bounds))]
    return [(place, node) for place, node in found if id(node) in subject.numbers]


def _upper_end(subject: Subject, root: Expr, held: Held, upper: float) -> Ball | None:
    """None if the part is proven to be at most `upper`, else its upper end; rejects if it may be undefined."""
    pins, box, precisions = held
    found: Interval | None = None
    for bits in precisions:
        precision(bits)
        program = Program([root], subject.numbers, ieee=subject.ieee, pins=pins, fill=False)
        evaluated = program.ranges(box)
        if evaluated is not None and not evaluated[1]:
            found = evaluated[0][program.slots[id(root)]]
            if found is not None and found[1] <= exact(upper):
                return None
    if found is None:
        raise RejectedError("the formula is not proven to be defined there")
    return found[1]
