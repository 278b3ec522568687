"""Whole numbers: `whole(x)` in every reading, `integrality=` in parse, both searches, and proofs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.facts import WholeNumbers
from cpcbench.certify.checker.core.intervals import EVERYWHERE, MAYBE, NOWHERE, between
from cpcbench.certify.checker.core.numbers import arithmetic, exact
from cpcbench.expr.nodes import node, var
from cpcbench.intervals.boxes import Boxes
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.solvers.whole import whole_variables
from tests.cases import one_in
from tests.material.outside.libraries import library

pytestmark = pytest.mark.usefixtures("unhurried")

WHOLE = node("whole", var(0))
numbers = st.one_of(
    st.integers(-(2**60), 2**60).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-5, 5),
    st.integers(-9, 9).map(lambda k: math.nextafter(k, math.inf)),
)


@given(numbers)
def test_it_is_the_number_itself_where_that_is_whole(x: float) -> None:
    p = cpc.Problem("own", WHOLE, [-math.inf], [math.inf])
    expected = x if x == math.floor(x) else math.nan
    for value in (p.reference([x]), float(evaluate(WHOLE, np.array([[x]]))[0])):
        assert value == expected or (math.isnan(value) and math.isnan(expected))
    real = p.enclosure([x])
    assert real.defined is (not math.isnan(expected))
    assert not real.defined or real.lower <= x <= real.upper


def test_kernel_gradient_and_conditions() -> None:
    p = cpc.parse("(whole(x1) - 3.4)^2 + sqrt(x2)", [(-9, 9), (0, 4)])
    assert p([3, 1]) == p.reference([3, 1]) == pytest.approx(1.16)
    assert math.isnan(p([3.5, 1]))
    assert p.gradient([3.0, 1.0]).tolist() == pytest.approx([-0.8, 0.5])
    first = p.conditions[0]
    assert (first.text, first([2.0, 1.0]), first([2.25, 1.0])) == ("x1 is a whole number", True, False)
    assert cpc.parse(p.formula, p.bounds).expression is p.expression
    with pytest.raises(cpc.CpcbenchError, match="AMPL has no whole"):
        p.export("ampl")


@given(st.tuples(numbers, numbers).map(sorted))
def test_boxes_hold_all_whole_numbers_and_no_others(ends: list[float]) -> None:
    low, high = ends
    least, most, state = (part[0] for part in Boxes(WHOLE)(np.array([[low]]), np.array([[high]])))
    first, last = math.ceil(low), math.floor(high)
    assert (state == NOWHERE) == (first > last)
    assert (state == EVERYWHERE) == (low == high == first)
    if first <= last:
        assert (least, most) == (first, last)


@given(st.tuples(numbers, numbers).map(sorted), st.sampled_from(["arb", "mpfr"]), st.sampled_from([12, 53, 64]))
def test_the_checker_knows_where_whole_numbers_are(ends: list[float], name: str, bits: int) -> None:
    low, high = ends
    first, last = math.ceil(low), math.floor(high)
    with arithmetic(name, bits):
        interval = between(low, high)
        state = WholeNumbers().state(interval)
        inside = WholeNumbers().inside(interval)
        assert state == (NOWHERE if first > last else EVERYWHERE if low == high else MAYBE) or (
            state == MAYBE and max(abs(low), abs(high)) > 2**bits  # it may round outwards
        )
        if state == MAYBE:
            least, most = exact(inside[0]), exact(inside[1])
            assert least is not None
            assert most is not None
            assert least <= first <= last <= most or first > last
            if max(abs(low), abs(high)) < 2 ** (bits - 2):
                assert (least, most) == (Fraction(first), Fraction(last))


MIXED: list[tuple[str, Any, list[int], float]] = [
    ("(x1 - 3.4)^2 + (x2 - 0.7)^2", [(-9, 9), (-2, 2)], [1, 0], 0.16),
    ("(x1 - 3.4)^2*(1 + x2^2) + sin(x2)", [(-90, 90), (-50, 50)], [1, 1], 0.32 - math.sin(1.0)),
    (
        "x1^2*x2 - 5*x3 + sqrt(x1 + x2 - 3.5) + (x3 - x1/3)^2",
        [(0, 10), (0, 10), (-5, 5)],
        [1, 1, 0],
        -19.672712465425835,
    ),
]


@pytest.mark.parametrize(("text", "bounds", "which", "value"), one_in(3, MIXED))
def test_mixed_problems_are_searched_and_proven(text: str, bounds: Any, which: list[int], value: float) -> None:
    p = cpc.parse(text, bounds, integrality=which)
    assert whole_variables(p).tolist() == [bool(each) for each in which]
    for method in ("black-box", "white-box"):
        found = cpc.minimize(p, budget=4000, rng=1, method=method)
        assert found.fun == pytest.approx(value, abs=1e-6)
        assert found.fun == p(found.x)
        assert all(x == round(x) for x, each in zip(found.x.tolist(), which, strict=True) if each)
    proof = cpc.certify(p, seconds=8, tolerance=1e-6)
    assert proof.lower <= value + 1e-9
    assert proof.gap <= 1e-6 * max(1.0, abs(proof.upper))
    assert proof.x is not None
    assert all(x == round(x) for x, each in zip(proof.x, which, strict=True) if each)
    assert check(proof.data, arithmetic="mpfr", problem=(p.formula, p.bounds)).accepted


def test_forgeries_about_whole_numbers_are_refused() -> None:
    text, bounds = "(whole(x1) - 3.4)^2", [[-9.0, 9.0]]
    data: dict[str, Any] = {
        "format": "cpcbench-certificate",
        "version": 2,
        "problem": {"name": "own", "formula": text, "bounds": bounds},
        "part": "all",
        "claim": {"kind": "infimum", "lower": 0.1599, "upper": 0.16},
        "lower": {"by": "tree", "threshold": 0.1599, "tree": "s0:180 . s0:46 . ."},
        "upper": {"by": "point", "x": [3.0]},
        "made": {},
    }
    assert check(data).accepted, check(data).reason
    for x in (3.4, 3.5, math.nextafter(3.0, 4.0)):
        assert "upper bound" in check({**data, "upper": {"by": "point", "x": [x]}}).reason
    for tree in (".", "m", "l0 .", "h0 ."):
        assert not check({**data, "lower": {**data["lower"], "tree": tree}}).accepted
    box = {"by": "pinned", "box": [[2.9, 3.1]], "equations": [], "solve": []}
    assert not check({**data, "upper": box}).accepted


def test_what_says_so_already_stays_and_integrality_needs_numbers() -> None:
    p = cpc.parse("whole(x1) + x1 + x2", [(0, 3)] * 2, integrality=[1, 0])
    assert p.formula == "whole(x1) + whole(x1) + x2"
    with pytest.raises(cpc.CpcbenchError, match="no whole number between"):
        cpc.parse("x1", [(0.25, 0.75)], integrality=1)
    found = cpc.minimize(cpc.parse("(x1 - 2.6)^2 + (x2 - 2.6)^2", (0, 9)), integrality=[1, 0], budget=2000, rng=0)
    assert found.x.tolist() == pytest.approx([3.0, 2.6], abs=1e-6)


def test_functions_and_symbols_may_be_whole() -> None:
    sympy = library("sympy")
    p = cpc.trace(lambda x: (x[0] - 3.4) ** 2 + x[1], [(0, 9), (0, 1)], integrality=[1, 0])
    assert p.formula == "(whole(x1) - 3.4)^2 + x2"
    k, y = sympy.Symbol("k", integer=True), sympy.Symbol("y")
    assert cpc.from_sympy(k * y, [(0, 9), (0, 1)]).formula in ("whole(k)*y", "y*whole(k)")
