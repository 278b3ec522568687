"""A rational point that shows an upper bound: the witness itself, or one beside a witness that is only known to exist.

What is pinned at the edge of a domain, such as the operand of a root at 0, is moved a little inside, so that interval
arithmetic sees that the formula is defined there. The value is a little higher than the certificate's bound then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.certificate.schema import ByPinnedBox, ByPoint, Equation
from cpcbench.certify.checker.core.intervals import single
from cpcbench.certify.checker.core.numbers import arithmetic, exact
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.coq.language import folded
from cpcbench.expr.nodes import Expr

POINT_BITS = (64, 128, 256, 512, 1024)
"""Bits with which a witness itself is evaluated."""
INSIDE = (40, 80, 160, 320, 640, 1280, 2000, 3000)
"""How far inside of its domain an operand is put: 2 to the minus this."""
CLOSE, NEAR = Fraction(1, 10**9), Fraction(1, 10**6)
"""How much higher than the certificate's bound a point should be, and may be, relative to the bound or to 1."""
SPARE = 160
"""Bits beyond that, with which all is computed."""
MOST = 30
"""Equations; beyond that no point is looked for."""
STEPS = 40
"""Of Newton's method."""


@dataclass(frozen=True)
class Place:
    """A point, what its value is at most, and with how many bits that is seen."""

    x: list[Fraction]
    top: Fraction
    bits: int


def witness_of(subject: Subject, proof: object, upper: float) -> Place | None:
    """The point of a witness, or one beside it; None if none is found."""
    if isinstance(proof, ByPoint):
        return _itself(subject, [Fraction(v) for v in proof.x], upper)
    if not isinstance(proof, ByPinnedBox) or len(proof.solve) > MOST:
        return None
    best: Place | None = None
    allowed = [Fraction(upper) + most * max(Fraction(1), abs(Fraction(upper))) for most in (CLOSE, NEAR)]
    for inside in INSIDE:
        found = _beside(subject, proof, inside)
        if found is not None and (best is None or found.top < best.top):
            best = found
        if best is not None and best.top <= allowed[0]:
            return best
    return best if best is not None and best.top <= allowed[1] else None


def _itself(subject: Subject, x: list[Fraction], upper: float) -> Place | None:
    """The point, with as many bits as it takes to see the bound; None if these do not do."""
    # the value may be the bound itself, such as 0.25^2.5, which no interval computed with logarithms ends at
    top = Fraction(math.nextafter(upper, math.inf) if upper else 0)
    if len(x) != len(subject.bounds):
        raise ValueError("the point has another number of coordinates")
    for bits in POINT_BITS:
        with arithmetic("arb", bits):
            value = _value(subject, x)
        if value is not None and value <= top:
            return Place(x, top, 2 * bits + SPARE)  # Coq's functions lose more, sin beside pi for one
    return None


def _value(subject: Subject, x: Sequence[Fraction]) -> Fraction | None:
    """What the formula is at most at a point; None if it is not seen to be defined there."""
    program = Program([subject.root], subject.numbers)
    values = program.everywhere({k: single(v) for k, v in enumerate(x)})
    return None if values is None else exact(values[program.slots[id(subject.root)]][1])


def _beside(subject: Subject, proof: ByPinnedBox, inside: int) -> Place | None:
    """The point at which what is pinned to the edge of a domain is 2^-inside beyond it."""
    bits = inside + SPARE
    with arithmetic("arb", bits):
        x = [(Fraction(low) + Fraction(high)) / 2 for low, high in proof.box]
        nodes = [subject.node(equation.node) for equation in proof.equations]
        goals = [_goal(subject, equation, Fraction(1, 1 << inside)) for equation in proof.equations]
        x = _solved(Program(nodes, subject.numbers), nodes, x, proof.solve, goals, bits)
        if any(not low <= v <= high for v, (low, high) in zip(x, subject.bounds, strict=True)):
            return None
        value = _value(subject, x)
    if value is None:
        return None
    return Place(x, Fraction(_double_above(value)), bits)


def _double_above(value: Fraction) -> float:
    """A double that is surely above a value, with room for another arithmetic's rounding."""
    return math.nextafter(math.nextafter(float(value), math.inf), math.inf)


def _goal(subject: Subject, equation: Equation, inside: Fraction) -> tuple[Fraction, Fraction]:
    """What the node of an equation should be, and how far from that it may be."""
    node, value = subject.node(equation.node), Fraction(equation.value)
    at_edge = value == 0 and any(_has_edge(other) for other in subject.order if other.args and other.args[0] is node)
    return (inside, inside / 4) if at_edge else (value, inside / 1024)


def _has_edge(node: Expr) -> bool:
    """Whether the first operand has to be at least 0."""
    if node.op != "pow":
        return node.op in ("sqrt", "ln")
    exponent = folded(node.args[1])
    return exponent is None or exponent.denominator != 1


def _solved(
    program: Program,
    nodes: Sequence[Expr],
    x: list[Fraction],
    solve: Sequence[int],
    goals: Sequence[tuple[Fraction, Fraction]],
    bits: int,
) -> list[Fraction]:
    """Newton's method, with difference quotients for slopes; the last point where it does not come near."""

    def missed(at: Sequence[Fraction]) -> list[Fraction] | None:
        evaluated = program.ranges({k: single(v) for k, v in enumerate(at)})
        if evaluated is None:
            return None
        ends = [exact(evaluated[0][program.slots[id(node)]][0]) for node in nodes]
        return [end - goal for end, (goal, _) in zip(ends, goals, strict=True) if end is not None]

    step = Fraction(1, 1 << (bits // 2))
    for _ in range(STEPS):
        now = missed(x)
        if now is None or len(now) != len(nodes) or all(abs(a) <= b for a, (_, b) in zip(now, goals, strict=True)):
            return x
        columns = []
        for variable in solve:
            beside = missed([*x[:variable], x[variable] + step, *x[variable + 1 :]])
            if beside is None or len(beside) != len(nodes):
                return x
            columns.append([(b - a) / step for a, b in zip(now, beside, strict=True)])
        move = _linear([[column[k] for column in columns] for k in range(len(nodes))], now)
        if move is None:
            return x
        for variable, by in zip(solve, move, strict=True):
            x = [*x[:variable], _rounded(x[variable] - by, bits), *x[variable + 1 :]]
    return x


def _rounded(value: Fraction, bits: int) -> Fraction:
    return Fraction(round(value * (1 << bits)), 1 << bits)


def _linear(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The solution of a small system; None if there is no single one."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        if rows[pivot][k] == 0:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k and rows[i][k]:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]
