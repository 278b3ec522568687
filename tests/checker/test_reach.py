"""Boxes without ends: what is proven on a part holds on the whole only if everything outside is higher."""

from __future__ import annotations

import copy
import math
import re
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.checker import check
from cpcbench.errors import NotProvenError
from tests.cases import one_in

pytestmark = pytest.mark.usefixtures("unhurried")

INF = math.inf


def reached(tree: str | None, box: Any = None) -> dict[str, Any]:
    """A tree with numbers where the file has their places."""
    if tree is None:
        return {"box": box or [[-2.0, 2.0]]}
    at = list(dict.fromkeys(re.findall(r"u[0-9]+:(-?[0-9.]+)", tree)))
    for place, number in enumerate(at):
        tree = re.sub(rf"(u[0-9]+):{re.escape(number)}(?![0-9.])", rf"\1:@{place}", tree)
    return {"box": box or [[-2.0, 2.0]], "tree": tree.replace("@", ""), "at": [float(number) for number in at]}


TREE = (
    "s0:145 . s0:155 s0:184 s0:203 s0:215 s0:40 . s0:217 s0:35 . s0:216 s0:219 s0:41 . s0:213 s0:49 . s0:199 s0:69 . "
    "s0:164 m . . . . . . . . . ."
)


def made(**changes: Any) -> dict[str, Any]:
    """x1^2 - x1 on the whole line."""
    data: dict[str, Any] = {
        "format": "cpcbench-certificate",
        "version": 3,
        "problem": {"name": "example", "formula": "x1^2 - x1", "bounds": [["-inf", "inf"]]},
        "part": "all",
        "claim": {"kind": "infimum", "lower": -0.275, "upper": -0.25},
        "lower": {"by": "tree", "threshold": -0.275, "tree": TREE},
        "upper": {"by": "point", "x": [0.5]},
        "reach": reached("u0:-2.0 h0 . u0:2.0 b l0 ."),
        "made": {},
    }
    return {**data, **changes}


def reason(**changes: Any) -> str:
    verdict = check(made(**changes))
    assert not verdict.accepted
    return verdict.reason


@pytest.mark.parametrize("arithmetic", ["arb", "mpfr"])
def test_a_true_one_is_accepted_and_says_what_it_rests_on(arithmetic: str) -> None:
    verdict = check(made(), arithmetic=arithmetic, problem=("x1^2 - x1", [(-INF, INF)]))
    assert verdict.accepted, verdict.reason
    assert "reach" in verdict.rests_on
    assert verdict.about["bounds"] == [["-inf", "inf"]]


def test_it_is_about_the_whole_and_not_about_the_part() -> None:
    for bounds in ([(-2.0, 2.0)], [(-INF, 2.0)], [(0.0, INF)]):
        verdict = check(made(), problem=("x1^2 - x1", bounds))
        assert not verdict.accepted
        assert "other bounds" in verdict.reason


@pytest.mark.parametrize(
    ("tree", "because"),
    [
        ("b", "not inside"),
        ("u0:-2.0 b u0:2.0 b .", "not inside"),
        ("u0:-2.0 h0 . b", "not inside"),
        ("u0:-2.0 h0 . u0:2.0 b", "too early"),
        ("u0:-2.0 h0 . u0:2.0 b l0 . .", "too long"),
        ("u0:-2.0 . u0:2.0 b .", "there may be values from"),
        ("u0:-2.0 h0 b u0:2.0 b l0 .", "not inside"),
        ("u0:-2.0 h0 . u0:2.0 b h0 .", "no end there"),
        ("u0:-2.0 l0 . u0:2.0 b l0 .", "no end there"),
        ("u0:0.0 l0 . b", "no end there"),
        ("u0:-2.0 h0 . l0 b", "not proven to be rising"),
        ("u0:inf b b", "no token"),
        ("u0:nan b b", "no token"),
        ("u1:0.0 b b", "does not exist"),
        ("u0:-2.0 h0 . u0:-2.0 b l0 .", "is not inside"),
        ("s0:128 b b", "no token"),
        ("m", "no token"),
        ("", "no token"),
        ("u0:-2.0 h0 . u0:3.0 b l0 .", "not inside"),
    ],
)
def test_what_is_outside_has_to_be_shown(tree: str, because: str) -> None:
    assert because in reason(reach=reached(tree))


def test_a_part_that_does_not_hold_the_least_value_is_refused() -> None:
    """On [2, 3] the infimum is 2; outside it is lower."""
    here = {
        "claim": {"kind": "infimum", "lower": 1.9, "upper": 2.0},
        "lower": {"by": "tree", "threshold": 1.9, "tree": "l0 ."},
        "upper": {"by": "point", "x": [2.0]},
    }
    box = [[2.0, 3.0]]
    alone = made(**here, version=2, problem={**made()["problem"], "bounds": box})
    del alone["reach"]
    assert check(alone).accepted  # it is true of the part
    for tree in ("u0:2.0 . u0:3.0 b l0 .", "u0:2.0 u0:0.5 h0 . l0 . u0:3.0 b l0 ."):
        assert "reach" in reason(**here, reach=reached(tree, box))


