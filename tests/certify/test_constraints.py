"""Infima under constraints: proven, checked by both arithmetics, refused where the statement is not what was proven."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.certify.checker import check
from cpcbench.certify.making import certify
from tests.cases import one_in

pytestmark = pytest.mark.usefixtures("unhurried")

BOX = [(-2.0, 2.0), (-2.0, 2.0)]

KNOWN: dict[str, tuple[str, list[str], float, float]] = {
    "disc": ("x1 + x2", ["x1^2 + x2^2 <= 1"], 1e-6, -math.sqrt(2.0)),
    "corner of two": ("x1 + x2", ["x1*x2 >= 1", "x1 >= 0.25"], 1e-6, 2.0),
    "equation, in a band": ("x1^2 + (x2 - 1)^2", ["x2 - x1^2 == 0"], 1e-4, 0.7499),
    "equation, exactly": ("x1 + x2", ["x1^2 + x2^2 == 1"], 0.0, -math.sqrt(2.0)),
    "two equations, exactly": ("exp(x1) + x2", ["x1*x2 == 0.5", "x1 + x2 == 1.5"], 0.0, math.exp(0.5) + 1.0),
    "beside a hidden condition": ("x2 - sqrt(x1)", ["x1 <= 1 - x2^2"], 1e-6, -math.sqrt(2.0)),
}


@pytest.mark.parametrize("name", one_in(4, KNOWN))
def test_a_known_infimum_is_proven(name: str) -> None:
    formula, statements, tolerance, infimum = KNOWN[name]
    problem = cpc.parse(formula, bounds=BOX, subject_to=statements, tolerance=tolerance)
    made = certify(problem, tolerance=1e-6, seconds=10.0)
    assert made.relative_gap <= 1e-6
    assert made.lower - 1e-12 <= infimum <= made.upper + 1e-12
    assert cpc.check(made, problem=problem).accepted
    assert all(check(made.data, arithmetic=name).accepted for name in ("arb", "mpfr"))


@pytest.fixture(scope="module")
def disc() -> dict[str, Any]:
    formula, statements, tolerance, _ = KNOWN["disc"]
    problem = cpc.parse(formula, bounds=BOX, subject_to=statements, tolerance=tolerance)
    return certify(problem, tolerance=1e-6, seconds=10.0).data


def test_what_is_stated_is_what_was_proven(disc: dict[str, Any]) -> None:
    text = disc["problem"]["formula"]
    assert text == "where(x1^2 + x2^2 <= 1, x1 + x2, undefined)"
    assert check(disc).accepted
    for other in (
        "x1 + x2",
        "where(x1^2 + x2^2 <= 1.1, x1 + x2, undefined)",
        "where(x1^2 + x2^2 >= 1, x1 + x2, undefined)",
        "where(x1^2 - x2^2 <= 1, x1 + x2, undefined)",
        "where(x1^2 + x2^2 <= 1, 2*x1 + x2, undefined)",
        "where(x1^2 + x2^2 <= 1, x1 + x2, 0)",
        "where(x1^2 + x2^2 < 1, x1 + x2, undefined)",
    ):
        forged = copy.deepcopy(disc)
        forged["problem"]["formula"] = other
        assert not check(forged).accepted, other


def test_a_multiplier_is_needed_and_has_a_sign(disc: dict[str, Any]) -> None:
    """The tree of the proof with its multipliers left out, or made negative."""
    tree = next(iter(_trees(disc)))
    assert "m:" in tree["tree"]
    for old, new in (("m:", "m:-"), ("m:", "m:9")):
        forged = copy.deepcopy(disc)
        other = next(iter(_trees(forged)))
        other["tree"] = other["tree"].replace(old, new)
        assert not check(forged).accepted
    forged = copy.deepcopy(disc)
    other = next(iter(_trees(forged)))
    tokens = other["tree"].split(" ")
    other["tree"] = " ".join("m" if token.startswith("m:") else token for token in tokens)
    assert not check(forged).accepted


def _trees(data: object) -> list[dict[str, Any]]:
    """The parts of a certificate that hold a tree."""
    if isinstance(data, dict):
        own = [data] if isinstance(data.get("tree"), str) else []
        return own + [found for part in data.values() for found in _trees(part)]
    return [found for part in data for found in _trees(part)] if isinstance(data, list) else []


def test_what_cannot_be_met_is_proven_to_be_empty() -> None:
    problem = cpc.parse("x1 + x2", bounds=BOX, subject_to=["x1^2 + x2^2 <= 1", "x1 + x2 >= 2"])
    made = certify(problem, seconds=10.0)
    assert made.empty
    assert cpc.check(made, problem=problem).accepted
