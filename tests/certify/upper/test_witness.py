"""Proven upper bounds, on small formulas whose infimum is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np
import pytest

from cpcbench.certify.certificate.form import written
from cpcbench.certify.certificate.schema import ByPinnedBox, ByPoint
from cpcbench.certify.checker.core.witness import check_witness
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.upper.active import pins_of
from cpcbench.certify.upper.candidates import best_points
from cpcbench.certify.upper.krawczyk import System
from cpcbench.certify.upper.pinned import Pin, Pinned
from cpcbench.certify.upper.proofs import Witness, at_point
from cpcbench.certify.upper.witness import witnesses
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr, num, var
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import postorder
from cpcbench.points import Points
from cpcbench.problems.user import parse
from cpcbench.readings.text import formula
from cpcbench.solvers.white_box import Candidate, WhiteBoxResult
from tests.certify.upper.finding import Bounds, subject

pytestmark = pytest.mark.usefixtures("unhurried")


def best_witness(
    root: Expr, bounds: Bounds, points: Sequence[Sequence[float] | Points], rule: str = "strict", seconds: float = 20.0
) -> Witness | None:
    return next(iter(witnesses(root, bounds, points, rule, seconds)), None)


def pinned(found: Witness) -> ByPinnedBox:
    assert isinstance(found.proof, ByPinnedBox)
    return found.proof


def witness(text: str, bounds: Bounds, *points: list[float], seconds: float = 4.0) -> Witness:
    found = best_witness(parse_formula(text, n=len(bounds)), bounds, points, seconds=seconds)
    assert found is not None
    return found


def is_close_above(upper: float, text: str, room: float = 1e-13) -> bool:
    """Whether the bound is at least the number that a formula without variables says, and hardly more."""
    exact = at_point(parse_formula(text), np.empty(0), "strict")
    assert exact is not None
    return math.nextafter(exact.upper, -math.inf) <= upper <= exact.upper + room * max(1.0, abs(exact.upper))


# Points and pinned points


def test_an_interior_optimum_is_polished() -> None:
    found = witness("exp(x1) - 2*x1 + (x2 - ln(3))^2", [(-3.0, 3.0), (-3.0, 3.0)], [0.69, 1.1])
    assert is_close_above(found.upper, "2 - 2*ln(2)", 1e-15)


def test_a_polished_point_is_kept_as_it_is() -> None:
    found = witness("exp(x1) - 2*x1", [(-3.0, 3.0)], [0.69])
    assert found.proof == ByPoint(found.x.tolist())
    assert found.x[0] == pytest.approx(math.log(2.0), abs=1e-15)


@pytest.mark.parametrize("start", [[1.2246, 1.2247], [1.2249, 1.22485]], ids=["inside", "outside"])
def test_one_active_condition(start: list[float]) -> None:
    found = witness("sqrt(3 - x1^2 - x2^2) - x1 - x2", [(-2.0, 2.0), (-2.0, 2.0)], start)
    assert is_close_above(found.upper, "-sqrt(6)")
    proof = pinned(found)
    assert len(proof.equations) == len(proof.solve) == 1
    free = ({0, 1} - set(proof.solve)).pop()
    assert proof.box[free][0] == proof.box[free][1]


def test_two_active_conditions() -> None:
    text = "sqrt(x1^2 - 2) + sqrt(x2 - x1^3) + x2"
    found = witness(text, [(0.0, 5.0), (0.0, 9.0)], [1.4143, 2.8291])
    assert is_close_above(found.upper, "2*sqrt(2)")
    assert [Fraction(e.value) for e in pinned(found).equations] == [0, 0]
    order = postorder(parse_formula(text))
    assert [formula(order[e.node]) for e in pinned(found).equations] == ["x1^2 - 2", "x2 - x1^3"]
    for (low, high), exact in zip(pinned(found).box, (2**0.5, 2**1.5), strict=True):
        assert low < exact < high
        assert high - low < 1e-11


def test_an_edge_at_a_side_of_the_box() -> None:
    found = witness("sqrt(x1 - x2^2) - 3*x1", [(0.0, 0.7), (-2.0, 2.0)], [0.6999, 0.8364])
    assert float(-3 * Fraction(0.7)) <= found.upper <= -3 * 0.7 + 1e-15
    assert pinned(found).solve == [1]
    assert pinned(found).box[0] == [0.7, 0.7]


def test_residuals_that_vanish_give_exactly_zero() -> None:
    found = witness("(x1^2 - 2)^2 + (x2 - x1)^4", [(0.0, 5.0), (0.0, 5.0)], [1.4140, 1.4145])
    assert found.upper == 0.0
    assert pinned(found).solve == [0, 1]


def test_a_pin_inside_another_pin() -> None:
    found = witness("sqrt(x2 - 1/3 - sqrt(x1^2 - 2)) + x2 + sqrt(x1^2 - 2)", [(0.0, 5.0), (0.0, 5.0)], [1.4143, 0.334])
    assert is_close_above(found.upper, "1/3")


def test_arcsines_end_at_one() -> None:
    found = witness("-arcsin(x1^2 - 2)", [(0.0, 5.0)], [1.73204])
    assert is_close_above(found.upper, "-pi/2")
    assert pinned(found).equations[0].value == "1"


def test_an_infimum_that_is_not_attained_is_approached() -> None:
    found = witness("sin((x1^2 - 2)^(-0.2)) + x1", [(1.0, 3.0)], [1.414215])
    assert is_close_above(found.upper, "sqrt(2) - 1", 1e-9)


def test_copies_of_the_optimum_are_looked_at() -> None:
    text, box = "sqrt(x1^2 - x2^3/7 - 0.37) - cos(3*x1) - cos(5*x2)", [(-60.0, 60.0)] * 2
    start = [3.0, 3.92]
    near = witness(text, box, start, seconds=0.5)
    found = witness(text, box, start, seconds=8.0)
    assert near.upper > 0.0
    assert -2.0 <= found.upper < -1.99


def test_a_bound_never_lies_below_the_value() -> None:
    rng = np.random.default_rng(5)
    root = parse_formula("sqrt(sin(3*x1) - x2) + ln(x1 + x2^2)/x1 - x1^0.3", n=2)
    for x in rng.uniform(0.1, 2.0, (40, 2)):
        found = at_point(root, x, "strict")
        at = np.sin(3 * x[0]) - x[1]
        assert (found is None) == (at < 0.0)
        if found is not None:
            value = math.sqrt(at) + math.log(x[0] + x[1] ** 2) / x[0] - x[0] ** 0.3
            assert value - 1e-14 <= found.upper <= value + 1e-14


def test_nowhere_defined_has_no_witness() -> None:
    assert best_witness(parse_formula("sqrt(-1 - x1^2)", n=1), [(-1.0, 1.0)], [[0.5]], seconds=1.0) is None


def test_the_rule_counts() -> None:
    root, x = parse_formula("x1^x2", n=2), np.array([-2.0, 3.0])
    assert at_point(root, x, "strict") is None
    found = at_point(root, x, "ieee")
    assert found is not None
    assert found.upper == -8.0


@pytest.mark.parametrize(
    ("points", "rule"), [([[0.5]], "strict"), ([[0.5, math.nan]], "strict"), ([[0.5, 0.5]], "IEEE")]
)
def test_bad_input_is_named(points: list[list[float]], rule: str) -> None:
    with pytest.raises(CpcbenchError, match=r"coordinates|rule"):
        best_witness(var(0) + var(1), [(0.0, 1.0)] * 2, points, rule=rule)


def test_candidates_are_the_faithful_first_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    low, artefact, other = np.array([0.5]), np.array([0.25]), np.array([0.75])

    def solved(*_args: object, **_settings: object) -> WhiteBoxResult:
        optima = [Candidate(x, -1.0, -1.0, "faithful") for x in (low, other)]
        return WhiteBoxResult(low, -1.0, artefact=Candidate(artefact, -2.0, -1.0, "artefact"), optima=optima)

    monkeypatch.setattr("cpcbench.certify.upper.candidates.solve_anywhere", solved)
    points = best_points(parse("x1", bounds=[(0.0, 1.0)]), 1.0)
    assert [x.tolist() for x in points] == [[0.5], [0.25], [0.75]]


def test_a_search_without_a_find_gives_way_to_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "cpcbench.certify.upper.candidates.solve_anywhere", lambda *_args, **_settings: WhiteBoxResult()
    )
    problem = parse("sqrt(x1 - x2^2) - x1 - x2", bounds=[(0.0, 2.0), (-2.0, 2.0)])
    points = best_points(problem, 1.0, seed=3)
    assert len(points) > 1
    found = best_witness(problem.expression, problem.bounds, points, seconds=4.0)
    assert found is not None
    assert is_close_above(found.upper, "-2 - sqrt(2)")


@pytest.mark.slow
def test_candidates_of_a_problem() -> None:
    problem = parse("sqrt(x1 - x2^2) - x1 - x2", bounds=[(0.0, 2.0), (-2.0, 2.0)])
    points = best_points(problem, 15.0)
    assert points
    assert all(problem.in_box(x) for x in points)
    found = best_witness(problem.expression, problem.bounds, points, seconds=2.0)
    assert found is not None
    assert is_close_above(found.upper, "-2 - sqrt(2)")


# The checker, which shares no code with the prover, agrees


@pytest.mark.parametrize(
    ("text", "bounds", "start"),
    [
        ("exp(x1) - 2*x1", [(-3.0, 3.0)], [0.69]),
        ("sqrt(3 - x1^2 - x2^2) - x1 - x2", [(-2.0, 2.0), (-2.0, 2.0)], [1.2246, 1.2247]),
        ("sqrt(x1^2 - 2) + sqrt(x2 - x1^3) + x2", [(0.0, 5.0), (0.0, 9.0)], [1.4143, 2.8291]),
        ("sqrt(x2 - 1/3 - sqrt(x1^2 - 2)) + x2 + sqrt(x1^2 - 2)", [(0.0, 5.0), (0.0, 5.0)], [1.4143, 0.334]),
        ("sin((x1^2 - 2)^(-0.2)) + x1", [(1.0, 3.0)], [1.414215]),
    ],
)
def test_the_checker_takes_the_proof_and_no_better_claim(text: str, bounds: Bounds, start: list[float]) -> None:
    found = witness(text, bounds, start)
    check_witness(subject(text, bounds), written(found.proof), found.upper)
    with pytest.raises(RejectedError):
        check_witness(subject(text, bounds), written(found.proof), found.upper - 1e-9)


# What is proven, and what is not


def system(text: str, value: Fraction = Fraction(0)) -> System:
    return System(Pinned(parse_formula(text, n=1), 1, (Pin(parse_formula(text, n=1), value),)))


@pytest.mark.parametrize(
    ("text", "box", "proven"),
    [
        ("x1^2 - 2", (1.414, 1.4143), True),
        ("x1^2 - 2", (1.4143, 1.415), False),
        ("x1^2 - 2", (-3.0, 3.0), False),
        ("x1^2", (-0.1, 0.1), False),
        ("ln(x1)", (0.9, 1.2), True),
        ("ln(x1) - ln(x1)", (-2.0, -1.0), False),
        ("x1 - ln(-2 - x1)*0", (-0.5, 0.25), False),
        ("x1 - floor(x1 + 1.5)", (0.5, 2.5), False),
        ("x1 - floor(x1 + 1.5)/5", (0.1, 0.4), True),
        ("x1 + sqrt(x1)", (-0.1, 0.1), False),
    ],
)
def test_krawczyk(text: str, box: tuple[float, float], proven: bool) -> None:
    assert system(text).has_solution([box], [0]) is proven


def test_krawczyk_for_a_family_of_values() -> None:
    assert system("x1^2 - 2").has_solution([(1.41, 1.42)], [0], flint.arb(0).union(flint.arb(0.01)))
    assert not system("x1^2 - 2").has_solution([(1.41, 1.42)], [0], flint.arb(0).union(flint.arb(0.1)))
    assert system("x1^2", Fraction(2)).has_solution([(1.41, 1.42)], [0])


def test_what_may_be_pinned() -> None:
    root = parse_formula("sqrt(x1)*abs(x2) + arcsin(x3)^3 + (x1 - x2)^4 + x3^(2/3) + x2^(5/5)", n=3)
    found = {(formula(pin.node), int(pin.value)) for pin in pins_of(root)}
    assert found == {("x1", 0), ("x2", 0), ("x3", 1), ("x3", -1), ("x1 - x2", 0), ("x3", 0)}


def test_replacing_parts_keeps_the_rest() -> None:
    root = parse_formula("sqrt(x1 - x2) + exp(x1 - x2)*x1", n=2)
    part = parse_formula("x1 - x2", n=2)
    assert formula(replaced(root, {id(part): num(0)})) == "sqrt(0) + exp(0)*x1"
    assert replaced(root, {}) is root
