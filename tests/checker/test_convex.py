"""Convex leaves: what they prove is true, and each condition of the theorem is needed and asked for."""

from __future__ import annotations

import itertools
import math

import pytest

from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.intervals import between
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.numbers import End, arithmetic
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.extensions.convex import SIDE, Convex, check_monotone_gradient
from cpcbench.certify.checker.ground.verdict import RejectedError, Verdict
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from tests.material.checker_certificates import Bounds, certificate, point

HALF = SIDE // 2


def verdict(formula: str, bounds: Bounds, lower: float, tree: str, x: list[float], part: str = "all") -> Verdict:
    """Of a tree with the claim that the formula is at least `lower`; the upper bound is a loose one at a point."""
    low = {"by": "tree", "threshold": lower, "tree": tree}
    return check(certificate(formula, bounds, lower, 1e6, low, point(*x), part), arithmetic="arb")


def leaf(formula: str, bounds: Bounds, places: list[int]) -> End:
    """What the rule alone says of the whole box."""
    root = parse_formula(formula, n=len(bounds))
    program = Program([root], {id(node): place for place, node in enumerate(postorder(root))})
    box = tuple((low, high) for low, high in bounds)
    link = Link("", program, list(range(len(bounds))), [(program.slots[id(root)], 1)], 0.0, box)
    return Convex(link).bound(f"c:{','.join(map(str, places))}", box)


