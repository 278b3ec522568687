"""Instances: the same problem elsewhere, with its optimum and its proof."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.library import certificate, proven_for
from cpcbench.certify.confirming import confirmed
from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.experiment.plan.problems import study_problems, suite_place
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import walk
from cpcbench.problems.facts import BestKnown
from cpcbench.problems.instances.making import instance, move_of, optimum
from cpcbench.solvers.entering import measure_of
from tests.cases import one_in

pytestmark = pytest.mark.usefixtures("unhurried")

NUMBERS = st.integers(1, 10**9)
IDS = [p.id for p in cpc.problems()]


def exactly(form: Expr, y: list[float]) -> Fraction:
    """The value of a form at a point, its decimals taken as written."""
    table: dict[str, Callable[..., Fraction]] = {
        "var": lambda part: Fraction(y[part.payload]),
        "const": lambda part: Fraction(part.payload),
        "neg": lambda _, a: -a,
        "add": lambda _, a, b: a + b,
        "sub": lambda _, a, b: a - b,
        "mul": lambda _, a, b: a * b,
    }
    return walk(form, table)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(IDS), NUMBERS, st.data())
def test_a_point_of_an_instance_is_one_of_the_problem_with_the_same_value(
    name: str, number: int, data: st.DataObject
) -> None:
    p = cpc.problem(name)
    move, q = move_of(p, number), cpc.problem(name, instance=number)
    corner = [side[data.draw(st.integers(0, 1))] for side in q.bounds]
    inside = [low + data.draw(st.floats(0, 1)) * (high - low) for low, high in q.bounds]
    for y in (corner, [min(max(a, *b[:1]), b[1]) for a, b in zip(inside, q.bounds, strict=True)]):
        x = [exactly(form, y) for form in move.forms]
        assert all(Fraction(low) <= a <= Fraction(high) for a, (low, high) in zip(x, p.bounds, strict=True))
        assert np.allclose(move.there(y), [float(a) for a in x], rtol=1e-12, atol=1e-9)
        assert np.allclose(move.back(move.there(y)), y, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", IDS)
def test_the_optimum_goes_with_it(name: str) -> None:
    p = cpc.problem(name)
    for number in (1, 2, 3):
        q, move = cpc.problem(name, instance=number), move_of(p, number)
        x = optimum(p)
        assert x is not None
        assert q.in_box(move.back(x))
        assert q.best_known is not None
        assert p.best_known is not None
        assert q.best_known.value == p.best_known.value
        assert len(q.best_known.points)
        assert q.in_box(q.best_known.points).all()
        assert q.best_known.kind == p.best_known.kind


def test_values_are_those_of_the_problem() -> None:
    p = cpc.problem("F170")
    q, move = cpc.problem("F170", instance=4), move_of(p, 4)
    y = np.random.default_rng(0).uniform(q.lower, q.upper, (200, p.dim))
    assert np.allclose(q(y), p(move.there(y)), rtol=1e-9)


def test_a_number_is_always_the_same_instance_and_two_are_different_ones() -> None:
    first = cpc.problem("CPC-DF13", instance=7)
    assert first == cpc.problem("cpc-df13@7") == cpc.problem("df13@7") == instance(cpc.problem("CPC-DF13"), 7)
    assert first.id == "CPC-DF13@7"
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301
    seen = {cpc.problem("CPC-DF13", instance=k).formula for k in range(1, 30)}
    assert len(seen) == 29
    assert cpc.problem("CPC-DF4@3", n=8).dim == 8
    assert first.with_rule("strict") == cpc.problem("CPC-DF13@7", rule="strict")


def test_no_centre_and_no_round_number_gives_the_optimum_away() -> None:
    """Of all instances few have the middle of a side, or a whole number, where the optimum is."""
    shares = []
    for number in range(1, 200):
        move = move_of(cpc.problem("F138"), number)
        y = move.back(np.zeros(5))
        shares += ((y - move.lower) / np.subtract(move.upper, move.lower)).tolist()
    assert np.mean(np.abs(np.array(shares) - 0.5) < 0.01) < 0.06
    assert np.std(shares) > 0.1


def test_an_optimum_at_an_end_stays_at_one() -> None:
    p = cpc.parse("x1 + 3*x2 - cos(x3)", bounds=[(-0.3, 2.0), (0.1, 7.3), (-1.0, 4.0)], id="edges")
    proof = cpc.certify(p, seconds=5)
    known = BestKnown(proof.upper, np.array([proof.x]), "ieee", "a test")
    q = cpc.Problem("edges", p.expression, p.lower, p.upper, best_known=known)
    for number in range(1, 30):
        moved = instance(q, number)
        y = moved.best_known.points[0] if moved.best_known is not None else None
        assert y is not None
        ends = [(a == side[0]) or (a == side[1]) for a, side in zip(y, moved.bounds, strict=True)]
        assert ends == [True, True, False]
        carried = cpc.carry(proof, q, number)
        assert carried.checked is not None
        assert carried.checked.accepted
        assert (carried.lower, carried.upper) == (proof.lower, proof.upper)


@pytest.mark.parametrize("name", ["CPC-DF1", "CPC-DF5", "CPC-DF10", "CPC-DF13", "CPC-DF17", "CPC-DF18"])
def test_a_proof_carries_over_without_a_new_search(name: str) -> None:
    p = cpc.problem(name)
    proof = certificate(next(row.file for row in proven_for(p) if row.settles))
    for number in (1, 2):
        q = cpc.problem(name, instance=number)
        carried = cpc.carry(proof, p, number)
        assert cpc.check(Certificate.of(carried.data), problem=q.with_rule("strict")).accepted
        assert not cpc.check(carried, problem=p).accepted
        assert not cpc.check(carried, problem=cpc.problem(name, instance=number + 1)).accepted
        assert (carried.lower, carried.upper, carried.attained) == (proof.lower, proof.upper, proof.attained)
        assert carried.x is not None
        assert q.in_box(carried.x)
        assert carried.name == q.id


def test_what_is_no_proof_of_the_problem_is_not_carried_over() -> None:
    p = cpc.problem("CPC-DF13")
    proof = certificate(next(row.file for row in proven_for(p) if row.settles))
    with pytest.raises(CpcbenchError, match="not about CPC-DF17"):
        cpc.carry(proof, cpc.problem("CPC-DF17"), 1)
    with pytest.raises(CpcbenchError, match="not about CPC-DF13"):
        cpc.carry(cpc.carry(proof, p, 1), p, 2)


@pytest.mark.parametrize("wrong", [0, -1, 10**9 + 1, 1.5, "two", True])
def test_numbers_that_are_none_are_refused(wrong: object) -> None:
    with pytest.raises(CpcbenchError, match="numbered from 1"):
        cpc.problem("CPC-DF13", instance=wrong)  # type: ignore[arg-type]


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(CpcbenchError, match="is an instance already"):
        cpc.problem("CPC-DF13@2", instance=3)
    with pytest.raises(UnknownNameError, match="unknown problem"):
        cpc.problem("nothing@2")
    with pytest.raises(CpcbenchError, match="whole numbers"):
        instance(cpc.parse("whole(x1) + x2", bounds=[(0, 3), (0, 1)]), 1)
    with pytest.raises(CpcbenchError, match="has no box"):
        instance(cpc.parse("x1^2", bounds=[(-np.inf, 1)]), 1)


def test_variables_that_cannot_move_and_single_ones() -> None:
    p = cpc.parse("(x1 - 1)^2 + x2", bounds=[(0, 3), (2, 2)])
    for number in range(1, 10):
        q = instance(p, number)
        assert q.lower[1] == q.upper[1]
    one = instance(cpc.parse("(x1 - 1)^2", bounds=[(0, 3)]), 3)
    assert one.dim == 1


@pytest.mark.parametrize("width", one_in(5, [1e-12, 1e-6, 1e-5, 1e50, 1e17]))
def test_ends_are_kept_whatever_the_width(width: float) -> None:
    p = cpc.parse("sqrt(x1)", bounds=[(0, width)], id="root")
    proof = cpc.certify(p, seconds=5)
    known = BestKnown(0.0, np.array([[0.0]]), "ieee", "a test")
    q = cpc.Problem("root", p.expression, p.lower, p.upper, best_known=known)
    for number in range(1, 20):
        carried = cpc.carry(proof, q, number)
        assert carried.checked is not None
        assert carried.checked.accepted
        assert carried.x is not None
        assert instance(q, number)(carried.x) == 0.0


@pytest.mark.parametrize(
    "bounds",
    [
        [(1e8, 1e8 + 1e-6)] * 2,
        [(1.0, 1.0 + 2.3e-16)] * 2,
        [(0.0, 5e-324)] * 2,
        [(-1e149, 1e149)] * 2,
        [(-1e-300, 1e-300)] * 2,
    ],
)
def test_boxes_of_any_size(bounds: list[tuple[float, float]]) -> None:
    middle = [low + (high - low) / 2 for low, high in bounds]
    known = BestKnown(0.0, np.array([middle]), "ieee", "a test")
    p = cpc.parse("x1 + x2", bounds=bounds, id="sized")
    p = cpc.Problem("sized", p.expression, p.lower, p.upper, best_known=known)
    for number in range(1, 30):
        move, q = move_of(p, number), instance(p, number)
        assert (q.lower < q.upper).all()
        for y in (q.lower.tolist(), q.upper.tolist(), [q.lower[0], q.upper[1]]):
            x = [exactly(form, y) for form in move.forms]
            assert all(Fraction(low) <= a <= Fraction(high) for a, (low, high) in zip(x, p.bounds, strict=True))
    with pytest.raises(CpcbenchError, match="no instances"):
        instance(cpc.parse("x1", bounds=[(-1e308, 1e308)]), 1)


def test_where_no_optimum_is_known_the_whole_box_stays() -> None:
    p = cpc.parse("(x1 - 1)^2 + x2*x3", bounds=[(0, 3), (-1, 4), (0.1, 0.7)])
    for number in range(1, 10):
        move = move_of(p, number)
        ends = np.sort([move.there(move.lower), move.there(move.upper)], axis=0)
        assert np.allclose(ends, [p.lower, p.upper], rtol=1e-15)


def test_constraints_are_those_of_the_new_variables() -> None:
    p = cpc.parse("x1^2 + x2^2", bounds=[(0, 10)] * 2, id="c", subject_to=["x1 + x2 >= 7", "x1*x2 == 6"])
    p = cpc.Problem(**{**p._settings(), "best_known": BestKnown(37.0, np.array([[1.0, 6.0]]), "ieee", "a test")})
    q, move = instance(p, 3), move_of(p, 3)
    y = np.random.default_rng(0).uniform(q.lower, q.upper, (50, 2))
    new, old = measure_of(q), measure_of(p)
    assert new is not None
    assert old is not None
    assert np.allclose(new()(y), old()(move.there(y)))
    assert np.allclose(q.violation(y), p.violation(move.there(y)))
    assert len(q.constraints) == 2
    assert "x1 + x2 >= 7" not in [stated.text for stated in q.constraints]


def test_ids_do_not_collide() -> None:
    other = cpc.parse("x1^2 + x2^2", bounds=[(-1, 1)] * 2, id="CPC-DF13@7")
    with pytest.raises(CpcbenchError, match="give it an id of its own"):
        study_problems([other], "ieee")
    with pytest.raises(CpcbenchError, match="give it an id of its own"):
        study_problems([instance(cpc.problem("CPC-DF13").subject_to("x1 <= 0"), 7)], "ieee")
    with pytest.raises(CpcbenchError, match="choose another id"):
        cpc.register(other)
    assert study_problems(["CPC-DF13@7", "DF4@2:8", cpc.problem("df13@8")], "ieee")[1].dim == 8
    assert suite_place("CPC-DF13@9") < suite_place("CPC-DF13@10") < suite_place("CPC-DF14")
    assert cpc.problem(" CPC-DF13@7 ").id == "CPC-DF13@7"
    with pytest.raises(UnknownNameError):
        cpc.problem("CPC-DF13@7@3")


def test_a_carried_proof_can_be_renewed() -> None:
    p = cpc.problem("CPC-DF13")
    proof = certificate(next(row.file for row in proven_for(p) if row.settles))
    made = cpc.carry(proof, p, 7)
    again = confirmed(made.said)
    assert again.checked is not None
    assert again.checked.accepted
    assert again.said == made.said
