"""Leaves by tangents of squares: what they prove is true, and what is no square is not taken for one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.numbers import UP, End, arithmetic
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.extensions.squares import Squares
from cpcbench.certify.checker.ground.verdict import RejectedError, Verdict
from cpcbench.expr.nodes import Expr
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles.arrays import evaluate
from tests.material.checker_certificates import Bounds, certificate, point
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded


def verdict(
    text: str, bounds: Bounds, lower: float, tree: str, x: list[float], part: str = "all", version: int = 5
) -> Verdict:
    """Of a tree with the claim that the formula is at least `lower`; the upper bound is a loose one at a point."""
    low = {"by": "tree", "threshold": lower, "tree": tree}
    return check({**certificate(text, bounds, lower, 1e6, low, point(*x), part), "version": version})


def link_of(root: Expr, bounds: Bounds) -> Link:
    program = Program([root], {id(node): place for place, node in enumerate(postorder(root))})
    box = tuple((low, high) for low, high in bounds)
    return Link("", program, list(range(len(bounds))), [(program.slots[id(root)], 1)], 0.0, box)


def leaf(root: Expr, bounds: Bounds, token: str) -> End:
    """What the rule alone says of the whole box."""
    link = link_of(root, bounds)
    return Squares(link).bound(token, link.box)


@pytest.mark.parametrize(
    ("text", "bounds", "token", "least"),
    [
        ("x1^2 + (x1 - 2)^2", [[-9.0, 9.0]], "q:1,-1", 2.0),  # the slopes cancel: one leaf whatever the box
        ("(x1 + x2)^2 + (x1 + x2 - 4)^2", [[-9.0, 9.0]] * 2, "q:2,-2", 8.0),
        ("x1*x1 + (x1 - 2)*(x1 - 2)", [[-9.0, 9.0]], "q:1,-1", 2.0),
        ("(x1 - 3)^2 + x1", [[0.0, 1.0]], "q:-2", 5.0),  # least at an end
        ("(x1 + x2)^2 - x2 + (x1 + x2 - 4)^2", [[-9.0, 9.0]] * 2, "q:2,-2", -1.0),  # with a rest
        ("(x1 - 1)^2 + (x1 + 1)^2 + 1/x2^2", [[-3.0, 3.0], [1.0, 2.0]], "q:-1,1", 2.25),
        ("x1^2 + (x1 - 2)^2 + 0*ln(x1)", [[-1.0, 3.0]], "q:1,-1", 2.0),  # a frozen logarithm in the rest
        ("x1^2 + (x1 - 2)^2 + (1/x1)^2", [[-1.0, 3.0]], "q:1,-1,0", 2.0),  # a square left out has no bounds
    ],
)
def test_one_leaf_proves_the_least_sum_of_tangents_and_no_more(
    text: str, bounds: Bounds, token: str, least: float
) -> None:
    x = [high for _, high in bounds]
    found = verdict(text, bounds, least, token, x)
    assert found.accepted, found.reason
    assert "squares" in found.rests_on
    assert not verdict(text, bounds, least + 1e-12, token, x).accepted


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("x1^2 - (x1 - 2)^2", "q:1,-1"),  # the second one is taken off
        ("x1^2 - (x1 - 2)^2", "q:1"),  # -4 on [0, 2]: tangents of one square, the rest as it is
        ("x1^2 + -(x1 - 2)^2", "q:1,-1"),
        ("x1^3 + (x1 - 2)^3", "q:1,-1"),
        ("x1^2.0000001 + (x1 - 2)^2", "q:1,-1"),
        ("x1^2 + 2*(x1 - 2)^2", "q:1,-1"),  # a multiple of a square
        ("x1^2 + (x1 - 2)^2/2", "q:1,-1"),
        ("x1*(x1 + 1) + (x1 - 2)^2", "q:1,-1"),
        ("exp(x1^2 + (x1 - 2)^2)", "q:1,-1"),
        ("where(x1 <= 5, x1^2 + (x1 - 2)^2, undefined)", "q:1,-1"),  # the constraint is the sum's one term
        ("where(x1 <= 1, x1^2, 0) + (x1 - 2)^2", "q:1"),
        ("x1^2 + (x1 - 2)^2", "q:1"),
        ("x1^2 + (x1 - 2)^2", "q:1,-1,0"),
        ("x1^2 + (x1 - 2)^2", "q:"),
        ("x1^2 + (x1 - 2)^2", "q"),
        ("x1^2 + (x1 - 2)^2", "q:1,--1"),
        ("x1^2 + (x1 - 2)^2", "q:1,nan"),
        ("x1^2 + (x1 - 2)^2", "q:1,inf"),
        ("x1^2 + (x1 - 2)^2", "q:1,-1 "),
        ("x1^2 + (x1 - 2)^2", "q:1, -1"),
        ("x1^2 + (x1 - 2)^2", "q:1,1/2"),
        ("x1^2 + (x1 - 2)^2", "q:1,1e9999"),
    ],
)
def test_what_is_no_square_or_no_list_of_numbers_is_rejected(text: str, token: str) -> None:
    """The claim, 2, is that of x1^2 + (x1 - 2)^2, for which the token would do."""
    assert verdict("x1^2 + (x1 - 2)^2", [[0.0, 2.0]], 2.0, "q:1,-1", [1.0]).accepted
    assert not verdict(text, [[0.0, 2.0]], 2.0, token, [1.0]).accepted


def test_a_token_is_read_where_the_range_says_enough_too() -> None:
    assert verdict("x1^2 + (x1 - 2)^2", [[0.0, 2.0]], 0.0, "q:0,0", [1.0]).accepted
    assert not verdict("x1^2 + (x1 - 2)^2", [[0.0, 2.0]], 0.0, "q:0", [1.0]).accepted
    assert not verdict("x1^2 + (x1 - 2)^2", [[0.0, 2.0]], 0.0, "q!", [1.0]).accepted


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_older_versions_have_none(version: int) -> None:
    found = verdict("x1^2 + (x1 - 2)^2", [[0.0, 2.0]], 2.0, "q:1,-1", [1.0], version=version)
    assert not found.accepted
    assert "squares" in found.reason


def test_a_sum_with_tables_has_none() -> None:
    terms = {"terms": [0, 1], "variables": [0, 1], "threshold": -9.0, "plus": [1], "minus": [], "tree": "q:0,0"}
    other = {"terms": [2], "variables": [1], "threshold": -9.0, "plus": [], "minus": [1], "tree": "."}
    table = {"1": {"breaks": [0.0, 1.0], "values": [5.0, 0.0]}}
    text = "(x1^2 + (x1 - x2)^2) + x2"
    node = len(postorder(parse_formula(text, n=2))) - 1
    for tree, accepted in (("m", True), ("q:0,0", False)):
        links = [{**terms, "tree": tree}, other]
        sums = [{"node": node, "side": "min", "bound": -18.0, "links": links, "tables": table}]
        data = certificate(text, [[0.0, 1.0]] * 2, -18.0, 9.0, {"by": "sums", "sums": sums}, point(0.0, 0.0), "all")
        assert check({**data, "version": 5}).accepted == accepted


def test_links_of_a_sum_have_squares_of_their_own() -> None:
    """Where all terms count negated no square is one."""
    text = "(x1^2 + (x1 - 2)^2) + x2^2"
    node = len(postorder(parse_formula(text, n=2))) - 1
    for side, bound, thresholds, accepted in (
        ("min", 2.0, (2.0, 0.0), True),
        ("max", -2.0, (2.0, 0.0), False),
    ):
        links = [
            {"terms": [0, 1], "variables": [0], "threshold": thresholds[0], "plus": [], "minus": [], "tree": "q:1,-1"},
            {"terms": [2], "variables": [1], "threshold": thresholds[1], "plus": [], "minus": [], "tree": "."},
        ]
        sums = [{"node": node, "side": side, "bound": bound, "links": links, "tables": {}}]
        data = certificate(text, [[-3.0, 3.0]] * 2, 2.0, 9.0, {"by": "sums", "sums": sums}, point(1.0, 0.0), "all")
        assert check({**data, "version": 5}).accepted == accepted


@pytest.mark.parametrize("hole", ["x1^2/((x1 + 1/3) - 1/3)^2", "x1^2/x1^2"])
def test_below_a_face_holes_count(hole: str) -> None:
    """x2^2 + x1 - 1 for x1 > 0, its infimum -1: towards a face on which nothing is defined unless holes are filled."""
    text, box = f"x2^2 + x1 - {hole}", [[0.0, 1.0]] * 2
    assert verdict(text, box, -1.0 - 1e-12, "l0 q:0", [1.0, 0.0]).accepted
    assert not verdict(text, box, -0.25, "l0 q:0", [1.0, 0.0]).accepted


@pytest.mark.parametrize("seed", range(60))
def test_no_value_is_below_what_a_leaf_says(seed: int) -> None:
    """Squares of random formulas, with random numbers."""
    r, rng = seeded(seed), np.random.default_rng(seed)
    parts = [formula(r, 3, [*RATIONAL, *ELEMENTARY]) for _ in range(3)]
    root = parts[0] ** 2 + parts[1] * parts[1] - parts[2] + (parts[1] - parts[2]) ** 2
    sides = np.sort(rng.uniform(-1, 1, (2, 2)), axis=1)
    values = evaluate(root, rng.uniform(sides[:, 0], sides[:, 1], (2_000, 2)))
    if not np.isfinite(values).any():
        return
    least = float(np.nanmin(np.where(np.isfinite(values), values, np.inf)))
    token = "q:" + ",".join(f"{z:.3g}" for z in rng.normal(size=3))
    with arithmetic("arb", 64):
        try:
            bound = leaf(root, sides.tolist(), token)
        except RejectedError:
            return
        assert bound <= UP.rational(Fraction(least + 1e-9 * max(1.0, abs(least))))


def test_numbers_are_taken_exactly() -> None:
    """r = 0 on the box, so that the bound is -z^2: for a z that is no double it is not the double next to it."""
    with arithmetic("arb", 200):
        bound = leaf(parse_formula("(x1 - x1)^2 + 0*x1", n=1), [[0.0, 0.0]], "q:1e-1")
        assert UP.rational(Fraction(-1, 100)) >= bound >= UP.rational(Fraction(-1, 100) - Fraction(1, 2**180))
