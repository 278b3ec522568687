"""Ranges over boxes that are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.intervals.boxes import Boxes
from cpcbench.readings.reals.enclosure import enclose
from tests.intervals.expected import EVERYWHERE, INF, MAYBE, NOWHERE


def bounds(text: str, box: Sequence[tuple[float, float]], rule: str = "ieee") -> tuple[float, float, int]:
    problem = cpc.parse(text, bounds=[(-1.0, 1.0)] * len(box))
    low, high, state = Boxes(problem.expression, rule)([[a for a, _ in box]], [[b for _, b in box]])
    return float(low[0]), float(high[0]), int(state[0])


KNOWN = [
    ("x1 + x2", [(1, 2), (10, 30)], 11, 32, EVERYWHERE),
    ("x1 - x2", [(1, 2), (10, 30)], -29, -8, EVERYWHERE),
    ("x1 * x2", [(-1, 2), (-10, 30)], -30, 60, EVERYWHERE),
    ("x1 * x1", [(-3, 2)], 0, 9, EVERYWHERE),
    ("x1^2", [(-3, 2)], 0, 9, EVERYWHERE),
    ("x1^3", [(-3, 2)], -27, 8, EVERYWHERE),
    ("x1^4", [(-3, 2)], 0, 81, EVERYWHERE),
    ("x1^0", [(-3, 2)], 1, 1, EVERYWHERE),
    ("x1^(-1)", [(2, 4)], 0.25, 0.5, EVERYWHERE),
    ("x1^(-3)", [(-4, -2)], -0.125, -0.015625, EVERYWHERE),
    ("x1^(-1)", [(-1, 2)], -INF, INF, MAYBE),
    ("x1^(-2)", [(-1, 2)], 0.25, INF, MAYBE),
    ("x1^(-2)", [(0, 0)], INF, -INF, NOWHERE),
    ("x1^0.5", [(-1, 4)], 0, 2, MAYBE),
    ("x1^0.5", [(-2, -1)], INF, -INF, NOWHERE),
    ("x1^(-0.5)", [(0, 4)], 0.5, INF, MAYBE),
    ("x1^(-0.5)", [(0.25, 4)], 0.5, 2, EVERYWHERE),
    ("x1^(-0.5)", [(0, 0)], INF, -INF, NOWHERE),
    ("1 / x1", [(2, 4)], 0.25, 0.5, EVERYWHERE),
    ("1 / x1", [(-4, -2)], -0.5, -0.25, EVERYWHERE),
    ("1 / x1", [(0, 2)], 0.5, INF, MAYBE),
    ("1 / x1", [(-2, 0)], -INF, -0.5, MAYBE),
    ("1 / x1", [(-2, 1)], -INF, INF, MAYBE),
    ("1 / x1", [(0, 0)], INF, -INF, NOWHERE),
    ("x1 / x2", [(-1, 3), (2, 4)], -0.5, 1.5, EVERYWHERE),
    ("sqrt(x1)", [(-1, 4)], 0, 2, MAYBE),
    ("sqrt(x1)", [(-2, -1)], INF, -INF, NOWHERE),
    ("sqrt(x1)", [(0, 9)], 0, 3, EVERYWHERE),
    ("ln(x1)", [(-1, 1)], -INF, 0, MAYBE),
    ("ln(x1)", [(-1, 0)], INF, -INF, NOWHERE),
    ("ln(x1)", [(1, 2)], 0, math.log(2), EVERYWHERE),
    ("exp(x1)", [(-1e9, 0)], 0, 1, EVERYWHERE),
    ("exp(x1)", [(0, 1e9)], 1, INF, EVERYWHERE),
    ("sin(x1)", [(0, 3)], 0, 1, EVERYWHERE),
    ("sin(x1)", [(3, 6)], -1, math.sin(3), EVERYWHERE),
    ("sin(x1)", [(-1, 1)], math.sin(-1), math.sin(1), EVERYWHERE),
    ("sin(x1)", [(1e18, 1e18 + 1e6)], -1, 1, EVERYWHERE),
    ("cos(x1)", [(-1, 2)], math.cos(2), 1, EVERYWHERE),
    ("cos(x1)", [(3, 4)], -1, math.cos(4), EVERYWHERE),
    ("cos(x1)", [(1, 2)], math.cos(2), math.cos(1), EVERYWHERE),
    ("tan(x1)", [(-1, 1)], -math.tan(1), math.tan(1), EVERYWHERE),
    ("tan(x1)", [(1, 2)], -INF, INF, MAYBE),
    ("arcsin(x1)", [(0, 2)], 0, math.pi / 2, MAYBE),
    ("arcsin(x1)", [(2, 3)], INF, -INF, NOWHERE),
    ("arcsin(x1)", [(-0.5, 0.5)], -math.pi / 6, math.pi / 6, EVERYWHERE),
    ("arctan(x1)", [(-1, 1e300)], -math.pi / 4, math.pi / 2, EVERYWHERE),
    ("sinh(x1)", [(-1, 2)], math.sinh(-1), math.sinh(2), EVERYWHERE),
    ("sinh(x1)", [(-1, 1e9)], math.sinh(-1), INF, EVERYWHERE),
    ("cosh(x1)", [(-1, 2)], 1, math.cosh(2), EVERYWHERE),
    ("cosh(x1)", [(-3, -2)], math.cosh(2), math.cosh(3), EVERYWHERE),
    ("tanh(x1)", [(-1, 1e9)], math.tanh(-1), 1, EVERYWHERE),
    ("arccos(x1)", [(0, 2)], 0, math.pi / 2, MAYBE),
    ("arccos(x1)", [(0.6, 0.8)], math.acos(0.8), math.acos(0.6), EVERYWHERE),
    ("arccos(x1)", [(-3, -2)], INF, -INF, NOWHERE),
    ("arcsinh(x1)", [(-1, 2)], math.asinh(-1), math.asinh(2), EVERYWHERE),
    ("arccosh(x1)", [(0, 2)], 0, math.acosh(2), MAYBE),
    ("arccosh(x1)", [(-1, 0.5)], INF, -INF, NOWHERE),
    ("arctanh(x1)", [(-0.5, 1)], math.atanh(-0.5), INF, MAYBE),
    ("arctanh(x1)", [(1, 2)], INF, -INF, NOWHERE),
    ("log10(x1)", [(0.1, 1000)], -1, 3, EVERYWHERE),
    ("log10(x1)", [(0, 1000)], -INF, 3, MAYBE),
    ("log2(x1)", [(0.25, 8)], -2, 3, EVERYWHERE),
    ("log1p(x1)", [(-1, 1)], -INF, math.log(2), MAYBE),
    ("log1p(x1)", [(-3, -1)], INF, -INF, NOWHERE),
    ("expm1(x1)", [(-1e9, 1)], -1, math.expm1(1), EVERYWHERE),
    ("cbrt(x1)", [(-8, 27)], -2, 3, EVERYWHERE),
    ("erf(x1)", [(-1, 1e9)], math.erf(-1), 1, EVERYWHERE),
    ("ceil(x1)", [(-1.5, 2.5)], -1, 3, EVERYWHERE),
    ("round(x1)", [(-1.5, 2.5)], -2, 2, EVERYWHERE),
    ("abs(x1)", [(-3, 2)], 0, 3, EVERYWHERE),
    ("abs(x1)", [(-3, -2)], 2, 3, EVERYWHERE),
    ("floor(x1)", [(-1.5, 2.5)], -2, 2, EVERYWHERE),
    ("min(x1, x2)", [(-1, 2), (0, 1)], -1, 1, EVERYWHERE),
    ("max(x1, x2)", [(-1, 2), (0, 1)], 0, 2, EVERYWHERE),
    ("min(x1, sqrt(x2))", [(-1, 2), (-2, -1)], INF, -INF, NOWHERE),
    ("hypot(x1, x2)", [(-3, 2), (-1, 4)], 0, 5, EVERYWHERE),
    ("hypot(x1, x2)", [(3, 5), (4, 12)], 5, 13, EVERYWHERE),
    ("arctan2(x1, x2)", [(1, 2), (-1, 1)], math.pi / 4, 3 * math.pi / 4, EVERYWHERE),
    ("arctan2(x1, x2)", [(0, 1), (-1, 0)], 0, math.pi, EVERYWHERE),
    ("arctan2(x1, x2)", [(-1, 1), (0, 1)], -math.pi / 2, math.pi / 2, EVERYWHERE),
    ("arctan2(x1, x2)", [(0, 1), (-2, -1)], 3 * math.pi / 4, math.pi, EVERYWHERE),
    ("arctan2(x1, x2)", [(-1, 0), (-2, -1)], -math.pi, math.pi, EVERYWHERE),
    ("arctan2(x1, x2)", [(-2, -1), (-1, 1)], -3 * math.pi / 4, -math.pi / 4, EVERYWHERE),
    ("mod(x1, 2)", [(4.5, 5.5)], 0.5, 1.5, EVERYWHERE),
    ("mod(x1, 2)", [(4.5, 6.5)], 0, 2, EVERYWHERE),
    ("mod(x1, -2)", [(4.5, 5.5)], -1.5, -0.5, EVERYWHERE),
    ("mod(x1, x2)", [(4.5, 5.5), (-1, 2)], -1, 2, MAYBE),
    ("mod(x1, 0)", [(4.5, 5.5)], INF, -INF, NOWHERE),
    ("sign(x1)", [(0, 2)], 0, 1, EVERYWHERE),
    ("where(x1 < 0, x1, 2)", [(-2, -1)], -2, -1, EVERYWHERE),
    ("where(x1 < 0, x1, 2)", [(0, 1)], 2, 2, EVERYWHERE),
    ("where(x1 < 0, x1, 2)", [(-1, 1)], -1, 2, EVERYWHERE),
    ("where(x1 < 0, 5, sqrt(x1))", [(-4, 4)], 0, 5, MAYBE),
    ("where(x1 < 2, ln(-1), x1)", [(1, 3)], 1, 3, MAYBE),
    ("where(x1 <= x1, 7, 8)", [(1, 3)], 7, 7, EVERYWHERE),
    ("where(ln(x1) < 0, 7, 8)", [(-3, -1)], INF, -INF, NOWHERE),
    ("where(1 < 2, x1, 8)", [(1, 3)], 1, 3, EVERYWHERE),
    ("x1^x2", [(2, 3), (1, 2)], 2, 9, EVERYWHERE),
    ("x1^x2", [(0.5, 2), (-1, 1)], 0.5, 2, EVERYWHERE),
    ("x1^x2", [(-3, -2), (1, 2)], -9, 9, MAYBE),
    ("x1^x2", [(-3, -2), (2, 2)], 4, 9, EVERYWHERE),
    ("x1^x2", [(-3, -2), (3, 3)], -27, -8, EVERYWHERE),
    ("x1^x2", [(-3, -2), (1.25, 1.75)], INF, -INF, NOWHERE),
    ("x1^x2", [(-3, 2), (1.25, 1.75)], 0, 2**1.75, MAYBE),
    ("x1^x2", [(0, 2), (0, 1)], 0, 2, EVERYWHERE),
    ("x1^x2", [(0, 0), (-2, -1)], INF, -INF, NOWHERE),
    ("x1^x2", [(-1, 2), (-2, -2)], 0.25, INF, MAYBE),
    ("x1^x2", [(-1, 0), (-1, -1)], -INF, -1, MAYBE),
    ("x1^x2", [(-4, -2), (-1, -1)], -0.5, -0.25, EVERYWHERE),
    ("x1 + sqrt(-1)", [(0, 1)], INF, -INF, NOWHERE),
    ("ln(0.5) * x1", [(0, 2)], 2 * math.log(0.5), 0, EVERYWHERE),
    ("0 * ln(x1)", [(0, 1)], 0, 0, MAYBE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "box", "low", "high", "state"), KNOWN, ids=[f"{k[0]} {k[1]}" for k in KNOWN])
def test_ranges_that_are_known(text: str, box: list[tuple[float, float]], low: float, high: float, state: int) -> None:
    found_low, found_high, found_state = bounds(text, box)
    assert found_state == state
    assert found_low <= low or state == NOWHERE
    assert found_high >= high or state == NOWHERE
    for found, true in ((found_low, low), (found_high, high)):
        assert found == true or abs(found - true) <= 1e-15 * max(1.0, abs(true))


def test_rule_strict_forbids_a_negative_base_under_a_varying_exponent() -> None:
    assert bounds("x1^x2", [(-3, -2), (2, 2)], "strict")[2] == NOWHERE
    assert bounds("x1^x2", [(-3, 2), (1, 3)], "strict") == pytest.approx((0, 8, MAYBE))
    assert bounds("x1^x2", [(-3, 2), (1, 3)]) == pytest.approx((-27, 27, MAYBE))
    assert bounds("x1^(4 - 2)", [(-3, -2)], "strict") == pytest.approx((4, 9, EVERYWHERE))


def test_decimal_constants_and_pi_are_enclosed() -> None:
    low, high, _ = bounds("0.1 + 0 * x1", [(0, 1)])
    assert low <= 0.1 <= high
    low, high, _ = bounds("pi + 0 * x1", [(0, 1)])
    assert low <= math.pi < math.nextafter(math.pi, 4.0) <= high
    low, high, state = bounds("2 / 3", [(0, 1)])
    assert (high - low, state) == (math.ulp(low), EVERYWHERE)


@pytest.mark.parametrize("exponent", ["0.1", "0.2", "1.03", "-0.7", "-0.1", "2/3", "0.02"])
def test_exponents_that_are_no_doubles_are_enclosed(exponent: str) -> None:
    """With a huge or tiny base the last bit of the exponent moves the power by many ulps."""
    root = cpc.parse(f"x1^({exponent})", bounds=[(0, 1)]).expression
    base = np.array([[10.0**k] for k in range(-280, 281, 20)])
    low, high, _ = Boxes(root)(base, base)
    for i, x in enumerate(base.tolist()):
        real = enclose(root, x)
        assert low[i] <= real.lower <= real.upper <= high[i]
        assert high[i] - low[i] <= 5e-13 * high[i]
