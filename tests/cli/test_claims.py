"""Empty domains, no lower bound at an edge, infima that are not attained, and where() case by case."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.numbers import ARITHMETICS
from cpcbench.cli.app import app
from tests.cases import one_in

pytestmark = pytest.mark.usefixtures("unhurried")

Data = dict[str, Any]
Bounds = list[tuple[float, float]]


def made(text: str, bounds: Bounds, seconds: float = 5.0) -> Certificate:
    return cpc.certify(cpc.parse(text, bounds=bounds), seconds=seconds)


def accepted(data: Data) -> bool:
    """What both arithmetics say, which has to be the same."""
    verdicts = [check(data, arithmetic=name).accepted for name in ARITHMETICS]
    assert verdicts[0] == verdicts[1]
    return verdicts[0]


def claim(text: str, bounds: Bounds, said: Data, **parts: Any) -> Data:
    """A certificate made by hand."""
    return {
        "format": "cpcbench-certificate",
        "version": 2,
        "problem": {"name": "test", "formula": text, "bounds": [list(pair) for pair in bounds]},
        "part": "regular",
        "claim": said,
        "lower": None,
        "upper": None,
        "made": {},
        **parts,
    }


EMPTY = [
    ("sqrt(x1 - 5)", [(0, 1)]),
    ("ln(-1 - x1^2)", [(-3, 3)]),
    ("arcsin(2 + x1^2)", [(-3, 3)]),
    ("sqrt(x1) + sqrt(-1 - x1)", [(-5, 5)]),
    ("sqrt(x1*x2 - 1) + ln(1 - x1^2 - x2^2) + x2*sin(9*x2)", [(-2, 2), (-2, 2)]),
    ("x1/where(x1 < 0, sqrt(x1 - 1), ln(-x1 - 1))", [(-2, 2)]),
]


@pytest.mark.parametrize(("text", "bounds"), one_in(3, EMPTY))
def test_an_empty_domain_is_proven_to_be_empty(text: str, bounds: Bounds) -> None:
    proof = made(text, bounds)
    assert proof.empty
    assert not proof.unbounded
    assert proof.lower == proof.upper == math.inf
    assert proof.gap == proof.relative_gap == 0.0
    assert "no admissible point" in str(proof)
    assert accepted(proof.data)
    assert proof.check().reason == "proven: there is no admissible point"


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("sqrt(x1 - 1)", [(0, 1)]),  # defined at 1 alone
        ("arcsin(1 + x1^2)", [(-3, 3)]),  # at 0 alone
        ("sqrt(x1) + sqrt(-x1)", [(-1, 1)]),
        ("x2 + where(x1 < 0, sqrt(x1 - 1), x1)", [(-2, 2), (0, 1)]),
    ],
)
def test_a_single_admissible_point_is_not_overlooked(text: str, bounds: Bounds) -> None:
    trees = [".", "m", "s0:128 . .", "s0:128 m m", "l0 .", "h0 .", "m:1", "m:1,1", "s0:128 s0:128 . . ."]
    for tree in trees:
        by = {"by": "tree", "tree": tree}
        assert not accepted(claim(text, bounds, {"kind": "empty"}, lower=by))
        cases = [{"holds": [outcome], "lower": by} for outcome in (True, False)]
        assert not accepted(claim(text, bounds, {"kind": "empty"}, lower={"by": "cases", "cases": cases}))


def test_conditions_that_contradict_each_other_add_up() -> None:
    text, bounds = "sqrt(x1 - x2) + sqrt(x2 - x1 - 0.001)", [(-1.0, 1.0), (-1.0, 1.0)]
    assert accepted(claim(text, bounds, {"kind": "empty"}, lower={"by": "tree", "tree": "m:2000,2000"}))
    assert not accepted(claim(text, bounds, {"kind": "empty"}, lower={"by": "tree", "tree": "m:900,900"}))
    touching = text.replace(" - 0.001", "")
    assert not accepted(claim(touching, bounds, {"kind": "empty"}, lower={"by": "tree", "tree": "m:2000,2000"}))


def test_the_command_line_says_that_a_domain_is_empty() -> None:
    words = ["certify", "sqrt(x1 - 5)", "--bounds", "0:1", "--seconds", "4"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    assert "there is no admissible point" in found.output
    found = CliRunner().invoke(app, [*words, "--json"])
    said = json.loads(found.output)
    assert said["empty"] is True
    assert said["lower"] is None
    assert said["unbounded"] is False


FALLING = [
    ("ln(x1)", [(0, 1)]),
    ("-1/x1", [(0, 1)]),
    ("tan(x1)", [(0, 3)]),
    ("-1/x1^2", [(-1, 1)]),
    ("ln(x1*x2)", [(0, 1), (0, 1)]),
    ("x1/x2", [(-1, 1), (0, 1)]),
    ("ln(1 - x1)", [(0, 1)]),
    ("1/cos(x1)", [(0, 2)]),
    ("where(x1 > 0, x1, 1)/x1", [(-1, 1)]),
    ("sin(1/x1) - x1^(-0.3)", [(0, 3)]),
    ("ln(exp(x1) - 1)", [(0, 1)]),
]


@pytest.mark.parametrize(("text", "bounds"), one_in(6, FALLING))
def test_no_lower_bound_at_an_edge_or_a_pole(text: str, bounds: Bounds) -> None:
    proof = made(text, bounds)
    assert proof.unbounded
    assert accepted(proof.data)
    assert "paths" in proof.check().rests_on


def along(text: str, bounds: Bounds, *x: list[str], part: str = "regular") -> Data:
    return claim(text, bounds, {"kind": "unbounded"}, upper={"by": "path", "x": list(x)}, part=part)


@pytest.mark.parametrize(
    "data",
    [
        along("ln(x1)", [(0, 1)], ["0", "-1"]),  # out of the box, and of the domain
        along("ln(x1)", [(0.1, 1)], ["0", "1"]),
        along("ln(x1)", [(0, 1)], ["0"]),
        along("ln(x1)", [(0, 1)], ["0", "0"]),
        along("ln(x1)", [(0, 1)], ["0", "0", "-1"]),
        along("1/x1", [(0, 1)], ["0", "1"]),  # to plus infinity
        along("-1/x1^2", [(0, 1)], ["0", "-1"]),
        along("ln(x1) + 1/x1", [(0, 1)], ["0", "1"]),  # minus and plus infinity
        along("x1*ln(x1)", [(0, 1)], ["0", "1"]),
        along("ln(x1)*(x1 - x1)", [(0, 1)], ["0", "1"]),
        along("tan(x1)", [(0, 3)], ["1/2*pi", "-1"]),
        along("tan(x1)", [(0, 3)], ["355/226", "1"]),  # near to pi/2
        along("tan(x1)", [(0, 1.5)], ["1/2*pi", "1"]),  # beyond the box
        along("ln(sin(x1))", [(0, 4)], ["1*pi", "1"]),
        along("1/(x1 - x2)", [(0, 1), (0, 1)], ["0", "1"], ["0", "1"]),
        along("ln(sin(pi*(x1 - 1.00000000000000000001)))", [(0, 2)], ["1", "1"]),
        along("where(x1 > 0, x1, 1)/x1", [(-1, 1)], ["0", "1"]),
        along("where(x1 < 0, ln(x1), 1)", [(-1, 1)], ["0", "1"]),
        along("-(x1^(x1 - x1 - 1))", [(-1, 1)], ["0", "-1"]),  # a negative base with a varying exponent
        along("-1/x1", [(0, 1)], ["0", "1", "x"]),
        along("-1/x1", [(0, 1)], []),
        along("-1/x1", [(0, 1)], ["0*pi*pi", "1"]),
        along("-1/x1", [(0, 1)], ["0", "1*pi"]),
        along("-1/x1", [(0, 1)], ["0", "1"], part="thin"),
        along("-1/x1", [(0, 1), (0, 1)], ["0", "1"]),
        {**along("-1/x1", [(0, 1)], ["0", "1"]), "lower": {"by": "sums", "sums": []}},
    ],
)
def test_forged_paths_are_rejected(data: Data) -> None:
    assert not accepted(data)


@pytest.mark.parametrize(
    "data",
    [
        along("ln(x1)", [(0, 1)], ["0", "1"]),
        along("-1/x1", [(0, 1)], ["0", "0", "3/7"]),
        along("tan(x1)", [(0, 3)], ["1/2*pi", "1"]),
        along("ln(sin(x1))", [(0, 4)], ["1*pi", "-1"]),
        along("-1/(x1 - x2^2)", [(0, 1), (0, 1)], ["0", "0", "2"], ["0", "1"]),  # a curve, where no line will do
        along("x1/x1 - 1/x1", [(0, 1)], ["0", "1"]),
    ],
)
def test_paths_by_hand_are_accepted(data: Data) -> None:
    assert accepted(data)


NOT_ATTAINED = [
    ("exp(ln(x1))", [(0, 1)], 0.0),
    ("x1 + 0*ln(x1)", [(0, 1)], 0.0),
    ("exp(1/(x1 - 2))", [(0, 2)], 0.0),
    ("1/x1 + exp(ln(1 - x1))", [(0, 1)], 1.0),
    ("sqrt(x1) + 1/(1 + 1/x1)", [(0, 1)], 0.0),
    ("(x1 - 1)^2 + exp(ln(x2)) - 3", [(0, 4), (0, 2)], -3.0),
]


@pytest.mark.parametrize(("text", "bounds", "infimum"), one_in(3, NOT_ATTAINED))
def test_an_infimum_that_is_only_approached(text: str, bounds: Bounds, infimum: float) -> None:
    proof = made(text, bounds)
    assert proof.attained is False
    assert proof.lower == infimum < proof.upper
    assert accepted(proof.data)
    assert "attained: approached" in proof.check().rests_on
    for change in ({"lower": infimum - 1e-3}, {"lower": proof.upper}, {"attained": True}):
        data = copy.deepcopy(proof.data)
        data["claim"] |= change
        if data["lower"]["by"] == "tree":
            data["lower"]["threshold"] = data["claim"]["lower"]
        assert not accepted(data)


def approached(text: str, bounds: Bounds, lower: float, x: list[float], path: list[list[str]], **parts: Any) -> Data:
    said = {"kind": "infimum", "lower": lower, "upper": lower + 100.0, "attained": False}
    how = {"by": "approached", "path": {"by": "path", "x": path}}
    tree = {"by": "tree", "threshold": lower, "tree": "."}
    return claim(text, bounds, said, lower=tree, upper={"by": "point", "x": x}, attained=how, **parts)


@pytest.mark.parametrize(
    ("text", "bounds", "x", "path"),
    [
        ("x1", [(0, 1)], [0.5], [["0", "1"]]),  # attained at 0
        ("sqrt(x1)", [(0, 1)], [0.5], [["0", "1"]]),
        ("abs(x1)*exp(x1)", [(-1, 1)], [0.5], [["0", "1"]]),
        ("x1 + 0*ln(x1 + 1)", [(0, 1)], [0.5], [["0", "1"]]),
        ("x1*x2 + 0*ln(x1)", [(0, 1), (0, 1)], [0.5, 0.5], [["0", "1"], ["0", "1"]]),  # attained at (1, 0)
        ("(x1 - 1)^2 + 0/x1", [(0, 2)], [0.5], [["1", "1"]]),
        ("exp(x1)*0 + 0*ln(x1)", [(0, 1)], [0.5], [["0", "1"]]),
        ("exp(ln(x1))*sign(x1 - 1)^2", [(0, 1)], [0.5], [["0", "1"]]),  # 0 at 1
        ("floor(x1) + 0*ln(x1)", [(0, 1)], [0.5], [["0", "1"]]),
        ("exp(ln(x1))*x2^x2*sin(x3)", [(0, 1), (0, 1), (0, 1)], [0.5] * 3, [["0", "1"], ["1"], ["1"]]),
        ("sqrt(x1 - 0.5 + 0*ln(x1))", [(0, 1)], [0.75], [["1/2", "1"]]),  # attained at 1/2
        ("abs(tan(x1)) + 0/(x1 - 1)", [(0, 1.5)], [0.5], [["0", "1"]]),
    ],
)
def test_what_is_attained_is_not_taken_for_approached(
    text: str, bounds: Bounds, x: list[float], path: list[list[str]]
) -> None:
    data = approached(text, bounds, 0.0, x, path)
    assert not accepted(data)


def test_a_path_has_to_reach_the_bound_and_the_leaves_to_be_above() -> None:
    good = approached("exp(ln(x1))", [(0, 1)], 0.0, [0.5], [["0", "1"]])
    assert accepted(good)
    assert not accepted(approached("exp(ln(x1)) + 1", [(0, 1)], 0.0, [0.5], [["0", "1"]]))
    assert not accepted(approached("exp(ln(x1))", [(0, 1)], -1.0, [0.5], [["0", "1"]]))
    assert not accepted(approached("exp(ln(x1))", [(0, 1)], 0.0, [0.5], [["1/1000000000", "1"]]))
    assert not accepted({**good, "optima": [[[0.0, 1.0]]]})
    assert not accepted({**good, "part": "thin"})
    assert not accepted({**good, "attained": {"by": "approached"}})


def test_processes_watch_for_values_at_the_infimum() -> None:
    data = approached("x1 + 0*exp(x2)", [(0, 1), (0, 1)], 0.0, [0.5, 0.5], [["0", "1"], ["0"]])
    for text in ("x1 + 0*exp(x2)", "x1 + 0*ln(x1)"):
        data["problem"]["formula"] = text
        data["lower"]["tree"] = _full(11)
        verdicts = [check(data, workers=workers) for workers in (1, 2)]
        assert [v.accepted for v in verdicts] == [text == "x1 + 0*ln(x1)"] * 2, verdicts


def _full(depth: int) -> str:
    """A tree with so many splits above each leaf."""
    return "." if depth == 0 else f"s{depth % 2}:128 {_full(depth - 1)} {_full(depth - 1)}"


WHERE = [
    ("1/where(x1 < 0, x1 - 1, x1 + 1)", [(-3, 2)], -1.0),
    ("where(x1 > 0.5, 1/x1, 2)", [(-1, 1)], 1.0),
    ("1/(where(x1 < 0, -x1, x1) + 1)", [(-1, 2)], 1.0 / 3.0),
    ("sqrt(where(x1 < 0.5, x1, 1 - x1)) + x2^2 - x2*x1", [(0, 2), (-1, 1)], -0.25),
    ("1/where(x1 < 0, x1 - 1, x1 + 1) + (x2 - 0.3)^2", [(-3, 2), (-1, 1)], -1.0),
    ("x1*where(x1 < 0.3, x1 - 1, x1 + 1)", [(-1, 1)], -0.21),
    ("where(where(x1 < 0, x1, 2*x1) < 1, 1/(x1 - 1), x1)", [(-1, 2)], -2.0),
]


@pytest.mark.parametrize(("text", "bounds", "infimum"), one_in(4, WHERE))
def test_where_is_proven_case_by_case(text: str, bounds: Bounds, infimum: float) -> None:
    proof = made(text, bounds)
    assert infimum - 2e-9 <= proof.lower <= infimum <= proof.upper + 1e-15
    assert proof.gap <= 2e-9
    assert accepted(proof.data)
    if proof.data["lower"]["by"] != "cases":
        return
    for change in _forged_cases(proof.data):
        assert not accepted(change)


def _forged_cases(data: Data) -> list[Data]:
    found = []
    for place in range(len(data["lower"]["cases"])):
        dropped, turned, raised, twice = (copy.deepcopy(data) for _ in range(4))
        del dropped["lower"]["cases"][place]
        case = turned["lower"]["cases"][place]
        case["holds"] = [not case["holds"][0], *case["holds"][1:]]
        raised["lower"]["cases"][place]["lower"]["threshold"] -= 1e-3
        twice["lower"]["cases"][place] = twice["lower"]["cases"][place - 1]
        found += [dropped, turned, raised, twice]
    return found


def test_a_strict_test_does_not_hold_at_its_edge() -> None:
    """At 0 the first branch is not taken: its value there is no value of the formula, so that -1 is not attained."""
    proof = made("where(x1 < 0, -1 - x1, 1)", [(-0.5, 1)])
    assert proof.attained is None
    data = {**proof.data, "claim": {**proof.data["claim"], "attained": True}, "attained": {"by": "compact"}}
    assert not accepted(data)
    proof = made("where(x1 <= 0, -1 - x1, 1)", [(-0.5, 1)])
    assert proof.attained is True
    assert accepted(proof.data)
