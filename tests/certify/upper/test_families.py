"""Proofs that there is no lower bound, and bounds on thin sets one by one."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import flint
import pytest

import cpcbench as cpc
from cpcbench.certify.certificate.form import written
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.paths.families import check_family
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.thin.proofs import ThinWork
from cpcbench.certify.upper.krawczyk import System
from cpcbench.certify.upper.pinned import Pin, Pinned
from cpcbench.errors import CpcbenchError
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.readings.text import formula
from tests.certify.upper.finding import Bounds, find_family, subject

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.parametrize(
    ("text", "bounds", "start", "rule"),
    [
        ("-ln(2 - x1*ln(cos(x1)))", [(1.0, 2.0)], [1.5], "strict"),
        ("ln(x1 - x2^2)", [(0.0, 2.0), (-2.0, 2.0)], [1.0, 0.9], "strict"),
        ("(x1^2 - 3)^(x2 - 2.5)", [(0.0, 3.0), (0.0, 3.0)], [1.7, 1.4], "ieee"),
    ],
)
def test_the_checker_takes_the_family(text: str, bounds: Bounds, start: list[float], rule: str) -> None:
    proof = find_family(parse_formula(text, n=len(bounds)), bounds, rule, [start])
    assert proof is not None
    about = subject(text, bounds, "all" if rule == "ieee" else "regular")
    check_family(about, written(proof))
    other = replace(proof.vanishing, side="+" if proof.vanishing.side == "-" else "-")
    with pytest.raises(RejectedError):
        check_family(about, written(replace(proof, vanishing=other)))


# No lower bound


@pytest.mark.parametrize(
    ("text", "box", "start", "side"),
    [
        ("ln(x1 - x2^2)", [(0.0, 2.0), (-2.0, 2.0)], [1.0, 0.9], "+"),
        ("1/(x1^3 - 2)", [(0.0, 2.0)], [1.2], "-"),
        ("-1/(x1^2 - 2)", [(0.0, 2.0)], [1.5], "+"),
        ("ln(ln(x1))", [(0.5, 3.0)], [1.1], "+"),
        ("-ln(2 - x1*ln(cos(x1)))", [(1.0, 2.0)], [1.5], "+"),
        ("-sqrt((x1^2 - 2)^(-0.5) + x1)", [(1.0, 2.0)], [1.5], "+"),
        ("x1 - exp(1/(x1^2 - 2))", [(1.0, 2.0)], [1.42], "+"),
    ],
)
def test_a_family_without_end(text: str, box: Bounds, start: list[float], side: str) -> None:
    root = parse_formula(text, n=len(box))
    proof = find_family(root, box, "strict", [start])
    assert proof is not None
    assert proof.vanishing.side == side
    assert proof.eps > 0.0
    low, high = proof.box[proof.solve[0]]
    x = [b[0] for b in proof.box]
    part = postorder(root)[proof.vanishing.node]
    ends = []
    for end in (low, high):
        x[proof.solve[0]] = end
        with flint.ctx.workprec(100):
            point = [flint.arb(v) for v in x]
            ends.append(float(System(Pinned(part, len(box), (Pin(part),))).residuals(point)[0]))
    assert min(ends) < 0.0 < proof.eps < max(ends) or min(ends) < -proof.eps < 0.0 < max(ends)


@pytest.mark.parametrize(
    ("text", "box", "start"),
    [
        ("-ln(x1 - x2^2)", [(0.0, 2.0), (-2.0, 2.0)], [1.0, 0.9]),
        ("x1*ln(x1)", [(0.0, 2.0)], [0.1]),
        ("1/(x1^2 - 2)^2", [(0.0, 2.0)], [1.4]),
        ("exp(ln(x1 - 1/3))", [(0.0, 2.0)], [0.4]),
        ("ln(x1 - 1/3) + 1/(x1 - 1/3)", [(0.0, 2.0)], [0.4]),
        ("sin(1/(x1^2 - 2))", [(0.0, 2.0)], [1.4]),
        ("ln(x1^2 - 2) + 0*sqrt(1.9 - x1^2)", [(0.0, 2.0)], [1.4]),
        ("(x1^2 - 2)^0.3", [(0.0, 2.0)], [1.5]),
        ("ln(2 + x1)", [(-1.0, 2.0)], [-0.9]),
    ],
)
def test_bounded_or_undefined_gives_no_family(text: str, box: Bounds, start: list[float]) -> None:
    for rule in ("strict", "ieee"):
        assert find_family(parse_formula(text, n=len(box)), box, rule, [start]) is None


def test_a_family_on_a_thin_set() -> None:
    root, box, start = parse_formula("(x1^2 - 3)^(x2 - 2.5)", n=2), [(0.0, 3.0)] * 2, [1.7, 1.4]
    assert find_family(root, box, "strict", [start]) is None
    proof = find_family(root, box, "ieee", [start])
    assert proof is not None
    assert proof.vanishing.side == "-"
    assert proof.rule == "ieee"
    assert formula(postorder(root)[proof.equations[0].node]) == "x2 - 2.5"
    assert Fraction(proof.equations[0].value) in (-1, -3)
    even = parse_formula("(x1^2 - 3)^(2*(x2 - 2.5)) + 0*sqrt(x2 - 1.4) + 0*sqrt(1.6 - x2)", n=2)
    assert find_family(even, box, "ieee", [start]) is None


@pytest.mark.slow
@pytest.mark.parametrize(("whole", "lowest"), [(1, -2.0), (2, 0.0), (3, -8.0)])
def test_thin_sets_one_by_one(whole: int, lowest: float) -> None:
    found = cpc.certify("x1^x2 + sqrt(x2 - 0.6)", [(-2.0, 1.0), (whole - 0.4, whole + 0.4)], part="thin", seconds=3.0)
    value = lowest + math.sqrt(whole - 0.6)
    assert value - 0.1 <= found.lower <= value
    assert value - 1e-9 <= found.upper <= value + 0.1


def test_thin_sets_that_are_empty_or_without_end() -> None:
    box = [(-2.0, 2.0), (0.5, 1.5)]
    for text in ("x1^x2 + sqrt(x1 - 0.1)", "(x1 + 3)^x2"):
        with pytest.raises(CpcbenchError, match=r"no thin sets|of 1 sets 1 are proven to be empty"):
            cpc.certify(text, box, part="thin", seconds=1.0)
    about = Subject("", parse_formula("(x1 - 1/3)^(-x2)", n=2), box, "thin")
    falls = next(ThinWork(about, 1e-9, 2.0, lambda _: None).families(2.0))
    assert [Fraction(equation.value) for equation in falls.equations] == [-1]
    assert cpc.certify("(x1 - 1/3)^(-x2)", box, part="thin", seconds=2.0).unbounded


def test_a_whole_exponent_by_the_root_in_an_exponent() -> None:
    found = cpc.certify("(x1 - 3)^(1 + sqrt(x2^2 - 2))", [(0.0, 2.0), (0.0, 1.5)], part="thin", seconds=3.0)
    assert -3.001 <= found.lower <= -2.99
    assert found.lower <= found.upper <= -2.9
