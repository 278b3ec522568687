"""The statements as they stand in the files: the formula is the problem's, and what is supposed can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import flint
import pytest

import cpcbench as cpc
from cpcbench.arb import precision_lock
from cpcbench.certify.certificate.library import certificate
from cpcbench.certify.certificate.schema import Claim
from cpcbench.certify.coq.language import Formula, folded, number
from cpcbench.certify.coq.theorem import theorem
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from tests.cases import one_in
from tests.certify.coq.statements import Statement, read_term, term_value
from tests.readings.test_fast import sample

KNOWN = [k for k in range(1, 26) if k != 3]
QUICK = (1, 6, 8, 11, 14, 17)
"""Enough for `make test`: the others are slow tests."""
RARE = (15, 18, 22)
"""No point of a random sample is admissible."""


@contextmanager
def bits(number: int) -> Iterator[None]:
    with precision_lock:
        before, flint.ctx.prec = flint.ctx.prec, number
        try:
            yield
        finally:
            flint.ctx.prec = before


def fractions(text: str, name: str) -> list[Fraction]:
    """The rational numbers of a definition."""
    line = re.search(rf"^Definition {name} .*$", text, re.MULTILINE)
    assert line is not None
    return [Fraction(int(a), int(b)) for a, b in re.findall(r"\(\((-?\d+)\)%Z, (\d+)%positive\)", line[0])]


@pytest.mark.parametrize("k", one_in(2, [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in KNOWN]))
def test_a_packaged_proof_says_what_it_should(k: int) -> None:
    """Each is written once, since that takes seconds where trees are long."""
    proof = certificate(f"CPC-DF{k}.json.gz")
    text = theorem(proof)
    assert not re.search(r"Admitted|Axiom|Unset|Parameter|admit", text)
    box_and_conditions_and_no_more(text, cpc.problem(f"CPC-DF{k}"))
    if k not in RARE:
        hypotheses_and_values_are_those_of_the_problem(text, cpc.problem(f"CPC-DF{k}", rule="strict"))
    the_witness_has_all_that_is_supposed(text)
    bounds_are_those_of_the_certificate(text, proof.said.claim)


def box_and_conditions_and_no_more(text: str, p: cpc.Problem) -> None:
    said = Statement(text)
    assert said.names == [f"x{i + 1}" for i in range(p.dim)]
    ends = [[number(Fraction(float(end))) for end in side] for side in p.bounds]
    assert said.hypotheses[: p.dim] == [f"{low} <= x{i + 1} <= {high}" for i, (low, high) in enumerate(ends)]
    made = Formula(p.expression)
    assert said.hypotheses[p.dim :] == list(made.stated)
    assert said.conclusion.partition(" <= ")[2] == made.of(p.expression).text
    asked = [node for node in postorder(p.expression) if id(node) in made.parts and is_asked(node)]
    assert len(said.hypotheses) - p.dim == len({made.of(node).given for node in asked})


def is_asked(node: Expr) -> bool:
    """Whether an operation has a condition."""
    if node.op != "pow":
        return node.op in ("sqrt", "ln", "arcsin", "div")
    exponent = folded(node.args[1])
    return exponent is None or exponent.denominator != 1


def hypotheses_and_values_are_those_of_the_problem(text: str, p: cpc.Problem) -> None:
    said, points = Statement(text), sample(p.id)
    admissible = p.admissible(points)
    term = read_term(Formula(p.expression).of(p.expression).term)
    seen = set()
    with bits(300):
        for x in [*points[admissible][:10].tolist(), *points[~admissible][:10].tolist()]:
            known, at = p.enclosure(x), [Fraction(v) for v in x]
            if known.domain not in ("inside", "outside"):  # sin(pi) is 0, but no ball is
                continue
            seen.add(known.defined)
            assert all(said.holds(part, at) for part in said.hypotheses) is known.defined
            if known.defined:
                bound, value = said.value(at)
                assert max(bound, flint.arb(known.lower)) <= value <= flint.arb(known.upper)
                assert term_value(term, x) == pytest.approx(p(x), rel=1e-6, abs=1e-9)
    assert seen == {True, False}


def the_witness_has_all_that_is_supposed(text: str) -> None:
    """So no statement is true for want of points; and the two bounds are of one formula."""
    lower, spot, (top,) = Statement(text), fractions(text, "spot"), fractions(text, "top")
    with bits(4000):
        assert all(lower.holds(part, spot) for part in lower.hypotheses)
        bound, value = lower.value(spot)
        assert bound <= value <= flint.arb(flint.fmpq(top.numerator, top.denominator))
    stated = text.partition("Theorem upper_bound : exists ")[2].partition(".\nProof.")[0]
    names, _, body = stated.partition(" : R,\n")
    *parts, last = [part.strip() for part in body.split("/\\\n")]
    assert names.split() == lower.names
    assert parts == [f"({part})" for part in lower.hypotheses]
    assert last.partition(" <= ")[0] == lower.conclusion.partition(" <= ")[2]


def bounds_are_those_of_the_certificate(text: str, claim: Claim) -> None:
    """The lower one to the bit; a point beside the witness may be a little higher than the upper one."""
    assert claim.lower is not None
    assert claim.upper is not None
    (low,), (top,), upper = fractions(text, "bound"), fractions(text, "top"), Fraction(claim.upper)
    assert low == Fraction(claim.lower)
    assert low <= top <= upper + Fraction(1, 10**9) * max(Fraction(1), abs(upper))


def test_a_statement_is_read_as_coq_reads_it() -> None:
    said = Statement(
        "Theorem lower_bound : forall x1 : R,\n  (-1) <= x1 <= (1 / 2) ->\n"
        "  0 < x1 \\/ (x1 = 0 /\\ 0 <= (2 - x1)) ->\n  (x1 + 2) <> 0 ->\n  (-3) <= ((- x1) ^ 3).\nProof.\n"
    )
    third = Fraction(1, 3)
    assert [said.holds(part, [third]) for part in said.hypotheses] == [True, True, True]
    assert [said.holds(part, [Fraction(0)]) for part in said.hypotheses] == [True, True, True]
    assert [said.holds(part, [Fraction(-2)]) for part in said.hypotheses] == [False, False, False]
    assert float(said.value([third])[1]) == pytest.approx(-1 / 27)
