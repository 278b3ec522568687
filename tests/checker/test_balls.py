"""Leaves by balls: they hold, are asked first and only with Arb, and what they do not know is left to the core."""

from __future__ import annotations

from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.certify.checker import check
from cpcbench.certify.checker.checking import tasks_of
from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.numbers import arithmetic, infinite, of_double
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.balls import Balls
from cpcbench.expr.walk import postorder
from tests.material.checker_certificates import certificate, point

UNIT: Box = ((0.0, 1.0), (0.0, 1.0))


def tree_certificate(text: str, box: Box, tree: str, lower: float, upper: float, x: list[float]) -> dict[str, Any]:
    proof = {"by": "tree", "threshold": lower, "tree": tree}
    return certificate(text, [list(side) for side in box], lower, upper, proof, point(*x), "all")


def link_of(text: str, box: Box = UNIT, sign: int = 1) -> Link:
    root = cpc.parse(text, bounds=list(box)).expression
    program = Program([root], {id(node): place for place, node in enumerate(postorder(root))})
    return Link("", program, list(range(len(box))), [(program.slots[id(root)], sign)], 0.0, box)


def bound_of(text: str, box: Box = UNIT, *, sign: int = 1, slopes: bool = False, goal: Any = None) -> float | None:
    with arithmetic("arb", 64):
        found = Balls(link_of(text, box, sign)).bound(box, infinite(1) if goal is None else of_double(goal), slopes)
        return None if found is None else float(found)


@pytest.mark.parametrize(
    ("text", "sign", "bound"),
    [
        ("x1 + x2", 1, 0.0),
        ("x1^2 - x2^3", 1, -1.0),
        ("sqrt(x1 - 0.75)", 1, 0.0),  # where it is defined
        ("sqrt(x1 - 0.75)", -1, -0.5),
        ("ln(x1 - 0.5)", -1, 0.6931471805599453),  # -ln has no upper end
        ("(x1 - 0.5)^0.5 + x2", 1, 0.0),
        ("(x1 - 0.5)^(-0.5) + x2", 1, 1.4142135623730951),
    ],
)
def test_natural_bounds_are_those_of_the_part_that_is_defined(text: str, sign: int, bound: float) -> None:
    assert bound_of(text, sign=sign) == pytest.approx(bound, abs=1e-8)


@pytest.mark.parametrize("text", ["ln(x1 - 2)", "sqrt(-1 - x2)", "x1 + (x2 - 3)^0.3", "arcsin(x1 + 2)"])
def test_nothing_is_below_where_nothing_is_defined(text: str) -> None:
    assert bound_of(text) == float("inf")


@pytest.mark.parametrize(
    "text",
    [
        "1/(x1 - 0.5)",
        "ln(x1 - 0.5)*x2",  # more than added up
        "sin(ln(x1 - 0.5))",
        "ln(x1 - 0.5) - ln(x2 - 0.5)",  # one has no lower end, the other no upper one
        "floor(x1)",
        "where(x1 < x2, 1, 2)",
        "x1^x2",
        "min(x1, x2)",
        "tan(x1)",
    ],
)
def test_what_is_not_for_balls_is_left_to_others(text: str) -> None:
    assert bound_of(text, slopes=True) is None


def test_slopes_are_used_where_they_are_asked_for_and_needed() -> None:
    text, box = "(x1 - x2)^2 + x1 - x2", ((0.5, 0.6), (0.0, 0.1))  # rises in x1, falls in x2
    assert bound_of(text, box) == pytest.approx(0.56)
    assert bound_of("x1 - x1^2/2", ((0.5, 0.6), (0.0, 1.0)), slopes=True) == pytest.approx(0.375)
    assert bound_of("x1 - x1^2/2", ((0.5, 0.6), (0.0, 1.0)), slopes=True, goal=0.3) == pytest.approx(0.32)
    assert bound_of("abs(x1 - 0.55) - x1", ((0.5, 0.6), (0.0, 1.0)), slopes=True) == pytest.approx(-0.65)  # a kink


@pytest.mark.parametrize("text", ["(x1 - 0.5)^1.5 - x1", "sqrt(x1 - 0.5) - x1"])
def test_there_are_no_slopes_where_a_part_of_the_box_is_left_out(text: str) -> None:
    assert bound_of(text, slopes=True) == bound_of(text, slopes=False)


def test_verdicts_name_balls_where_they_were_used() -> None:
    data = tree_certificate("(x1 - 0.25)^2 + x2", UNIT, ".", -0.1, 0.0, [0.25, 0.0])
    verdict = check(data)
    assert verdict.accepted, verdict.reason
    assert "balls" in verdict.rests_on
    assert "balls" not in check(data, arithmetic="mpfr").rests_on
    with arithmetic("mpfr", 64):
        assert all(task.link.quick is None for task in tasks_of(Subject.read(data), data)[0])


@pytest.mark.parametrize("arithmetic", ["arb", "mpfr"])
@pytest.mark.parametrize(
    ("tree", "leaves"), [("e0:5", 32), ("s0:128 e0:4 e0:4", 32), ("s1:100 e0:5 s0:128 e0:4 e0:4", 64)]
)
def test_even_leaves_are_those_of_halving(tree: str, leaves: int, arithmetic: str) -> None:
    data = tree_certificate("x1^2 - x1 + x2", UNIT, tree, -0.28125, 0.0, [0.0, 0.0])
    verdict = check(data, arithmetic=arithmetic)
    assert verdict.accepted, verdict.reason
    assert verdict.leaves == leaves


@pytest.mark.parametrize("arithmetic", ["arb", "mpfr"])
@pytest.mark.parametrize(
    ("tree", "why"),
    [
        ("e0:3", "below the threshold"),
        ("e1:9", "below the threshold"),
        ("e2:5", "axis 2 does not exist"),
        ("e0:25", "is no token"),
        ("e0", "is no token"),
        ("e0:5 .", "left over"),
        ("e0:-1", "is no token"),
    ],
)
def test_even_leaves_that_prove_nothing_are_rejected(tree: str, why: str, arithmetic: str) -> None:
    verdict = check(tree_certificate("x1^2 - x1 + x2", UNIT, tree, -0.28125, 0.0, [0.0, 0.0]), arithmetic=arithmetic)
    assert not verdict.accepted
    assert why in verdict.reason


def test_even_leaves_end_where_there_is_no_double_between() -> None:
    box: Box = ((1.0, 1.0 + 2.0**-51), (0.0, 1.0))
    verdict = check(tree_certificate("x1 + x2", box, "e0:5", 0.5, 1.0, [1.0, 0.0]))
    assert not verdict.accepted
    assert "not inside" in verdict.reason
