"""Proof that an infimum is not attained: towards an edge a sine goes up and down without end, and the edge is lower.

The sine or cosine is that of a power g^(-p), p > 0 and not whole, which occurs nowhere else. With the wave as a
further variable s of [-1, 1], the formula is a function F of the point and s. On a box around low points no s that
makes F low is better than one end of s, and F falls strictly along one variable, along which g falls to 0 inside the
box. From any admissible point x of the box one gets that way to a point e with g = 0, and the wave is at its best end
infinitely often on the way: at these points the values tend to F(e), which is below F(x) and so below the value at x.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.core.intervals import Interval, between
from cpcbench.certify.checker.core.numbers import of_double
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import FixedPower
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.trees import is_inside
from cpcbench.certify.checker.extensions import narrowing
from cpcbench.certify.checker.extensions.narrowing import below, narrowed
from cpcbench.certify.checker.ground.fields import box as read_box
from cpcbench.certify.checker.ground.fields import field, listed, whole
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr

NAME = "attained: oscillation"

Pairs = list[tuple[float, float]]


def check_oscillation(subject: Subject, data: object, optima: Any, upper: Fraction) -> None:
    """Rejects unless from every low point, which may be anywhere if there are no optima, one gets to a lower value."""
    subject.rests_on.update((NAME, narrowing.NAME))
    low = [subject.bounds] if optima is None else [read_box(part, subject.bounds) for part in listed(optima)]
    wave = subject.node(field(data, "node"))
    guard = _guard(subject, wave)
    variable = whole(field(data, "variable"), len(subject.bounds))
    boxes = [read_box(part, subject.bounds) for part in listed(field(data, "boxes"))]
    for box in boxes:
        _check_box(subject, wave, guard, variable, box, upper)
    for part in low:
        if not any(is_inside(part, box) for box in boxes):
            raise RejectedError("a box of the optima is in none of the boxes from which lower values are shown")


def _guard(subject: Subject, wave: Expr) -> Expr:
    """The base g of the power g^(-p) that the wave is of, if it occurs nowhere else."""
    if wave.op not in ("sin", "cos") or wave.args[0].op != "pow":
        raise RejectedError("the oscillating node is no sine or cosine of a power")
    power = wave.args[0]
    if any(a is power for node in subject.order if node is not wave for a in node.args):
        raise RejectedError("the power under the oscillating node is used elsewhere")
    if any(node.op == "where" for node in subject.order):
        raise RejectedError("whether the infimum is attained is not decided with where()")
    program = Program([power], subject.numbers, ieee=subject.ieee)
    made = program.steps[-1]
    if not (isinstance(made, FixedPower) and made.number == subject.numbers[id(power)] and not made.positive):
        raise RejectedError("the power under the oscillating node has no negative constant exponent that is not whole")
    return power.args[0]


def _check_box(subject: Subject, wave: Expr, guard: Expr, variable: int, box: Pairs, upper: Fraction) -> None:
    ranges: dict[int, Interval] = {v: between(*pair) for v, pair in enumerate(box)}
    best = _best(subject, wave, ranges, upper)
    if best is None:
        return
    held = Program([subject.root], subject.numbers, ieee=subject.ieee, pins={id(wave): best})
    way = _sign(_slope(held, subject.root, ranges, variable), "the formula")
    base = Program([guard], subject.numbers, ieee=subject.ieee)
    if way != _sign(_slope(base, guard, ranges, variable), "the base"):
        raise RejectedError("the formula does not fall where the base of the oscillating node does")
    end = box[variable][0 if way > 0 else 1]
    face = base.ranges({**ranges, variable: between(end, end)})
    value = None if face is None else face[0][base.slots[id(guard)]]
    if value is None or not value[1] <= 0:
        raise RejectedError("the base of the oscillating node does not reach 0 inside the box")


def _best(subject: Subject, wave: Expr, ranges: dict[int, Interval], upper: Fraction) -> Fraction | None:
    """The end of the wave at which the formula is no higher than at any point with a value up to U; None if there is
    no such point."""
    extra = len(subject.bounds)
    free = Program([subject.root], subject.numbers, ieee=subject.ieee, inputs={id(wave): extra})
    if extra not in free.variables:
        raise RejectedError("the formula does not depend on the oscillating node")
    known = {free.slots[id(subject.root)]: below(upper)}
    least, most = of_double(-1), of_double(1)
    values = narrowed(free, {**ranges, extra: (least, most)}, known)
    if values is None:
        return None
    low, high = values[free.variables[extra]]
    for best, reach in ((1, (low, most)), (-1, (least, high))):
        try:
            slope = _slope(free, subject.root, {**ranges, extra: reach}, extra)
        except RejectedError:
            continue
        if slope[1] <= 0 if best > 0 else slope[0] >= 0:
            return Fraction(best)
    raise RejectedError("the formula is not proven to be least at one end of the oscillating node")


def _slope(program: Program, node: Expr, ranges: dict[int, Interval], variable: int) -> Interval:
    """How fast a part that is defined everywhere on the box changes with a variable."""
    values = program.everywhere(ranges)
    if values is None:
        raise RejectedError("apart from the oscillating node the formula is not defined throughout a box")
    return program.slopes_of(program.slots[id(node)], values, [variable])[0]


def _sign(slope: Interval, what: str) -> int:
    if not (slope[0] > 0 or slope[1] < 0):
        raise RejectedError(f"{what} is not proven to rise or to fall along the variable")
    return 1 if slope[0] > 0 else -1
