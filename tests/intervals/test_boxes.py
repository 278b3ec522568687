"""Bounds over boxes enclose the real values in them, and say rightly where a formula is defined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import gmpy2
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.expr import Expr, num, sin, sqrt, var
from cpcbench.expr.functions import where
from cpcbench.intervals.arithmetic import ELEMENTARY, TINIEST, down, up
from cpcbench.intervals.boxes import Boxes, ManyBoxes
from cpcbench.intervals.functions.inverses import cube_root
from cpcbench.readings.reals.enclosure import enclose
from tests.cases import one_in
from tests.material.expressions import wild_expressions
from tests.material.random_formulas import ELEMENTARY as ELEMENTARY_STEPS
from tests.material.random_formulas import RATIONAL, formula, point, seeded

INF = math.inf
NOWHERE, MAYBE, EVERYWHERE = 0, 1, 2
X, Y = var(0), var(1)


def bounds(text: str, box: Sequence[tuple[float, float]], rule: str = "ieee") -> tuple[float, float, int]:
    problem = cpc.parse(text, bounds=[(-1.0, 1.0)] * len(box))
    low, high, state = Boxes(problem.expression, rule)([[a for a, _ in box]], [[b for _, b in box]])
    return float(low[0]), float(high[0]), int(state[0])


# What is assumed of the platform's functions, as compiled code calls them


def each(function: Any, count: int = 1) -> Callable[..., Any]:
    """A function of numbers, compiled, for arrays."""

    @numba.njit(error_model="numpy")
    def one(x: Any) -> Any:
        return np.array([function(a) for a in x])

    @numba.njit(error_model="numpy")
    def two(x: Any, y: Any) -> Any:
        return np.array([function(x[i], y[i]) for i in range(len(x))])

    return one if count == 1 else two  # type: ignore[no-any-return]


def arguments(seed: int) -> np.ndarray:
    """Doubles of every size, and those next to the multiples of pi/2, where a sine loses its digits."""
    rng = np.random.default_rng(seed)
    near = np.arange(1, 3000) * (math.pi / 2)
    wide = rng.uniform(-1.0, 1.0, 4001) * 10.0 ** rng.integers(-20, 22, 4001)
    return np.concatenate([near, np.nextafter(near, 0.0), wide, rng.uniform(-30.0, 30.0, 4001), -near])


FUNCTIONS: dict[str, tuple[Callable[..., Any], str, Callable[[np.ndarray], np.ndarray]]] = {
    "sin": (math.sin, "sin", lambda x: x),
    "cos": (math.cos, "cos", lambda x: x),
    "tan": (math.tan, "tan", lambda x: x),
    "exp": (math.exp, "exp", lambda x: x[np.abs(x) < 709.0]),
    "ln": (math.log, "log", lambda x: np.concatenate([np.abs(x), 1.0 + x * 1e-9])[: len(x) + 3000]),
    "arctan": (math.atan, "atan", lambda x: x),
    "sinh": (math.sinh, "sinh", lambda x: x[np.abs(x) < 709.0]),
    "cosh": (math.cosh, "cosh", lambda x: x[np.abs(x) < 709.0]),
    "tanh": (math.tanh, "tanh", lambda x: x),
    "arcsinh": (math.asinh, "asinh", lambda x: x),
    "arccosh": (math.acosh, "acosh", lambda x: 1.0 + np.abs(x)),
    "arctanh": (math.atanh, "atanh", lambda x: np.sin(x)[np.abs(np.sin(x)) < 1.0]),
    "arccos": (math.acos, "acos", lambda x: np.concatenate([np.sin(x), 1.0 - np.abs(x[np.abs(x) < 0.01])])),
    "log10": (math.log10, "log10", lambda x: np.concatenate([np.abs(x), 1.0 + x * 1e-9])[: len(x) + 3000]),
    "log2": (math.log2, "log2", lambda x: np.concatenate([np.abs(x), 1.0 + x * 1e-9])[: len(x) + 3000]),
    "log1p": (math.log1p, "log1p", lambda x: x[x > -1.0]),
    "expm1": (math.expm1, "expm1", lambda x: x[np.abs(x) < 709.0]),
    "cbrt": (cube_root, "cbrt", lambda x: np.concatenate([x, x * 1e-300, x * 1e280])),
    "erf": (math.erf, "erf", lambda x: x),
    "arcsin": (math.asin, "asin", lambda x: np.concatenate([np.sin(x), 1.0 - np.abs(x[np.abs(x) < 0.01])])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementary_functions_are_within_the_error_assumed(name: str) -> None:
    function, exact, domain = FUNCTIONS[name]
    x = domain(arguments(1))
    x = x[x > 0.0] if name in ("ln", "log10", "log2") else x
    with gmpy2.context(precision=200):
        for a, y in zip(x.tolist(), each(function)(x).tolist(), strict=True):
            error = abs(getattr(gmpy2, exact)(gmpy2.mpfr(a)) - y)
            assert error <= abs(gmpy2.mpfr(y)) * ELEMENTARY + TINIEST, (name, a)


def test_powers_are_within_the_error_assumed() -> None:
    rng = np.random.default_rng(2)
    a, p = 10.0 ** rng.uniform(-50, 50, 9001), rng.uniform(-6.0, 6.0, 9001)
    with gmpy2.context(precision=200):
        for base, exponent, y in zip(a.tolist(), p.tolist(), each(math.pow, 2)(a, p).tolist(), strict=True):
            error = abs(gmpy2.mpfr(base) ** gmpy2.mpfr(exponent) - y)
            assert error <= abs(gmpy2.mpfr(y)) * ELEMENTARY + TINIEST, (base, exponent)


def test_rounding_goes_outward_by_at_least_one_double() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate(
        [rng.standard_normal(5000) * 10.0 ** rng.integers(-323, 308, 5000), [0.0, 1.0, -1.0, 2.0**-1022]]
    )
    below, above = each(down), each(up)
    with np.errstate(all="ignore"):
        assert (below(x) <= np.nextafter(x, -INF)).all()
        assert (above(x) >= np.nextafter(x, INF)).all()
        usual = np.abs(x) > 1e-300
        assert (below(x)[usual] >= x[usual] - 2.0 * np.spacing(np.abs(x[usual]))).all()
        assert below(np.array([INF, -INF])).tolist() == [1.7976931348623157e308, -INF]
        assert above(np.array([INF, -INF])).tolist() == [INF, -1.7976931348623157e308]


# Ranges that are known

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


# Soundness at points


def check_point(root: Expr, x: Sequence[float], rule: str, low: float, high: float, state: int) -> int:
    """1 if the point is defined in the reals, 0 if not or not known."""
    real = enclose(root, x, rule=rule, max_bits=256, accuracy=1e-17)
    if real.defined is None:
        return 0
    assert state != (NOWHERE if real.defined else EVERYWHERE), (root, x, rule)
    if not real.defined:
        return 0
    assert low <= real.upper, (root, x, rule, low, real)
    assert real.lower <= high, (root, x, rule, high, real)
    return 1


def random_boxes(r: Any, count: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    corners = np.sort(np.array([[point(r, n), point(r, n)] for _ in range(count)]), axis=1)
    low, high = corners[:, 0].copy(), corners[:, 1].copy()
    for i in range(count):
        kind = r.random()
        if kind < 0.5:  # a small box, or a point
            high[i] = low[i] + (high[i] - low[i]) * (0.0 if kind < 0.1 else 10.0 ** -r.randrange(1, 12))
    return low, np.maximum(low, high)


def points_in(r: Any, low: np.ndarray, high: np.ndarray, count: int) -> list[list[float]]:
    """Corners, points on faces and inside."""
    found = []
    for _ in range(count):
        t = np.array([r.choice([0.0, 1.0, 0.5, r.random()]) for _ in low])
        found.append(np.clip(low + t * (high - low), low, high).tolist())
    return found


def check_formulas(seeds: range, boxes: int, points: int) -> int:
    defined = 0
    for seed in seeds:
        r = seeded(seed)
        root = formula(r, r.randrange(2, 14), [*RATIONAL, *ELEMENTARY_STEPS])
        rule = r.choice(["ieee", "ieee", "strict"])
        low, high = random_boxes(r, boxes, 2)
        found = Boxes(root, rule)(low, high)
        for i in range(boxes):
            for x in points_in(r, low[i], high[i], points):
                defined += check_point(root, x, rule, *(float(f[i]) for f in found))  # type: ignore[arg-type]
    return defined


def test_random_formulas_are_enclosed() -> None:
    assert check_formulas(range(400), boxes=10, points=1) > 1500


@pytest.mark.slow
def test_many_random_formulas_are_enclosed() -> None:
    assert check_formulas(range(1000, 4000), boxes=10, points=2) > 20000


@pytest.mark.parametrize("problem", one_in(2, cpc.problems()), ids=lambda p: p.id)
def test_the_suite_is_enclosed(problem: cpc.Problem) -> None:
    """Boxes of all sizes around the best known points and elsewhere, checked at points in them."""
    r, rng = seeded(11), np.random.default_rng(12)
    centres = rng.uniform(problem.lower, problem.upper, (12, problem.dim))
    if problem.best_known is not None:
        known = np.repeat(np.atleast_2d(problem.best_known.points), 8, axis=0)
        centres = np.concatenate([known, centres])
    size = (problem.upper - problem.lower) * 10.0 ** rng.uniform(-14, -1, (len(centres), 1))
    shift = rng.uniform(0.0, 1.0, centres.shape)
    low = np.clip(centres - shift * size, problem.lower, problem.upper)
    high = np.clip(centres + (1.0 - shift) * size, low, problem.upper)
    for rule in ("ieee", "strict"):
        found = Boxes(problem.expression, rule)(low, high)
        for i in range(len(low)):
            for x in [*points_in(r, low[i], high[i], 1), np.clip(centres[i], low[i], high[i]).tolist()]:
                check_point(problem.expression, x, rule, *(float(f[i]) for f in found))  # type: ignore[arg-type]


# Shape, depth and input


@settings(derandomize=True, deadline=None, max_examples=150)
@given(wild_expressions(n_vars=2), st.integers(0, 10**6))
def test_never_nan_and_empty_means_nowhere(root: Expr, seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.choice([-INF, -1e300, -3.0, -0.5, 0.0, 0.25, 2.0], (30, 2))
    high = np.maximum(low, rng.choice([-2.0, 0.0, 0.5, 3.0, 1e300, INF], (30, 2)))
    found_low, found_high, state = Boxes(root)(low, high)
    assert not np.isnan(found_low).any()
    assert not np.isnan(found_high).any()
    assert ((found_low == INF) == (state == NOWHERE)).all()
    assert ((found_high == -INF) == (state == NOWHERE)).all()
    assert (found_low <= found_high)[state != NOWHERE].all()


def test_a_smaller_box_never_has_wider_bounds() -> None:
    problem = cpc.problem("DF3")
    boxes = Boxes(problem.expression)
    low, high = np.array([[6.0, 6.0]]), np.array([[6.4, 6.8]])
    outer = boxes(low, high)
    for a in np.linspace(6.0, 6.3, 20):
        inner = boxes([[a, 6.2]], [[a + 0.05, 6.5]])
        assert inner[0][0] >= outer[0][0]
        assert inner[1][0] <= outer[1][0]


def test_batches_and_single_boxes_agree() -> None:
    problem = cpc.problem("DF8")
    rng = np.random.default_rng(5)
    low = rng.uniform(0.0, 13.0, (9001, 2))
    many = Boxes(problem.expression)(low, low + 0.1)
    for i in (0, 4095, 4096, 9000):
        one = Boxes(problem.expression)(low[i : i + 1], low[i : i + 1] + 0.1)
        assert one[2][0] == many[2][i]
        if one[2][0]:
            assert one[0][0] == pytest.approx(many[0][i], rel=1e-12)


def test_several_formulas_at_once() -> None:
    first, second = ManyBoxes([X * Y, num(3)])([[1.0, 2.0]], [[2.0, 3.0]])
    assert (first[0][0], first[1][0]) == pytest.approx((2.0, 6.0))
    assert (second[0].tolist(), second[1].tolist(), second[2].tolist()) == ([3.0], [3.0], [EVERYWHERE])


def test_deep_formulas_do_not_exhaust_the_stack_or_the_memory() -> None:
    root = X
    for _ in range(30_000):
        root = root + Y
    low, high, state = Boxes(root)(np.zeros((50, 2)), np.ones((50, 2)))
    assert low[0] <= 0.0
    assert high[0] == pytest.approx(30_001.0)
    assert state[0] == EVERYWHERE


def test_no_boxes_no_answers() -> None:
    low, high, state = Boxes(sqrt(sin(X)) ** Y / where(X < 1, Y, 2))(np.empty((0, 2)), np.empty((0, 2)))
    assert low.shape == high.shape == state.shape == (0,)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [([1.0, 2.0], [2.0, 3.0]), ([[1.0]], [[2.0]]), ([[1.0, 2.0]], [[2.0, 1.0]]), ([[1.0, math.nan]], [[2.0, 3.0]]),
     ([[1.0, 2.0]], [[2.0, 3.0, 4.0]])],
)  # fmt: skip
def test_bad_boxes_are_refused(lower: Any, upper: Any) -> None:
    with pytest.raises(CpcbenchError, match="box"):
        Boxes(X + Y)(lower, upper)


def test_a_comparison_alone_is_refused() -> None:
    with pytest.raises(CpcbenchError, match="comparison"):
        Boxes(X < Y)