def test_ends_are_missing_only_where_it_is_said_how_far_the_proof_reaches() -> None:
    data = made()
    del data["reach"]
    assert "should be a number" in check(data).reason
    assert "'reach'" in check(made(version=2)).reason
    assert not check(made(reach={"box": [["-inf", "inf"]], "tree": "b", "at": []})).accepted
    assert not check(made(reach={"box": [[-2.0, 2.0]], "tree": 3, "at": []})).accepted
    assert not check(made(reach={"box": [[-2.0, 2.0]]})).accepted
    assert not check(made(reach={"tree": "b", "at": []})).accepted
    assert not check(made(reach=[])).accepted
    assert "no token" in reason(reach={**reached("u0:-2.0 h0 . u0:2.0 b l0 ."), "at": [-2.0]})
    assert "no finite double" in reason(reach={**reached("u0:-2.0 h0 . u0:2.0 b l0 ."), "at": [-2.0, INF]})
    for bounds in (
        [["inf", "inf"]],
        [["-inf", "-inf"]],
        [["inf", "-inf"]],
        [[3.0, "inf"]],
        [[-INF, INF]],
        [["nan", 1.0]],
    ):
        assert not check(made(problem={**made()["problem"], "bounds": bounds})).accepted


def test_falls_and_empty_domains_carry_over() -> None:
    falls = made(claim={"kind": "unbounded"}, lower=None, upper={"by": "path", "x": [["0", "1"]]}, reach=reached(None))
    falls["problem"] = {**falls["problem"], "formula": "ln(x1)"}
    assert check(falls).accepted
    assert not check({**falls, "reach": reached("b")}).accepted
    empty = made(claim={"kind": "empty"}, lower={"by": "tree", "tree": "."}, upper=None)
    empty["problem"] = {**empty["problem"], "formula": "ln(0 - x1^2 - 1)"}
    assert check({**empty, "reach": reached("u0:-2.0 . u0:2.0 b .")}).accepted
    sided = copy.deepcopy(empty)
    sided["problem"]["formula"] = "sqrt(x1 - 3)"  # nothing up to 2, something from 3 on
    assert "there may be values" in check({**sided, "reach": reached("u0:-2.0 . u0:2.0 b .")}).reason


CERTIFIED = [
    ("(x1 - 3)^2 + x2^4 - x2", [(-INF, INF)] * 2),
    ("100*(x2 - x1^2)^2 + (1 - x1)^2", [(-INF, INF)] * 2),
    ("x1 - ln(x1)", [(0.0, INF)]),
    ("exp(x1) - 2*x1", [(-INF, 5.0)]),
    ("(x1 + x2/2)^2 + 0.75*x2^2", [(-INF, INF)] * 2),
]


@pytest.mark.parametrize(("text", "bounds"), one_in(5, CERTIFIED))
def test_infima_on_boxes_without_ends_are_proven(text: str, bounds: list[tuple[float, float]]) -> None:
    p = cpc.parse(text, bounds)
    proof = cpc.certify(p, seconds=6, tolerance=1e-6)
    assert proof.gap <= 1e-6 * max(1.0, abs(proof.upper))
    assert proof.checked is not None
    assert proof.checked.accepted
    assert check(proof.data, arithmetic="mpfr", problem=(p.formula, p.bounds)).accepted
    assert Certificate.of(proof.data).data == proof.data


def test_what_grows_nowhere_is_not_proven_and_it_is_said_where() -> None:
    with pytest.raises(NotProvenError, match="nothing is known of"):
        cpc.certify("x1*exp(0 - x1^2)", [(-INF, INF)], seconds=1)
    with pytest.raises(cpc.CpcbenchError, match="thin sets"):
        cpc.certify("x1^x2", [(-INF, INF)] * 2, part="thin")
    assert cpc.certify("ln(x1)", [(0.0, INF)], seconds=2).unbounded


def test_a_product_leaves_a_corner_open_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the time is over before the last box is tried."""

    class Looks:
        def __init__(self, _seconds: float) -> None:
            self.count = 0

        def is_over(self) -> bool:
            self.count += 1
            return self.count > 100

    monkeypatch.setattr("cpcbench.certify.reach.Deadline", Looks)
    with pytest.raises(NotProvenError, match="write growth as sums") as refused:
        cpc.certify("x1^2 + x1*x2 + x2^2", [(-INF, INF)] * 2, seconds=1)
    assert re.search(r"of (\[-inf, -\S+\] x \[\d\S+, inf\]|\[\d\S+, inf\] x \[-inf, -\S+\]);", str(refused.value))


def test_many_leaves_are_shared_out_to_processes() -> None:
    def halves(depth: int) -> str:
        return "." if depth == 0 else f"s0:128 {halves(depth - 1)} {halves(depth - 1)}"

    square = {"name": "square", "formula": "x1^2", "bounds": [["-inf", "inf"]]}
    many = made(
        problem=square,
        claim={"kind": "infimum", "lower": 0.0, "upper": 0.0},
        lower={"by": "tree", "threshold": 0.0, "tree": halves(11)},
        upper={"by": "point", "x": [0.0]},
        reach=reached("u0:-1.0 . u0:1.0 b .", [[-1.0, 1.0]]),
    )
    for problem in (square, {**square, "bounds": [[-5.0, 5.0]]}):
        verdicts = [check({**many, "problem": problem}, workers=workers) for workers in (1, 2)]
        assert [verdict.leaves for verdict in verdicts if verdict.accepted] == [2051, 2051]
