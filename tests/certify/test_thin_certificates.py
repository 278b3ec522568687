"""Infima on thin sets: known ones are proven, and no certificate that leaves out or changes a set is accepted."""

from __future__ import annotations

import copy
import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.certificate import library
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.thin import thin_sets
from cpcbench.errors import CpcbenchError
from cpcbench.readings.reals.enclosure import enclose
from tests.cases import one_in

pytestmark = pytest.mark.usefixtures("unhurried")

Data = dict[str, Any]


class Thin(NamedTuple):
    formula: str
    bounds: list[tuple[float, float]]
    infimum: float
    attained: bool | None
    exponent: int
    """The variable that is the exponent, or makes it a whole number when it is one."""


THIN = {
    # (-2)^3 + sqrt(2.4), at the corner with the largest odd exponent.
    "corner": Thin("x1^x2 + sqrt(x2 - 0.6)", [(-2, 1), (0.5, 3.5)], -8.0 + math.sqrt(2.4), True, 1),
    # With x2 = 2 the second base is negative everywhere: x1^2 + (x1 - 3)^3, -121 at x1 = -2; x2 = 1 gives 1 and more.
    "two powers": Thin("x1^x2 + (x1 - 3)^(x2 + 1)", [(-2, 2), (0.5, 2.5)], -121.0, True, 1),
    # x1 + 1 with x1 < 0 falls to 0 at x1 = -1, the square (exponent 2) to 1 at 0, where the base is not negative.
    "open end": Thin("(x1^x2 - 1)^2", [(-1, 2), (1.5, 2.5)], 0.0, True, 1),
    # (-x)^(-1) on x1 = -3 .. -1 is least at -1; exponents -1 only.
    "negative exponent": Thin("x1^(-x2)", [(-3, -1), (0.5, 1.5)], -1.0, True, 1),
    # x1^2 for x1 < 0 tends to 0, which is of the regular part.
    "not on the set": Thin("x1^x2", [(-1, 1), (1.5, 2.5)], 0.0, None, 1),
}


@cache
def made(name: str) -> Certificate:
    thin = THIN[name]
    return cpc.certify(cpc.parse(thin.formula, bounds=thin.bounds), part="thin", seconds=4.0)


@pytest.fixture(scope="module")
def corner() -> Data:
    return made("corner").data


@pytest.mark.parametrize("name", one_in(3, sorted(THIN)))
def test_known_infima_on_thin_sets(name: str) -> None:
    thin, found = THIN[name], made(name)
    verdict = found.check()
    assert verdict.accepted, verdict.reason
    assert found.part == "thin"
    assert found.lower <= thin.infimum + 1e-12
    assert found.upper >= thin.infimum - 1e-12
    assert found.gap <= 1e-6
    assert found.attained is thin.attained
    assert "thin sets" in str(found)


@pytest.mark.parametrize("name", one_in(3, sorted(THIN)))
def test_no_point_of_a_thin_set_is_below_the_bound(name: str) -> None:
    thin, lower = THIN[name], made(name).lower
    root = cpc.parse(thin.formula, bounds=thin.bounds).expression
    rng = np.random.default_rng(3)
    seen = 0
    low, high = thin.bounds[thin.exponent]
    for _ in range(200):
        x = [float(rng.uniform(a, b)) for a, b in thin.bounds]
        x[thin.exponent] = float(rng.integers(math.ceil(low), math.floor(high) + 1))
        value = enclose(root, x, rule="ieee", max_bits=256)
        if value.defined and enclose(root, x, rule="strict", max_bits=256).defined is False:
            assert value.upper >= lower
            seen += 1
    assert seen > 20


def test_the_sets_are_counted_from_the_formula() -> None:
    subject = Subject("test", cpc.parse("x1^x2 + (x1 - 3)^(x2 + 1)", bounds=[(-2, 2)] * 2).expression,
                      [(-2.0, 2.0), (0.5, 2.5)], "thin")  # fmt: skip
    found = thin_sets(subject)
    assert set(found) == {(a, b) for a in (None, 1, 2) for b in (None, 2, 3)} - {(None, None)}
    positive = Subject("test", cpc.parse("(x1 + 3)^x2", bounds=[(-2, 2)] * 2).expression, subject.bounds, "thin")
    assert thin_sets(positive) == {}


def test_a_set_left_out_or_changed_is_noticed(corner: Data) -> None:
    assert check(corner).accepted
    sets = corner["lower"]["sets"]
    assert [part["exponents"] for part in sets] == [[1], [2], [3]]
    for place in range(3):
        without = sets[:place] + sets[place + 1 :]
        assert "no lower bound" in check(_with_sets(corner, without)).reason
        assert not check(_with_sets(corner, [*without, without[0]])).accepted
        for other in ([4], [0], [None], [], [place + 1, None], [1.0], ["1"], [True]):
            changed = [*without, {**sets[place], "exponents": other}]
            assert not check(_with_sets(corner, changed)).accepted, other


