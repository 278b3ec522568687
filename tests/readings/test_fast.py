"""The compiled kernels: one point, many points, any layout and any number of threads give the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import cpcbench as cpc
from cpcbench.expr import cos, exp, floor, ln, num, sign, sqrt, variables, where
from cpcbench.readings.doubles.fast import FastReading
from cpcbench.sampling.points import admissible_points, boundary_points, uniform_points
from tests.cases import one_in

Floats = npt.NDArray[np.float64]
IDS = [p.id for p in cpc.problems()]
COUNT = 100_000


@cache
def sample(name: str) -> Floats:
    """Even draws, admissible points and points at the edge of the domain, shuffled."""
    p, rng = cpc.problem(name), np.random.default_rng(7)
    parts = [
        uniform_points(p, COUNT // 2, rng),
        admissible_points(p, COUNT // 4, rng),
        boundary_points(p, COUNT - COUNT // 2 - COUNT // 4, rng),
    ]
    return np.concatenate(parts)[rng.permutation(COUNT)]


def bits(values: object) -> npt.NDArray[np.int64]:
    return np.asarray(values, dtype=np.float64).view(np.int64)


@pytest.mark.parametrize("name", one_in(6, IDS))
def test_scalar_batch_and_threads_give_the_same_bits(name: str) -> None:
    p, points = cpc.problem(name), sample(name)
    expected = bits(p(points))
    assert np.isfinite(expected.view(np.float64)).sum() > 0, "the sample must hold admissible points"
    assert np.array_equal(bits([p(x) for x in points]), expected)
    for threads in (2, 3, 7):
        assert np.array_equal(bits(p(points, workers=threads)), expected)


@pytest.mark.parametrize("name", one_in(5, IDS))
def test_size_and_layout_do_not_matter(name: str) -> None:
    p, points = cpc.problem(name), sample(name)[:4001]
    expected = bits(p(points))
    for size in (1, 2, 3, 5, 8, 17, 64, 1000):
        for start in (0, 1, 3):
            assert np.array_equal(bits(p(points[start : start + size])), expected[start : start + size])
    for same in (np.asfortranarray(points), _unaligned(points), _read_only(points), np.repeat(points, 2, axis=0)[::2]):
        assert np.array_equal(bits(p(same)), expected)
    assert np.array_equal(bits(p(points[:4000].reshape(20, 200, p.dim))), expected[:4000].reshape(20, 200))
    assert bits(p(points[0].tolist())) == expected[0]


@pytest.mark.parametrize("rule", ["ieee", "strict"])
@pytest.mark.parametrize("name", one_in(4, IDS))
def test_the_admissibility_kernel_agrees_with_the_value(name: str, rule: str) -> None:
    p, points = cpc.problem(name, rule=rule), sample(name)
    assert np.array_equal(p.admissible(points), ~np.isnan(p(points)))
    assert np.array_equal(p.admissible(points, workers=3), ~np.isnan(p(points)))
    with np.errstate(over="ignore"):
        beyond = points * np.random.default_rng(3).choice([1.5, -3.0, 1e10, 1e160, 1e306, 1e-200], points.shape)
    beyond = beyond[np.isfinite(beyond).all(axis=1)]
    assert np.array_equal(p.admissible(beyond), ~np.isnan(p(beyond)))


def test_strict_admits_fewer_points_on_thin_sets() -> None:
    x2 = np.linspace(2.4, 2.5, 1001)
    points = np.stack([np.full_like(x2, -0.5), x2], axis=1)
    p = cpc.parse("(2.5 - x1 + x1*x2^2)^(x1 - 0.5)", [(-10, 10), (-10, 10)])
    ieee, strict = p.admissible(points), p.with_rule("strict").admissible(points)
    assert not (strict & ~ieee).any()
    assert (ieee & ~strict).sum() > 100
    assert p(points[-1]) < 0


def test_early_stops_do_not_change_the_value() -> None:
    """A cheap test comes first, whatever the order as written; the value keeps its bits."""
    x1, x2 = variables(2)
    expression = ln(cos(x1 * x2) + 1.5) ** 0.3 + sqrt(x1)
    reading = FastReading(expression, np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    assert reading.plan.tests[0].operand is x1
    written = FastReading(ln(cos(x1 * x2) + 1.5) ** 0.3, np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    x = np.array([0.37, -0.81])
    assert reading.point(x) == written.point(x) + np.sqrt(0.37)


def test_where_is_lazy_and_overflow_is_undefined() -> None:
    x = variables(1)[0]
    box = np.array([-1e300]), np.array([1e300])
    chosen = FastReading(where(x < 0, sqrt(-x), ln(x)), *box)
    assert chosen.point(np.array([-4.0])) == 2.0
    assert chosen.point(np.array([1.0])) == 0.0
    assert np.isnan(chosen.point(np.array([0.0])))
    for hidden in (1 / exp(x), exp(-exp(x)), sign(exp(x)), where(exp(x) < 1, 1, 2), num(2) ** (-exp(x)), exp(x) ** -1):
        reading = FastReading(hidden, *box)
        assert np.isnan(reading.point(np.array([1000.0]))), hidden
        assert np.isfinite(reading.point(np.array([1.0]))), hidden
        assert not reading.admissible(np.array([[1000.0]]))[0]
    assert FastReading(floor(x) ** 3, *box).point(np.array([-2.5])) == -27.0


def test_whole_powers_are_correctly_rounded() -> None:
    rng = np.random.default_rng(5)
    points = rng.uniform(-50, 50, (2000, 1))
    for exponent in (2, 3, 4, 5, 7, 10, 16):
        p = cpc.parse(f"x1^{exponent}", [(-50, 50)])
        assert np.array_equal(bits(p(points)), bits(p.reference(points))), exponent


NEVER_DEFINED = (
    "x1*sin(exp(1000))",
    "x1*exp(-exp(1000))",
    "floor(exp(1000)) + x1",
    "(2 + sin(exp(1000)))^x1",
    "(-2)^(x1/0)",
)


@pytest.mark.parametrize("text", NEVER_DEFINED)
def test_a_constant_part_without_a_value_makes_every_point_inadmissible(text: str) -> None:
    p = cpc.parse(text, (-5, 5))
    for x in (0.0, 1.0):
        assert np.isnan(p([x]))
        assert np.isnan(p.reference([x]))
        assert p.admissible([x]) is False


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("(2 + sin(x1*x1))^x2", [1e200, 0.0]),
        ("1^sin(x1*x1) + x2", [1e200, 0.0]),
        ("where(x1 < 5, (2 + sin(ln(x1)))^x2, 0)", [-1.0, 0.0]),
        ("where(x1 < 5, 1^sin(ln(x1)), x2)", [-1.0, 0.0]),
        ("where(x1 < 5, sin(ln(x1))^0, x2)", [-1.0, 0.0]),
    ],
)
def test_a_power_does_not_hide_an_undefined_part(text: str, x: list[float]) -> None:
    """C's pow(NaN, 0) and pow(1, NaN) are 1."""
    p = cpc.parse(text, (-1e300, 1e300))
    assert np.isnan(p(x))
    assert p.admissible(x) is False
    assert np.isfinite(p([2.0, 0.0]))


