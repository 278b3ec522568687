"""The hidden conditions: the paper's own lists, and their values and verdicts at points."""

from __future__ import annotations

import math

import pytest

import cpcbench as cpc
from cpcbench.errors import PointError


def texts(name: str, rule: str = "ieee") -> list[tuple[str, str]]:
    return [(c.kind, c.text) for c in cpc.problem(name, rule=rule).conditions]


def test_df3_has_the_three_base_conditions_of_the_paper() -> None:
    assert texts("CPC-DF3") == [
        ("log", "cos(-(2/3)*x1^3 - 8*x1^2) > 0"),
        ("log", "x1 - x2*ln(cos(-(2/3)*x1^3 - 8*x1^2)) > 0"),
        ("log", "33*x1 - x1*x2 + 5 - ((x1 - 4)^2 + (x2 - 5)^2 - 4)^2 > 0"),
    ]


def test_df13_has_the_two_base_conditions_of_the_paper() -> None:
    assert texts("CPC-DF13") == [
        ("root", "x1 - 2*x2^2 - exp(x2 - x1^2) >= 0"),
        ("power", "0.5*cos(3*pi*x1 + 4*pi*x2 + 5) - 0.495*x1 >= 0"),
    ]


def test_df14_has_the_case_table_of_the_paper() -> None:
    first, middle, last, overflow = cpc.problem("CPC-DF14").conditions
    assert (first.kind, first.text) == ("power", "1.5 - x1 + x1*x2 >= 0")
    assert (last.kind, last.text) == ("power", "2.625 - x1 + x1*x2^3 >= 0")
    assert middle.kind == "variable power"
    assert [(case.exponent, case.base) for case in middle.cases] == [
        ("x1 - 0.5 is a whole number >= 0", "2.5 - x1 + x1*x2^2 is any real number"),
        ("x1 - 0.5 is a whole number < 0", "2.5 - x1 + x1*x2^2 != 0"),
        ("x1 - 0.5 is no whole number, > 0", "2.5 - x1 + x1*x2^2 >= 0"),
        ("x1 - 0.5 is no whole number, < 0", "2.5 - x1 + x1*x2^2 > 0"),
    ]
    assert overflow.kind == "overflow"


@pytest.mark.parametrize(
    ("x1", "case", "holds"), [(3.5, 0, True), (-0.5, 1, True), (3.25, 2, False), (-0.25, 3, False)]
)
def test_each_case_of_the_exponent_rule(x1: float, case: int, holds: bool) -> None:
    condition = cpc.parse("(-1 + 0*x1)^(x1 - 0.5)", [(-10, 10)]).conditions[0]
    at = condition.at([x1])
    assert (at.value, at.exponent) == (-1.0, x1 - 0.5)
    assert at.case is condition.cases[case]
    assert at.satisfied is holds
    assert condition([x1]) is holds


def test_a_zero_base_needs_an_exponent_from_zero_on() -> None:
    condition = cpc.parse("(0*x1)^x1", [(-10, 10)]).conditions[0]
    assert [condition([x]) for x in (0.0, 0.5, 2.0, -1.0, -0.5)] == [True, True, True, False, False]


def test_strict_has_two_cases_and_refuses_every_negative_base() -> None:
    condition = cpc.parse("(-1 + 0*x1)^x1", [(-10, 10)], rule="strict").conditions[0]
    assert len(condition.cases) == 2
    assert [condition([x]) for x in (2.0, -1.0, 0.5)] == [False, False, False]


def test_values_at_the_published_point_of_df3_are_those_of_the_paper() -> None:
    p = cpc.problem("CPC-DF3")
    b = [c.at([6.1828121298816, 6.49031991565847]) for c in p.conditions]
    assert [at.value for at in b] == [1.4763849459792957e-15, 227.82191453323668, 159.989834258271]
    assert all(at.satisfied for at in b)
    below = [c.at([6.1828121298815, 6.49031991565847]) for c in p.conditions]
    assert below[0].value == pytest.approx(-1.7449453205322083e-11, rel=1e-12)
    assert [at.satisfied for at in below] == [False, None, True]
    assert math.isnan(below[1].value), "it cannot be computed"


def test_every_kind_is_named_and_vacuous_ones_are_left_out() -> None:
    vacuous = "1/(x2^2 + 1) + sqrt(abs(x2)) + 2^0.5 + x2^3 + x2^0"
    p = cpc.parse(f"ln(x1) + sqrt(x2) + 1/x3 + arcsin(x2) + x1^0.5 + x4^-2 + x2^x1 + {vacuous}", (-2, 2))
    found = [(c.kind, c.text) for c in p.conditions]
    assert found == [
        ("log", "x1 > 0"),
        ("root", "x2 >= 0"),
        ("quotient", "x3 != 0"),
        ("arcsin", "-1 <= x2 <= 1"),
        ("power", "x1 >= 0"),
        ("power", "x4 != 0"),
        ("variable power", "(x2)^(x1) is real"),
        ("overflow", "no operation overflows: every value stays within 1.797e308"),
    ]


def test_the_same_condition_is_listed_once() -> None:
    p = cpc.parse("sqrt(x1 - 1) + (x1 - 1)^0.2 + ln(x1 - 1) + ln(x1 - 1)^2", (0, 2))
    assert [c.text for c in p.conditions] == ["x1 - 1 >= 0", "x1 - 1 > 0"]


def test_a_condition_in_a_branch_counts_only_where_the_branch_is_taken() -> None:
    p = cpc.parse("where(x1 < 0, sqrt(x1 + 1), ln(x1))", (-2, 2))
    root, log = p.conditions
    assert root.guarded
    assert log.guarded
    assert [root([x]) for x in (-0.5, -1.5, 0.0)] == [True, False, True]
    assert [log([x]) for x in (-0.5, -1.5, 0.0)] == [True, True, False]
    shared = cpc.parse("where(x1 < 0, sqrt(x1 + 1), 2) + sqrt(x1 + 1)", (-2, 2)).conditions
    assert [c.guarded for c in shared] == [False]


def test_overflow_is_a_condition_of_its_own() -> None:
    quotient, overflow = cpc.parse("1/exp(x1)", (-1000, 1000)).conditions
    assert [overflow([x]) for x in (0.0, 1000.0, -709.0)] == [True, False, True]
    assert quotient([-745.0])
    assert overflow.at([-745.0]).satisfied is False, "1 over the smallest double"
    assert quotient.at([-746.0]).satisfied is False, "exp comes to 0 in doubles"
    assert overflow.at([-746.0]).satisfied is None
    assert [c.kind for c in cpc.parse("sin(exp(x1))", (-10, 10)).conditions] == []
    assert [c.kind for c in cpc.parse("sin(exp(x1))", (-10, 1000)).conditions] == ["overflow"]


def test_a_formula_that_is_never_defined_says_so() -> None:
    p = cpc.parse("x1 + ln(0)", (-1, 1))
    assert [c.text for c in p.conditions] == ["0 > 0"]
    assert not p.conditions[0]([0.5])
    assert math.isnan(p([0.5]))


def test_points_are_checked() -> None:
    with pytest.raises(PointError, match="2 coordinates"):
        cpc.problem("CPC-DF3").conditions[0].at([1.0])
