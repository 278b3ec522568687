"""Tables, periods, straight conditions, thin sets, settled operations, limits and Krawczyk's operator, each against the
truth of small cases."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import flint

from cpcbench.certify.checker.core.intervals import Interval
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.sums import straight_conditions
from cpcbench.certify.checker.extensions.sums.periods import ranges_of
from cpcbench.certify.checker.extensions.sums.tables import Joined, Jumping
from cpcbench.certify.checker.extensions.thin import thin_sets
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.parser import parse_formula
from tests.material.forgeries import nasty
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import as_ball, ball, is_outside, many_bits, value_at


def _breaks(r: random.Random) -> list[float]:
    """Rising doubles, some of them neighbours."""
    found = {0.0, 1.0, *(r.choice([r.uniform(0.0, 1.0), r.randrange(64) / 64]) for _ in range(r.randrange(4)))}
    for place in sorted(found):
        if r.random() < 0.2 and place < 1.0:
            found.add(math.nextafter(place, 2.0))
    return sorted(found)


def _joined_at(table: Joined, x: Fraction) -> Fraction:
    cell = max(j for j in range(len(table.breaks) - 1) if Fraction(table.breaks[j]) <= x)
    left, right = Fraction(table.breaks[cell]), Fraction(table.breaks[cell + 1])
    first, last = Fraction(table.values[cell]), Fraction(table.values[cell + 1])
    return first + (last - first) * (x - left) / (right - left)


def _jumping_at(table: Jumping, x: Fraction) -> Fraction:
    cell = max(j for j in range(len(table.breaks) - 1) if Fraction(table.breaks[j]) <= x)
    a, b = (Fraction(v) for v in table.values[cell])
    return a + b * (x - Fraction(table.breaks[cell]))


def _part(r: random.Random, breaks: list[float]) -> tuple[float, float]:
    low, high = sorted(r.choice([r.choice(breaks), r.uniform(0.0, 1.0)]) for _ in range(2))
    return low, high


def tables(r: random.Random, tally: Tally) -> None:
    """Ranges and slopes of tables; at the right end of an interval that ends at a jump the next cell counts."""
    breaks = _breaks(r)
    joined = Joined(breaks, [nasty.double(r) if r.random() < 0.2 else r.uniform(-2.0, 2.0) for _ in breaks])
    jumping = Jumping(breaks, [[r.uniform(-2.0, 2.0), r.uniform(-9.0, 9.0)] for _ in breaks[1:]])
    low, high = _part(r, breaks)
    inside = [x for x in nasty.inside(r, (low, high), 3) if low <= x <= high]
    apart = [(x, y) for x in inside for y in inside if x < y]
    held = [x for x in inside if x < high or low == high or high == 1.0]
    found = joined.range(low, high), jumping.range(low, high)
    slopes: list[tuple[Interval | None, list[Fraction]]] = [
        (
            jumping.slope(low, high),
            [(_jumping_at(jumping, y) - _jumping_at(jumping, x)) / (y - x) for x, y in apart if y in held],
        )
    ]
    with suppress(RejectedError):
        quotients = [(_joined_at(joined, y) - _joined_at(joined, x)) / (y - x) for x, y in apart]
        slopes.append((joined.slope(low, high), quotients))
    with many_bits(3000):
        wrong = any(is_outside(ball(_joined_at(joined, x)), found[0]) for x in inside)
        tally.judge("tables: joined", wrong, (joined, low, high))
        wrong = any(is_outside(ball(_jumping_at(jumping, x)), found[1]) for x in held)
        tally.judge("tables: with jumps", wrong, (jumping, low, high))
        for slope, quotients in slopes:
            if slope is not None:
                wrong = any(is_outside(ball(q), slope) for q in quotients)
                tally.judge("tables: slopes", wrong, (joined, jumping, low, high))


TURNS = (
    "1",
    "2",
    "7",
    "36028797018963969",
    "1.5",
    "1.00000000000000000001",
    "0.99999999999999999999",
    "2.0",
    "pi",
    "0",
)
WAVES = (
    "sin({m}*x1)",
    "cos({m}*x1) + x2",
    "sin(x1)*cos({m}*x1)",
    "sin({m}*x1 + x2)",
    "x2*sin(x1*{m})",
    "x1*sin({m}*x1)",
)


def periods(r: random.Random, tally: Tally) -> None:
    """What is said to repeat does, after the period that is stated."""
    text = r.choice(WAVES).format(m=r.choice(TURNS))
    root = parse_formula(text, n=2)
    subject = Subject("", root, [(0.0, 1e6), (0.0, 1.0)], "regular")
    low = r.uniform(-10.0, 10.0)
    high = low + 2 * math.pi
    for _ in range(r.randrange(3)):
        high = math.nextafter(high, r.choice([-math.inf, math.inf]))
    wrong = False
    try:
        (least, most), _ = ranges_of(subject, [root], {"0": [low, high]})
    except RejectedError:
        tally.judge("periods", False, "")
        return
    with many_bits():
        turn = 2 * flint.arb.pi()
        wrong = bool(ball(most) - ball(least) < turn)
        x = Fraction(r.randrange(1 << 20), 1 << 18)
        shift = Fraction(*map(int, _fraction(turn)))
        first, last = (value_at(root, [y, Fraction(1, 3)], False) for y in (x, x + shift))
        wrong |= bool(abs(as_ball(first) - as_ball(last)) > flint.arb(2) ** -100)
    tally.judge("periods", wrong, (text, low, high))


def _fraction(number: Any) -> tuple[Any, Any]:
    """A number of many bits, cut off, as a fraction."""
    mantissa, exponent = number.mid().man_exp()
    return (mantissa << int(exponent), 1) if exponent >= 0 else (mantissa, 1 << -int(exponent))


def conditions(r: random.Random, tally: Tally) -> None:
    """Straight conditions that all hold with equality at a point never narrow a variable beyond it."""
    point = [Fraction(r.choice([nasty.double(r), r.randrange(-8, 9) / 4, r.uniform(-2, 2)])) for _ in range(3)]
    if any(abs(x) > 2**60 for x in point) or any(x and abs(x) < Fraction(1, 2**200) for x in point):
        return
    texts, count = [], r.randrange(2, 4)
    for _ in range(count):
        weights = [r.randrange(-3, 4) for _ in point]
        texts.append(
            " + ".join(
                f"({w})*(x{i + 1} - ({_decimal(x)}))" for i, (w, x) in enumerate(zip(weights, point, strict=True))
            )
        )
    root = parse_formula(" + ".join(f"{r.choice(['sqrt', 'ln'])}({text})" for text in texts), n=3)
    subject = Subject("", root, [(-1e300, 1e300)] * 3, "regular")
    operands = [subject.numbers[id(node.args[0])] for node in subject.order if node.op in ("sqrt", "ln", "given")]
    by = [[number, r.choice(["1", "2", "1/3", "3/2", "0"])] for number in operands]
    variable = r.randrange(3)
    near = float(point[variable])
    stated = r.choice([near, math.nextafter(near, -math.inf), math.nextafter(near, math.inf), near + r.uniform(-1, 1)])
    entry = {"variable": variable, "low": stated, "high": stated, "by": by}
    wrong = False
    try:
        low, high = straight_conditions.narrowed(subject, subject.bounds, [entry])[variable]
        wrong = not Fraction(low) <= point[variable] <= Fraction(high)
    except RejectedError:
        pass
    tally.judge("straight conditions", wrong, (root, entry, point))


def _decimal(x: Fraction) -> str:
    """A double's exact value in decimals."""
    places = x.denominator.bit_length() - 1
    digits = str(abs(x.numerator) * 5**places).rjust(places + 1, "0")
    number = digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"
    return number if x >= 0 else f"-{number}"