def test_a_negative_constant_to_a_variable_power() -> None:
    p = cpc.parse("(-2)^x1 + sqrt(x1)", (0, 5))
    assert p([3.0]) == -8.0 + np.sqrt(3.0)
    assert np.isnan(p([2.5]))


def test_the_largest_box_there_is() -> None:
    p = cpc.parse("sqrt(x1) + ln(x2)", (-1.7976931348623157e308, 1.7976931348623157e308))
    assert p([4.0, 1.0]) == 2.0
    assert np.isfinite(p(admissible_points(p, 200, np.random.default_rng(1)))).all()
    assert 0 < np.isfinite(p(boundary_points(p, 200, np.random.default_rng(1)))).sum() < 200


def test_zeros_have_the_sign_of_the_reference() -> None:
    for text in ("x1^3", "x1^7", "sign(x1)", "x1^0.5"):
        p = cpc.parse(text, (-5, 5))
        points = [[-0.0], [0.0], *([[-1e-200]] if text in ("x1^3", "x1^7") else [])]
        assert np.array_equal(bits(p(points)), bits(p.reference(points))), text


def test_the_order_of_the_tests_does_not_matter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CPCBENCH_CACHE", str(tmp_path))
    rng = np.random.default_rng(2)

    def shuffled(_root: object, requirements: list[object], *_box: object) -> list[object]:
        return [requirements[i] for i in rng.permutation(len(requirements))]

    monkeypatch.setattr("cpcbench.readings.doubles.lowering.order_tests", shuffled)
    for name in ("CPC-DF15", "CPC-DF18", "CPC-DF22"):
        p, points = cpc.problem(name), sample(name)[:20_000]
        other = FastReading(p.expression, p.lower, p.upper)
        assert [t.operands for t in other.plan.tests] != [t.operands for t in p.fast.plan.tests]
        assert np.array_equal(bits(other.batch(points)), bits(p(points)))
        assert np.array_equal(other.admissible(points), p.admissible(points))


PROGRAM = "import cpcbench as cpc; p = cpc.problem('CPC-DF3'); print(repr(p(p.published.points[0].copy())))"


def _run(folder: Path) -> str:
    environment = {**os.environ, "CPCBENCH_CACHE": str(folder)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_kernels_are_kept_for_later_processes(tmp_path: Path) -> None:
    assert _run(tmp_path) == "-10.503674524476093"
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.code")}
    assert kept
    assert _run(tmp_path) == "-10.503674524476093"
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.code")} == kept


def _unaligned(points: Floats) -> Floats:
    buffer = np.empty(points.nbytes + 1, dtype=np.uint8)[1:].view(np.uint8)
    shifted = np.frombuffer(buffer.data, dtype=np.float64, count=points.size).reshape(points.shape)
    shifted[...] = points
    assert not shifted.flags.aligned
    return shifted


def _read_only(points: Floats) -> Floats:
    copy = points.copy()
    copy.flags.writeable = False
    return copy
