"""Settled operations, limits along families, and Krawczyk's operator, against sequences and signs of many bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint

from cpcbench.certify.checker.core import krawczyk
from cpcbench.certify.checker.core.intervals import EVERYWHERE, between
from cpcbench.certify.checker.core.krawczyk import System
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Step
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.paths import families
from cpcbench.certify.checker.extensions.paths.tails import BOUNDED, INFINITE, Tail, vanishing
from cpcbench.certify.checker.extensions.settled import is_settled
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr import functions
from cpcbench.expr.functions import ln
from cpcbench.expr.nodes import Expr, node, num, var
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from tests.material.forgeries import nasty
from tests.material.forgeries.formulas import HOSTILE
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import UnclearError, Value, as_ball, ball, is_outside, many_bits, values_at
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula

FAR = (200, 210)
"""For limits v is 2 to the power -2^200, and further: even its logarithm is then beyond any constant."""

NEAR = (4000, 4001)
"""How near, as powers of 1/2, points come to a limit."""


def settled(r: random.Random, tally: Tally) -> None:
    """A settled operation has, at a limit of points where it is defined, the limit of its values."""
    x, y = var(0), var(1)
    exponent = num(r.choice([0, 1, 2, -1, -2, 0.5, -0.5, 1.5]))
    two = r.choice([x + y, x - y, x * y, x / y, x**y, x**y, x / y, x**exponent])
    two = node(r.choice(functions.PAIRS), x, y) if r.random() < 0.3 else two
    root = node(r.choice(functions.FUNCTIONS), x) if r.random() < 0.4 else two
    ieee = r.random() < 0.5
    ends = [_moderate(r), _moderate(r)]
    program = Program([root], {id(n): k for k, n in enumerate(postorder(root))}, ieee=ieee)
    evaluated = program.ranges({v: between(*ends[v]) for v in program.variables})
    made = program.steps[-1]
    if evaluated is None or made.number != len(postorder(root)) - 1 or not is_settled(made, evaluated[0]):
        return
    wrong = any(_is_loose(r, root, made, ends, ieee) for _ in range(4))
    tally.judge(f"settled: {made.op}", wrong, (root, ends, ieee))


def _moderate(r: random.Random) -> tuple[float, float]:
    low, high = nasty.pair(r, 0.0)
    while max(abs(low), abs(high)) > 1e6 or 0 < high - low < 1e-200:
        low, high = nasty.pair(r, 0.0)
    return low, high


def _is_loose(r: random.Random, root: Expr, made: Step, ends: list[tuple[float, float]], ieee: bool) -> bool:
    """Whether values near some limit are not near the value at it, or there is none."""
    at = [r.choice([*nasty.inside(r, side, 2), *([Fraction(0)] if side[0] <= 0 <= side[1] else [])]) for side in ends]
    near = [_towards(r, x, side) for x, side in zip(at, ends, strict=True)]
    if made.op == "pow" and at[0] == 0 and 0 < at[1] < Fraction(1, 5):
        return False  # it tends to 0, but too slowly to be seen
    with many_bits(9000):
        try:
            close = values_at(root, near, ieee)[id(root)]
            if close is None:
                return False
            there = values_at(root, at, ieee)[id(root)]
            if there is None:
                return True
            return bool(abs(as_ball(close) - as_ball(there)) > flint.arb(2) ** -100 * (1 + abs(as_ball(there))))
        except UnclearError:
            return False


def _towards(r: random.Random, x: Fraction, side: tuple[float, float]) -> Fraction:
    step = Fraction(1, 1 << r.choice(NEAR)) * r.choice([-1, 0, 1])
    return x + step if Fraction(side[0]) <= x + step <= Fraction(side[1]) else x


def limits(r: random.Random, tally: Tally) -> None:
    """What is said to tend to 0 or away, with a sign, does so as v comes next to 0, and is defined there."""
    v = var(0)
    builders = [*RATIONAL[:-2], *ELEMENTARY, *HOSTILE, lambda r, e: ln(v) * e(), lambda r, e: e() / v]
    root = formula(r, r.choice([2, 3, 4, 5]), builders)
    positive, ieee = r.random() < 0.5, r.random() < 0.3
    side = _moderate(r)
    try:
        program = Program([root], {id(n): k for k, n in enumerate(postorder(root))}, ieee=ieee)
    except RejectedError:
        return
    reach = (0.0, 0.001) if positive else (-0.001, 0.0)
    values = list(program.start)
    for variable, slot in program.variables.items():
        values[slot] = between(*(reach if variable == 0 else side))
    if 0 not in program.variables:
        return
    found = {program.variables[0]: vanishing(1 if positive else -1)}
    number = {slot: n for n, slot in program.slots.items()}
    x2 = r.choice(nasty.inside(r, side, 2))
    paths = [_path(root, -(1 << k), positive, x2, ieee) for k in FAR]
    for made in program.steps:
        state = made.run(values)
        tail = families.tail_of(made, program, values, found)
        if state != EVERYWHERE and tail is None:
            return
        if tail is not None and tail.kind != BOUNDED:
            found[made.slot] = tail
        if None not in paths and made.slot in number:
            close = [path[number[made.slot]] for path in paths if path is not None]
            tally.judge("families: limits", _is_wrong(tail, close), (root, number[made.slot], side, positive, x2))


def _path(root: Expr, exponent: int, positive: bool, x2: Fraction, ieee: bool) -> dict[int, Value] | None:
    with many_bits(1000):
        try:
            return values_at(root, [flint.arb((1 if positive else -1, exponent)), x2], ieee)
        except (UnclearError, OverflowError):
            return None


def _is_wrong(tail: Tail | None, close: list[Value]) -> bool:
    """Whether values along the way contradict a tail, or are missing."""
    if any(value is None for value in close):
        return True
    if tail is None:
        return False
    try:
        with many_bits(2000):
            first, last = (as_ball(value) for value in close)
            if tail.sign is not None and bool(last * tail.sign < 0):
                return True
            if tail.kind == INFINITE:
                return bool(abs(last) < abs(first))
            return bool(abs(last) > abs(first)) if tail.vanishes else is_outside(last, tail.room)
    except UnclearError:
        return False


EQUATIONS = (
    "x1^2", "sin(x1)", "x1^3 - x1", "exp(x1)", "x1*cos(x1)", "ln(x1 + 2)", "abs(x1) + x1", "sqrt(x1 + 1)",
    "floor(x1) + x1", "1/(x1 + 3)", "arcsin(x1/4)", "tan(x1)", "(x1 + 2)^1.0000000000000000001", "x1^3", "(x1 + 2)^x1",
)  # fmt: skip


def one_equation(r: random.Random, tally: Tally) -> None:
    """A solution that is proven to exist shows as a change of sign between the ends."""
    root = parse_formula(r.choice(EQUATIONS), n=1)
    subject = Subject("", root, [(-4.0, 4.0)], "regular")
    middle, width = r.uniform(-1.5, 1.5), r.choice([0.5, 0.1, 2.0**-5, 2.0**-20, 2.0**-45])
    low, high = middle - width, middle + r.choice([width, width / 3, 2 * width])
    with many_bits():
        try:
            about = values_at(root, [Fraction(middle)], False)[id(root)]
            value = Fraction(0) if about is None else Fraction(float(as_ball(about).mid()))
        except UnclearError:
            return
    value += Fraction(r.choice([0.0, width, -width, 2 * width, r.uniform(-3, 3) * width]))
    system = System([(low, high)], [0], [(root, value)])
    if not _is_accepted(subject, system):
        tally.judge("Krawczyk: one equation", False, "")
        return
    with many_bits():
        ends = [values_at(root, [Fraction(x)], False)[id(root)] for x in (low, high)]
        try:
            apart = [as_ball(end) - ball(value) for end in ends]
            wrong = bool(apart[0] * apart[1] > 0)
        except UnclearError:
            wrong = False
    tally.judge("Krawczyk: one equation", wrong, (root, value, low, high))


def _is_accepted(subject: Subject, system: System) -> bool:
    try:
        krawczyk._krawczyk(subject, system, False, None)
    except RejectedError:
        return False
    return True


PAIRS = (("x1*x2", "x1 + x2"), ("x1^2 + x2^2", "x1 - x2"), ("sin(x1) + x2", "x1*x2"), ("exp(x1)*x2", "x1 + x2^2"),
         ("x1/x2", "x1*x2"), ("abs(x1) + x2", "x1 - x2^3"))  # fmt: skip


def two_equations(r: random.Random, tally: Tally) -> None:
    """A solution that is proven to exist is found by Newton's steps of many bits, inside the box."""
    texts = r.choice(PAIRS)
    root = parse_formula(f"{texts[0]} + ({texts[1]})", n=2)
    first, second = root.args
    subject = Subject("", root, [(-9.0, 9.0)] * 2, "regular")
    at = [r.uniform(0.2, 2.0) for _ in range(2)]
    width = r.choice([0.3, 0.05, 2.0**-20])
    shift = [r.choice([0.0, 0.0, 0.5, 0.9, 1.1, 3.0]) * width * r.choice([-1, 1]) for _ in at]
    box = [(x + s - width, x + s + width) for x, s in zip(at, shift, strict=True)]
    with many_bits():
        exact = values_at(root, [Fraction(x) for x in at], False)
        pins = [(n, Fraction(float(as_ball(exact[id(n)]).mid()))) for n in (first, second)]
    wrong = _is_accepted(subject, System(box, [0, 1], pins)) and not _newton(root, pins, box)
    tally.judge("Krawczyk: two equations", wrong, (texts, pins, box))


