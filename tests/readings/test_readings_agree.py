"""One expression, many readings: on random formulas they agree, each within its contract."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.expr import Expr
from cpcbench.expr.parser import parse_formula
from cpcbench.problems.problem import Problem
from cpcbench.readings.text import formula
from cpcbench.studies.agreement import ulps_apart
from tests.material.expressions import expressions, points

N = 3
BOX = ([-10.0] * N, [10.0] * N)
RULES = st.sampled_from(["ieee", "strict"])


@pytest.fixture(autouse=True)
def own_kernel_folder(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Random formulas must not fill the user's cache of kernels."""
    monkeypatch.setenv("CPCBENCH_CACHE", str(tmp_path))
    return iter(())


def problem(root: Expr, rule: str) -> Problem:
    return Problem("random", root, *BOX, rule=rule)


@given(expressions(N))
def test_text_is_read_back_as_the_same_expression(root: Expr) -> None:
    assert parse_formula(formula(root), n=N) is root


@settings(max_examples=40)
@given(expressions(N), st.lists(points(N), min_size=4, max_size=4), RULES)
def test_fast_agrees_with_reference(root: Expr, places: list[list[float]], rule: str) -> None:
    """Defined alike unless rounding may decide; the value within a few rounding errors."""
    p = problem(root, rule)
    for x in places:
        fast, reference, bound = p(x), p.reference(x), p.error_bound(x)
        assert p.admissible(x) is not math.isnan(fast)
        if not bound.straddles:
            assert math.isnan(fast) == math.isnan(reference)
        if not math.isnan(fast) and not math.isnan(reference):
            assert abs(fast - reference) <= 4 * bound.radius or ulps_apart(np.array([fast]), np.array([reference])) <= 4


@given(expressions(N), points(N), RULES)
def test_all_conditions_hold_exactly_where_the_reference_is_defined(root: Expr, x: list[float], rule: str) -> None:
    p = problem(root, rule)
    found = [c.at(x) for c in p.conditions]
    assert all(at.satisfied for at in found) == (not math.isnan(p.reference(x)))
    if math.isnan(p.reference(x)):
        assert any(at.satisfied is False for at in found), "something must be seen to fail"


@given(expressions(N), points(N), RULES)
def test_the_enclosure_agrees_with_the_reference_where_rounding_cannot_decide(
    root: Expr, x: list[float], rule: str
) -> None:
    p = problem(root, rule)
    bound, reference = p.error_bound(x), p.reference(x)
    assume(not bound.straddles and not math.isnan(reference))
    enclosure = p.enclosure(x)
    assert enclosure.defined is True
    if math.isfinite(bound.radius):
        room = bound.radius * (1 + 1e-12)
        assert reference - room <= enclosure.upper
        assert enclosure.lower <= reference + room


@given(expressions(N), points(N))
def test_strict_is_defined_on_a_part_of_ieee_with_the_same_value(root: Expr, x: list[float]) -> None:
    ieee, strict = problem(root, "ieee").reference(x), problem(root, "strict").reference(x)
    assert math.isnan(strict) or strict == ieee


@pytest.mark.parametrize("p", cpc.problems(), ids=lambda p: p.id)
def test_text_of_the_suite_is_read_back(p: Problem) -> None:
    assert parse_formula(p.formula, n=p.dim) is p.expression
