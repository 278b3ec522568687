"""The ranges hold every value the reference reading comes to, with a box and without."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.expr import Expr, exp, floor, num, var, where
from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles.ranges import Range, ranges
from cpcbench.readings.reals.reference import Reference
from tests.material.expressions import expressions, wild_expressions

HUGE = 1.7976931348623157e308
DOUBLES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-6.0, 6.0),
    st.integers(-3, 3).map(float),
    st.sampled_from((0.0, -0.0, 5e-324, -1e-310, 1e154, -1e200, 709.75, -745.1, HUGE, -HUGE)),
)
BOX = st.lists(st.tuples(DOUBLES, DOUBLES).map(lambda ends: (min(ends), max(ends))), min_size=3, max_size=3)


def check(root: Expr, box: list[Range] | None, point: list[float]) -> None:
    values = Reference(root).values(point)
    for finite_operands in (False, True):
        found = ranges([root], box, finite_operands=finite_operands)
        for node in postorder(root):
            lo, hi = found[id(node)]
            assert lo <= hi
            assert math.isnan(values[id(node)]) or lo <= values[id(node)] <= hi, node


@given(st.one_of(expressions(3), wild_expressions(3)), BOX, st.data())
def test_every_value_lies_in_its_range(root: Expr, box: list[Range], data: st.DataObject) -> None:
    check(root, None, [data.draw(DOUBLES) for _ in range(3)])
    for _ in range(3):
        check(root, box, [data.draw(st.one_of(st.floats(lo, hi), st.sampled_from((lo, hi)))) for lo, hi in box])


@pytest.mark.parametrize(
    "root", [floor(exp(var(0))), abs(-exp(var(0))), where(var(0) < 0, -num(HUGE), -exp(var(0))), num(2) ** exp(var(0))]
)
def test_the_last_doubles_before_overflow(root: Expr) -> None:
    for box in ([(709.72, 709.75)], [(709.72, 2000.0)], [(1000.0, 2000.0)]):
        for x in (709.72, 709.73, 709.75):
            if box[0][0] <= x:
                check(root, box, [x])
        assert ranges([exp(var(0))], box)[id(exp(var(0)))][1] == math.inf


def test_constant_parts_that_overflow_have_a_range() -> None:
    check(floor(exp(1000)) + var(0), None, [1.0])
    endless = where(var(0) < 0, num(HUGE) * 10, num(HUGE) * 10)
    check(endless**endless, None, [1.0])
