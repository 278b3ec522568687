"""Low points of sums, part by part: as low as a search of each part by itself, in any number of variables."""

from __future__ import annotations

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.lower.sums.chains import Chain
from cpcbench.certify.lower.sums.low_points import low_point
from cpcbench.certify.lower.sums.outer import lower_by_structure
from cpcbench.certify.lower.sums.structure import order_of, sums_of
from cpcbench.certify.means import Means

pytestmark = pytest.mark.usefixtures("unhurried")


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


@pytest.mark.slow
def test_a_separable_sum_of_forty_variables_is_enclosed() -> None:
    problem = cpc.parse(waves(40), bounds=[(0, 3.141592653589793)] * 40)
    proof = cpc.certify(problem, seconds=30)
    assert proof.checked is not None
    assert proof.checked.accepted
    assert proof.upper - proof.lower <= 1e-9 * abs(proof.upper)


ROOTS = "0.001*abs(x1 - x2)^0.4 + (x1 + x2 - 1)^2*(x2 + 0.5)^2 + sqrt(abs(x2 + x3)) - 0.01*cos(3*x3)"
"""A chain that rises as a root where variables are the same, or opposite: to be near is not enough."""


def test_a_proof_shows_points_that_are_lower_than_the_one_it_was_made_with() -> None:
    problem, bounds = cpc.parse(ROOTS, bounds=[(-2, 2)] * 3), [(-2.0, 2.0)] * 3
    led_astray = np.array([1.9, -1.2, 1.7])
    means = Means()
    lower_by_structure(problem.expression, bounds, float(problem(led_astray)), led_astray, 1e-9, 3.0, means)
    assert means.shown
    assert min(problem(x) for x in means.shown) < problem(led_astray) - 0.5


def test_values_next_to_an_even_node_are_put_at_it() -> None:
    problem = cpc.parse(ROOTS, bounds=[(-2, 2)] * 3)
    [found] = sums_of(problem.expression)
    [chain] = found.chains
    links = [found.signed(part, "min") for part in chain]
    work = Chain(order_of(chain), links, [(-2.0, 2.0)] * 3, [0.0] * 3, 0.0, 1e-9)
    assert work.snapped({0: 1e-9, 1: 2.0 - 1e-8, 2: 0.0123}) == {0: 0.0, 1: 2.0, 2: 0.0123}
    assert work.snapped({}) == {}


def test_a_quick_wave_in_one_variable_is_lowest_where_its_envelope_is() -> None:
    """Far more waves than even places; the least value of each part is known to six digits."""
    problem = cpc.problem("CPC-DF7", n=6)
    point = low_point(problem.expression, problem.bounds, chains=False)
    assert point is not None
    assert problem(point) == pytest.approx(-96.60718971, abs=1e-6)


def test_chains_are_left_out_where_they_are_not_wanted() -> None:
    problem = cpc.problem("CPC-DF6", n=4)
    assert low_point(problem.expression, problem.bounds, chains=False) is None
    assert low_point(problem.expression, problem.bounds) is not None
