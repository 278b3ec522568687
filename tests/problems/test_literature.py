"""The constrained problems of the literature: written so that their printed optima are what they are."""

from __future__ import annotations

import pytest
from benchmarks.constrained.problems import POINTS, PROBLEMS, Constrained

from tests.cases import one_in


@pytest.mark.parametrize("one", one_in(4, PROBLEMS), ids=lambda one: one.id)
def test_a_point_has_the_value_that_is_printed(one: Constrained) -> None:
    """It meets all constraints in correctly rounded doubles, and in the reals."""
    problem, x = one.problem, POINTS[one.id]
    assert problem.reference(x) == pytest.approx(one.printed, rel=1e-9, abs=1e-9)
    assert problem.violation(x) == 0.0
    assert all(condition(x) for condition in problem.conditions)
    assert len(problem.constraints) == len(one.subject_to)
