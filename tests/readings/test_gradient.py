"""The compiled gradient against differences in high precision."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.expr import num, var, where
from cpcbench.expr.functions import FUNCTIONS, PAIRS
from cpcbench.expr.walk import postorder
from cpcbench.problems.problem import Problem
from cpcbench.readings.gradient import derivatives
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.reals.error_bound import error_bound
from cpcbench.readings.reals.exact import working_precision
from cpcbench.sampling.points import admissible_points, uniform_points
from tests.cases import one_in

STEP = Fraction(1, 2**90)


def true_slope(p: Problem, x: list[float], i: int) -> float | None:
    """The central difference with a step of 2^-90, in balls: its own error is far below a double's."""
    values = []
    for side in (STEP, -STEP):
        place = [Fraction(value) for value in x]
        place[i] += side
        enclosure = enclose(p.expression, place, accuracy=2.0**-400)
        if enclosure.defined is not True or enclosure.ball is None:
            return None
        values.append(enclosure.ball)
    with working_precision(1000):
        return float(((values[0] - values[1]) / 2).mid()) * 2.0**90


@pytest.mark.parametrize("p", one_in(4, cpc.problems()), ids=lambda p: p.id)
def test_the_gradient_is_the_slope(p: Problem) -> None:
    """The derivative, as a formula, is the slope; the kernel is that formula up to its rounding errors."""
    rng = np.random.default_rng(11)
    drawn = uniform_points(p, 20_000, rng)
    points = np.concatenate([drawn[p.admissible(drawn)][:6], admissible_points(p, 6, rng)])[:8]
    partial = derivatives(p.expression, p.dim)
    compared = 0
    for x, gradient in zip(points.tolist(), p.gradient(points).tolist(), strict=True):
        for i, formula in enumerate(partial):
            slope, derivative, bound = true_slope(p, x, i), enclose(formula, x), error_bound(formula, x)
            if slope is None or derivative.defined is not True:
                continue
            assert derivative.midpoint == pytest.approx(slope, rel=1e-12, abs=1e-200)
            if math.isfinite(bound.radius):
                compared += 1
                assert abs(gradient[i] - derivative.midpoint) <= 4 * bound.radius + 1e-300
    assert compared >= p.dim * 2


def test_known_derivatives() -> None:
    p = cpc.parse("x1^3*x2 + ln(x2) - sqrt(x1)/x2 + arcsin(x1/4) + tan(x2) + abs(-x1) + x1^x2 + floor(x1) + 3", (0, 5))
    x, y = 2.0, 1.5
    expected = [
        3 * x**2 * y - 1 / (2 * np.sqrt(x) * y) + 0.25 / np.sqrt(1 - (x / 4) ** 2) + 1 + y * x ** (y - 1),
        x**3 + 1 / y + np.sqrt(x) / y**2 + 1 + np.tan(y) ** 2 + x**y * np.log(x),
    ]
    assert p.gradient([x, y]) == pytest.approx(expected, rel=1e-14)


def test_known_derivatives_of_one_function_each() -> None:
    x = 0.7
    p = cpc.parse("arctan(x1) + sinh(x2) + cosh(x3) + tanh(x4)", [(-400, 400)] * 4)
    expected = [1 / (1 + x * x), math.cosh(x), math.sinh(x), 1 / math.cosh(x) ** 2]
    assert p.gradient([x] * 4) == pytest.approx(expected, rel=1e-14)
    assert p.gradient([300.0] * 4)[3] == 0.0


def test_derivatives_of_every_function_are_difference_quotients() -> None:
    """Of each function of one operand, at a point inside of its domain, by its own enclosures far apart enough."""
    inside = {"arccosh": 1.7}
    for op in set(FUNCTIONS) - {"whole"}:  # it has no value between whole numbers
        x, h = inside.get(op, 0.3), 2.0**-24
        p = cpc.parse(f"{op}(x1)", [(-5, 5)])
        near = [p.reference([v]) for v in (x - h, x + h)]
        assert p.gradient([x])[0] == pytest.approx((near[1] - near[0]) / (2 * h), rel=1e-7, abs=1e-7), op
    for op in PAIRS:
        p = cpc.parse(f"{op}(x1, x2)", [(-5, 5)] * 2)
        for place in ([1.75, -0.6], [-3.25, 0.75], [2.0, 3.5]):
            for i, by in enumerate(np.eye(2) * 2.0**-24):
                near = [p.reference(np.array(place) + side * by) for side in (-1, 1)]
                slope = (near[1] - near[0]) * 2.0**23
                assert p.gradient(place)[i] == pytest.approx(slope, rel=1e-6, abs=1e-6), (op, place)


def test_undefined_where_the_formula_is_and_where_it_has_no_slope() -> None:
    p = cpc.parse("sqrt(x1) + x2^2", (-5, 5))
    assert np.isnan(p.gradient([-1.0, 2.0])).all()
    edge = p.gradient([0.0, 2.0])
    assert np.isnan(edge[0])
    assert edge[1] == 4.0


def test_the_branch_not_taken_may_be_undefined() -> None:
    p = cpc.parse("where(x1 < 0, 3*x1, sqrt(x1) + ln(x1))", (-5, 5))
    assert p.gradient([-1.0])[0] == 3.0
    assert p.gradient([4.0])[0] == 0.5
    nested = cpc.parse("x1*where(x1 < 0, where(x1 < -2, x1, ln(-x1)), 7)", (-5, 5))
    assert nested.gradient([-3.0])[0] == -6.0
    assert nested.gradient([-1.0])[0] == pytest.approx(1.0)
    assert nested.gradient([1.0])[0] == 7.0


def test_an_exponent_that_only_rounds_to_a_whole_number() -> None:
    """The derivative holds in doubles, where the base may be negative, and in the reals."""
    x = var(0)
    for exponent, at in ((num(Decimal("1.00000000000000000001")), -3.0), (num(1e16) + 1 - num(1e16), 5.0)):
        (slope,) = derivatives(x**exponent, 1)
        assert Problem("p", x**exponent, [-5], [5]).gradient([at])[0] == (1.0 if at < 0 else 0.0)
        with working_precision(200):
            assert enclose(slope, [5.0]).midpoint == pytest.approx(1.0, rel=1e-15)
    assert derivatives(x ** (num(5) / 5), 1) == [num(1)]
    assert derivatives(x ** num(0), 1) == [num(0)]


def test_branches_that_share_parts_are_differentiated_once() -> None:
    x = var(0)
    root = x
    for i in range(45):
        root = where(x < i, 1.5 * root, root + 1)
    assert len(postorder(*derivatives(root, 1))) < 1000


def test_the_arcsine_close_to_one() -> None:
    p = cpc.parse("arcsin(x1)", (-1, 1))
    x = 1 - 2.0**-30  # (1 - x) (1 + x) is 2^-29 (1 - 2^-31), exactly
    assert p.gradient([x])[0] == pytest.approx(1 / math.sqrt(2.0**-29 * (1 - 2.0**-31)), rel=4e-16)


def test_shapes() -> None:
    p = cpc.problem("CPC-DF1")
    assert p.gradient(np.zeros((4, 3, 2))).shape == (4, 3, 2)
    assert p.gradient([0.1, 0.2]).shape == (2,)
    assert np.array_equal(cpc.parse("x1", [(0, 1), (0, 1)]).gradient([0.5, 0.5]), [1.0, 0.0])
