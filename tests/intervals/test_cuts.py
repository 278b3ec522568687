"""Boxes are cut down without losing a point that counts, and are cut where they should be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.intervals.boxes import Boxes
from cpcbench.readings.reals.enclosure import enclose
from tests.intervals.test_boxes import points_in, random_boxes
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded

INF = math.inf

KNOWN = [
    ("sqrt(x1)", (-3, 5), INF, (0, 5)),
    ("sqrt(x1)", (-3, 5), 2.0, (0, 4)),
    ("ln(x1 - 1)", (-3, 5), INF, (1, 5)),
    ("ln(x1)", (0, 5), 1.0, (0, math.e)),
    ("exp(x1)", (-9, 5), 2.0, (-9, math.log(2))),
    ("arcsin(2 * x1)", (-3, 5), INF, (-0.5, 0.5)),
    ("arcsin(x1)", (-1, 1), 0.5, (-1, math.sin(0.5))),
    ("arctan(x1)", (-3, 5), 0.5, (-3, math.tan(0.5))),
    ("-arctan(x1)", (-3, 5), -1.0, (math.tan(1.0), 5)),
    ("arctan(x1)", (-3, 5), 1.6, (-3, 5)),
    ("sinh(x1)", (-3, 5), 2.0, (-3, math.asinh(2))),
    ("cosh(x1)", (-3, 5), 2.0, (-math.acosh(2), math.acosh(2))),
    ("-cosh(x1)", (-1, 5), -3.0, (math.acosh(3), 5)),
    ("tanh(x1)", (-3, 5), 0.5, (-3, math.atanh(0.5))),
    ("-tanh(x1)", (-3, 5), -0.5, (math.atanh(0.5), 5)),
    ("arccos(x1)", (-3, 5), 1.0, (math.cos(1.0), 1)),
    ("-arccos(x1)", (-3, 5), -1.0, (-1, math.cos(1.0))),
    ("arcsinh(x1)", (-3, 5), 1.0, (-3, math.sinh(1.0))),
    ("arccosh(x1)", (-3, 5), 1.0, (1, math.cosh(1.0))),
    ("-arctanh(x1)", (-3, 5), -0.5, (math.tanh(0.5), 1)),
    ("log10(x1)", (-3, 500), 2.0, (0, 100)),
    ("-log2(x1)", (-3, 5), -2.0, (4, 5)),
    ("log1p(x1)", (-3, 5), 1.0, (-1, math.expm1(1.0))),
    ("expm1(x1)", (-3, 5), 1.0, (-3, math.log1p(1.0))),
    ("expm1(x1)", (-3, 5), -0.5, (-3, math.log1p(-0.5))),
    ("cbrt(x1)", (-3, 50), 2.0, (-3, 8)),
    ("-cbrt(x1)", (-30, 50), 2.0, (-8, 50)),
    ("erf(x1)", (-3, 5), math.erf(0.5), (-3, 0.5)),
    ("-erf(x1)", (-3, 5), math.erf(0.5), (-0.5, 5)),
    ("ceil(x1)", (-3, 5), 1.5, (-3, 1)),
    ("-ceil(x1)", (-3, 5), -1.5, (1, 5)),
    ("round(x1)", (-3, 5), 1.5, (-3, 1.5)),
    ("-round(x1)", (-3, 5), -1.5, (1.5, 5)),
    ("min(x1, 4)", (-3, 5), 2.0, (-3, 2)),
    ("-min(x1, 4)", (-3, 5), -2.0, (2, 5)),
    ("max(x1, -1)", (-3, 5), 2.0, (-3, 2)),
    ("-max(x1, -1)", (-3, 5), -2.0, (2, 5)),
    ("hypot(x1, 3)", (-9, 9), 5.0, (-5, 5)),
    ("-hypot(x1, 3)", (1, 9), -5.0, (4, 9)),
    ("-arctan2(x1, 1)", (-3, 5), -0.5, (0, 5)),
    ("arctan2(1, x1)", (-3, 5), 1.0, (0, 5)),
    ("mod(x1, 4)", (5, 7), 2.0, (5, 6)),
    ("x1^2", (-3, 5), 4.0, (-2, 2)),
    ("x1 * x1", (-3, 5), 4.0, (-2, 2)),
    ("-x1^2", (1, 5), -4.0, (2, 5)),
    ("-x1^2", (-5, 1), -4.0, (-5, -2)),
    ("x1^3", (-3, 5), 8.0, (-3, 2)),
    ("-x1^3", (-3, 5), 8.0, (-2, 5)),
    ("x1^1.5", (-3, 5), 8.0, (0, 4)),
    ("x1^(-0.5)", (-3, 5), 0.5, (4, 5)),
    ("abs(x1)", (-3, 5), 2.0, (-2, 2)),
    ("-abs(x1)", (-1, 5), -2.0, (2, 5)),
    ("floor(x1)", (-3, 5), 2.5, (-3, 3)),
    ("3 - 2 * x1", (-3, 5), 1.0, (1, 5)),
    ("x1 / 4 + 1", (-3, 5), 2.0, (-3, 4)),
    ("1 / x1", (1, 5), 0.25, (4, 5)),
    ("sqrt(sin(x1))", (-2, 5), INF, (0, math.pi)),
    ("sqrt(sin(x1) - 0.5)", (10, 16), INF, (4 * math.pi + math.pi / 6, 4 * math.pi + 5 * math.pi / 6)),
    ("sqrt(cos(x1))", (2, 6), INF, (1.5 * math.pi, 6)),
    ("sqrt(-0.5 - cos(x1))", (-4, 0), INF, (-4, -2 * math.pi / 3)),
    ("x1^(sqrt(x1 + 4) + 10.1 - sqrt(x1 + 4) )", (-3, 5), INF, (-3, 5)),
    ("where(x1 < 0, 1, sqrt(x1 - 1))", (-3, 5), INF, (-3, 5)),
]


@pytest.mark.parametrize(("text", "box", "limit", "expected"), KNOWN, ids=[f"{k[0]} {k[1]} {k[2]}" for k in KNOWN])
def test_cuts_that_are_known(text: str, box: tuple[float, float], limit: float, expected: tuple[float, float]) -> None:
    root = cpc.parse(text, bounds=[(-1, 1)]).expression
    low, high, alive = Boxes(root).cut(np.array([[box[0]]]), np.array([[box[1]]]), limit)
    assert alive[0]
    assert (low[0, 0], high[0, 0]) == pytest.approx(expected, abs=1e-12)
    assert low[0, 0] <= expected[0] + 1e-15
    assert high[0, 0] >= expected[1] - 1e-15


@pytest.mark.parametrize(
    ("text", "limit"),
    [("sqrt(x1 - 9)", INF), ("x1^2", -1.0), ("ln(-1 - abs(x1))", INF), ("sqrt(cos(x1 * 0) - 2)", INF)],
)
def test_boxes_without_a_point_are_found_out(text: str, limit: float) -> None:
    root = cpc.parse(text, bounds=[(-1, 1)]).expression
    assert not Boxes(root).cut(np.array([[-3.0]]), np.array([[5.0]]), limit)[2][0]


def test_rules_cut_powers_differently() -> None:
    root = cpc.parse("x1^x2", bounds=[(-1, 1), (-1, 1)]).expression
    corners = np.array([[-3.0, 1.0]]), np.array([[5.0, 2.0]])
    assert Boxes(root, "ieee").cut(*corners)[0][0, 0] == -3.0
    assert Boxes(root, "strict").cut(*corners)[0][0, 0] == 0.0
    assert Boxes(root, "ieee").cut(np.array([[-3.0, 1.25]]), np.array([[5.0, 1.75]]))[0][0, 0] == 0.0


def check(seeds: range) -> tuple[int, int]:
    """Points that count stay in their boxes; returns how many there were, and how many boxes were cut."""
    points = cut_boxes = 0
    for seed in seeds:
        r = seeded(seed)
        root = formula(r, r.randrange(2, 14), [*RATIONAL, *ELEMENTARY])
        rule = r.choice(["ieee", "ieee", "strict"])
        low, high = random_boxes(r, 8, 2)
        cutter = Boxes(root, rule)
        for i in range(len(low)):
            for x in points_in(r, low[i], high[i], 2):
                real = enclose(root, x, rule=rule, max_bits=256, accuracy=1e-17)
                if not real.defined or not math.isfinite(real.upper):
                    continue
                points += 1
                limit = r.choice([INF, real.upper, real.upper + abs(real.upper) * 0.1])
                new_low, new_high, alive = cutter.cut(low[i : i + 1], high[i : i + 1], limit)
                assert alive[0], (seed, x, rule)
                assert (new_low[0] <= x).all(), (seed, x, rule, new_low)
                assert (x <= new_high[0]).all(), (seed, x, rule, new_high)
                cut_boxes += bool((new_low[0] > low[i]).any() or (new_high[0] < high[i]).any())
    return points, cut_boxes


def test_no_point_that_counts_is_lost() -> None:
    points, cut_boxes = check(range(200))
    assert points > 600
    assert cut_boxes > 80


@pytest.mark.slow
def test_no_point_that_counts_is_lost_in_many_formulas() -> None:
    assert check(range(1000, 6000))[0] > 20_000


@pytest.mark.parametrize("problem", cpc.problems(), ids=lambda p: p.id)
def test_the_best_known_points_are_never_lost(problem: cpc.Problem) -> None:
    if problem.best_known is None:
        pytest.skip("no point is known")
    rng = np.random.default_rng(7)
    cutter = Boxes(problem.expression, problem.rule)
    for x in problem.best_known.points:
        real = problem.enclosure(x)
        if not real.defined:
            continue
        size = (problem.upper - problem.lower) * 10.0 ** rng.uniform(-12, 0, (200, 1))
        shift = rng.uniform(0.0, 1.0, (200, problem.dim))
        low = np.clip(x - shift * size, problem.lower, x)
        high = np.clip(x + (1.0 - shift) * size, x, problem.upper)
        new_low, new_high, alive = cutter.cut(low, high, real.upper)
        assert alive.all()
        assert (new_low <= x).all()
        assert (x <= new_high).all()
        assert (low <= new_low).all()
        assert (new_high <= high).all()
