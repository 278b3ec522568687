"""Forgeries by numbers next to other numbers: constants next to whole ones, differences next to 0, exponents next to 1,
whole numbers beyond doubles. Each claim is refuted by the real value at a point, and no proof of it is accepted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from cpcbench.certify.checker import check
from cpcbench.expr.parser import parse_formula
from cpcbench.readings.reals.enclosure import enclose
from tests.cases import one_in
from tests.material.checker_certificates import certificate, point

ARITHMETICS = ("arb", "mpfr")
TREES = (
    ".",
    "m",
    "l0 .",
    "h0 .",
    "l0 m",
    "h0 m",
    "s0:128 . .",
    "s0:128 m m",
    "s0:1 m .",
    "s0:1 m m",
    "m:1",
    "s0:128 l0 . h0 .",
)
PLACES = (1e-300, 1e-200, 1e-100, 1e-30, 1e-12, 1e-5, 0.0067379, 0.011, 0.05, 0.2, 0.5, 0.9, 1.0)


class False_(NamedTuple):  # noqa: N801 - the word is taken
    """A claim that a formula of x1 is at least `lower` on the bounds, and a point at which it is defined."""

    formula: str
    bounds: tuple[float, float]
    lower: float
    witness: float

    def __str__(self) -> str:
        return self.formula


def holes(text: str) -> False_:
    return False_(text, (-0.1, 0.1), 2.5, 0.05 if "-x1" not in text else -0.05)


NEXT_TO_WHOLE = [
    holes(f"sin(pi*(x1 - {c}))/((x1 - {c})*x1)")
    for c in (
        "1.00000000000000000001",
        "1.0000000000000000000000000001",
        "3.00000000000000000001",
        "5.0000000000000000000001",
    )
] + [
    holes(text)
    for text in (
        "sin(pi*(x1 - 1.00000000000000000001))/(x1*(x1 - 1.00000000000000000001))",
        "sin((x1 - 1.00000000000000000001)*pi)/((x1 - 1.00000000000000000001)*x1)",
        "-sin(pi*(x1 - 2.00000000000000000001))/((x1 - 2.00000000000000000001)*x1)",
        "-sin(pi*(x1 - 4.00000000000000000001))/((x1 - 4.00000000000000000001)*x1)",
        "2*sin(pi*(x1 - 1.00000000000000000001))/((x1 - 1.00000000000000000001)*x1)",
        "cos(x1)*sin(pi*(x1 - 1.00000000000000000001))/((x1 - 1.00000000000000000001)*x1)",
        "-sin(pi*(x1 - 0.99999999999999999999))/((x1 - 0.99999999999999999999)*(-x1))",
        "-sin(3.14159265358979323846*(x1 - 1))/((x1 - 1)*(-x1))",
        "sin(3.14159265358979323847*(x1 - 1))/((x1 - 1)*x1)",
        "sin(pi*1.00000000000000000001*(x1 - 1))/((x1 - 1)*x1)",
        "sin(pi*(x1 - 1 - 0.00000000000000000001))/((x1 - 1 - 0.00000000000000000001)*x1)",
    )
]

NEXT_TO_ZERO = [
    False_(text, (1e-300, 1.0), -1e-3, 1.0)
    for text in (
        "-((pi - 3.14159265358979323846)/x1)",
        "-((exp(1) - 2.71828182845904523536)/x1)",
        "-((sqrt(2) - 1.41421356237309504880)/x1)",
        "-((ln(2) - 0.693147180559945309417)/x1)",
        "-((sin(1) - 0.841470984807896506652)/x1)",
        "-((cos(1) - 0.540302305868139717400)/x1)",
        "-((arcsin(1) - 1.57079632679489661923)/x1)",
        "-((pi^2 - 9.86960440108935861883)/x1)",
        "-((3^0.5 - 1.73205080756887729352)/x1)",
        "-((pi - 3.14159265358979323846)/sqrt(x1))",
        "-((pi - 3.14159265358979323846)/(x1*x1))",
        "(pi - 3.14159265358979323846)/(-x1)",
        "-((pi - 3.14159265358979323846)*(1/x1))",
        "-((pi - 3.14159265358979323846)*x1^(-2))",
        "-((pi - 3.14159265358979323846)*x1^(-0.5))",
        "(3.14159265358979323846 - pi)/x1",
        "1e25*(pi - 3.14159265358979323846)*ln(x1)",
        "-(x1/(x1*x1))*(pi - 3.14159265358979323846)",
    )
]

NEXT_TO_ONE = [
    False_(text, (1e-300, 1.0), -1e-3, 1.0)
    for text in (
        "1e25*(x1^1.0000000000000000001 - 0.9999999999999999996*x1)",
        "1e25*(x1^1.00000000000000000001 - 0.99999999999999999996*x1)",
        "1e30*(x1^1.000000000000000000001 - 0.999999999999999999996*x1)",
        "1e25*(x1^(1 + 0.0000000000000000001) - 0.9999999999999999996*x1)",
        "1e25*(x1^(1 + 1/10000000000000000000) - 0.9999999999999999996*x1)",
        "1e25*(x1^exp(0.0000000000000000001) - 0.9999999999999999996*x1)",
        "1e25*(x1^sqrt(1.0000000000000000002) - 0.9999999999999999996*x1)",
        "1e25*(x1^2.0000000000000000001 - 0.9999999999999999996*x1^2)",
        "1e25*(x1^2.0000000000000000001 - 0.9999999999999999996*x1*x1)",
        "1e25*(x1^0.0000000000000000001 - 0.9999999999999999996)",
        "1e25*(x1*x1^0.0000000000000000001 - 0.9999999999999999996*x1)",
        "1e25*(x1 - 1.0000000000000000004*x1^0.9999999999999999999)",
        "1e25*(exp(1.0000000000000000001*ln(x1)) - 0.9999999999999999996*x1)",
    )
]

BEYOND_DOUBLES = [
    False_("x1^36028797018963969", (-1.0, 1.0), 0.0, 1.0),
    False_("x1^9007199254740993", (-1.0, 1.0), 0.0, 1.0),
    False_("x1^18446744073709551617", (-1.0, 1.0), 0.0, 1.0),
    False_("x1^(9007199254740992 + 1)", (-1.0, 1.0), 0.0, 1.0),
    False_("x1^(36028797018963968 + 1)", (-1.0, 1.0), 0.0, 1.0),
    False_("-x1^(2*18446744073709551617)", (-1.0, 1.0), 0.0, 0.0),
    False_("floor(x1 + 0.99999999999999999999)", (0.0, 1.0), 1.0, 0.5),
    False_("floor(x1 + 36028797018963967.99999999999)-36028797018963968", (0.0, 1.0), 0.0, 0.5),
    False_("floor(18446744073709551616.5 + x1) - 18446744073709551617", (0.0, 1.0), 0.0, 1.0),
    False_("x1*0 + floor(1.99999999999999999999)", (0.0, 1.0), 1.5, 0.5),
    False_("x1*0 + sign(3.14159265358979323846 - pi)", (0.0, 1.0), 0.0, 0.5),
    False_("where(pi <= 3.14159265358979323846, x1, -x1 - 1)", (0.0, 1.0), 0.0, 0.5),
    False_("where(x1 < 1.00000000000000000001, -x1, x1)", (1.0, 2.0), 1.0, 1.5),
]

EVERY = [*NEXT_TO_WHOLE, *NEXT_TO_ZERO, *NEXT_TO_ONE, *BEYOND_DOUBLES]


def refuted(claim: False_) -> bool:
    """Whether the real value at some place is below the claimed bound."""
    root = parse_formula(claim.formula, n=1)
    signs = [x * s for x in (*PLACES, 0.0) for s in (1.0, -1.0) if claim.bounds[0] <= x * s <= claim.bounds[1]]
    found = (enclose(root, [x], rule="strict") for x in signs)
    return any(value.defined and value.upper < claim.lower for value in found)


@pytest.mark.parametrize("claim", one_in(2, EVERY), ids=str)
def test_bounds_above_a_value_are_rejected(claim: False_) -> None:
    assert refuted(claim)
    at = enclose(parse_formula(claim.formula, n=1), [claim.witness], rule="strict")
    assert at.defined
    upper = max(claim.lower, at.upper)
    for tree in TREES:
        low = {"by": "tree", "threshold": claim.lower, "tree": tree}
        bounds = [list(claim.bounds)]
        data = {
            **certificate(claim.formula, bounds, claim.lower, upper, low, point(claim.witness), "regular"),
            "version": 2,
        }
        natural = {**data, "lower": {"by": "sums", "sums": []}}
        for arithmetic in ARITHMETICS:
            for forged in (data, natural):
                verdict = check(forged, arithmetic=arithmetic)
                assert not verdict.accepted, (tree, arithmetic)
                assert "upper bound" not in verdict.reason or "cannot decide" in verdict.reason, verdict.reason
                assert "could not be checked" not in verdict.reason, verdict.reason


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize(
    "branch",
    [
        "(-x2)^(-x3) - (-x2)^(-x3 - 1)",  # a base from -1 to 0 with a negative exponent: nowhere defined
        "(x2 - 1)^(-x3) - (x2 - 1)^(-x3 - 1)",
        "(-x2)^(-x3) + ln(x2*x3)",
        "(-x2)^(-x3)*0 - (-x2)^(-x3)",
        "0*((-x2)^(-x3) - (-x2)^(1 - 3*x3))",
        "sqrt((-x2)^(-x3)) - exp((-x2)^(-x3))",
        "1/(-x2)^(-x3) - 1/((-x2)^(-x3) - (-x2)^(-x3 - 1))",
    ],
)
def test_a_branch_that_is_nowhere_defined_bounds_nothing(branch: str, arithmetic: str) -> None:
    for formula in (f"-(where(x1 < 0.5, {branch}, 3)*x3)", f"where(x1 >= 0.5, -3, {branch})*x3", f"({branch})*0 - x3"):
        root = parse_formula(formula, n=3)
        value = enclose(root, [0.75, 0.5, 2.0], rule="strict")
        for part in ("sums", "tree"):
            low: dict[str, Any] = {"by": "sums", "sums": []}
            if part == "tree":
                low = {"by": "tree", "threshold": 1e300, "tree": "."}
            bounds = [[0.0, 1.0], [0.0, 1.0], [1.0, 2.0]]
            data = certificate(formula, bounds, 1e300, 1e300, low, point(0.75, 0.5, 2.0), "regular")
            verdict = check(data, arithmetic=arithmetic)
            assert not verdict.accepted
            assert ("upper bound" in verdict.reason) is (not value.defined)


def thin(shift: str, exponents: list[int], formula: str = "-(x2^(x1 + {}))") -> dict[str, Any]:
    """Only these of the thin sets with exponents shift + 1 to shift + 3, a base from -1 to -0.5."""
    sets = [{"exponents": [n], "lower": {"by": "tree", "threshold": 0.0, "tree": "."}} for n in exponents]
    odd = [n for n in exponents if n % 2]
    place = float(odd[0] - int(shift))
    up = {"by": "thin", "exponents": [odd[0]], "witness": point(place, -1.0)}
    data = certificate(
        formula.format(shift), [[1.0, 3.0], [-1.0, -0.5]], 0.0, 1.0, {"by": "thin", "sets": sets}, up, "thin"
    )
    return {**data, "version": 2}


SHIFTS = (
    "0", "4", "9007199254740992", "9007199254740993", "36028797018963968", "1152921504606846976",
    "9223372036854775807", "18446744073709551616", "18446744073709551617", "10000000000000000000000000",
    "1267650600228229401496703205376",
)  # fmt: skip


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_no_thin_set_is_left_out(shift: str, arithmetic: str) -> None:
    every = [int(shift) + k for k in (1, 2, 3)]
    value = enclose(parse_formula(f"-(x2^(x1 + {shift}))", n=2), [2.0 - (every[1] % 2), -1.0], rule="ieee")
    assert value.thin
    assert value.upper < 0.0  # an even exponent
    for left in ([n for n in every if n % 2], [n for n in every if n % 2][:1]):
        verdict = check(thin(shift, left), arithmetic=arithmetic)
        assert not verdict.accepted
        assert "thin set" in verdict.reason or "whole numbers" in verdict.reason, verdict.reason
    reason = check(thin(shift, every), arithmetic=arithmetic).reason
    assert "below the threshold" in reason or int(shift) > 2**62


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize(
    ("formula", "x"),
    [
        ("x1^2.00000000000000000001", -1.0),
        ("x1^3.00000000000000000001", -1.0),
        ("x1^(2 + 0.00000000000000000001)", -1.0),
        ("x1^36028797018963968.5", -1.0),
        ("x1^0.99999999999999999999", -0.5),
        ("x1^(-1.00000000000000000001)", -0.5),
        ("sqrt(x1 - 0.00000000000000000001)", 0.0),
        ("ln(x1 - 1 + 0.99999999999999999999)", 0.0),
        ("arcsin(x1 + 0.00000000000000000001)", 1.0),
        ("1/(x1 - 0.5)", 0.5),
        ("sqrt(3.14159265358979323846 - pi + x1)", 0.0),
        ("1/floor(x1 + 0.99999999999999999999)", 0.0),
    ],
)
def test_points_just_outside_are_no_witnesses(formula: str, x: float, arithmetic: str) -> None:
    assert enclose(parse_formula(formula, n=1), [x], rule="strict").defined is False
    data = certificate(formula, [[-1.0, 1.0]], -1e300, 1e300, {"by": "sums", "sums": []}, point(x), "regular")
    assert "not proven to be defined" in check(data, arithmetic=arithmetic).reason


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize(
    "text", ["1/3", "333333333333333333333/1000000000000000000000", "6004799503160661/18014398509481984"]
)
def test_a_pinned_value_is_not_its_double(text: str, arithmetic: str) -> None:
    """A third is above the double next to it, and so is the infimum of what is held there."""
    up = {"by": "pinned", "box": [[0.3, 0.4]], "equations": [{"node": 0, "value": text}], "solve": [0]}
    data = certificate("x1", [[0.0, 1.0]], 0.0, 1 / 3, {"by": "sums", "sums": []}, up, "regular")
    assert check(data, arithmetic=arithmetic).accepted is (Fraction(text) <= Fraction(1 / 3))