def _newton(root: Expr, pins: list[tuple[Expr, Fraction]], box: list[tuple[float, float]]) -> bool:
    """Whether Newton's steps from the middle end at a solution in the box."""
    x = [Fraction((low + high) / 2) for low, high in box]
    tiny = Fraction(1, 1 << 80)
    for _ in range(12):
        here = _residuals(root, pins, x)
        columns = [_residuals(root, pins, [x[0] + tiny * (i == 0), x[1] + tiny * (i == 1)]) for i in range(2)]
        (a, b), (c, d) = ([(columns[j][i] - here[i]) / tiny for j in range(2)] for i in range(2))
        base = a * d - b * c
        if base == 0:
            return False
        x = [x[0] - (d * here[0] - b * here[1]) / base, x[1] - (a * here[1] - c * here[0]) / base]
        x = [Fraction(round(v * (1 << 200)), 1 << 200) for v in x]
    small = all(abs(v) < Fraction(1, 1 << 60) for v in _residuals(root, pins, x))
    return small and all(Fraction(low) <= v <= Fraction(high) for v, (low, high) in zip(x, box, strict=True))


def _residuals(root: Expr, pins: list[tuple[Expr, Fraction]], x: list[Fraction]) -> list[Fraction]:
    with many_bits():
        found = values_at(root, x, False)
        apart = [as_ball(found[id(n)]) - ball(value) for n, value in pins]
        return [Fraction(int((v * 2**300).mid().floor().unique_fmpz()), 1 << 300) for v in apart]


CHECKS: list[Callable[[random.Random, Tally], Any]] = [settled, settled, limits, one_equation, two_equations]
