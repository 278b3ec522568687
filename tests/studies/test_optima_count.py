"""Optima counted: term by term with proof where the sum is separable, by proofs and symmetry elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.studies.symmetry.multiplicity import multiplicity
from cpcbench.studies.symmetry.one_variable import Places, minimisers, zeros
from cpcbench.studies.symmetry.optima_count import OptimaCount, optima, separable_optima


def zeros_of(text: str, low: float = -5.0, high: float = 5.0) -> Places:
    return zeros(cpc.parse(text, bounds=[(low, high)]).expression, low, high, "ieee")


def minimisers_of(text: str, low: float = -5.0, high: float = 5.0) -> Places:
    return minimisers(cpc.parse(text, bounds=[(low, high)]).expression, low, high, "ieee")


def counted(text: str, low: float = -3.0, high: float = 3.0, n: int = 2) -> OptimaCount | None:
    return separable_optima(cpc.parse(text, bounds=[(low, high)] * n))


# One variable

roots = st.lists(st.integers(-45, 45).map(lambda k: k / 10.0), min_size=1, max_size=5, unique=True)


@settings(deadline=None, max_examples=25)
@given(roots)
def test_all_zeros_of_a_product_are_found_each_alone(found: list[float]) -> None:
    places = zeros_of("*".join(f"(x1 - ({r!r}))" for r in found))
    assert not places.loose
    assert not places.open
    assert len(places.single) == len(found)
    for (low, high), root in zip(places.single, sorted(found), strict=True):
        assert low <= root <= high
        assert high - low < 1e-9


@settings(deadline=None, max_examples=25)
@given(roots)
def test_a_polynomial_is_least_where_its_slope_says(found: list[float]) -> None:
    """The sum of (x - r)^2 is least at the mean; its square root and logarithm too."""
    square = " + ".join(f"(x1 - ({r!r}))^2" for r in found)
    for text in (square, f"ln(1 + {square})"):
        places = minimisers_of(text)
        assert places.at_most == 1
        ((low, high),) = places.loose
        assert low - 1e-9 <= float(np.mean(found)) <= high + 1e-9


def test_a_double_zero_is_not_claimed_to_be_one() -> None:
    places = zeros_of("(x1 - 1)^2 * (x1 + 2)")
    assert len(places.single) == 1
    assert places.at_most is None
    assert any(low <= 1.0 <= high for low, high in places.open)


def test_zeros_outside_the_domain_do_not_count() -> None:
    assert len(zeros_of("(x1^2 - 1) + sqrt(x1) * 0").single) == 1
    assert zeros_of("ln(x1 - 1) + 100").at_most is None  # the zero at 1 + e^-100 is no double apart from the edge


@pytest.mark.parametrize(
    ("text", "at"),
    [("x1", -5.0), ("-x1", 5.0), ("x1 + sqrt(x1 - 0.3)", 0.3), ("(x1 - 9)^2", 5.0), ("sqrt(2 - x1) - x1", 2.0)],
)
def test_a_minimum_at_an_edge_is_one(text: str, at: float) -> None:
    places = minimisers_of(text)
    assert places.at_most == 1
    ((low, high),) = places.loose
    assert low <= at + 1e-9
    assert high >= at - 1e-9


def test_an_open_edge_settles_nothing() -> None:
    """ln has no lowest value at its edge."""
    assert minimisers_of("ln(x1)").at_most is None
    found = counted("ln(x1) + x2^2")
    assert found is not None
    assert (found.at_least, found.text) == (0, "unknown")


# Sums


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x1^2 + x2^2", "1"),
        ("sqrt(x1^2 - 0.25) + sqrt(abs(x2) - 1)", "2^2 = 4"),
        ("sqrt(sin(3*x1)) + (x2 - 1)^2", "5"),
        ("-ln(2 - sqrt(x1^2 - 1) - x2^2)", "2^1 = 2"),
        ("exp(3*(sqrt(x1^2 - 1) + sqrt(x2^2 - 4)) - 1)", "2^2 = 4"),
        ("(x1^2 - 1)^2 + x2^2", "1 to 2^1 = 2"),  # that both are as low is symmetry's to say
    ],
)
def test_a_separable_sum_has_the_product_of_its_terms(text: str, count: str) -> None:
    found = counted(text)
    assert found is not None
    assert found.text == count


def test_symmetry_and_terms_together_settle_a_count() -> None:
    p = cpc.parse("(x1^2 - 1)^2 + x2^2", bounds=[(-3, 3)] * 2)
    assert optima(p, multiplicity(p, [1.0, 0.0])).text == "2^1 = 2"


@pytest.mark.parametrize("text", ["x1*x2", "sqrt(x1 + x2)", "-ln(x1^2 + x2^2 - 40)", "ln(sqrt(x1) + sqrt(x2)) + x1"])
def test_what_is_no_separable_sum_or_undefined_where_it_is_least_is_not_counted(text: str) -> None:
    assert counted(text) is None


# The suite


def test_the_optima_of_df5_are_counted_with_signs_that_balls_confirm() -> None:
    """Each zero of each term lies between two numbers at which Arb finds what is below the root to change its sign."""
    found = optima(cpc.problem("CPC-DF5"))
    assert [len(places.single) for places in found.places] == [4, 8, 16, 20, 28]
    assert (found.at_least, found.at_most, found.text) == (286_720, 286_720, "286,720")
    for i, places in enumerate(found.places, start=1):
        text = f"{i}*x1^2 - (x1^2/{i} - 10*cos(2*pi*{i}*x1))^({i}/5)"
        inside = cpc.parse(text, bounds=[(-6, 6)])
        for low, high in places.single:
            ends = [inside.enclosure([x]) for x in (low, high)]
            assert ends[0].upper < 0.0 < ends[1].lower or ends[1].upper < 0.0 < ends[0].lower
        grid = inside(np.linspace(-6, 6, 200_001)[:, None])
        changes = np.sum(grid[1:] * grid[:-1] < 0.0)
        assert changes <= len(places.single)


@pytest.mark.parametrize(
    ("id_", "text", "how"),
    [
        ("CPC-DF2", "1", "the product over the terms, 1 * 1 * 1 * 1 * 1, each counted with proof"),
        ("CPC-DF7", "1", "the product over the terms, 1 * 1 * 1, each counted with proof"),
        ("CPC-DF3", "none", "proven to have no lower bound"),
        ("CPC-DF24", "none", "the infimum is proven not to be attained"),
        ("CPC-DF11", "at least 2^2 = 4", "2^2 = 4 by symmetry; proven to be all at 4 places"),
        ("CPC-DF8", "at least 1", "1 by symmetry; proven to be all at one place"),
        ("CPC-DF23", "at least 2^1 = 2", "2^1 = 2 by symmetry"),
    ],
)
def test_the_count_says_what_it_rests_on(id_: str, text: str, how: str) -> None:
    found = optima(cpc.problem(id_))
    assert (found.text, found.how) == (text, how)
    published = cpc.problem(id_).published
    assert published is not None


def test_other_sizes_and_formulas_of_ones_own_are_counted_without_a_known_optimum() -> None:
    assert optima(cpc.problem("CPC-DF5", n=3)).text == f"2^9 = {4 * 8 * 16}"
    told = CliRunner().invoke(app, ["multiplicity", "CPC-DF5", "--n", "2", "--format", "markdown"])
    assert "| CPC-DF5 | 2 | - | 2^5 = 32 | the product over the terms, 4 " in told.output
    own = CliRunner().invoke(app, ["multiplicity", "sqrt(x1^2 - 1) + x2^2", "--bounds", "-3:3,-3:3"])
    assert "2^1 = 2" in own.output
    coupled = CliRunner().invoke(app, ["multiplicity", "x1*x2", "--bounds", "0:1,0:1"])
    assert coupled.exit_code == 2
    assert "give a point" in coupled.output


def test_a_plateau_has_infinitely_many() -> None:
    found = optima(cpc.problem("F138"))
    assert math.isinf(found.at_least)
    assert found.text == "infinitely many"


def test_the_command_says_how_many_and_why() -> None:
    told = CliRunner().invoke(app, ["multiplicity", "CPC-DF5", "--format", "markdown"])
    assert "| CPC-DF5 | 5 | 2^5 = 32 | 286,720 | the product over the terms, 4 " in told.output
    assert "first published point" not in told.output
    assert "| x5 | 28 | 28 |" in told.output
