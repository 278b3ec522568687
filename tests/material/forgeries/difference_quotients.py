"""Slopes at low precision: the true difference quotient between any two numbers of the range is inside."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.core import intervals, powers
from cpcbench.certify.checker.core.functions.pairs import PAIRS
from cpcbench.certify.checker.core.functions.table import FUNCTIONS
from cpcbench.certify.checker.core.intervals import Interval
from cpcbench.certify.checker.core.steps import step
from cpcbench.certify.checker.extensions.fillers import removable
from tests.material.forgeries import nasty
from tests.material.forgeries.operations import LARGEST_ANGLE
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import Ball, UnclearError, apply, as_ball, ball, is_outside, many_bits

BITS = 1400
"""Two near numbers have many digits in common."""


def _judge(tally: Tally, kind: str, slope: Interval, quotients: list[tuple[Any, Callable[[], Ball | None]]]) -> None:
    for what, quotient in quotients:
        try:
            with many_bits(BITS):
                truth = quotient()
                if truth is not None and truth.is_finite() and is_outside(truth, slope):
                    tally.judge(kind, True, (what, slope))
                    return
        except UnclearError:
            continue
    tally.judge(kind, False, "")


def _between(op: str, first: list[Fraction], second: list[Fraction], whole: bool = True) -> Callable[[], Ball | None]:
    """The difference quotient in the one operand that differs."""

    def quotient() -> Ball | None:
        u, v = apply(op, first, whole), apply(op, second, whole)
        apart = [a - b for a, b in zip(first, second, strict=True) if a != b]
        if u is None or v is None or len(apart) != 1:
            return None
        return (as_ball(u) - as_ball(v)) / ball(apart[0])

    return quotient


def _near(r: random.Random, ends: tuple[float, float], count: int = 3) -> list[Fraction]:
    """Numbers of a range, some of them next to others."""
    found = [x for x in nasty.inside(r, ends, count) if abs(x) < LARGEST_ANGLE]
    apart = Fraction(1, 1 << r.randrange(5, 60))
    return found + [x + apart for x in found if Fraction(x + apart) <= ends[1]]


def _pairs(r: random.Random, found: list[Fraction]) -> list[tuple[Fraction, Fraction]]:
    every = [(u, v) for place, u in enumerate(found) for v in found[place + 1 :] if u != v]
    return r.sample(every, min(4, len(every)))


def function(r: random.Random, tally: Tally, op: str = "") -> None:
    ends = nasty.pair(r)
    a = nasty.interval(ends)
    op = op or r.choice(list(FUNCTIONS))
    value, state = FUNCTIONS[op].over(a)
    if not FUNCTIONS[op].domain.is_connected and state != intervals.EVERYWHERE:
        return
    slope = FUNCTIONS[op].slope(a, value)
    pairs = _pairs(r, _near(r, ends))
    _judge(tally, f"slope: {op}", slope, [((op, u, v), _between(op, [u], [v])) for u, v in pairs])


def whole_power(r: random.Random, tally: Tally) -> None:
    ends, n = nasty.pair(r), r.choice([0, 1, 2, 3, 4, 5, 8, -1, -2, -3])
    a, p = nasty.interval(ends), Fraction(n)
    slope = powers.whole_power_slope(a, n)
    pairs = _pairs(r, [x for x in _near(r, ends) if n >= 0 or x])
    _judge(tally, "slope: whole power", slope, [((n, u, v), _between("pow", [u, p], [v, p])) for u, v in pairs])


def fixed_power(r: random.Random, tally: Tally) -> None:
    ends = nasty.pair(r)
    p = Fraction(r.choice(nasty.EXPONENTS)) + r.choice([-1, 1]) * Fraction(1, 10 ** r.randrange(1, 30))
    p *= r.choice([-1, 1, 1])
    if p.denominator == 1 or abs(p) > 100:
        return
    slope = powers.fixed_power_slope(nasty.interval(ends), intervals.single(p), intervals.single(p - 1))
    pairs = _pairs(r, [x for x in _near(r, ends) if x > 0 or (x == 0 and p > 0)])
    _judge(tally, "slope: fixed power", slope, [((p, u, v), _between("pow", [u, p], [v, p])) for u, v in pairs])


def varying_power(r: random.Random, tally: Tally) -> None:
    ends = nasty.pair(r)
    low, high = sorted([r.choice([0.5, 1.0, -1.0, 2.0, 2.0**-40, 1 + 2.0**-50]), r.uniform(-3.0, 3.0)])
    a, p = nasty.interval(ends), intervals.between(low, high)
    if not (a[0] > 0 or (a[0] >= 0 and p[0] > 0)):
        return
    value = powers.varying_power(a, p, False)[0]
    by_base, by_exponent = powers.varying_power_slopes(a, p, value)
    bases, exponents = _near(r, ends), _near(r, (low, high), 2)
    across = [((u, v, q), _between("pow", [u, q], [v, q], False)) for u, v in _pairs(r, bases) for q in exponents[:2]]
    along = [((b, u, v), _between("pow", [b, u], [b, v], False)) for b in bases[:2] for u, v in _pairs(r, exponents)]
    _judge(tally, "slope: varying power, base", by_base, list(across))
    _judge(tally, "slope: varying power, exponent", by_exponent, list(along))


def quotient(r: random.Random, tally: Tally) -> None:
    first, second = nasty.pair(r), nasty.pair(r)
    a, b = nasty.interval(first), nasty.interval(second)
    value, state = intervals.div(a, b)
    if state != intervals.EVERYWHERE:
        return
    above, below = step("div", 2, [0, 1], 0, None, False).partials([a, b, value])
    tops, bottoms = _near(r, first, 2), _near(r, second, 2)
    up = [((u, v, q), _between("div", [u, q], [v, q])) for u, v in _pairs(r, tops) for q in bottoms[:2]]
    down = [((t, u, v), _between("div", [t, u], [t, v])) for t in tops[:2] for u, v in _pairs(r, bottoms)]
    _judge(tally, "slope: numerator", above, list(up))
    _judge(tally, "slope: denominator", below, list(down))


def pair(r: random.Random, tally: Tally, op: str = "") -> None:
    """The slopes of a function of two operands, with one of these held still."""
    first, second = nasty.pair(r), nasty.pair(r)
    op = op or r.choice(list(PAIRS))
    a, b = nasty.interval(first), nasty.interval(second)
    value, state = PAIRS[op].over(a, b)
    if state != intervals.EVERYWHERE:
        return
    one, other = PAIRS[op].slopes(a, b, value)
    left, right = _near(r, first, 2), _near(r, second, 2)
    along = [((op, u, v, q), _between(op, [u, q], [v, q])) for u, v in _pairs(r, left) for q in right[:2]]
    across = [((op, t, u, v), _between(op, [t, u], [t, v])) for t in left[:2] for u, v in _pairs(r, right)]
    _judge(tally, f"slope: {op}, first", one, list(along))
    _judge(tally, f"slope: {op}, second", other, list(across))


def sinc(r: random.Random, tally: Tally) -> None:
    ends = nasty.pair(r)

    def at(x: Fraction) -> Ball:
        return ball(1) if x == 0 else ball(x).sin() / ball(x)

    def between(u: Fraction, v: Fraction) -> Callable[[], Ball]:
        return lambda: (at(u) - at(v)) / ball(u - v)

    slope = removable.sinc_slope(nasty.interval(ends))
    _judge(tally, "removable: slope of sinc", slope, [((u, v), between(u, v)) for u, v in _pairs(r, _near(r, ends))])


CHECKS: list[Callable[[random.Random, Tally], Any]] = [
    function, function, pair, whole_power, fixed_power, varying_power, quotient, sinc,
]  # fmt: skip
