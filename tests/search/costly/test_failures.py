"""What failed in a search, how often and where: by kinds, which are not too many."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.solvers.functions.failures import LATE, MOST_KINDS, Failures
from tests.material import user_functions
from tests.search.costly.noted import BOX, Noted


@pytest.mark.parametrize("asynchronous", [True, False])
def test_calls_that_the_time_cut_off_are_named(asynchronous: bool) -> None:
    found = cpc.minimize(
        user_functions.hangs, [(0.6, 1.0)], budget=500, rng=1, workers=2, seconds=0.5, asynchronous=asynchronous
    )
    assert (found.nfev, found.x) == (0, None)
    assert [(failure.kind, failure.count) for failure in found.failures] == [(LATE, 2)]


def test_failures_by_kind_and_where_values_were_seen() -> None:
    fun = Noted()
    found = cpc.minimize(fun, BOX, budget=500, rng=1)
    assert {failure.kind: (failure.x[0] > 0.9, failure.x[0] < -0.9) for failure in found.failures} == {
        'ValueError: a "quoted", text of two lines: #': (True, False),
        "returned None": (False, True),
        "returned inf": (False, False),
    }
    assert sum(failure.count for failure in found.failures) == found.nundefined
    assert sum(failure.count for failure in found.failures if "Error" in failure.kind) == found.nfailed
    inside = np.array([x for x, value in fun.calls if not math.isnan(value)])
    assert np.array_equal(found.defined.lower, inside.min(axis=0))
    assert np.array_equal(found.defined.upper, inside.max(axis=0))
    assert found.defined.share == len(inside) / 500


def test_points_that_miss_a_constraint_are_a_kind_of_their_own() -> None:
    fun = Noted()
    apart = "x1 + x2 <= 0.5 or x1 > 2"  # it does not say by how much it is missed, so that no point is moved
    found = cpc.minimize(fun, BOX, budget=300, rng=1, constraints=[apart])
    counts = {failure.kind.partition(":")[0]: failure.count for failure in found.failures}
    assert counts["not called"] > 0
    assert all(x[0] + x[1] <= 0.5 for x, _ in fun.calls)
    assert sum(counts.values()) == found.nundefined


def test_a_problem_s_undefined_points_are_counted_too() -> None:
    found = cpc.minimize("sqrt(x1 - 0.5)", [(0, 1)], method="black-box", budget=200, rng=1)
    assert [failure.count for failure in found.failures] == [found.nundefined]
    assert found.defined.lower[0] >= 0.5 > found.failures[0].x[0]
    assert cpc.minimize(lambda _: None, BOX, budget=20, rng=1).defined is None


def test_kinds_are_not_too_many() -> None:
    failures = Failures()
    for i in range(1000):
        failures.add(f"KeyError: {chr(97 + i % 26) * (1 + i % 7)}", np.array([float(i)]))
        failures.add(f"ValueError: {i}e5 at 0x{i:x}", np.array([float(i)]))
    counted = failures.all()
    assert len(counted) == MOST_KINDS + 1
    assert (counted[0].kind, counted[0].count, counted[0].example) == (
        "ValueError: # at #",
        1000,
        "ValueError: 0e5 at 0x0",
    )
    assert sum(failure.count for failure in counted) == 2000
