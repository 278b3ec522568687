"""Symmetries: proven ones hold in values, what is no symmetry is not claimed, optima come with their images."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.sampling.points import admissible_points
from cpcbench.studies.structure.canonical import Canonical
from cpcbench.studies.structure.forms import Forms
from cpcbench.studies.symmetry.company import Company
from cpcbench.studies.symmetry.motions import Motion, exactly, rounded, swap
from cpcbench.studies.symmetry.multiplicity import multiplicity, orbit, power_of_two
from cpcbench.studies.symmetry.optima_search import search_optima
from cpcbench.studies.symmetry.symmetries import Proof, symmetries
from tests.cases import one_in

IDS = [p.id for p in cpc.problems()]


def found(text: str, low: float = -10.0, high: float = 10.0) -> set[str]:
    return {s.text for s in symmetries(cpc.parse(text, bounds=(low, high))).found}


def same(a: str, b: str) -> bool:
    forms = Forms()
    roots = [cpc.parse(text, bounds=(-1, 1)).expression for text in (a, b)]
    return len({Canonical(root, forms).of(root) for root in roots}) == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("x1 + x2 + 3", "3 - (-x2 - x1)"),
        ("(x1 + x2)^2", "x1^2 + 2*x1*x2 + x2^2"),
        ("sin(x1 - x2)", "-sin(x2 - x1)"),
        ("cos(x1 - x2 + pi/3)", "cos(x2 - x1 - pi/3)"),
        ("sin(x1 + pi/2)", "cos(x1)"),
        ("cos(pi/5 - x1)", "sin(x1 + 3*pi/10)"),
        ("sin(7*pi/3 - x1)", "-sin(x1 - pi/3)"),
        ("tan(x1 + 3*pi)", "tan(x1)"),
        ("abs(2*x1 - 2*x2)", "2*abs(x2 - x1)"),
        ("x1/(x2 - x1)", "-x1/(x1 - x2)"),
        ("(x1 - x2)^7", "-(x2 - x1)^7"),
        ("sqrt(x1)", "x1^0.5"),
    ],
)
def test_equal_formulas_have_one_form_and_equal_values(a: str, b: str) -> None:
    assert same(a, b)
    point = [0.731, 0.254]
    values = [cpc.parse(text, bounds=[(-1, 1)] * 2).reference(point) for text in (a, b)]
    assert values[0] == pytest.approx(values[1], rel=1e-13)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("sin(x1 - x2)", "sin(x2 - x1)"),
        ("cos(x1 + pi/3)", "cos(x1 - pi/3)"),
        ("x1^3", "-x1^3"),
        ("floor(x1)", "-floor(-x1)"),
        ("exp(x1)", "exp(-x1)"),
        ("sin(x1 + pi)", "sin(x1)"),
        ("where(x1 < x2, 1, 2)", "where(x1 <= x2, 1, 2)"),
    ],
)
def test_different_formulas_have_different_forms(a: str, b: str) -> None:
    assert not same(a, b)


def test_huge_powers_are_not_written_out() -> None:
    assert not same("(x1 + x2)^1000000", "(x1 - x2)^1000000")
    assert same("(x1 - x2)^1000000", "(x2 - x1)^1000000")
    assert same("12345^900000 * x1", "x1 * 12345^900000")


def test_mirrors_swaps_and_shifts_are_found() -> None:
    assert found("x1^2 + x2^4 + x2") == {"x1 -> -x1"}
    assert "x1 -> -x1, x2 -> -x2" in found("x1*x2 + x1^2")
    assert "x1 <-> x2" in found("sin(x1*x2)/(x1 + x2)")
    assert found("(x1 - 3)^2 + exp(x2)") == {"x1 -> 6 - x1"}
    assert found("x1 - x2 + (x1*x2)^2") == {"x1 -> -x2, x2 -> -x1"}
    assert found("sin(x1)^2 + exp(x1 - x2)") == {"x1 -> x1 + pi, x2 -> x2 + pi"}
    assert found("sin(2*pi*x1)") == {"x1 -> 0.5 - x1", "x1 -> x1 + 1"}
    assert found("sin(x1)*sin(x2)", -4, 4) >= {"x1 -> x1 + pi, x2 -> x2 + pi"}


def test_a_domain_that_changes_is_no_symmetry() -> None:
    assert found("ln(x1) - ln(x1) + x2^2") == {"x2 -> -x2"}
    assert found("x1/x1 + x2^3") == {"x1 -> -x1"}
    assert found("where(x2 < 0, 0*sqrt(x1), x2)") == set()


def test_a_direction_without_change_is_found() -> None:
    assert symmetries(cpc.parse("(x1 - x2)^2 + sin(x3)", bounds=(-9, 9))).directions == ("x1 + t, x2 + t",)
    assert symmetries(cpc.parse("x1^2", bounds=[(0, 1)] * 2)).unused == (1,)


def test_the_box_is_looked_at() -> None:
    wide = symmetries(cpc.parse("x1^2 + x2^2", bounds=[(-1, 1), (-2, 2)]))
    kept = {s.text: s.keeps_box for s in wide.found}
    assert kept == {"x1 -> -x1": True, "x2 -> -x2": True, "x1 <-> x2": False}
    assert {s.keeps_box for s in symmetries(cpc.parse("(x1 - 3)^2", bounds=(0, 6))).found} == {True}


@pytest.mark.parametrize("id_", one_in(4, IDS))
def test_proven_symmetries_hold_in_values(id_: str) -> None:
    """Images that are doubles have the same value, up to the error bounds, and are admissible alike."""
    p = cpc.problem(id_)
    motions = [m for m in symmetries(p).motions if all(b == 0 for _, b in m.shifts)]
    if not motions:
        return
    points = admissible_points(p, 5, np.random.default_rng(3))
    for motion in motions:
        for point in points:
            image = [rounded(x) for x in motion.apply(exactly(point.tolist()))]
            here, there = p.error_bound(point), p.error_bound(image)
            if not (here.straddles or there.straddles):
                assert abs(here.value - there.value) <= here.radius + there.radius


@pytest.mark.parametrize(("id_", "dim"), [("CPC-DF24", 2), ("CPC-DF25", 3)])
def test_proven_shifts_hold_in_values(id_: str, dim: int) -> None:
    p = cpc.problem(id_)
    (motion,) = symmetries(p).motions
    points = admissible_points(p, 200, np.random.default_rng(4))
    images = np.array([[rounded(x) for x in motion.apply(exactly(point))] for point in points.tolist()])
    here, there = p(points), p(images)
    both = ~np.isnan(here) & ~np.isnan(there)
    assert points.shape[1] == dim
    assert both.mean() > 0.9
    assert np.median(np.abs(here[both] - there[both])) < 1e-9


def test_motions_are_exact_and_have_inverses() -> None:
    p = cpc.parse("sin(x1)^2 + exp(x1 - x2) + 0*x3", bounds=(-10, 10))
    for motion in symmetries(p).motions:
        point = exactly([0.1, -0.7, 0.3])
        assert motion.inverse().apply(motion.apply(point)) == point
    shift = next(m for m in symmetries(p).motions if m.kind == "shift")
    assert shift.apply(exactly([0.0, 0.0, 0.0]))[0] == (Fraction(0), Fraction(1))
    assert rounded((Fraction(0), Fraction(1))) == math.pi


# Multiplicity


@pytest.mark.parametrize(
    ("id_", "text"),
    [
        ("CPC-DF5", "2^5 = 32"), ("CPC-DF11", "2^2 = 4"), ("CPC-DF12", "2^4 = 16"), ("CPC-DF24", "2^1 = 2"),
        ("CPC-DF23", "2^1 = 2"), ("CPC-DF25", "2^2 = 4"), ("CPC-DF13", "1"),
        ("F37", "infinitely many"), ("F138", "infinitely many"), ("F170", "1"),
    ],
)  # fmt: skip
def test_one_optimum_leads_to_all(id_: str, text: str) -> None:
    p = cpc.problem(id_)
    assert p.published is not None
    found = multiplicity(p, p.published.points[0])
    assert found.text == text
    assert found.verdicts == {"same": found.count}


@pytest.mark.parametrize("id_", ["CPC-DF5", "CPC-DF11", "CPC-DF12"])
def test_the_images_are_the_published_points(id_: str) -> None:
    p = cpc.problem(id_)
    assert p.published is not None
    images = {image.point for image in multiplicity(p, p.published.points[0]).images}
    assert images == {tuple(point) for point in (p.published.points + 0.0).tolist()}


def test_images_outside_the_box_do_not_count() -> None:
    p = cpc.parse("(x1^2 - 1)^2", bounds=(-0.5, 2))
    assert multiplicity(p, [1.0]).count == 1
    assert multiplicity(p, [0.5]).count == 2
    assert multiplicity(cpc.parse("cos(x1)", bounds=(-10, 10)), [math.pi]).count == 4


def test_an_image_that_doubles_make_inadmissible_is_told() -> None:
    p = cpc.parse("x1 + x2 + x3 + sqrt(x1 + x2 + x3 - 0.6000000000000001)", bounds=(0, 1))
    point = [0.3, 0.2, 0.1]
    assert math.isnan(p.reference([0.1, 0.2, 0.3])) is not math.isnan(p.reference(point))
    start = point if not math.isnan(p.reference(point)) else [0.1, 0.2, 0.3]
    found = multiplicity(p, start)
    assert found.count == 6
    assert found.verdicts["inadmissible"] > 0


def test_a_point_has_to_be_in_the_box_and_known() -> None:
    with pytest.raises(CpcbenchError, match="not in the box"):
        multiplicity(cpc.parse("x1", bounds=(0, 1)), [2.0])
    with pytest.raises(CpcbenchError, match="give a point"):
        multiplicity(cpc.parse("x1", bounds=(0, 1)))


def test_powers_of_two_are_written_as_such() -> None:
    assert [power_of_two(k) for k in (1, 2, 3, 6, 32)] == ["1", "2^1 = 2", "3", "6", "2^5 = 32"]


def test_the_search_finds_what_no_symmetry_gives() -> None:
    p = cpc.parse("(x1 - 1)^2 * (x1 + 2)^2 * (x1 - 3)^2 + (x2 - 0.3)^2", bounds=(-5, 5))
    found = search_optima(p, [1.0, 0.3], budget=20_000)
    assert sorted(round(x[0], 4) for x in found.points) == [-2.0, 1.0, 3.0]
    assert not found.lower
    assert search_optima(p, [0.5, 0.3], budget=20_000).lower


def test_a_line_that_leaves_the_box_at_once_makes_no_infinity_of_optima() -> None:
    p = cpc.parse("x1 + x2", bounds=(-3, 3))
    assert multiplicity(p, [-3, -3]).text == "1"
    assert multiplicity(p, [-3, 3]).text == "infinitely many"
    assert multiplicity(p, [0, -3]).text == "infinitely many"


def test_an_unused_variable_without_room_makes_no_infinity_of_optima() -> None:
    assert multiplicity(cpc.parse("x1", bounds=[(-3, 3), (2, 2)]), [-3, 2]).text == "1"
    assert multiplicity(cpc.parse("x1", bounds=[(-3, 3), (2, 3)]), [-3, 2]).text == "infinitely many"


CHAIN = "*".join(f"(x{i} + x{i + 1}^2 + 1)^0.5" for i in range(1, 6))
EXCHANGED = [
    (CHAIN, 0),
    ("ln(x1*x2 + x2*x3 + x3*x1) + abs(x1 + x2 + x3)^0.5", 3),
    ("x1*x2 + x2*x3 + x3*x4 + x4*x1", 2),
    ("sin(x1 - x2)^2 + x3*x1 + x3*x2 + x4", 1),
]


@pytest.mark.parametrize(("text", "count"), EXCHANGED)
def test_the_company_test_rules_out_no_exchange_that_holds(text: str, count: int) -> None:
    p = cpc.parse(text, bounds=(-1, 2))
    proof = Proof(p)
    company = Company(proof.canonical.forms, proof.value)
    held = 0
    for i, j in combinations(range(p.dim), 2):
        places = list(range(p.dim))
        places[i], places[j] = j, i
        if proof.holds(swap(p.dim, places)):
            held += 1
            assert company.may_swap(i, j)
            assert company.may_swap(j, i)
    assert held == count


def test_the_company_test_rules_out_a_chain_at_once() -> None:
    p = cpc.parse("+".join(f"x{i}*x{i + 1}" for i in range(1, 9)), bounds=(-1, 2))
    proof = Proof(p)
    company = Company(proof.canonical.forms, proof.value)
    assert not any(company.may_swap(i, j) for i, j in combinations(range(p.dim), 2))


def test_an_orbit_is_what_the_motions_give_one_by_one() -> None:
    p = cpc.parse("cos(2*pi*x1)*cos(2*pi*x2) + (x1 + x2)^2 - (x1 + x2)^2 + x3^2", bounds=[(-1, 1.5), (-1, 1), (-1, 1)])
    motions = symmetries(p).motions
    assert {m.kind for m in motions} >= {"swap", "mirror", "shift"}
    point = (0.3, -0.2, 0.5)
    images, complete = orbit(p, point, motions)
    assert complete
    assert images[0] == exactly(point)
    assert len(set(images)) == len(images)
    assert set(images) == naive_orbit(p, point, motions)


def naive_orbit(p: cpc.Problem, point: tuple[float, ...], motions: tuple[Motion, ...]) -> set[tuple[object, ...]]:
    """All images of images, within a box that is wider by the longest shift."""
    room = [max(abs(rounded(m.shifts[i])) for m in motions) for i in range(p.dim)]
    known = {exactly(point)}
    front = list(known)
    while front:
        made = {m.apply(x) for x in front for way in motions for m in (way, way.inverse())}
        front = [
            x
            for x in made - known
            if all(a - r <= rounded(c) <= b + r for c, (a, b), r in zip(x, p.bounds, room, strict=True))
        ]
        known.update(front)
    return {x for x in known if p.in_box([rounded(c) for c in x])}
