"""Low points of sums, part by part: as low as a search of each part by itself, in any number of variables."""

from __future__ import annotations

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.lower.sums.low_points import low_point


def waves(n: int) -> str:
    """Michalewicz's function: each variable by itself, with more and more peaks of nearly the same height."""
    return "-(" + " + ".join(f"sin(x{i})*sin({i}*x{i}^2/pi)^20" for i in range(1, n + 1)) + ")"


@pytest.mark.parametrize(("n", "least"), [(2, -1.8013034100985534), (10, -9.660151715641349)])
def test_each_variable_by_itself(n: int, least: float) -> None:
    """The known minima of the function with 2 and 10 variables."""
    problem = cpc.parse(waves(n), bounds=[(0, 3.141592653589793)] * n)
    point = low_point(problem.expression, [(float(a), float(b)) for a, b in problem.bounds])
    assert point is not None
    assert problem(point) == pytest.approx(least, abs=1e-10)


def test_chains_and_single_variables_together() -> None:
    problem = cpc.parse("(x1 - x2)^2 + (x2 - x3^2)^2 + (x3 - 1)^2 + (x4 + 2)^4 - sqrt(x5 - 1)", bounds=[(-3, 3)] * 5)
    point = low_point(problem.expression, [(-3.0, 3.0)] * 5)
    assert point is not None
    assert problem(point) < -(2**0.5) + 0.05
    assert point[3:] == pytest.approx([-2.0, 3.0], abs=1e-3)


def test_no_other_formula_has_one() -> None:
    problem = cpc.parse("x1*x2*x3 + x1", bounds=[(-3, 3)] * 3)
    assert low_point(problem.expression, [(-3.0, 3.0)] * 3) is None


def test_a_part_that_is_defined_nowhere_is_left_where_it_is() -> None:
    problem = cpc.parse("(x1 - 1)^2 + sqrt(-1 - x2^2) + 0*x3", bounds=[(-3, 3)] * 3)
    point = low_point(problem.expression, [(-3.0, 3.0)] * 3)
    assert point is None or np.isfinite(point).all()


def test_a_separable_sum_of_forty_variables_is_enclosed() -> None:
    problem = cpc.parse(waves(40), bounds=[(0, 3.141592653589793)] * 40)
    proof = cpc.certify(problem, seconds=30)
    assert proof.checked is not None
    assert proof.checked.accepted
    assert proof.upper - proof.lower <= 1e-9 * abs(proof.upper)
