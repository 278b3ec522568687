"""The problems: formulas against a second transcription, sizes, boxes, facts, and the readings they offer."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from math import asin, cos, exp, floor, log, pi, pow, sin, sqrt  # noqa: A004 (the double's power)
from typing import Any

import numpy as np
import pytest

from cpcbench.errors import CpcbenchError, PointError, UnknownNameError
from cpcbench.expr import ln, num, variables
from cpcbench.points import as_point, as_points
from cpcbench.problems.facts import BestKnown, facts
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE, problem, problems

Row = list[float]

ADMISSIBLE: dict[str, list[Row]] = {
    "CPC-DF1": [[20.02, 45.712], [-30.808, 2.213], [24.151, -22.872]],
    "CPC-DF2": [[1.562], [2.653], [1.562, 1.832], [1.562, 1.832, 4.165],
                [1.562, 1.832, 4.165, 3.565, 2.239, 4.226, 3.386]],
    "CPC-DF3": [[6.568, 5.767], [1.623, 5.692], [5.276, 6.55]],
    "CPC-DF4": [[353.76, 105.978], [353.76, 105.978, -27.119], [300.5, 250.25, 199.5, 150.0, 99.0, 49.5, -1.0]],
    "CPC-DF5": [[2.523], [-4.372], [2.523, -1.851], [2.523, -1.851, -1.19]],
    "CPC-DF6": [[14.626, 97.177], [1.5, 12.3, 80.1], [0.007, 0.034, 0.16, 0.75, 3.5, 16.2, 75.3]],
    "CPC-DF7": [[5.02], [5.415], [5.02, 2.338], [5.02, 2.338, 2.234]],
    "CPC-DF8": [[5.854, 7.235], [2.093, 4.688], [10.316, 8.348]],
    "CPC-DF9": [[8.895, 1.965], [8.537, 0.023], [7.987, 1.798]],
    "CPC-DF10": [[6.123, -8.972], [-5.888, -2.927], [-6.088, 1.895]],
    "CPC-DF11": [[5.719, -1.648], [-5.712, -1.65], [-4.61, 1.363]],
    "CPC-DF12": [[10.5, -18.173], [-23.284, 68.884, -83.395],
                 [-23.284, 68.884, -83.395, 92.201, -96.398, -96.736, -97.88]],
    "CPC-DF13": [[0.729, 0.019], [0.968, 0.356], [0.757, -0.442]],
    "CPC-DF14": [[1.5, 3.548], [-5.95, -0.502], [-7.98, -0.922]],
    "CPC-DF15": [[3.366, 3.453], [2.675, 3.278], [3.28, 3.4]],
    "CPC-DF16": [[238.725, 182.47], [238.725, 182.47, 66.972],
                 [238.725, 182.47, 66.972, 12.463, -15.401, -22.499, -35.321]],
    "CPC-DF17": [[-12.702, -11.904], [62.03, 57.699], [99.856, 15.43]],
    "CPC-DF18": [[12.431, -0.158, -1990.806, 3980.899], [10.811, -0.116, -2067.652, 4132.731]],
    "CPC-DF19": [[-19.109, -1.886, -40.579, -75.039, -81.709, 81.064],
                 [54.448, 1.685, 32.857, 53.541, -12.243, 90.94]],
    "CPC-DF20": [[9.109, -3.012], [8.017, 0.931, 3.955], [8.017, 0.931, 3.955, 5.653, 4.554, 8.529, 4.379]],
    "CPC-DF21": [[21.083, 11.089], [21.083, 11.089, 23.547],
                 [21.083, 11.089, 23.547, 17.346, 4.784, 7.761, 11.112]],
    "CPC-DF22": [[-0.128, -89.622], [-1.703, -7.102], [-9.252, -9.344]],
    "CPC-DF23": [[96.088, -64.954], [96.088, -64.954, -79.637],
                 [96.088, -64.954, -79.637, -84.061, 16.871, -88.211, -41.085]],
    "CPC-DF24": [[-0.013, 5.138], [2.804, -5.28], [0.341, 4.773]],
    "CPC-DF25": [[8.453, -9.288], [2.967, 7.443, 2.558],
                 [2.967, 7.443, 2.558, 4.196, -1.461, 2.066, 3.648]],
    "F37": [[0.26, -0.33, 17.21, 4.04], [-0.21, 0.41, -0.19, 0.61], [0.03, 499.0, -0.12, 0.02]],
    "F138": [[-0.6], [1.5, -2.51], [0.4, -99.7, 3.2], [0.5, 1.4, -0.5, 2.6, -7.1, 99.9, 0.0]],
    "F170": [[0.3], [-0.2, 0.7], [0.1, -0.4, 14.0], [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7]],
}  # fmt: skip
"""Points a good way inside the domain, where a last bit of one operation does not blow up."""


def total(term: Callable[[int], float], first: int, last: int) -> float:
    result = term(first)
    for i in range(first + 1, last + 1):
        result = result + term(i)
    return result


def coordinate(x: Row) -> Callable[[int], float]:
    return lambda i: x[i - 1]


def df1(x: Row) -> float:
    a, b = x[0] - 0.125, x[1] + 0.25
    inner = sin(a + b) + log(pow(a - b, 2) - 1.5 * a + 2.5 * b + 1)
    return pow(inner, 0.6) + sqrt(sin(pow(a, 2) + pow(b, 2)))


def df2(x: Row) -> float:
    result = 0.0
    for i in range(1, len(x) + 1):
        xi = x[i - 1]
        wave = 10 * log(xi) * sin(pi * xi / 5)
        shifted = 10 * log(xi) * cos(xi * pi * (i - 1) / 5) - i
        result += sqrt(pow(wave, 1.5) - pow(shifted, 1.5))
    return result


def df3(x: Row) -> float:
    x1, x2 = x
    wave = cos(-(2 / 3) * pow(x1, 3) - 8 * pow(x1, 2))
    ring = pow(x1 - 4, 2) + pow(x2 - 5, 2) - 4
    return -log(x1 - x2 * log(wave)) - log(33 * x1 - x1 * x2 + 5 - pow(ring, 2))


def df4(x: Row) -> float:
    result = 0.0
    for i in range(len(x) - 1):
        egg = -(x[i + 1] + 47) * sin(sqrt(x[i + 1] + x[i] / 2 + 47))
        result += egg + log(sin(sqrt(x[i] - x[i + 1] - 47))) * (-x[i])
    return result


def df5(x: Row) -> float:
    s = 0.0
    for i in range(1, len(x) + 1):
        square = pow(x[i - 1], 2)
        s += sqrt(i * square - pow(square / i - 10 * cos(2 * pi * i * x[i - 1]), i / 5))
    return -log(5 - s + 1)


def df6(x: Row) -> float:
    result = 0.0
    for i in range(len(x) - 1):
        a, b = x[i], x[i + 1]
        fifth_root = pow(pow(b, 2) - 2 * a * b + pow(a, 2), 1 / 5)
        result += pow(sin(sqrt(pow(b, 2) - 20 * pow(a, 2))), 2) - 0.5 * a + 0.001 * fifth_root + 1.5
    return result


def df7(x: Row) -> float:
    result = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, 6):
            angle = (j + 1) * pow(x[i - 1], i) / j + j
            result += log(0.1 - j * sin(angle)) + log(5 + j - x[i - 1])
    return -result


def df8(x: Row) -> float:
    x1, x2 = x
    top = sin(pi * (x1 - 2)) * sin(pi * (x2 - 2))
    bottom = pow(pi, 2) * x1 * (x1 - 2) * (x2 - 2)
    return 1 - pow(top / bottom, 1.03) + pow(2 + pow(x1 - 7, 2) - 2 * pow(x2 - 7, 2), 0.65)


def df9(x: Row) -> float:
    x1, x2 = x
    first = pow(pow(x1, 2) + x2 - 10, 1.02 * cos(x1))
    second = pow(x1 + pow(x2, 2) - 7, 1.02 + sin(x2))
    third = pow(pow(x1, 2) + pow(x2, 3) - 1, 1.02 + cos(x1 * x2))
    return first + second * third


def df10(x: Row) -> float:
    x1, x2 = x
    slow = pow(pow(x1, 2) + pow(x2, 2) / x1 - 5, 0.01)
    return slow + 25 * pow(pow(sin(x1 + 1), 2) - pow(sin(x2 - 1), 2), 0.25)


def df11(x: Row) -> float:
    x1, x2 = x
    base = abs(sin(x2)) - 8 * abs(cos(x1 / (pow(x2, 2) + 1)))
    return cos(x1) * pow(base, 1 + sqrt(0.001 - abs(sin(x1 * x2))))


def df12(x: Row) -> float:
    result = 0.0
    for i in range(len(x) - 1):
        a, b = x[i], x[i + 1]
        top = sqrt(sin(sqrt(pow(b, 2) - pow(a, 2)) - 0.5) - 0.5)
        result += top / pow(10 * (pow(b, 2) + pow(a, 2)) - 0.85, 0.2) + 0.5
    return -result


def df13(x: Row) -> float:
    x1, x2 = x
    wave = 0.5 * cos(3 * pi * x1 + 4 * pi * x2 + 5) - 0.495 * x1
    return sqrt(x1 - 2 * pow(x2, 2) - exp(x2 - pow(x1, 2))) - pow(wave, 1 / 5)


def df14(x: Row) -> float:
    x1, x2 = x
    bases = [1.5 - x1 + x1 * x2, 2.5 - x1 + x1 * pow(x2, 2), 2.625 - x1 + x1 * pow(x2, 3)]
    return pow(bases[0], 0.2) + pow(bases[1], x1 - 0.5) + pow(bases[2], 0.2)


def df15(x: Row) -> float:
    x1, x2 = x
    wave = cos(12 * sqrt(pow(x1, x2) - pow(x2, x1)) + 5)
    last = pow(0.5 * (pow(x1, 2) - pow(x2, 2)) * cos(x1 - x2) + 2, 1.5)
    return 10 - pow(0.01 - sqrt(wave - x1 / x2), 1.35) + last


def df16(x: Row) -> float:
    result = 0.0
    for i in range(1, len(x)):
        a, b = x[i - 1], x[i]
        egg = -(i * b + 27) * sin(sqrt(b - a / 2 + 27))
        result += pow(egg + sin(sqrt(a - i * b - 27)) * (-a), i)
    return (1 / 2e7) * result


def df17(x: Row) -> float:
    x1, x2 = x
    wave = 0.3 * cos(3 * pi * x1 - x2 + 1) * cos(4 * pi * x2 + 2 * x1 - 1) - 0.29
    return 1 - log(pow(pow(x1, 2) - pow(x2, 2) + 0.25, 0.5) - pow(wave, 0.5))


def df18(x: Row) -> float:
    x1, x2, x3, x4 = x
    w = 2 / log(x3 + x4 - x2 - x1)
    f1 = 2 * x1 - pow(x2 - x3 + x4, 10.3 - x1)
    f2 = 2 - log(-2 * x3 - x4 - 2 * x2) - pow(-x2 * log(x1 - exp(x1 / x2 - x3 / x4)), 0.75)
    f3 = 0.0463 * x3 - (pow(x1, 2) / x2) * w
    f4 = 0.651 - (x4 * pow(x2, 5) / x3) * pow(x4 * x1 - w, 0.5)
    return pow(f1, 2.01) + pow(f2, 2.02) + pow(f3, 2.03) + pow(f4, 2.04)


def df19(x: Row) -> float:
    x1, x2, x3, x4, x5, x6 = x
    f1 = -1.29 * log(pow(x1, 2) - x2) - 1.1 * pow(2500 - pow(x2, 2), 0.25)
    f2 = -1.59 * log(pow(x3, 2) - x4) - 1.2 * log(-pow(x2, 2) + pow(x4, 2))
    f3 = -1.99 * log(pow(x5, 2) - x6) - 1.3 * log(pow(x4, 2) - 2500)
    f4 = pow(x6 + x5 - x1, 0.1) - x3 / x4
    f5 = pow(-20 + x1 - x3, 0.2) - 1.2
    f6 = pow(-40 + x3 - x5, 0.3) - 1.3
    return f1 * f1 + f2 * f2 + f3 * f3 + f4 * f4 + f5 * f5 + f6 * f6


def df20(x: Row) -> float:
    n, at = len(x), coordinate(x)

    def term(i: int) -> float:
        root = pow(cos(at(i) - i * at(i + 1)), 1 / n)
        return sqrt(log(sin(at(i) * at(i + 1) - i) + 0.1) + at(i) * root)

    return -total(term, 1, n - 1)


def df21(x: Row) -> float:
    at = coordinate(x)

    def term(i: int) -> float:
        return -log(pow(sin(at(i + 1)), 2) - pow(sin(at(i)), 2) + 0.02) + pow(at(i) - 0.25, 0.15)

    return total(term, 1, len(x) - 1) - log(x[-1])


def df22(x: Row) -> float:
    x1, x2 = x
    first = x1 * x2 - pow(1 / x2 - cos(-x1 + x2) / x1, x1 - x2) - 0.01 * x1
    second = pow(-x1 - x2, x1 / x2) - (1 / x1 - x1 * log(x1 + sin(x2 * x1) * x2)) + 0.02 * x2
    return pow(first, 1.01) + pow(second, 1.01)


def df23(x: Row) -> float:
    n, at = len(x), coordinate(x)
    a = total(lambda i: pow(at(i), 2) / i - pow(at(i + 1), i), 1, n - 1)
    b = total(lambda i: sin(sqrt(cos(i * at(i)) - sin(i * at(i + 1)))), 1, n - 1)
    return -20 * exp(-0.2 * sqrt(a / n)) - log(b / n)


def df24(x: Row) -> float:
    x1, x2 = x
    inner = sin(x1) * sin(pow(0.55 - cos(x2), -0.2)) + cos(x2) * cos(pow(0.45 - sin(x1), 0.2))
    return -log(sqrt(asin(log(inner + sqrt(sin(pow(x1 - x2, 2))))))) * 1000


def df25(x: Row) -> float:
    at = coordinate(x)

    def term(i: int) -> float:
        top = log(sqrt(sin(at(i) - pi / 2) + cos(at(i + 1) - pi)) + 0.25 * at(i) + 1)
        return top / (sqrt(log(sin(at(i) * pi) - (cos(2 * at(i) - at(i + 1) + pi / 2) - at(i) / i))) + 0.1)

    return -total(term, 1, len(x) - 1)


def f37(x: Row) -> float:
    result = 0.0
    for xi, d in zip(x, (1, 1000, 10, 100), strict=True):
        z = 0.2 * floor(abs(xi / 0.2) + 0.49999) * np.sign(xi)
        if abs(xi - z) < 0.05:
            result += 0.15 * pow(z - 0.05 * np.sign(z), 2) * d
        else:
            result += d * pow(xi, 2)
    return result


def f138(x: Row) -> float:
    return float(sum(floor(xi + 0.5) ** 2 for xi in x))


def f170(x: Row) -> float:
    first = exp(-total(lambda i: pow(x[i - 1] / 15, 10), 1, len(x)))
    product = 1.0
    for xi in x:
        product *= pow(cos(xi), 2)
    return first - 2 * exp(-total(lambda i: pow(x[i - 1], 2), 1, len(x))) * product


TRANSCRIPTION: dict[str, Callable[[Row], float]] = {
    **{f"CPC-DF{i}": globals()[f"df{i}"] for i in range(1, 26)},
    "F37": f37, "F138": f138, "F170": f170,
}  # fmt: skip

CASES = [(id_, x) for id_, rows in ADMISSIBLE.items() for x in rows]


@pytest.mark.parametrize(("id_", "x"), CASES, ids=[f"{id_} n={len(x)}" for id_, x in CASES])
def test_second_transcription_agrees(id_: str, x: Row) -> None:
    n = len(x) if SUITE[id_].smallest is not None else None
    expected = TRANSCRIPTION[id_](x)
    assert math.isfinite(expected)
    assert problem(id_, n=n).reference(x) == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("id_", [id_ for id_, d in SUITE.items() if d.smallest is not None])
def test_every_size_from_the_smallest_is_built(id_: str) -> None:
    smallest = SUITE[id_].smallest
    assert smallest is not None
    for n in (smallest, 2, 3, 7, 31):
        p = problem(id_, n=n)
        assert p.dim == len(p.lower) == len(p.upper) == len(p.bounds) == n
        assert p.scalable
        assert (p.published is None) == (n != facts(id_).n)
        assert (p.best_known is not None) == (2 <= n <= 10 or not id_.startswith("CPC"))


def test_classics_know_their_minimum_at_every_size() -> None:
    for id_, value in (("F138", 0.0), ("F170", -1.0)):
        for n in (1, 2, 9):
            p = problem(id_, n=n)
            assert p.best_known is not None
            assert p.best_known.points.shape == (1, n)
            assert p.reference(p.best_known.points[0]) == p.best_known.value == value
    assert problem("F37").reference(np.zeros(4)) == 0.0


SMALLEST_1 = {"CPC-DF2", "CPC-DF5", "CPC-DF7", "F138", "F170"}
SMALLEST_2 = {f"CPC-DF{i}" for i in (4, 6, 12, 16, 20, 21, 23, 25)}


def test_sizes() -> None:
    sizes = {1: 2, 2: 5, 3: 2, 4: 5, 5: 5, 6: 4, 7: 3, 12: 5, 16: 5, 18: 4, 19: 6, 20: 5, 21: 5, 23: 5, 25: 3}
    expected = {f"CPC-DF{i}": sizes.get(i, 2) for i in range(1, 26)} | {"F37": 4, "F138": 5, "F170": 5}
    assert {p.id: p.dim for p in problems()} == expected
    assert {id_ for id_, d in SUITE.items() if d.smallest == 1} == SMALLEST_1
    assert {id_ for id_, d in SUITE.items() if d.smallest == 2} == SMALLEST_2
    assert {id_ for id_, d in SUITE.items() if d.smallest is None} == set(SUITE) - SMALLEST_1 - SMALLEST_2


def test_boxes() -> None:
    sides = {2: (0, 10), 4: 512, 5: 6, 7: 10, 8: (0, 14), 9: 10, 10: 10, 11: 6, 14: 10, 15: 5, 16: 512, 18: 5000,
             20: 10, 21: 30, 24: 2 * math.pi, 25: 10}  # fmt: skip
    expected: dict[str, Any] = {f"CPC-DF{i}": sides.get(i, 100) for i in range(1, 26)}
    expected |= {"F37": 500, "F138": 100, "F170": 20}
    for p in problems():
        side = expected[p.id] if isinstance(expected[p.id], tuple) else (-expected[p.id], expected[p.id])
        assert p.bounds == [side] * p.dim


@pytest.mark.parametrize("id_", SUITE)
def test_facts_are_complete(id_: str) -> None:
    p = problem(id_)
    record = p.published
    assert record is not None
    assert p.best_known is not None
    assert p.title
    assert p.title != p.id
    assert p.category == {"F37": "piecewise", "F138": "stepwise", "F170": "numerical"}.get(id_, "domain-induced")
    assert p.separable is (id_ in {"CPC-DF2", "CPC-DF5", "CPC-DF7", "F37", "F138"})
    assert 0 < record.feasible_ratio <= 100
    assert record.feasible_ratio_is_bound is (id_ == "CPC-DF18")
    assert record.rule == p.best_known.rule == "strict"
    assert record.source
    assert record.points.shape[1] == p.dim
    assert math.isfinite(record.value)
    assert p.best_known.value <= record.value + 1e-14 * abs(record.value)
    assert p.best_known.kind == ("proven" if id_.startswith("CPC-") and id_ != "CPC-DF3" else "published")


def test_titles_are_distinct() -> None:
    assert len({p.title for p in problems()}) == len(SUITE)


def test_rules_differ_on_a_thin_set_only() -> None:
    """At x1 = -0.5 the middle exponent of DF14 is -1, and its base may be negative."""
    thin = [-0.5, -2.6]
    assert math.isfinite(problem("DF14").reference(thin))
    assert math.isnan(problem("DF14", rule="strict").reference(thin))
    ordinary = [-5.95, -0.502]
    assert problem("DF14").reference(ordinary) == problem("DF14", rule="strict").reference(ordinary)


# The Problem class


@pytest.fixture(name="own", scope="module")
def own_problem() -> Problem:
    x1, x2 = variables(2)
    return Problem("own", ln(x1 - x2**2), [0.0, -1.0], [2.0, 3.0], names=["a", "b"])


def test_last_axis_is_the_point(own: Problem) -> None:
    grid = np.array([[[0.5, 0.1], [1.0, 0.5], [0.1, 1.0]], [[2.0, -1.0], [0.0, 0.0], [1.5, 1.0]]])
    expected = [[math.log(0.49), math.log(0.75), math.nan], [0.0, math.nan, math.log(0.5)]]
    for values in (own(grid), own.reference(grid)):
        assert values.shape == (2, 3)
        np.testing.assert_allclose(values, expected, rtol=1e-15)
    assert own.admissible(grid).tolist() == [[True, True, False], [True, False, True]]
    assert own.gradient(grid).shape == grid.shape
    for i, j in np.ndindex(2, 3):
        one = own(grid[i, j])
        assert type(one) is float
        assert np.float64(one).tobytes() == own(grid)[i, j].tobytes() or math.isnan(one)
        assert own.admissible(grid[i, j]) is bool(own.admissible(grid)[i, j])
    assert own(np.empty((0, 2))).shape == (0,)
    assert type(own.reference([1.0, 0.5])) is float


def test_gradient(own: Problem) -> None:
    np.testing.assert_allclose(own.gradient([1.0, 0.5]), [1 / 0.75, -1 / 0.75], rtol=1e-14)


def test_threads_do_not_change_values(own: Problem) -> None:
    points = np.random.default_rng(7).uniform(own.lower, own.upper, (1001, 2))
    assert own(points, workers=2).tobytes() == own(points).tobytes()
    for threads in (0, -1, 1.5, "2", True, None):
        with pytest.raises(CpcbenchError, match="threads"):
            own(points, workers=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", ["list", "tuple", "float32", "int", "read-only", "strided", "unaligned", "swapped"])
def test_every_layout_gives_the_same_value(own: Problem, layout: str) -> None:
    x = np.array([2.0, 1.0])
    raw = np.zeros(17, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    given: dict[str, Any] = {
        "list": [2, 1], "tuple": (2.0, 1.0), "float32": x.astype(np.float32), "int": x.astype(np.int64),
        "read-only": frozen, "strided": np.array([2.0, 9.0, 1.0, 9.0])[::2], "unaligned": unaligned,
        "swapped": x.astype(">f8"),
    }  # fmt: skip
    assert own(given[layout]) == own.reference(given[layout]) == 0.0
    assert own([given[layout]]).tolist() == [0.0]


BAD_POINTS: list[tuple[Any, str]] = [
    ([1.0], r"2 coordinates.*\(1,\)"),
    ([], r"2 coordinates.*\(0,\)"),
    (1.0, r"2 coordinates.*\(\)"),
    ([[1.0, 2.0, 3.0]], r"2 coordinates.*\(1, 3\)"),
    ([[1.0, 2.0], [1.0]], "equal length"),
    (["a", "b"], "text"),
    ([1.0, None], "object"),
    ([1.0, 2j], "complex"),
    ([True, False], "booleans"),
    (None, "object"),
    ("12", "text"),
    ({1.0, 2.0}, "object"),
    ([1.0, math.nan], "x2 is nan"),
    ([math.inf, 1.0], "x1 is inf"),
    ([[1.0, 2.0], [1.0, -math.inf]], "x2 of point 1 .* is -inf"),
    (np.array([1.0, np.longdouble("1e4000")]), "x2 is inf"),
]


@pytest.mark.parametrize(("x", "message"), BAD_POINTS, ids=[repr(x)[:30] for x, _ in BAD_POINTS])
def test_bad_points_are_refused(own: Problem, x: Any, message: str) -> None:
    for reading in (own, own.reference, own.admissible, own.gradient, own.in_box):
        with pytest.raises(PointError, match=message):
            reading(x)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_the_fast_path_refuses_what_is_not_finite(bad: float) -> None:
    p = problem("F170", n=2)
    for x in (np.array([bad, 1.0]), np.array([1.0, bad])):
        with pytest.raises(PointError, match=str(bad)):
            p(x)


def test_points_are_never_changed(own: Problem) -> None:
    x = np.array([[1.0, 0.5], [2.0, 0.5]])
    before = x.tobytes()
    own(x), own.reference(x), own.gradient(x), own.admissible(x), own(x[0])
    assert x.tobytes() == before


def test_points_are_copied_only_when_needed() -> None:
    good = np.array([[1.0, 2.0]])
    assert as_points(good, 2) is good
    for other in (good[:, ::-1], good.astype(np.float32), good.astype(">f8")):
        made = as_points(other, 2)
        assert made.flags.carray
        assert made.dtype == np.dtype(np.float64)
        assert not np.shares_memory(made, good)
    assert as_point([1, 2], 2).tolist() == [1.0, 2.0]
    with pytest.raises(PointError, match="one point"):
        as_point(good, 2)


def test_one_point_readings(own: Problem) -> None:
    assert own.enclosure([1.0, 0.5]).contains(math.log(0.75))
    assert own.error_bound([1.0, 0.5]).value == own.reference([1.0, 0.5])
    with pytest.raises(PointError, match="one point"):
        own.enclosure([[1.0, 0.5]])
    assert len(own.conditions) == 1
    assert own.conditions[0]([1.0, 0.5]) is True
    assert own.conditions[0]([0.1, 0.5]) is False
    assert own.conditions is not own.conditions  # a list of the user's own


def test_text_uses_the_names(own: Problem) -> None:
    assert own.names == ("a", "b")
    assert own.formula == "ln(a - b^2)"
    assert "a" in own.latex
    assert own.export("matlab").text
    assert problem("F138", n=1).formula == "floor(x1 + 0.5)^2"


def test_what_is_not_known_is_none(own: Problem) -> None:
    assert own.title == own.id == "own"
    for fact in (own.separable, own.category, own.published, own.best_known):
        assert fact is None
    assert own.scalable is False
    known = BestKnown(0.0, np.array([[1.0, 0.0]]), "ieee", "by hand", "faithful")
    other = Problem("known", own.expression, own.lower, own.upper, best_known=known)
    assert other.best_known is known
    assert other.with_rule("strict").best_known is known


def test_in_box(own: Problem) -> None:
    assert own.in_box([0.0, 3.0]) is True
    assert own.in_box([0.0, 3.0000000001]) is False
    assert own.in_box([[-1e-300, 0.0], [2.0, -1.0]]).tolist() == [False, True]


def test_with_rule() -> None:
    p = problem("DF14")
    assert p.with_rule("ieee") is p
    strict = p.with_rule("strict")
    assert strict.rule == "strict"
    assert strict == problem("DF14", rule="strict")
    assert strict != p
    assert strict.published is p.published
    with pytest.raises(UnknownNameError, match="unknown admissibility rule 'lax': the rules are 'ieee' and 'strict'"):
        p.with_rule("lax")


def test_nothing_can_be_changed(own: Problem) -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        own.rule = "strict"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del own.rule
    p = problem("DF10")
    assert p.published is not None
    assert p.best_known is not None
    for array in (own.lower, own.upper, p.published.points, p.best_known.points):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    p.bounds.clear()
    assert len(p.bounds) == 2


def test_bounds_given_are_copied() -> None:
    lower = np.array([0.0])
    p = Problem("copy", variables(1)[0], lower, [1.0])
    lower[0] = 0.5
    assert p.lower.tolist() == [0.0]


@pytest.mark.parametrize("id_", ["CPC-DF5", "F170"])
def test_pickles(id_: str) -> None:
    p = problem(id_)
    x = np.array([0.75, 0.6, 1.1, 0.8, 0.05])
    before = p(x)  # compiled, and the compiled kernel must not travel
    back = pickle.loads(pickle.dumps(p))  # noqa: S301
    assert back == p
    assert hash(back) == hash(p)
    assert back.expression is p.expression
    assert np.float64(back(x)).tobytes() == np.float64(before).tobytes()
    assert back.published is p.published
    assert not back.best_known.points.flags.writeable
    assert back.best_known.points.tobytes() == p.best_known.points.tobytes()  # type: ignore[union-attr]
    record = pickle.loads(pickle.dumps(p.published))  # noqa: S301
    assert not record.points.flags.writeable


@pytest.mark.slow
def test_pickles_however_deep() -> None:
    deep = variables(1)[0]
    for _ in range(50_000):
        deep = deep + 1
    p = Problem("deep", deep, [0.0], [1.0])
    assert pickle.loads(pickle.dumps(p)) == p  # noqa: S301


def test_shown(own: Problem) -> None:
    assert repr(problem("DF3")) == "<Problem CPC-DF3: n = 2, box [-100, 100]^2, rule ieee>"
    assert str(problem("F37")) == "F37 (Corana), n = 4, box [-500, 500]^4, rule ieee"
    assert str(own) == "own, n = 2, box [0, 2] x [-1, 3], rule ieee"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", num(1), [0], [1]), "id"),
        ((3, num(1), [0], [1]), "id"),
        (("p", 1.0, [0], [1]), "expression"),
        (("p", num(1) < num(2), [0], [1]), "expression"),
        (("p", variables(2)[1], [0], [1]), "x2"),
        (("p", num(1), [0, 1], [1]), "shapes"),
        (("p", num(1), 0, 1), "shapes"),
        (("p", num(1), [], []), "shapes"),
        (("p", num(1), ["a"], [1]), "real numbers"),
        (("p", num(1), [2], [1]), r"variable 1 are \(2.0, 1.0\)"),
        (("p", num(1), [0, math.nan], [1, 1]), "variable 2"),
        (("p", num(1), [math.inf], [math.inf]), "-inf and inf where there is no bound"),
    ],
)
def test_bad_definitions_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        Problem(*arguments)


@pytest.mark.parametrize("names", [["a"], ["a", "a"], ["a", ""], ["a", 2]])
def test_bad_names_are_refused(names: Any) -> None:
    with pytest.raises(CpcbenchError, match="2 different names"):
        Problem("p", num(1), [0, 0], [1, 1], names=names)
