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
from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import walk
from cpcbench.problems.facts import BestKnown
from cpcbench.problems.instances.making import instance, move_of, optimum

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
        y = move.back(optimum(p))
        assert q.in_box(y)
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
