"""Proof that equations have a solution inside a box: Krawczyk's operator maps the box into its interior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from cpcbench.certify.checker.exact import of_text, precision
from cpcbench.certify.checker.intervals import (
    ONE,
    ZERO,
    Ball,
    Interval,
    add,
    between,
    mul,
    rational,
    scale,
    single,
    sub,
)
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.reading import box as read_box
from cpcbench.certify.checker.reading import field, listed, only, wholes
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.verdict import RejectedError
from cpcbench.expr.nodes import Expr

BITS = (64, 128, 256, 512, 1024)
"""The precisions tried in turn."""

Matrix = list[list[Interval]]


@dataclass(frozen=True)
class System:
    """Parts of a formula held at exact values on a box, by moving the variables in `solve`."""

    box: list[tuple[float, float]]
    solve: list[int]
    pins: list[tuple[Expr, Fraction]]

    @classmethod
    def read(cls, subject: Subject, data: object) -> System:
        box = read_box(field(data, "box"), subject.bounds)
        solve = wholes(field(data, "solve"), len(box))
        pins: list[tuple[Expr, Fraction]] = []
        for equation in listed(field(data, "equations")):
            only(equation, {"node", "value"})
            pins.append((subject.node(field(equation, "node")), of_text(field(equation, "value"))))
        if len({id(node) for node, _ in pins}) != len(pins):
            raise RejectedError("a node is held twice")
        for variable, (low, high) in enumerate(box):
            if (low < high) != (variable in solve):
                wrong = "has to be open" if variable in solve else "has to be a single number"
                raise RejectedError(f"the interval of variable {variable} {wrong}")
        return cls(box, solve, pins)

    @property
    def held(self) -> dict[int, Fraction]:
        return {id(node): value for node, value in self.pins}

    def intervals(self) -> dict[int, Interval]:
        return {v: between(*pair) for v, pair in enumerate(self.box)}


def prove_solution(subject: Subject, system: System, ieee: bool, family: tuple[Expr, Interval] | None = None) -> None:
    """Rejects unless a solution is proven; with a family, one for each value of its node in the interval."""
    count = len(system.pins) + (family is not None)
    if count != len(system.solve):
        raise RejectedError(f"{count} equations for {len(system.solve)} variables to solve for")
    reason = ""
    for bits in BITS:
        precision(bits)
        try:
            _krawczyk(subject, system, ieee, family)
            return
        except RejectedError as trouble:
            reason = str(trouble)
    raise RejectedError(reason)


def _krawczyk(subject: Subject, system: System, ieee: bool, family: tuple[Expr, Interval] | None) -> None:
    around = system.intervals()
    middle = dict(around)
    for v in system.solve:
        middle[v] = between(*[0.5 * (system.box[v][0] + system.box[v][1])] * 2)
    wanted = [(node, single(rational(value))) for node, value in system.pins]
    wanted += [] if family is None else [family]
    wrong: list[Interval] = []
    steep: Matrix = []
    for node, value in wanted:
        others = {key: fixed for key, fixed in system.held.items() if key != id(node)}
        program = Program([node], subject.numbers, ieee=ieee, pins=others, fill=False)
        steep.append(_row(program, node, around, system.solve, subject))
        wrong.append(sub(_value(program, node, middle, subject), value))
    inverse = _inverse(steep)
    for place, v in enumerate(system.solve):
        found = middle[v]
        for k, row in enumerate(inverse[place]):
            found = sub(found, scale(row, wrong[k]))
        for column, w in enumerate(system.solve):
            rest = single(ONE if column == place else ZERO)
            for k, row in enumerate(inverse[place]):
                rest = sub(rest, scale(row, steep[k][column]))
            found = add(found, mul(rest, sub(around[w], middle[w])))
        if not (found[0] > around[v][0] and found[1] < around[v][1]):
            raise RejectedError(f"Krawczyk's operator does not map variable {v} into its interval")


def _value(program: Program, node: Expr, box: dict[int, Interval], subject: Subject) -> Interval:
    evaluated = program.ranges(box)
    value = None if evaluated is None or evaluated[1] else evaluated[0][program.slots[id(node)]]
    if value is None:
        raise RejectedError(f"node {subject.numbers[id(node)]} is not proven to be defined on the box")
    return value


def _row(
    program: Program, node: Expr, box: dict[int, Interval], solve: Sequence[int], subject: Subject
) -> list[Interval]:
    """The slopes of an equation in the variables to solve for, over the box on which it is defined."""
    _value(program, node, box, subject)
    evaluated = program.ranges(box)
    if evaluated is None or program.has_where:
        raise RejectedError("there are no slopes with where()")
    adjoint = program.slopes(evaluated[0], {program.slots[id(node)]: single(ONE)}, {})
    slots = [program.variables.get(v) for v in solve]
    found = [(None if slot is None else adjoint[slot]) or single(ZERO) for slot in slots]
    if not all(low.is_finite() and high.is_finite() for low, high in found):
        raise RejectedError(f"node {subject.numbers[id(node)]} has no finite slopes on the box")
    return found


def _inverse(steep: Matrix) -> list[list[Ball]]:
    """An approximate inverse of the middle of the slopes; any matrix is sound here."""
    middle = flint.arb_mat([[((low + high) / 2).mid() for low, high in row] for row in steep])
    try:
        found = middle.inv()
    except ZeroDivisionError:
        raise RejectedError("the slopes of the equations are singular") from None
    size = len(steep)
    entries = [[found[i, j].mid() for j in range(size)] for i in range(size)]
    if not all(entry.is_finite() for row in entries for entry in row):
        raise RejectedError("the slopes of the equations are singular")
    return entries
