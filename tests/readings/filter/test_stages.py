"""Lanes that are packed between stages, formulas that are too large for a filter, and NumPy told to raise."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cpcbench as cpc
from cpcbench.readings.doubles.filter import kernels, stages
from cpcbench.studies.feasible.counting import counted, filtered_count

FORMULA = "sqrt(sin(x1)) + sqrt(exp(x1) - 3)*ln(x1 - x2^2) + arccos(x1/3)/sqrt(cos(x1*x2)) + 0*x3"
BOX = [(-4, 4), (-2, 2), (0, 1)]


@pytest.fixture
def many_stages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> cpc.Problem:
    """A problem each test of which is a stage of its own."""
    monkeypatch.setattr(stages, "PACKING", -1000.0)  # each cut is a gain
    monkeypatch.setattr(stages, "STAGE", 0.0)
    monkeypatch.setenv("CPCBENCH_CACHE", str(tmp_path))
    p = cpc.parse(FORMULA, bounds=BOX)
    parts = stages.stages(p.fast.plan)
    assert len(parts) == len(p.fast.plan.tests) >= 4
    assert all(a.end == b.start for a, b in pairwise(parts))
    assert parts[-1].is_last
    return p


def test_points_that_wait_between_stages_get_their_own_values(many_stages: cpc.Problem) -> None:
    fast, rng = many_stages.fast, np.random.default_rng(3)
    found: npt.NDArray[Any]
    for kind, kernel in (("value", fast.kernel), ("admissible", fast.admissibility)):
        filtered = fast.filtered(kind)
        assert filtered is not None
        for count in (*range(40), 997, 5003):
            points = rng.uniform([-1.0, -1.3, -0.02], [4.2, 1.3, 1.02], (count, 3))
            found = np.full(count, 7, dtype=np.float64 if kind == "value" else np.bool_)
            expected = found.copy()
            filtered(points.reshape(-1), found)
            kernel(points.reshape(-1), expected)
            assert found.tobytes() == expected.tobytes(), (kind, count)


def test_draws_that_wait_between_stages_are_counted_once(many_stages: cpc.Problem) -> None:
    kernel, filtered = counted(many_stages), filtered_count(many_stages)
    assert filtered is not None
    for count in (*range(40), 997, 50_001):
        state, step = 2**63 + 12_345 * count, 2**64 - 977 * (count + 1)
        assert filtered(state, step, count) == kernel(state, step, count), count
    assert kernel(1, 977, 50_001) > 100


def test_a_formula_whose_filter_would_take_minutes_to_compile_has_none() -> None:
    for terms in (800, 2000):
        p = cpc.parse("sqrt(" + " + ".join(f"sin({i}*x1)" for i in range(terms)) + ")", bounds=(-1, 1))
        assert p.fast.filtered("admissible") is None


def test_numpy_may_be_told_to_raise() -> None:
    p = cpc.parse("sqrt(x1) + x2^x1", bounds=(-1e-310, 1e-308))
    with np.errstate(all="raise"):
        assert kernels.use(p.fast.plan).rejects
