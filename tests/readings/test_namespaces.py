"""Formulas on arrays of other libraries: the same values, NaN at the same points, and gradients that do not poison."""

from __future__ import annotations

import importlib.util
import math
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, MissingExtraError, NoFormulaError, PointError
from cpcbench.expr.walk import dimension
from cpcbench.readings.doubles.fast import FastReading
from cpcbench.sampling.points import admissible_points, uniform_points
from tests.cases import one_in
from tests.material import random_formulas
from tests.material.array_libraries import Evaluated, bridged, in_jax, in_numpy, in_torch


@pytest.fixture(scope="module")
def apart() -> Iterator[Callable[..., Any]]:
    """Calls a function in another process; skips where the library that it is named for is missing."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:

        def call(function: Callable[..., Any], *args: Any) -> Any:
            library = {"in_jax": "jax", "bridged": "jax", "in_torch": "torch"}.get(function.__name__)
            if library is None:
                return function(*args)
            if importlib.util.find_spec(library) is None:
                pytest.skip(f"{library} is not installed")
            return pool.submit(function, *args).result()

        yield call


LIBRARIES: dict[str, Callable[..., Evaluated]] = {"numpy": in_numpy, "jax": in_jax, "torch": in_torch}
DIFFERENTIATING = ["jax", "torch"]


def problem(text: str, low: float = -2.0, high: float = 2.0) -> cpc.Problem:
    p = cpc.parse(text, bounds=(low, high))
    return p if p.dim else cpc.parse(text, bounds=[(low, high)])


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("rule", "name"),
    [
        *(("ieee", name) for name in ("CPC-DF1", "CPC-DF14")),
        *(pytest.param("ieee", f"CPC-DF{k}", marks=pytest.mark.slow) for k in (8, 9, 24, 25)),
        pytest.param("ieee", "F170", marks=pytest.mark.slow),
        ("strict", "CPC-DF9"),
        *(pytest.param("strict", f"CPC-DF{k}", marks=pytest.mark.slow) for k in (1, 8, 14, 24, 25)),
        pytest.param("strict", "F170", marks=pytest.mark.slow),
    ],
)
def test_the_suite_s_values_and_slopes(library: str, name: str, rule: str, apart: Callable[..., Any]) -> None:
    p = cpc.problem(name, rule=rule)
    rng = np.random.default_rng(1)
    points = np.concatenate([admissible_points(p, 30, rng), uniform_points(p, 200, rng)])
    values, slopes = apart(LIBRARIES[library], p, points)
    expected = p(points)
    assert np.array_equal(np.isnan(values), np.isnan(expected))
    inside = ~np.isnan(expected)
    assert inside.sum() >= 20
    bounds = [p.error_bound(x) for x in points[inside]]
    for value, bound in zip(values[inside], bounds, strict=True):
        assert (
            abs(value - bound.value) <= 8.0 * bound.radius
        )  # a library's functions err by some ulps, not by half a one
    if library in DIFFERENTIATING:
        assert (slopes[~inside] == 0.0).all()
        assert np.isfinite(slopes[inside]).all()
        np.testing.assert_allclose(slopes[inside], p.gradient(points[inside]), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_random_formulas_are_defined_at_the_same_points(library: str, seed: int, apart: Callable[..., Any]) -> None:
    r, rng = random_formulas.seeded(seed), np.random.default_rng(seed)
    builders = [*random_formulas.RATIONAL, *random_formulas.ELEMENTARY]
    compared = 0
    for _ in range(15 if library == "numpy" else 8):
        f = random_formulas.formula(r, 8, builders)
        n = max(dimension(f), 1)
        points = rng.choice([-1.5, -0.3, 0.37, 0.81, 1.9, 2.6], (60, n)) + rng.uniform(-0.05, 0.05, (60, n))
        fast = FastReading(f, np.full(n, -3.0), np.full(n, 3.0))
        expected = fast.batch(points)
        slopes = fast.gradient(points)
        p = cpc.Problem("random", f, np.full(n, -3.0), np.full(n, 3.0))
        values, found = apart(LIBRARIES[library], p, points)
        assert np.array_equal(np.isnan(values), np.isnan(expected)), f
        both = np.isfinite(expected) & (np.abs(expected) < 1e6)
        near = np.isclose(values[both], expected[both], rtol=1e-6, atol=1e-6)
        assert near.all() or (library != "numpy" and near.mean() > 0.9), f  # cosh(x1) <= cosh(x1) is rounding's choice
        if library in DIFFERENTIATING:
            assert (found[np.isnan(values)] == 0.0).all(), f
            smooth = both & np.isfinite(slopes).all(axis=1) & (np.abs(slopes) < 1e6).all(axis=1)
            assert np.isfinite(found[smooth]).all(), f
        compared += int(both.sum())
    assert compared > 20


POISON = [
    ("where(x1 > 0, sqrt(x1), x1*3)", [0.0, -1.0, 0.25], [3.0, 3.0, 1.0]),
    ("where(x1 < 1, exp(x1), x1*0)", [0.0, 1000.0, 1.0], [1.0, 0.0, 0.0]),
    ("where(x1 < 1, (x1*1e200)*(x1*1e200), 2*x1)", [0.0, 5.0], [0.0, 2.0]),
    ("where(x1 < 0, ln(-x1), where(x1 < 1, arcsin(x1), 1/x1))", [-2.0, 0.6, 2.0], [-0.5, 1.25, -0.25]),
    ("sqrt(x1) + ln(x1)", [-1.0, 0.0, 4.0], [0.0, 0.0, 0.5]),
    ("exp(exp(x1))", [100.0, 0.0], [0.0, math.e]),
    ("x1^x1", [-0.5, 1.0, -2.0, 0.0], [0.0, 1.0, None, None]),
    ("x1^3 + abs(x1)^0", [-2.0, 0.0], [12.0, 0.0]),
    ("1/(x1 - 1)", [1.0, 3.0], [0.0, -0.25]),
    ("floor(x1)*x1 + abs(x1)", [1.5, -1.5, 0.0], [2.0, -3.0, None]),
    ("7", [1.0], [0.0]),
    ("arccosh(x1) + log10(x1) - cbrt(x1)", [0.5, 8.0], [0.0, 1 / math.sqrt(63) + 1 / (8 * math.log(10)) - 1 / 12]),
    ("where(x1 < 0, 0*x1, log1p(x1) + expm1(x1) + erf(x1))", [-3.0, 0.0], [0.0, 2.0 + 2.0 / math.sqrt(math.pi)]),
    ("arctanh(x1)*ceil(x1) + round(x1)*arccos(x1)", [1.0, 0.25], [0.0, 16.0 / 15.0]),
    ("sqrt(where(x1 <= 2, 4, undefined))*x1", [1.0, 3.0], [2.0, 0.0]),
    ("where(x1 < 0 or x1 > 2 and not x1 == 3, sqrt(x1 - 2), x1)", [-1.0, 3.0, 6.0], [0.0, 1.0, 0.25]),
    ("hypot(x1, 4) + max(x1, 1, 2*x1) - min(x1, 7)", [3.0, -3.0], [1.6, -1.6]),
    ("mod(x1, 2)*x1 + whole(x1)^2", [3.0, 2.5], [None, 0.0]),
    ("arctan2(x1, -2) + arctan2(3, x1)", [-0.0, 1.0], [-0.5 - 1 / 3, -0.4 - 0.3]),
    ("where(1 < 2, x1, ln(x1))", [-3.0], [1.0]),
    ("where(x1 < 1, 2, 3)", [-3.0], [0.0]),
    ("where(ln(x1) < 0, x1, 2*x1)", [-3.0, 0.5, 3.0], [0.0, 1.0, 2.0]),
]
"""A formula, points, and the slope at each: 0 where undefined, None where there is no slope."""


@pytest.mark.parametrize("library", DIFFERENTIATING)
@pytest.mark.parametrize(("text", "at", "slopes"), one_in(2, POISON), ids=[text for text, *_ in POISON])
def test_nothing_that_is_not_needed_is_differentiated(
    library: str, text: str, at: list[float], slopes: Any, apart: Callable[..., Any]
) -> None:
    p = cpc.parse(text, bounds=[(-1e4, 1e4)])
    points = np.array(at)[:, None]
    values, found = apart(LIBRARIES[library], p, points)
    np.testing.assert_allclose(values, p(points), rtol=1e-14)
    for slope, expected in zip(found[:, 0].tolist(), slopes, strict=True):
        if expected is not None:
            assert slope == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_shapes_types_and_wrong_input() -> None:
    f = problem("sqrt(x1) + x2").arrays(np)
    assert f(np.ones((3, 4, 2))).shape == (3, 4)
    assert float(f([1, 2])) == 3.0
    assert f(np.ones((3, 2), dtype=np.float32)).dtype == np.float32
    assert math.isnan(f(np.array([-1.0, 2.0])))
    with pytest.raises(PointError, match=r"2 coordinates.*got \(3,\)"):
        f(np.ones(3))
    with pytest.raises(PointError):
        f(1.0)
    with pytest.raises(CpcbenchError, match="a library of arrays"):
        problem("x1 + x2").arrays("numpy")
    with pytest.raises(NoFormulaError):
        cpc.black_box(lambda x: 1.0, [(0, 1)]).arrays(np)


def test_jax_as_the_other_bridges(apart: Callable[..., Any]) -> None:
    found = apart(bridged, problem("sqrt(x1) + x2"), np.array([[1.0, 2.0], [-1.0, 2.0]]))
    assert np.isnan(found["nan"]).tolist() == [False, True]
    assert found["inf"] == [3.0, math.inf]
    assert "unknown policy 'zero'" in found["refused"]
    assert found["penalty"] == [3.0, 1e100]
    assert found["slope"] == [0.0, 0.0]
    assert found["hessians"][0] == [[-0.25, 0.0], [0.0, 0.0]]
    assert np.isfinite(found["hessians"][1]).all()


def test_without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cpcbench.problems.bridges.jax", raising=False)
    for name in ("jax", "jax.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"cpcbench\[jax\]"):
        problem("x1 + x2").as_jax()
