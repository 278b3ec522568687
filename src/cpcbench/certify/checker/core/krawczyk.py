"""Proof that equations have a solution inside a box: Krawczyk's operator maps the box into its interior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval, add, between, mul, scale, single, sub
from cpcbench.certify.checker.core.numbers import DOWN, End, is_finite, of_double, precision
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Values
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.ground.fields import box as read_box
from cpcbench.certify.checker.ground.fields import field, fraction, listed, only, wholes
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr

BITS = (64, 128, 256, 512, 1024)
"""The precisions tried in turn."""

MOST_EQUATIONS = 200

Matrix = list[list[Interval]]
Family = tuple[Expr, Interval]
"""A node that takes every value of an interval."""


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
        for equation in listed(field(data, "equations"), most=MOST_EQUATIONS):
            only(equation, {"node", "value"})
            pins.append((subject.node(field(equation, "node")), fraction(field(equation, "value"))))
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

    def middle(self, variable: int) -> Interval:
        """A place of the box, one number; any will do."""
        low, high = self.box[variable]
        place = low + (high - low) / 2
        return between(place, place) if low <= place <= high else between(low, low)


def prove_solution(subject: Subject, system: System, ieee: bool, family: Family | None = None) -> None:
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


def _krawczyk(subject: Subject, system: System, ieee: bool, family: Family | None) -> None:
    around = system.intervals()
    middle = {**around, **{v: system.middle(v) for v in system.solve}}
    wanted = [(node, single(value)) for node, value in system.pins]
    wanted += [] if family is None else [family]
    wrong: list[Interval] = []
    steep: Matrix = []
    for node, value in wanted:
        others = {key: fixed for key, fixed in system.held.items() if key != id(node)}
        program = Program([node], subject.numbers, ieee=ieee, pins=others)
        steep.append(_row(program, node, around, system.solve, subject))
        wrong.append(sub(_values(program, node, middle, subject)[program.slots[id(node)]], value))
    inverse = _inverse(steep)
    for place, v in enumerate(system.solve):
        found = middle[v]
        for k, entry in enumerate(inverse[place]):
            found = sub(found, scale(entry, wrong[k]))
        for column, w in enumerate(system.solve):
            rest = single(1 if column == place else 0)
            for k, entry in enumerate(inverse[place]):
                rest = sub(rest, scale(entry, steep[k][column]))
            found = add(found, mul(rest, sub(around[w], middle[w])))
        if not (found[0] > around[v][0] and found[1] < around[v][1]):
            raise RejectedError(f"Krawczyk's operator does not map variable {v} into its interval")


def _values(program: Program, node: Expr, box: dict[int, Interval], subject: Subject) -> Values:
    values = program.everywhere(box)
    if values is None:
        raise RejectedError(f"node {subject.numbers[id(node)]} is not proven to be defined on the box")
    return values


def _row(
    program: Program, node: Expr, box: dict[int, Interval], solve: Sequence[int], subject: Subject
) -> list[Interval]:
    """The slopes of an equation in the variables to solve for, over the box on which it is defined."""
    values = _values(program, node, box, subject)
    if program.has_where:
        raise RejectedError("there are no slopes with where()")
    found = program.slopes_of(program.slots[id(node)], values, solve)
    if not all(is_finite(low) and is_finite(high) for low, high in found):
        raise RejectedError(f"node {subject.numbers[id(node)]} has no finite slopes on the box")
    return found


def _inverse(steep: Matrix) -> list[list[End]]:
    """Roughly the inverse of the slopes, by elimination with pivots; any matrix of numbers is sound here."""
    size = len(steep)
    two = of_double(2)
    rows = [[DOWN.div(DOWN.add(low, high), two) for low, high in row] for row in steep]
    for i, row in enumerate(rows):
        row += [of_double(1 if k == i else 0) for k in range(size)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: max(rows[i][column], DOWN.neg(rows[i][column])))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        by = rows[column][column]
        if by == 0:
            raise RejectedError("the slopes of the equations are singular")
        rows[column] = [DOWN.div(entry, by) for entry in rows[column]]
        for i in range(size):
            factor = rows[i][column]
            if i != column and factor != 0:
                rows[i] = [DOWN.sub(a, DOWN.mul(factor, b)) for a, b in zip(rows[i], rows[column], strict=True)]
    inverse = [row[size:] for row in rows]
    if not all(is_finite(entry) for row in inverse for entry in row):
        raise RejectedError("the slopes of the equations are singular")
    return inverse
