"""The rigorous reading knows which numbers are equal: exact values, and what cancels or does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest

from cpcbench.expr import (
    Expr,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cbrt,
    ceil,
    cos,
    cosh,
    erf,
    exp,
    expm1,
    floor,
    hypot,
    ln,
    log1p,
    log2,
    log10,
    maximum,
    minimum,
    mod,
    num,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from cpcbench.expr.nodes import node
from cpcbench.readings.reals.enclosure import enclose
from tests.readings.places import EDGE, GAP, INSIDE, OUTSIDE, THIN, place, x1, x2


@pytest.mark.parametrize(
    ("root", "x", "expected", "value"),
    [
        (sqrt(x1), (0.0,), EDGE, 0.0),
        (sqrt(x1), (2.25,), INSIDE, 1.5),
        (sqrt(x1), (-5e-324,), OUTSIDE, None),
        (ln(x1), (0.0,), GAP, None),
        (ln(x1), (1.0,), INSIDE, 0.0),
        (ln(x1), (-1.0,), OUTSIDE, None),
        (1 / x1, (0.0,), GAP, None),
        (x1 / x1, (0.0,), GAP, None),
        (arcsin(x1), (0.0,), INSIDE, 0.0),
        (arcsin(x1 / 2), (2.0,), EDGE, None),
        (arcsin(-x1), (1.0,), EDGE, None),
        (arcsin(x1), (math.nextafter(1.0, 2.0),), OUTSIDE, None),
        (tan(pi * x1), (0.5,), GAP, None),
        (tan(pi * x1), (0.75,), INSIDE, -1.0),
        (sin(pi / 6 * x1), (-1.0,), INSIDE, -0.5),
        (cos(pi * x1), (3.0,), INSIDE, -1.0),
        (x1 ** (num(1) / 5), (0.0,), EDGE, 0.0),
        (x1 ** (num(1) / 5), (32.0,), INSIDE, 2.0),
        (x1 ** (num(1) / 5), (-32.0,), OUTSIDE, None),
        (x1**-0.5, (0.0,), GAP, None),
        (x1**0, (0.0,), INSIDE, 1.0),
        (x1**3, (-2.0,), INSIDE, -8.0),
        (x1**-3, (-2.0,), INSIDE, -0.125),
        (x1**-3, (0.0,), GAP, None),
        (x1**x2, (0.0, 0.0), EDGE, 1.0),
        (x1**x2, (0.0, 2.0), EDGE, 0.0),
        (x1**x2, (0.0, 2.5), EDGE, 0.0),
        (x1**x2, (0.0, -2.0), GAP, None),
        (x1**x2, (2.0, -2.0), INSIDE, 0.25),
        (x1**x2, (-2.0, -2.0), THIN, 0.25),
        (x1**x2, (-2.0, 2.5), OUTSIDE, None),
        (x1 ** floor(x2), (-2.0, 3.5), INSIDE, -8.0),
        (sqrt(x1) + ln(x2), (0.0, 0.0), GAP, None),
        (sqrt(x1) + ln(x2), (-1.0, 0.0), OUTSIDE, None),
        (sqrt(x1) + x2**x1, (2.0, -3.0), THIN, None),
        (sqrt(ln(x1)), (0.0,), GAP, None),
        (where(x1 < 0, ln(x1), x1), (0.0,), INSIDE, 0.0),
        (where(x1 <= 0, ln(x1), x1), (0.0,), GAP, None),
        (where(ln(x1) < 0, 1, 2), (-1.0,), OUTSIDE, None),
        (where(sqrt(x1) < 0, 1, 2), (0.0,), EDGE, 2.0),
        (floor(x1), (-0.5,), INSIDE, -1.0),
        (floor(x1), (3.0,), INSIDE, 3.0),
        (floor(x1 / 0.1), (Fraction(3, 10),), INSIDE, 3.0),
        (floor(sqrt(x1) * sqrt(x1 * x1)), (4.0,), INSIDE, 8.0),
        (floor(exp(x1)), (10.0,), INSIDE, 22026.0),
        (sign(x1), (-0.25,), INSIDE, -1.0),
        (exp(x1), (0.0,), INSIDE, 1.0),
    ],
)  # fmt: skip
def test_place_and_exact_value(
    root: Expr, x: Sequence[float | Fraction], expected: tuple[str, bool, bool], value: float | None
) -> None:
    real = enclose(root, x)
    assert place(real) == expected
    if value is not None:
        assert real.lower == real.upper == real.midpoint == value


@pytest.mark.parametrize(
    "vanishing",
    [
        sin(x1) + sin(-x1),
        sin(x1 - x2) + sin(x2 - x1),
        tan(x1 * x2) - tan(x2 * x1),
        arcsin(x1 / 8) + arcsin(-x1 / 8),
        cos(x1) - cos(-x1),
        cos(sin(x1)) - cos(sin(-x1)),
        abs(sin(x1)) - abs(sin(-x1)),
        sin(x1) ** 2 - sin(-x1) ** 2,
        sin(x1) ** 3 + sin(-x1) ** 3,
        sin(x1) * sin(x1) - sin(x1) ** 2,
        sin(x1) * cos(x2) + cos(x2) * sin(-x1),
        (sin(x1) - cos(x2)) + (cos(x2) - sin(x1)),
        exp(x1) / exp(x2 + x1 - x2) - 1,
        -exp(x1) / exp(x1) + 1,
        sqrt(abs(x1)) - abs(x1) ** 0.5,
        sin(x1) / 1 - sin(x1) * 1,
        0 * exp(x1),
        pi - arcsin(num(1)) * 2,
        pi + arctan(num(-1)) * 4,
        arccos(num(0)) * 2 - pi,
        arccos(num(-0.5)) * 3 - pi * 2,
        arccos(x1 / x1) * x2,
        arccosh(x1 / x1),
        arcsinh(x1) + arcsinh(-x1),
        arctanh(x1 / 100) + arctanh(-x1 / 100),
        log10(num(1000)) - 3,
        log10(num(0.01)) + 2,
        log2(num(1) / 8) + 3,
        log1p(x1 - x1) + expm1(x2 - x2),
        cbrt(num(-27)) + 3,
        cbrt(num(1) / 8) - num(0.5),
        cbrt(x1) + cbrt(-x1),
        erf(x1) + erf(-x1),
        ceil(num(2.5)) - 3,
        ceil(-pi) + 3,
        node("round", num(2.5)) - 2,
        node("round", num(3.5)) - 4,
        node("round", num(-0.5)) * x1,
        node("round", pi) - 3,
        minimum(x1, x2) - x2,
        maximum(sin(x1), x1) - x1,
        minimum(sin(x1), sin(x1 * 1)) - sin(x1),
        hypot(num(3), num(-4)) - 5,
        arctan2(num(0), num(-1)) - pi,
        arctan2(num(-1), num(-1)) + pi * 0.75,
        arctan2(x1 - x1, x2 - x2),
        arctan2(x1, x2 - x2) * 2 - pi,
        mod(num(-7), num(3)) - 2,
        mod(num(7.5), num(-2)) + num(0.5),
        mod(x1 * 3, x1),
        arctan(x1) + arctan(-x1),
        sinh(x1 - x2) + sinh(x2 - x1),
        tanh(x1) / tanh(-x1) + 1,
        cosh(x1) - cosh(-x1),
        cosh(x1 - x1) - 1,
        pi * x1 / pi - x1,
    ],
)
def test_equal_numbers_cancel_exactly(vanishing: Expr) -> None:
    real = enclose(sqrt(vanishing), (1.7, -0.3))
    assert place(real) == EDGE
    assert real.lower == real.upper == 0.0


@pytest.mark.parametrize(
    "positive",
    [
        (sin(x1) + cos(x2)) - (sin(x1) - cos(x2)),
        sin(x1) - sin(-x1),
        sin(x1) ** 3 - sin(-x1) ** 3,
        sin(x1) - sin(x1) ** 2,
        exp(x1) / cos(x2) - cos(x2) / exp(x1),
        sqrt(x1) - sqrt(-x2),
        exp(x1) - exp(-x1),
        exp(x1) ** x1 - exp(x1) ** -x1,
        ln(x1) - ln(1 / x1),
        exp(x1) - exp(x2),
        floor(exp(x1) * pi) - floor(exp(-x1) * pi),
    ],
)
def test_different_numbers_do_not_cancel(positive: Expr) -> None:
    real = enclose(sqrt(positive), (1.7, -0.3))
    assert place(real) == INSIDE
    assert real.lower > 0.0


def test_numbers_that_only_balls_can_compare_stay_undecided() -> None:
    nothing = sin(x1) ** 2 + cos(x1) ** 2 - 1
    root = enclose(sqrt(nothing), (1.0,))
    assert place(root) == ("undecided", None, False)
    assert root.bits == 16384
    assert 0.0 <= root.lower <= root.upper < 1e-300
    assert place(enclose(ln(nothing), (1.0,), max_bits=256)) == ("undecided", None, False)
    assert enclose(ln(nothing), (1.0,), max_bits=256).width == math.inf
    # A square is never negative: defined, though on the edge or inside.
    assert place(enclose(sqrt(nothing**2), (1.0,), max_bits=256)) == ("undecided", True, False)
    # Whichever branch it is, it is defined; or neither is.
    either = enclose(where(nothing < 0, x1, 5), (1.0,), max_bits=256)
    assert place(either) == INSIDE
    assert either.lower <= 1.0 < 5.0 <= either.upper
    assert place(enclose(where(nothing < 0, ln(-x1), sqrt(-x1)), (1.0,), max_bits=256)) == OUTSIDE
    # An exponent that may or may not be whole matters only under a negative base.
    assert place(enclose(x1 ** (2 + nothing), (3.0,), max_bits=256)) == INSIDE
    negative = enclose((-x1) ** (2 + nothing), (1.0,), max_bits=256)
    assert place(negative) == ("undecided", None, False)
    assert negative.contains(1.0)
