"""Every interval operation and function of the checker at low precision, against true values at points inside."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.core import intervals, powers
from cpcbench.certify.checker.core.functions.pairs import PAIRS
from cpcbench.certify.checker.core.functions.table import FUNCTIONS
from cpcbench.certify.checker.core.intervals import EVERYWHERE, NOWHERE, Interval
from cpcbench.certify.checker.core.numbers import DOWN, UP, exact, floor, of_double
from cpcbench.certify.checker.extensions.fillers import removable
from tests.material.forgeries import nasty
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import (
    UnclearError,
    apply,
    as_ball,
    ball,
    exact_end,
    is_interval,
    is_outside,
    many_bits,
)

BINARY: dict[str, Callable[[Interval, Interval], Interval]] = {
    "add": intervals.add,
    "sub": intervals.sub,
    "mul": intervals.mul,
}
LARGEST_ANGLE = Fraction(2) ** 200


def judged(
    tally: Tally, kind: str, found: Interval, state: int, points: Sequence[tuple[Fraction, ...]], op: str, whole: bool
) -> None:
    """Counts one check: no true value is outside, and none is where there should be none, or missing."""
    if not is_interval(found):
        tally.judge(kind, True, (op, points, whole, found, state))
        return
    for point in points:
        try:
            with many_bits():
                truth = apply(op, point, whole)
                wrong = state == EVERYWHERE if truth is None else state == NOWHERE or is_outside(as_ball(truth), found)
        except UnclearError:
            continue
        if wrong:
            tally.judge(kind, True, (op, point, whole, found, state))
            return
    tally.judge(kind, False, "")


def unary(r: random.Random, tally: Tally, op: str = "") -> None:
    ends = nasty.pair(r)
    op = op or r.choice(["neg", *FUNCTIONS])
    a = nasty.interval(ends)
    found, state = (intervals.neg(a), EVERYWHERE) if op == "neg" else FUNCTIONS[op].over(a)
    exact_for_all = ("neg", "abs", "floor", "ceil", "round", "sign", "sqrt", "ln", "log10", "log2", "arcsin", "arccos")
    points = [(x,) for x in nasty.inside(r, ends) if op in exact_for_all or abs(x) < LARGEST_ANGLE]
    judged(tally, f"operation: {op}", found, state, points, op, True)


def binary(r: random.Random, tally: Tally, op: str = "") -> None:
    first, second = nasty.pair(r), nasty.pair(r)
    a, b = nasty.interval(first), nasty.interval(second)
    op = op or r.choice([*BINARY, "div", *PAIRS])
    if op in PAIRS:
        found, state = PAIRS[op].over(a, b)
    else:
        found, state = intervals.div(a, b) if op == "div" else (BINARY[op](a, b), EVERYWHERE)
    points = list(zip(nasty.inside(r, first), nasty.inside(r, second), strict=False))
    points += [(r.choice(points)[0], r.choice(points)[1])] if points else []
    judged(tally, f"operation: {op}", found, state, points, op, True)


def _exponent(r: random.Random) -> tuple[float, float]:
    """The ends of an exponent of reasonable size."""
    near = r.choice([0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -0.5, 2.5])
    way = r.randrange(4)
    if way == 0:
        return near, near
    if way == 1:
        far = near + r.choice([-1.0, 1.0]) * 2.0 ** -r.randrange(1, 50)
        return min(near, far), max(near, far)
    return tuple(sorted([near, r.uniform(-4.0, 4.0)]))  # type: ignore[return-value]


def whole_power(r: random.Random, tally: Tally) -> None:
    ends, n = nasty.pair(r), r.choice([0, 1, 2, 3, 4, 5, 7, 8, 64, 65, -1, -2, -3, -5, -64])
    found, state = powers.whole_power(nasty.interval(ends), n)
    points = [(x, Fraction(n)) for x in nasty.inside(r, ends)]
    judged(tally, "power: whole", found, state, points, "pow", True)


def fixed_power(r: random.Random, tally: Tally) -> None:
    ends = nasty.pair(r)
    p = Fraction(r.choice(nasty.EXPONENTS)) * r.choice([-1, 1]) + Fraction(1, 10 ** r.randrange(1, 30))
    if p.denominator == 1:
        return
    found, state = powers.fixed_power(nasty.interval(ends), intervals.single(p), p > 0)
    points = [(x, p) for x in nasty.inside(r, ends)]
    judged(tally, "power: fixed", found, state, points, "pow", True)


def varying_power(r: random.Random, tally: Tally) -> None:
    ends, exponent, ieee = nasty.pair(r), _exponent(r), r.random() < 0.5
    if r.random() < 0.1:
        ends = -abs(nasty.double(r)), 0.0  # the edge alone may be in the domain
    found, state = powers.varying_power(nasty.interval(ends), nasty.interval(exponent), ieee)
    exponents = nasty.inside(r, exponent, 2)
    points = [(x, p) for x in nasty.inside(r, ends, 3) for p in exponents]
    judged(tally, f"power: varying, {'ieee' if ieee else 'strict'}", found, state, points, "pow", ieee)


def square(r: random.Random, tally: Tally) -> None:
    ends = nasty.pair(r)
    found = intervals.square(nasty.interval(ends))
    points = [(x, x) for x in nasty.inside(r, ends)]
    judged(tally, "operation: square", found, EVERYWHERE, points, "mul", True)


def sinc(r: random.Random, tally: Tally) -> None:
    ends = nasty.pair(r)
    found = removable.sinc(nasty.interval(ends))
    for x in nasty.inside(r, ends):
        if abs(x) < LARGEST_ANGLE:
            with many_bits(1400):
                truth = ball(1) if x == 0 else ball(x).sin() / ball(x)
                if is_outside(truth, found):
                    tally.judge("removable: sinc", True, (x, ends, found))
                    return
    tally.judge("removable: sinc", False, "")


def rounding(r: random.Random, tally: Tally) -> None:
    """Fractions rounded, whole parts, and exact numbers read back."""
    value = Fraction(r.getrandbits(r.randrange(1, 90)) + 1, r.getrandbits(r.randrange(1, 90)) + 1) * r.choice([-1, 1])
    if r.random() < 0.3:
        value = r.choice([-1, 1]) * (Fraction(2) ** r.randrange(200) + r.randrange(-1, 2))
    low, high = DOWN.rational(value), UP.rational(value)
    with many_bits(2000):
        wrong = Fraction(exact(low) or 0) > value or Fraction(exact(high) or 0) < value
    tally.judge("numbers: fractions", wrong, (value, low, high))
    end = of_double(nasty.double(r))
    whole, true = floor(end), exact(end)
    wrong = true is not None and whole != true.numerator // true.denominator
    tally.judge("numbers: whole parts", wrong, (end, whole))
    a, b = of_double(nasty.double(r)), of_double(nasty.double(r))
    for name, side in (("below", DOWN), ("above", UP)):
        found = side.sub(a, b)
        with many_bits(5000):
            gap = exact_end(found) - (exact_end(a) - exact_end(b))
            wrong = bool(gap > 0 if name == "below" else gap < 0)
        tally.judge(f"numbers: rounded {name}", wrong, (a, b, found))


def sets(r: random.Random, tally: Tally) -> None:
    """Hulls hold both, what is shared is in both, and whole numbers inside are noticed."""
    first, second = nasty.pair(r, 0.0), nasty.pair(r, 0.0)
    a, b = nasty.interval(first), nasty.interval(second)
    both, shared = intervals.hull([a, b]), intervals.meet(a, b)
    wrong = False
    for x in nasty.inside(r, first) + nasty.inside(r, second):
        with many_bits(2200):
            truth, in_both = ball(x), first[0] <= x <= first[1] and second[0] <= x <= second[1]
            wrong |= is_outside(truth, both) or (in_both and (shared is None or is_outside(truth, shared)))
    tally.judge("operation: hull and meet", wrong, (first, second))
    holds = any(x.denominator == 1 for x in nasty.inside(r, first, 8))
    tally.judge("operation: whole numbers inside", holds and not powers.may_be_whole(a), first)


CHECKS: list[Callable[[random.Random, Tally], Any]] = [
    unary, unary, unary, binary, binary, whole_power, fixed_power, varying_power, square, sinc, rounding, sets,
]  # fmt: skip
