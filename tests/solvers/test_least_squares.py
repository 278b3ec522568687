"""Sums of squares with unbounded parameters: recognised by how they are written, and solved on all scales."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

import cpcbench as cpc
from cpcbench.expr import Expr, exp, num, total, variables
from cpcbench.expr.parser import parse_formula
from cpcbench.points import Floats
from cpcbench.problems.collections.fits import curve_fits
from cpcbench.solvers.least_squares.descent import descend
from cpcbench.solvers.least_squares.model import Model
from cpcbench.solvers.least_squares.squares import linear_variables, residuals, slopes
from cpcbench.solvers.least_squares.starts import Starts

FREE = [-math.inf] * 8, [math.inf] * 8


def unbounded(root: Expr, n: int) -> cpc.Problem:
    return cpc.Problem("q", root, FREE[0][:n], FREE[1][:n])


def model_of(id_: str) -> Model:
    p = cpc.problem(id_)
    parts = residuals(p.expression)
    assert parts is not None
    return Model(parts, p.dim, lambda _count: None, lambda _state: None)


@pytest.mark.parametrize(
    ("text", "count"),
    [("x1^2", 1), ("(x1 - 1)^2 + (x2 - x1)*(x2 - x1)", 2), ("exp(x1)^2 + x1^2 + x2^2", 3)],
)
def test_sums_of_squares_are_recognised(text: str, count: int) -> None:
    parts = residuals(parse_formula(text))
    assert parts is not None
    assert len(parts) == count


@pytest.mark.parametrize("text", ["x1", "x1^2 - x2^2", "x1^2 + x2", "x1^3", "x1^2.5", "2*x1^2", "x1*x2", "-(x1^2)"])
def test_nothing_else_is(text: str) -> None:
    assert residuals(parse_formula(text)) is None


@pytest.mark.parametrize(
    ("id_", "linear"), [("CPC-CF1", "1"), ("CPC-CF7", "126"), ("CPC-CF13", "12"), ("CPC-CF24", "135"), ("CPC-CF33", "")]
)
def test_variables_that_enter_linearly(id_: str, linear: str) -> None:
    p = cpc.problem(id_)
    found = linear_variables(slopes(residuals(p.expression) or [], p.dim), p.dim)
    assert found == tuple(int(c) - 1 for c in linear)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(list(curve_fits())))
def test_the_linear_parameters_are_the_best_ones(seed: int, id_: str) -> None:
    """Moving them does not lower the sum, whatever the others are."""
    model, rng = model_of(id_), np.random.default_rng(seed)
    at = model.state(rng.normal(size=(4, model.n)))
    for k in np.flatnonzero(np.isfinite(at.sums)):
        for j in model.linear:
            for step in (-1e-3, 1e-3):
                moved = at.points[k].copy()
                moved[j] *= 1.0 + step
                other = sum_of_squares(id_, moved)
                assert math.isnan(other) or other >= at.sums[k] * (1.0 - 1e-9) - 1e-300


def sum_of_squares(id_: str, b: Floats) -> float:
    return float(cpc.problem(id_).reference(b))


@pytest.mark.parametrize("id_", ["CPC-CF1", "CPC-CF10", "CPC-CF20", "CPC-CF31", "CPC-CF32"])
def test_a_descent_never_climbs_and_comes_to_rest_where_scipy_does(id_: str) -> None:
    p, model, rng = cpc.problem(id_), model_of(id_), np.random.default_rng(1)
    near = np.array(curve_fits()[id_].printed[0].point) * np.exp(0.01 * rng.normal(size=(20, p.dim)))
    at = model.state(near)
    end = descend(model, at, 200)
    assert (end.sums <= at.sums).all()
    parts = residuals(p.expression) or []

    def errors(b: Floats) -> list[float]:
        return [float(cpc.Problem("r", part, FREE[0][: p.dim], FREE[1][: p.dim]).reference(b)) for part in parts]

    rest = least_squares(errors, end.points[end.sums.argmin()], x_scale="jac", max_nfev=5)
    assert end.sums.min() <= 2.0 * rest.cost * (1.0 + 1e-9)


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_starts_are_points_of_all_scales(seed: int) -> None:
    p = cpc.problem("CPC-CF20")
    model = model_of(p.id)
    points = Starts(model, residuals(p.expression) or []).drawn(np.random.default_rng(seed), 2000)
    assert points.shape == (2000, 4)
    assert np.isfinite(points).all()
    sizes = np.abs(points[:, model.free])
    assert (sizes < 1e-6).any(axis=0).all()
    assert (sizes > 1.0).any(axis=0).all()


def made_up() -> cpc.Problem:
    """A curve through points that it made: 3e-9 * exp(1.7 x) - 5."""
    b = variables(3)
    data = [(x, 3e-9 * math.exp(1.7 * x) - 5.0) for x in range(8, 16)]
    return unbounded(total((num(y) - (b[0] * exp(b[1] * num(x)) + b[2])) ** 2 for x, y in data), 3)


def test_a_curve_is_found_again() -> None:
    found = cpc.minimize(made_up(), budget=60_000, rng=1)
    assert found.x == pytest.approx([3e-9, 1.7, -5.0], rel=1e-6)
    assert found.kind == "faithful"


def test_budgets_are_kept_and_more_is_never_worse() -> None:
    values = []
    for budget in (10, 1000, 8000, 30_000):
        found = cpc.minimize(cpc.problem("CPC-CF20"), budget=budget, rng=3)
        assert found.nfev <= budget
        values.append(found.fun)
    assert values == sorted(values, reverse=True)
    assert cpc.minimize(cpc.problem("CPC-CF20"), budget=8000, rng=3).fun == values[2]


def test_the_callback_hears_of_improvements_and_can_stop() -> None:
    heard: list[float] = []

    def watch(intermediate_result: Any) -> None:
        heard.append(intermediate_result.fun)
        if len(heard) == 3:
            raise StopIteration

    found = cpc.minimize(cpc.problem("CPC-CF1"), budget=100_000, rng=1, callback=watch)
    assert found.message.endswith("stopped by the callback")
    assert heard == sorted(heard, reverse=True)
    assert len(heard) == 3


def test_bounds_on_some_variables_are_kept() -> None:
    b = variables(2)
    root = (b[0] - 3) ** 2 + (b[1] + 7) ** 2
    p = cpc.Problem("half", root, [-math.inf, 0.0], [math.inf, math.inf])
    found = cpc.minimize(p, budget=20_000, rng=1)
    assert found.x[1] >= 0.0


def test_what_is_no_sum_of_squares_is_searched_in_a_box_that_grows() -> None:
    x, y = variables(2)
    found = cpc.minimize(unbounded(exp(x - 300) - x + (y + 2000) ** 2, 2), budget=60_000, rng=1)
    assert found.fun == pytest.approx(-299.0, abs=1e-3)
    assert found.x == pytest.approx([300.0, -2000.0], rel=1e-3)
    assert found.nfev <= 60_000


def test_the_black_box_begins_within_reach() -> None:
    found = cpc.minimize(cpc.problem("CPC-CF1"), budget=2000, method="black-box", rng=1)
    assert math.isfinite(found.fun)


def test_points_to_begin_with_are_used() -> None:
    fit = curve_fits()["CPC-CF9"]
    found = cpc.minimize(cpc.problem(fit.id), budget=100, x0=fit.printed[0].point, rng=1)
    assert found.fun <= fit.printed[0].value * (1.0 + 1e-6)
    x, y = variables(2)
    away = cpc.minimize(unbounded(exp(x - 5000) - x + (y - 1) ** 2 + y, 2), budget=5000, x0=[5000.0, 1.0], rng=1)
    assert away.fun <= -4997.0
