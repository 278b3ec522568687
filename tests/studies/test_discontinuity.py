"""Where discontinuities come from, decided from the formula and shown by points."""

from __future__ import annotations

import pytest

import cpcbench as cpc
from cpcbench.studies.structure.discontinuity import CATEGORIES, Discontinuities, discontinuities
from cpcbench.studies.structure.removable import is_removable
from cpcbench.studies.structure.steepness import steepness
from cpcbench.studies.symmetry.plateaus import plateau


def of(text: str, low: float = -3.0, high: float = 3.0) -> Discontinuities:
    return discontinuities(cpc.parse(text, bounds=(low, high)), samples=300)


@pytest.mark.parametrize("id_", ["CPC-DF8", "CPC-DF11", "CPC-DF12", "CPC-DF14", "CPC-DF24", "F37", "F138", "F170"])
def test_the_category_is_the_published_one(id_: str) -> None:
    p = cpc.problem(id_)
    assert discontinuities(p, samples=300).category == p.category


@pytest.mark.slow
@pytest.mark.parametrize("id_", [p.id for p in cpc.problems()])
def test_every_category_is_the_published_one(id_: str) -> None:
    p = cpc.problem(id_)
    assert p.category in CATEGORIES
    assert discontinuities(p).category == p.category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("sign(x1)", "piecewise"),
        ("where(x1 < 1, x1, 2*x1)", "piecewise"),
        ("floor(2*x1)", "stepwise"),
        ("ceil(2*x1)", "stepwise"),
        ("round(x1)", "stepwise"),
        ("mod(x1, 2)", "stepwise"),
        ("arctan2(x1, x1 - 4)", "piecewise"),
        ("max(x1, 0)", "none"),
        ("log1p(x1)", "domain-induced"),
        ("arccosh(x1)", "domain-induced"),
        ("sqrt(x1)", "domain-induced"),
        ("1/x1", "domain-induced"),
        ("tan(x1)", "domain-induced"),
        ("sin(30*x1)", "numerical"),
        ("x1^2", "none"),
        ("abs(x1)", "none"),
    ],
)
def test_small_formulas(text: str, category: str) -> None:
    assert of(text).category == category


def test_what_cannot_be_reached_in_the_box_is_excluded() -> None:
    assert of("sqrt(x1)", 0.5, 2).category == "none"
    assert [f.reached for f in of("ln(x1 + x1^2)", 0.5, 2).findings] == ["no"]
    assert [f.reached for f in of("floor(x1)", 0.25, 0.75).findings] == ["no"]
    assert [f.reached for f in of("1/(x1 - 7)").findings] == ["no"]


def test_a_step_without_a_jump_of_the_value_is_undecided() -> None:
    (finding,) = of("0*floor(x1) + x1^2").findings
    assert (finding.kind, finding.reached) == ("jump", "undecided")
    assert of("x1*sign(x1)").category == "undecided"


def test_pole_gap_and_removable_are_told_apart() -> None:
    assert [f.kind for f in of("sin(x1)/x1").findings] == ["removable"]
    assert [f.kind for f in of("cos(x1)/x1").findings] == ["pole"]
    assert [f.kind for f in of("x1^0.5").findings] == ["gap"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sin(pi*(x1 - 2))/(x1 - 2)", True),
        ("sin(pi*(x1 - 2))/(x1 - 2)^2", False),
        ("x2*tan(3*x1)*x1/x1^2", True),
        ("sin(x1)/x2", False),
        ("sin(x1 - 1)/(x1 - 2)", False),
        ("x1/5", False),
    ],
)
def test_removable_quotients(text: str, expected: bool) -> None:
    assert is_removable(cpc.parse(text, bounds=(-1, 1)).expression) is expected


def test_plateaus_are_proven() -> None:
    flat = cpc.problem("F138")
    assert plateau(flat, flat.lower * 0.0) is not None
    assert plateau(flat, flat.lower * 0.0 + 0.5) is None
    sloped = cpc.parse("floor(x1) + 1e-30*x1", bounds=(-1, 1))
    assert plateau(sloped, sloped.upper * 0.5) is None


@pytest.mark.parametrize("text", ["floor(x1)", "ceil(x1)", "round(x1)", "sign(x1)", "round(x1)*mod(x2, 2)^0"])
def test_plateaus_of_every_step(text: str) -> None:
    """Each step is settled by its own values: rounded up, 0.2 to 0.4 is not what its sign is."""
    p = cpc.parse(text, bounds=[(-3, 3)] * 2)
    assert plateau(p, p.lower * 0.0 + 0.3) is not None
    jump = {"round": 0.5, "sign": 0.0}.get(text[: text.index("(")], 1.0)
    assert plateau(p, p.lower * 0.0 + jump) is None


def test_steepness_of_known_shapes() -> None:
    def measured(text: str) -> float:
        found = steepness(cpc.parse(text, bounds=(-1, 1)))
        assert found is not None
        return found

    assert measured("x1") == pytest.approx(0.01, abs=1e-3)
    assert measured("x1^2") == pytest.approx(0.04, abs=3e-3)
    assert steepness(cpc.parse("ln(x1 - 5)", bounds=(-1, 1))) is None


@pytest.mark.parametrize("text", ["abs(x1)/x1", "x1/abs(x1)", "abs(sin(x1))/x1", "x1*x1/(x1*abs(x1))"])
def test_two_limits_are_not_removable(text: str) -> None:
    assert not is_removable(cpc.parse(text, bounds=(-1, 1)).expression)


@pytest.mark.parametrize("text", ["abs(x1)/abs(x1)", "x1^2/abs(x1)", "abs(x1)^2/x1^2", "abs(sin(x1))/abs(x1)"])
def test_absolute_values_that_leave_one_limit(text: str) -> None:
    assert is_removable(cpc.parse(text, bounds=(-1, 1)).expression)


def test_a_denominator_with_steps_is_zero_on_a_region() -> None:
    for text in ("1/floor(x1)", "sin(floor(x1))/floor(x1)"):
        assert of(text).findings[0].kind == "gap"
