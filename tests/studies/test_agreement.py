"""Fast against reference, and reference against the reals, at and around the edge of the domain."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.problems.problem import Problem
from cpcbench.sampling.points import admissible_points, boundary_points
from cpcbench.studies.agreement import agreement, sample, ulps_apart
from tests.cases import one_in

SUITE = cpc.problems()
LEAST_ADMISSIBLE = 0.3
MOST_DIFFERENT = 0.02
"""At most this share of the values may differ at all, in the last bits or, at singular edges, by more."""
MOST_DISPUTED = 0.001
"""At most this share of the points may be admissible in one reading only."""


def check(p: Problem, count: int) -> None:
    found = agreement(p, count)
    assert found.points == count
    assert found.admissible >= LEAST_ADMISSIBLE * count
    assert found.different <= MOST_DIFFERENT * found.admissible + 1
    assert found.median_ulps == 0.0
    assert found.only_fast + found.only_reference <= MOST_DISPUTED * count


@pytest.mark.parametrize("p", one_in(4, SUITE), ids=lambda p: p.id)
def test_fast_keeps_close_to_the_reference(p: Problem) -> None:
    check(p, 4000)


@pytest.mark.slow
@pytest.mark.parametrize("p", SUITE, ids=lambda p: p.id)
def test_fast_keeps_close_to_the_reference_on_many_points(p: Problem) -> None:
    check(p, 100_000)


@pytest.mark.parametrize("p", one_in(4, SUITE), ids=lambda p: p.id)
def test_the_real_value_lies_where_error_analysis_says(p: Problem) -> None:
    points = sample(p, 60, rng=3)
    defined = 0
    for x in points.tolist():
        reference, bound, real = p.reference(x), p.error_bound(x), p.enclosure(x)
        assert (bound.value == reference) or (math.isnan(bound.value) and math.isnan(reference))
        if not bound.straddles:
            assert real.defined is not math.isnan(reference)
        if math.isnan(reference) or real.defined is not True:
            continue
        defined += 1
        room = bound.radius * (1 + 1e-12)
        assert reference - room <= real.upper
        assert real.lower <= reference + room
    assert defined >= 10


@pytest.mark.parametrize("p", one_in(4, SUITE[:25]), ids=lambda p: p.id)
def test_boundary_points_lie_at_the_boundary(p: Problem) -> None:
    """Both sides of the edge are met, and admissible neighbours are at most some ulps away."""
    points = boundary_points(p, 2000, np.random.default_rng(4))
    inside = p.admissible(points)
    assert 0.1 < inside.mean() < 0.9
    assert p.in_box(points).all()


def test_samples_are_reproducible_and_admissible() -> None:
    p = cpc.problem("CPC-DF13")
    a, b = (admissible_points(p, 500, np.random.default_rng(9)) for _ in range(2))
    assert np.array_equal(a, b)
    assert p.admissible(a).all()
    assert len(np.unique(a, axis=0)) > 400


def test_ulps() -> None:
    one = np.array([1.0, 1.0, -1.0, 0.0, 5e-324, -5e-324])
    other = np.array([np.nextafter(1.0, 2.0), 1.0, np.nextafter(-1.0, 0.0), -0.0, -5e-324, 0.0])
    assert ulps_apart(one, other).tolist() == [1, 0, 1, 0, 2, 1]