def thin(r: random.Random, tally: Tally) -> None:
    """Every whole number that an exponent is exactly, with a base that can be negative, is counted."""
    whole = Fraction(r.choice([0, 1, -3, 2**53, 2**53 + 1, 2**55, 2**64 + 1, 10**25]))
    shift = r.choice([whole, whole, whole, Fraction(1, 2), Fraction(1, 10**20)])
    factor = Fraction(r.choice(["1", "2", "0.5", "3", "0.1", "1.00000000000000000001", "0.25"]))
    low = r.choice([nasty.double(r), r.randrange(-4, 5) / 4, r.uniform(-3, 3)])
    low = low if abs(low) < 1e6 and (low == 0 or abs(low) > 1e-30) else 0.0
    high = low + r.choice([0.0, 0.25, 1.0, 2.0, 2.0**-40])
    base = r.choice(["x2", "(x2 - 0.5)", "(-x2)", "sin(x2)", "(x2 + 1)", "(x2 - 0.00000000000000000001)"])
    text = (
        f"{base}^({_written(factor)}*x1 + {_written(shift)})"
        if shift >= 0
        else (f"{base}^({_written(factor)}*x1 - {_written(-shift)})")
    )
    subject = Subject("", parse_formula(text, n=2), [(low, high), (0.0, 1.0)], "thin")
    negative = base in ("(x2 - 0.5)", "(-x2)", "(x2 - 0.00000000000000000001)")
    ends = [factor * Fraction(end) + shift for end in (low, high)]
    first = -(-ends[0].numerator // ends[0].denominator)
    expected = {(n,) for n in range(first, math.floor(ends[1]) + 1)} if negative else set()
    wrong = False
    with suppress(RejectedError):
        wrong = not expected <= set(thin_sets(subject))
    tally.judge("thin sets", wrong, (text, low, high, sorted(expected)[:3]))


def _written(x: Fraction) -> str:
    """A fraction of decimals as it is written."""
    places = 0
    while (x * 10**places).denominator != 1:
        places += 1
    digits = str((x * 10**places).numerator).rjust(places + 1, "0")
    return digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"


CHECKS: list[Callable[[random.Random, Tally], Any]] = [tables, tables, periods, conditions, thin]
