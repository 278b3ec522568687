"""Quotients of 0 and 0, products of 0 and infinity: proven by the prover, accepted by both arithmetics."""

from __future__ import annotations

import numpy as np
import pytest

from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.making import certify
from cpcbench.certify.upper import candidates
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.intervals.tape import Tape
from tests.cases import one_in
from tests.material.checker_certificates import certificate, point
from tests.material.hole_formulas import ONE, SEVERAL, SUM
from tests.material.proof_problems import Known

pytestmark = pytest.mark.usefixtures("unhurried")

ROOM = 1e-12
"""The known infima are doubles, rounded."""


QUICK = ("entropy", "versed sine", "product")
"""One of each kind; the others are slow."""


@pytest.mark.parametrize("known", one_in(2, [k for k in (*ONE, *SEVERAL) if k.name in QUICK]), ids=lambda k: k.name)
def test_a_formula_with_holes_is_proven(known: Known) -> None:
    check_proof(known)


@pytest.mark.slow
@pytest.mark.parametrize("known", [k for k in (*ONE, *SEVERAL) if k.name not in QUICK], ids=lambda k: k.name)
def test_more_formulas_with_holes_are_proven(known: Known) -> None:
    check_proof(known)


def check_proof(known: Known) -> None:
    made = certify(known.problem(), seconds=15.0)
    assert made.relative_gap <= 1e-9
    assert made.lower <= known.infimum + ROOM
    assert made.upper >= known.infimum - ROOM
    for arithmetic in ("arb", "mpfr"):
        verdict = check(made.data, arithmetic=arithmetic)
        assert verdict.accepted, verdict.reason


@pytest.mark.slow
def test_a_search_led_astray_is_set_right_by_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    astray = np.array([-1e-9, 1e-8])  # in doubles the quotient is 0 there, and it is 1
    monkeypatch.setattr(candidates, "best_points", lambda *_, **__: [astray])
    known = next(k for k in SEVERAL if k.name == "product")
    assert known.problem()(astray) < 1e-9
    check_proof(known)


def test_a_sum_under_the_logarithm_is_proven() -> None:
    problem = SUM.problem()
    tree = prove(
        Tape.of_formula(problem.expression, 2), problem.lower, problem.upper, SUM.infimum - 5e-10, seconds=15.0
    )
    assert tree.bound >= SUM.infimum - 5e-10
    low = {"by": "tree", "threshold": SUM.infimum - 5e-10, "tree": tree.text(SUM.infimum - 5e-10)}
    data = certificate(
        SUM.formula, [[0.0, 1.0], [0.0, 1.0]], SUM.infimum - 5e-10, SUM.infimum + 5e-10, low,
        point(0.0, 0.36787944117144233), "regular",
    )  # fmt: skip
    for arithmetic in ("arb", "mpfr"):
        assert check(data, arithmetic=arithmetic).accepted


@pytest.mark.parametrize("formula", ["sqrt(x1)*ln(x1)", "x1^x1", "(sqrt(1 + x1) - 1)/x1", "x1*ln(x1)/(x1 - 1)"])
def test_prover_and_checker_see_the_same_conditions(formula: str) -> None:
    """Multipliers are counted by them."""
    root = parse_formula(formula, n=1)
    numbers = {id(node): place for place, node in enumerate(postorder(root))}
    tape, program = Tape.of_formula(root, 1), Program([root], numbers, fillers=FILLERS)
    assert list(tape.numbers) == [made.number for made in program.domains]
