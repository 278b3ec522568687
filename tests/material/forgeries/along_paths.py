"""What formulas are said to do along paths, against their values near the end; and functions u^p ln(u) with slopes."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint

from cpcbench.certify.checker.core import intervals
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.fillers import logarithm_powers
from cpcbench.certify.checker.extensions.paths import powers_of_pi
from cpcbench.certify.checker.extensions.paths.paths import tails_of
from cpcbench.certify.checker.extensions.paths.powers_of_pi import Exact
from cpcbench.certify.checker.extensions.paths.tails import FINITE, INFINITE, Tail
from cpcbench.expr.nodes import var
from cpcbench.expr.walk import postorder
from tests.material.forgeries import nasty
from tests.material.forgeries.formulas import _turned, _vanishing
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import (
    Ball,
    UnclearError,
    Value,
    as_ball,
    ball,
    exact_end,
    is_outside,
    many_bits,
    values_at,
)
from tests.material.random_formulas import ELEMENTARY, RATIONAL, Builder, formula

FAR = (3000, 6000)
"""The parameter of a path is 2 to the power of minus these."""
BITS = 30_000
SLOW = 0.4
"""What has come no nearer than this to its limit by then does not tend to it."""

BUILDERS: list[Builder] = [
    *RATIONAL,
    *ELEMENTARY,
    lambda r, e: _vanishing(r, e()),
    lambda r, e: _turned(r, e()),
    lambda r, e: e() / var(0),
    lambda r, e: e() ** -r.choice([1, 2, 3]),
]


def tails(r: random.Random, tally: Tally) -> None:
    """Every node with a tail is defined near the end of the path, and does what it is said to."""
    root = formula(r, r.choice([2, 3, 4, 5]), BUILDERS)
    coordinates = [_coordinate(r) for _ in range(2)]
    subject = Subject("", root, [(-9.0, 9.0)] * 2, "regular")
    found = tails_of(subject, coordinates)
    if found[id(root)] is None:
        return
    places = [[_at(along, far) for along in coordinates] for far in FAR]
    try:
        with many_bits(BITS):
            values = [values_at(root, x, False) for x in places]
    except (UnclearError, OverflowError, ZeroDivisionError):
        return
    for node in postorder(root):
        tail = found[id(node)]
        if tail is not None and node.op not in ("lt", "le"):
            wrong = _is_wrong(tail, [each[id(node)] for each in values])
            tally.judge("paths: tails", wrong, (root, node, tail, coordinates))


def _coordinate(r: random.Random) -> Exact:
    """A start that is special, and one or two powers of t."""
    start = Fraction(r.choice(["0", "0", "0", "1", "-1", "2", "1/2", "3/2"]))
    found = powers_of_pi.number(start)
    if r.random() < 0.2:
        found = powers_of_pi.number(Fraction(r.choice(["1/2", "1", "-1/2", "3/2"])), 1)
    for power in r.sample((1, 2, 3), r.choice([0, 1, 1, 2])):
        found = powers_of_pi.plus(found, {(power, 0): Fraction(r.choice(["1", "-1", "2", "1/3"]))})
    return found


def _at(along: Exact, far: int) -> Value:
    """A coordinate at one t: exactly, unless it starts at a multiple of pi."""
    exact = sum((c * Fraction(1, 1 << (far * i)) for (i, j), c in along.items() if not j), Fraction(0))
    turns = sum((c for (_, j), c in along.items() if j), Fraction(0))
    if not turns:
        return exact
    with many_bits(BITS):
        return ball(exact) + ball(turns) * flint.arb.pi()


def _is_wrong(tail: Tail, values: list[Value]) -> bool:
    if any(value is None for value in values):
        return True
    try:
        with many_bits(BITS):
            first, last = (as_ball(value) for value in values)
            if tail.kind == INFINITE:
                return bool(last * (tail.side or 0) <= 0 or abs(last) < abs(first))
            if tail.kind == FINITE and tail.value is not None and tail.side is not None:
                apart = last - _number(tail.value)
                if bool(apart * tail.side < 0) or (tail.side == 0 and bool(apart != 0)):
                    return True
            near, nearer = (_distance(value, tail.range) for value in (first, last))
            return bool(nearer > SLOW or (nearer > 0.01 and nearer >= near))
    except UnclearError:
        return False


def _number(value: Exact) -> Ball:
    return sum((ball(c) * flint.arb.pi() ** j for (_, j), c in value.items()), flint.arb(0))


def _distance(value: Ball, range_: Any) -> Ball:
    low, high = (exact_end(end) for end in range_)
    return low - value if value < low else value - high if value > high else flint.arb(0)


def logarithms(r: random.Random, tally: Tally) -> None:
    """u^p ln(u), and 0 for u up to 0, with its difference quotients."""
    ends = nasty.pair(r)
    p = Fraction(r.choice(["0.1", "0.5", "1", "1.0000000000000000001", "0.9999999999999999999", "2", "2.5", "1/3"]))
    a, exponent = nasty.interval(ends), intervals.single(p)
    points = [x for x in nasty.inside(r, ends) if abs(x) < 2**200]
    found = logarithm_powers.logarithm_power(a, exponent)
    slope = logarithm_powers.logarithm_power_slope(a, exponent)
    with many_bits(1400):
        values = [(x, ball(x) ** ball(p) * ball(x).log() if x > 0 else flint.arb(0)) for x in points]
        tally.judge("logarithm powers", any(is_outside(v, found) for _, v in values), (ends, p, found))
        quotients = [(v - w) / ball(x - y) for x, v in values for y, w in values if x < y]
        wrong = any(q.is_finite() and is_outside(q, slope) for q in quotients)
        tally.judge("logarithm powers: slopes", wrong, (ends, p, slope))


CHECKS: list[Callable[[random.Random, Tally], Any]] = [tails, tails, logarithms, logarithms]
