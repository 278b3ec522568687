"""A part of a variable's range is enough where the formula repeats itself, or straight conditions leave no more."""

from __future__ import annotations

from typing import Any

import pytest

from cpcbench.certify.checker import check
from cpcbench.certify.checker.ground.verdict import Verdict
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from tests.material.checker_certificates import certificate, number, point

# One turn of a variable


def turning(formula: str, periods: dict[str, list[float]]) -> dict[str, Any]:
    """sin(x1) + cos(2 x2) is at least -2 wherever it repeats; the trees look at one turn only."""
    links = [
        {"terms": [i], "variables": [i], "threshold": -1.0, "plus": [], "minus": [], "tree": "."} for i in range(2)
    ]
    total = {"node": number(formula, 2, "add"), "side": "min", "bound": -2.0, "links": links, "tables": {}}
    proof = {"by": "sums", "sums": [{**total, "periods": periods}]}
    return certificate(formula, [[-50.0, 50.0], [-50.0, 50.0]], -2.0, 2.0, proof, point(0.0, 0.0), "regular")


TURN = [-3.15, 3.15]


def test_one_turn_of_what_repeats_is_enough() -> None:
    assert check(turning("sin(x1) + cos(2*x2)", {"0": TURN, "1": TURN})).accepted


@pytest.mark.parametrize(
    ("formula", "periods", "why"),
    [
        ("sin(x1) + cos(2*x2)", {"0": [-3.14, 3.14]}, "shorter than a period"),
        ("sin(x1) + cos(2.5*x2)", {"1": TURN}, "does not repeat"),
        ("sin(x1)*x1 + cos(2*x2)", {"0": TURN}, "does not repeat"),
        ("sin(x1^2) + cos(2*x2)", {"0": TURN}, "does not repeat"),
        ("sin(x1 + x2) + cos(2*x2)", {"0": TURN}, "does not repeat"),
        ("sin(x1) + cos(2*x2)", {"2": TURN}, "is no variable"),
        ("sin(x1) + cos(2*x2)", {"0": "all"}, ""),
    ],
)
def test_what_does_not_repeat_is_refused(formula: str, periods: dict[str, list[float]], why: str) -> None:
    verdict = check(turning(formula, periods))
    assert not verdict.accepted
    assert why in verdict.reason


# What straight conditions leave of a variable

SLOPED = "sqrt(x1 - x2) + sqrt(2*x2 + x1) + x1"
"""Defined only where x1 is at least 0: twice the first condition and the second add up to 3 x1."""


def narrowing(*entries: dict[str, Any]) -> Verdict:
    """All terms are at least 0 on what is left of x1, and one look at it shows that; on all of x1 it would not."""
    order = postorder(parse_formula(SLOPED, n=2))
    conditions = [node.args[0] for node in order if node.op == "sqrt"]
    places = {name: order.index(node) for name, node in zip("ab", conditions, strict=True)}
    made = [{**e, "by": [[places.get(str(node), node), weight] for node, weight in e["by"]]} for e in entries]
    link = {"terms": [0, 1, 2], "variables": [0, 1], "threshold": 0.0, "plus": [], "minus": [], "tree": "."}
    total = {"node": len(order) - 1, "side": "min", "bound": 0.0, "links": [link], "tables": {}}
    proof = {"by": "sums", "sums": [{**total, "ranges": made}]}
    return check(certificate(SLOPED, [[-4.0, 4.0], [-4.0, 4.0]], 0.0, 0.0, proof, point(0.0, 0.0), "regular"))


def test_a_range_that_the_conditions_leave_is_taken() -> None:
    assert narrowing({"variable": 0, "low": 0.0, "by": [["a", "2"], ["b", "1"]]}).accepted
    assert not narrowing().accepted


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"variable": 0, "low": 1e-9, "by": [["a", "2"], ["b", "1"]]}, "do not narrow"),
        ({"variable": 0, "low": 0.0, "by": [["a", "1"], ["b", "1"]]}, "do not add up"),
        ({"variable": 1, "low": 0.0, "by": [["a", "2"], ["b", "1"]]}, "do not add up"),
        ({"variable": 0, "low": 0.0, "by": [["a", "-2"], ["b", "-1"]]}, "negative weight"),
        ({"variable": 0, "low": 0.0, "by": [[0, "1"]]}, "is not what a root"),
        ({"variable": 0, "low": 5.0, "by": [["a", "2"], ["b", "1"]]}, "narrow"),
        ({"variable": 0, "low": 0.0, "by": []}, "do not add up"),
        ({"variable": 7, "low": 0.0, "by": [["a", "2"], ["b", "1"]]}, ""),
    ],
)
def test_a_range_that_the_conditions_do_not_leave_is_refused(entry: dict[str, Any], why: str) -> None:
    verdict = narrowing(entry)
    assert not verdict.accepted
    assert why in verdict.reason
