"""Batches through a filter have the bits of the kernel; a filter is made only when it is worth it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cpcbench as cpc
from cpcbench.readings.doubles import compiling, fast
from cpcbench.readings.doubles.filter import kernels
from cpcbench.sampling.points import admissible_points, boundary_points, uniform_points
from tests.cases import one_in
from tests.readings.filter.compiled import both

Floats = npt.NDArray[np.float64]
IDS = [p.id for p in cpc.problems()]
RULES = ("ieee", "strict")


def sample(p: cpc.Problem, count: int) -> Floats:
    """Even draws, admissible points, points at the edge, and some outside the box."""
    rng = np.random.default_rng(11)
    parts = [
        uniform_points(p, 2 * count, rng),
        admissible_points(p, count, rng),
        boundary_points(p, count, rng),
        1.5 * uniform_points(p, count // 10, rng),
    ]
    return rng.permutation(np.concatenate(parts))


def check_the_bits(p: cpc.Problem, points: Floats) -> None:
    x = points.reshape(-1)
    for kind, plain in (("value", p.fast.kernel), ("admissible", p.fast.admissibility)):
        filtered = p.fast.filtered(kind)
        if filtered is not None:
            found: npt.NDArray[Any] = np.empty(len(points), dtype=np.float64 if kind == "value" else np.bool_)
            expected = found.copy()
            filtered(x, found)
            plain(x, expected)
            assert found.tobytes() == expected.tobytes(), (p.id, p.rule, kind)


@pytest.mark.parametrize("id_", one_in(6, IDS))
def test_nothing_is_lost_or_invented_on_the_suite(id_: str) -> None:
    p = cpc.problem(id_)
    seen = both(p.fast.plan)
    found = seen(sample(p, 1000))
    assert not (~np.isnan(found.value) & ~found.may).any()
    assert not (np.isnan(found.value) & found.certain).any()
    if p.category == "domain-induced":
        even = seen(uniform_points(p, 4000, np.random.default_rng(12)))
        assert (even.may & np.isnan(even.value)).mean() < 0.01, "nearly all that the kernel rejects is to be seen"


@pytest.mark.parametrize("id_", ["CPC-DF3", "CPC-DF22"])
def test_kernels_with_a_filter_have_the_same_bits(id_: str) -> None:
    check_the_bits(cpc.problem(id_), sample(cpc.problem(id_), 2000)[:9995])


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("id_", IDS)
def test_all_kernels_with_a_filter_have_the_same_bits(id_: str, rule: str) -> None:
    p = cpc.problem(id_, rule=rule)
    check_the_bits(p, sample(p, 100_003))


def test_a_filter_is_compiled_after_many_points_and_taken_after_some_if_it_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPCBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(fast, "FEW", 10)
    monkeypatch.setattr(fast, "SOME", 200)
    monkeypatch.setattr(fast, "MANY", 400)
    made: list[bool] = []
    filtered = fast.FastReading.filtered

    def noted(self: fast.FastReading, kind: str, *, kept: bool = False) -> object:
        found = filtered(self, kind, kept=kept)
        made.append(found is not None)
        return found

    monkeypatch.setattr(fast.FastReading, "filtered", noted)
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (150, 2))
    expected = np.array([x**0.5 if x >= 0 else np.nan for x in points.prod(axis=1).tolist()])
    p = cpc.parse("sqrt(x1*x2)", bounds=(-1, 1))
    p(points[:9])
    for seen in ([], [False], [False, True], [False, True]):  # 150, 300, 450 and 600 points
        assert np.array_equal(p(points), expected, equal_nan=True)
        assert made == seen
    again = cpc.parse("sqrt(x1*x2)", bounds=(-1, 1))
    for seen in ([False, True], [False, True, True]):
        assert np.array_equal(again(points), expected, equal_nan=True)
        assert made == seen


def test_without_tests_or_vectors_there_is_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cpc.parse("x1^2 + sin(x2)", bounds=(-1, 1)).fast.filtered("value") is None
    assert cpc.parse("arcsinh(x1) + sqrt(arcsinh(x1))", bounds=(-1, 1)).fast.filtered("value") is None
    monkeypatch.setattr(kernels, "has_vectors", lambda: False)
    assert cpc.parse("sqrt(x1) + x2", bounds=(-1, 1)).fast.filtered("value") is None


def test_what_was_kept_is_loaded_in_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba's registries are not made for two: threads that came to their filter at once had errors from inside it."""
    free: list[bool] = []

    def looked(_name: str, _text: str) -> bool:
        with ThreadPoolExecutor(1) as pool:
            free.append(pool.submit(fast._loading.acquire, blocking=False).result())
        return False

    monkeypatch.setattr(compiling, "is_kept", looked)
    assert cpc.parse("sqrt(x1) + x2", bounds=(-1, 1)).fast.filtered("value", kept=True) is None
    assert free == [False]