def _with_sets(data: Data, sets: list[Data]) -> Data:
    return {**data, "lower": {"by": "thin", "sets": sets}}


def test_bounds_that_are_not_proven_are_refused(corner: Data) -> None:
    for rise in (1e-8, 1e-3, 1.0):
        claim = {
            **corner["claim"],
            "lower": corner["claim"]["lower"] + rise,
            "upper": corner["claim"]["upper"] + 2 * rise,
        }
        assert "does not reach" in check({**corner, "claim": claim}).reason
        raised = copy.deepcopy({**corner, "claim": claim})
        for part in raised["lower"]["sets"]:
            part["lower"]["threshold"] += rise
        assert not check(raised).accepted
        below = {**corner["claim"], "lower": -9.0, "upper": corner["claim"]["upper"] - rise}
        assert check({**corner, "claim": below}).reason.startswith("upper bound")
    for part in range(3):
        cut = copy.deepcopy(corner)
        cut["lower"]["sets"][part]["lower"]["tree"] = "s0:128 ."
        assert not check(cut).accepted


def test_a_witness_is_on_the_set_itself(corner: Data) -> None:
    data = copy.deepcopy(corner)
    data["claim"] = {"kind": "infimum", "lower": data["claim"]["lower"], "upper": 5.0}
    del data["attained"]
    good = {"by": "thin", "exponents": [2], "witness": {"by": "point", "x": [-1.0, 2.0]}}
    assert check({**data, "upper": good}).accepted
    for x, why in (
        ([1.0, 2.0], "not proven to be defined"),  # a positive base is of the regular part
        ([0.0, 2.0], "not proven to be negative"),  # and so is 0
        ([-1.0, 2.5], "not proven to be defined"),
        ([-1.0, 1.0], "not proven to be defined"),
        ([-3.0, 2.0], "outside"),
    ):
        assert why in check({**data, "upper": {**good, "witness": {"by": "point", "x": x}}}).reason
    for change in ({"exponents": [5]}, {"exponents": [None]}, {"by": "point"}, {"more": 1}):
        assert not check({**data, "upper": {**good, **change}}).accepted
    assert not check({**data, "upper": good["witness"]}).accepted


def test_the_kinds_of_part_and_proof_go_together(corner: Data) -> None:
    tree = corner["lower"]["sets"][0]["lower"]
    for change in (
        {"part": "all"},
        {"part": "regular"},
        {"version": 1},
        {"claim": {"kind": "unbounded"}},
        {"lower": tree},
        {"lower": {"by": "sums", "sums": []}},
        {"optima": [[[-2.0, 1.0], [0.5, 3.5]]]},
        {"attained": {"by": "least"}},
        {"attained": {"by": "bounds"}},
    ):
        verdict = check({**corner, **change})
        assert not verdict.accepted, change
        assert "could not be checked" not in verdict.reason, verdict.reason


def test_an_infimum_towards_the_regular_part_is_not_attained_by_assertion() -> None:
    data = made("not on the set").data
    assert "attained" not in data["claim"]
    claim = {**data["claim"], "attained": True}
    assert "leave its domain" in check({**data, "claim": claim, "attained": {"by": "compact"}}).reason


@pytest.mark.parametrize(
    ("formula", "why"),
    [("(x1 - 3)^(1/x2)", "cannot be counted"), ("(x1 - 3)^(99*x2)", "more than"), ("(x1 + 3)^x2", "no thin sets")],
)
def test_what_is_beyond_the_prover_is_said(formula: str, why: str) -> None:
    with pytest.raises(CpcbenchError, match=why):
        cpc.certify(cpc.parse(formula, bounds=[(-2, 2), (-2, 2)]), part="thin", seconds=1.0)


def test_a_thin_set_without_end_is_still_found() -> None:
    found = cpc.certify(cpc.parse("(x1 - 1/3)^(-x2)", bounds=[(-2, 2), (0.5, 1.5)]), part="thin", seconds=4.0)
    assert found.unbounded
    assert found.check().accepted


@pytest.mark.parametrize("name", ["CPC-DF9", "CPC-DF11", "CPC-DF15"])
def test_the_thin_sets_of_the_suite(name: str) -> None:
    (claim,) = [c for c in library.proven_for(cpc.problem(name)) if c.part == "thin"]
    assert claim.lower is not None
    assert claim.upper is not None
    assert claim.gap <= 1e-9 * max(1.0, abs(claim.upper))
    assert "(thin sets)" in str(claim)
    data = library.certificate(claim.file).data
    fewer = _with_sets(data, data["lower"]["sets"][:-1])
    assert not check(fewer).accepted