@pytest.mark.parametrize(
    ("formula", "bounds", "places", "infimum"),
    [
        ("x1^2 - x1", [[0.0, 2.0]], [SIDE // 4], -0.25),
        ("x1^2", [[1.0, 2.0]], [0], 1.0),  # least at a bound, where the slope is not 0
        ("x1^2", [[-3.0, -1.0]], [SIDE], 1.0),
        ("exp(x1 - x2) + exp(x2 - x1) + x1^2", [[-0.05, 0.05], [-0.05, 0.05]], [HALF, HALF], 2.0),
        ("1/x1 + 1/(1 - x1)", [[0.25, 0.75]], [HALF], 4.0),
        ("x1*ln(x1)", [[0.125, 4.0]], [round((1 / math.e - 0.125) / 3.875 * SIDE)], -1 / math.e),
        ("abs(x1)^3 + x2^2", [[1.0, 2.0], [-1.0, 1.0]], [0, HALF], 1.0),
        ("x1^1.5 + (x1 - 1)^2", [[0.5, 2.0]], [0], 0.5**1.5 + 0.25),
        ("x2^4 + x1^2", [[-1.0, 1.0], [1.0, 1.0]], [HALF, 0], 1.0),  # no side along the second axis
        ("where(x1 <= 3, (x1 - 1)^2, undefined)", [[0.0, 2.0]], [HALF], 0.0),  # a constraint that holds all over
    ],
)
def test_one_leaf_proves_the_infimum_and_no_more(
    formula: str, bounds: Bounds, places: list[int], infimum: float
) -> None:
    token, x = f"c:{','.join(map(str, places))}", [low for low, _ in bounds]
    found = verdict(formula, bounds, infimum - 1e-12, token, x)
    assert found.accepted, found.reason
    assert "convex" in found.rests_on
    assert not verdict(formula, bounds, infimum + 1e-12, token, x).accepted


@pytest.mark.parametrize(
    ("formula", "bounds", "why"),
    [
        ("-x1^2", [[-1.0, 1.0]], "monotone"),
        ("x1^4", [[-1.0, 1.0]], "monotone"),  # convex, but its second derivative is 0 somewhere
        ("(x1 + x2)^2", [[-1.0, 1.0], [-1.0, 1.0]], "monotone"),  # likewise along a line
        ("x1^2 + x2^2 + 2.001*x1*x2", [[-1.0, 1.0], [-1.0, 1.0]], "monotone"),
        ("x1^2 + 3*sin(x1)", [[-3.0, 3.0]], "monotone"),
        ("x1^2 - abs(x1)", [[-1.0, 1.0]], "kink"),  # -1/4, and the tangent at 0 with the slope 0 is above it
        ("x1^2 - abs(x1)", [[0.0, 1.0]], "kink"),
        ("x1^2 + floor(x1)", [[-1.0, 1.0]], "floor has no derivative"),
        ("x1^2 - sign(x1)", [[-1.0, 1.0]], "sign has no derivative"),
        ("x1^2 + min(x1, 0)", [[-1.0, 1.0]], "min has no derivative"),
        ("x1^2 + mod(x1, 0.5)", [[-1.0, 1.0]], "mod has no derivative"),
        ("x1^2 + whole(x1)", [[-1.0, 1.0]], "whole has no derivative"),
        ("where(x1 <= 0, -1, x1^2)", [[-1.0, 1.0]], "where has no derivative"),
        ("where(x1 <= 0.5, (x1 - 1)^2, undefined)", [[-1.0, 1.0]], "defined all over"),
        ("x1^2 - sqrt(x1)", [[0.0, 1.0]], "defined all over"),
        ("x1^2 - sqrt(x1)", [[-1.0, 1.0]], "defined all over"),
        ("x1^2 + 1/x1", [[-1.0, 1.0]], "defined all over"),
        ("(x1 - 1)^2 + 0*ln(x1)", [[-1.0, 3.0]], "defined all over"),
        ("x1^2 - x1^x2", [[0.0, 1.0], [1.0, 2.0]], "defined all over"),
        ("x1^2 - arcsin(x1)", [[-1.0, 1.0]], "defined all over"),
        ("x1^2 - cbrt(x1)", [[-1.0, 1.0]], "defined all over"),
    ],
)
def test_what_is_not_seen_to_be_convex_is_rejected(formula: str, bounds: Bounds, why: str) -> None:
    with arithmetic("arb", 64), pytest.raises(RejectedError, match=why):
        leaf(formula, bounds, [HALF] * len(bounds))


@pytest.mark.parametrize(
    "token", ["c", "c:", "c:1", "c:1,2,3", f"c:{SIDE + 1},0", "c:-1,0", "c:0.5,0", "c:1e3,0", "c:1, 2"]
)
def test_places_that_are_none_are_rejected(token: str) -> None:
    found = verdict("(x1 - 1)^2 + x2^2 + x1*x2/4", [[0.0, 2.0], [-1.0, 1.0]], -0.2, token, [1.0, 0.0])
    assert not found.accepted


def test_any_place_gives_a_bound_that_holds() -> None:
    """The further from the least point, the lower; never above the infimum."""
    formula, bounds = "exp(x1) - x1 + (x1 - x2)^2", [[-1.0, 2.0], [-1.5, 1.5]]
    for places in itertools.product((0, 1, HALF, SIDE - 1, SIDE), repeat=2):
        assert not verdict(formula, bounds, 1.0 + 1e-15, f"c:{places[0]},{places[1]}", [0.0, 0.0]).accepted


def test_a_sum_with_tables_has_none() -> None:
    terms = {"terms": [0], "variables": [0, 1], "threshold": -9.0, "plus": [1], "minus": [], "tree": "c:0,0"}
    other = {"terms": [1], "variables": [1], "threshold": -9.0, "plus": [], "minus": [1], "tree": "."}
    table = {"1": {"breaks": [0.0, 1.0], "values": [5.0, 0.0]}}
    sums = [{"node": 11, "side": "min", "bound": -18.0, "links": [terms, other], "tables": table}]
    data = certificate("(x1^2 + x1*x2) + x2^2", [[0.0, 1.0], [0.0, 1.0]], -18.0, 1.0, {"by": "sums", "sums": sums},
                       point(0.0, 0.0), "all")  # fmt: skip
    assert not check(data).accepted


@pytest.mark.parametrize("bits", [8, 64])
@pytest.mark.parametrize(
    ("matrix", "positive"),
    [
        ([[(2, 2), (1, 1)], [(1, 1), (2, 2)]], True),
        ([[(2, 9), (-1, 1)], [(-1, 1), (2, 9)]], True),
        ([[(2, 9), (-3, 1)], [(-3, 1), (2, 9)]], False),
        ([[(2, 2), (3, 3)], [(-3, -3), (2, 2)]], True),  # only the sum of the two counts
        ([[(1, 1), (1, 1)], [(1, 1), (1, 1)]], False),
        ([[(1, math.inf), (0, 0)], [(0, 0), (1, 1)]], False),
        ([[(0, 0)]], False),
    ],
)
def test_matrices(matrix: list[list[tuple[float, float]]], positive: bool, bits: int) -> None:
    with arithmetic("arb", bits):
        slopes, sides = [[between(*pair) for pair in row] for row in matrix], [between(1.0, 1.0)] * len(matrix)
        try:
            check_monotone_gradient(slopes, sides)
        except RejectedError:
            assert not positive
        else:
            assert positive


@pytest.mark.parametrize("tree", ["c!!", "c", "c:", "c:1,1", f"c:{SIDE + 1}", "c:-1"])
def test_a_token_is_read_where_the_range_says_enough_too(tree: str) -> None:
    assert verdict("x1^2", [[1.0, 2.0]], 0.5, "c:0", [1.0]).accepted
    assert repr(tree) in verdict("x1^2", [[1.0, 2.0]], 0.5, tree, [1.0]).reason


def test_an_exponent_too_near_to_1_is_refused_in_words() -> None:
    formula = f"x1^1.{'0' * 399}1 + x1^2 - x1"
    assert "too near to 1" in verdict(formula, [[0.5, 1.0]], 0.24, "c:0", [0.5]).reason


def test_the_clock_is_looked_at_for_each_derivative(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two of them there is one walk through the formula, so that a long one cannot outlast the time by far."""
    looks: list[int] = []
    monkeypatch.setattr("cpcbench.certify.checker.extensions.convex.look_at_clock", lambda: looks.append(1))
    n = 7
    leaf(" + ".join(f"x{i}^2" for i in range(1, n + 1)), [[-1.0, 1.0]] * n, [HALF] * n)
    assert len(looks) >= 2 * n  # for each row of slopes, and for each pivot


def test_formulas_for_few_sets_of_axes_are_kept() -> None:
    root = parse_formula("x1^2 + x2^2 + x3^2 + x4^2", n=4)
    program = Program([root], {id(node): place for place, node in enumerate(postorder(root))})
    link = Link("", program, [0, 1, 2, 3], [(program.slots[id(root)], 1)], 0.0, ((-1.0, 1.0),) * 4)
    rule = Convex(link)
    for held in itertools.product((False, True), repeat=4):
        if not all(held):
            rule.bound(f"c:{','.join(str(HALF) for _ in held)}", tuple((0.5, 0.5) if h else (-1.0, 1.0) for h in held))
    assert len(rule.known) <= 8
