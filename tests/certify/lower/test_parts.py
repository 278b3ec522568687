"""Proofs by parts: products against sums and functions of one part close at once, and nothing false is proven."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.certificate.form import written
from cpcbench.certify.certificate.schema import ByParts
from cpcbench.certify.checker import check
from cpcbench.certify.lower.parts import lower_by_parts
from cpcbench.expr.plain import formula
from cpcbench.readings.doubles.arrays import evaluate
from tests.cases import one_in
from tests.material.checker_certificates import certificate, point

pytestmark = pytest.mark.usefixtures("unhurried")

Bounds = list[tuple[float, float]]


CLOSED = [
    ("(1/((x1 - x3)^2 + (x2 - x4)^2)^3 - 2)/((x1 - x3)^2 + (x2 - x4)^2)^3", [(-4.0, 4.0)] * 4, -1.0),
    ("1 - cos(2*pi*sqrt(x1^2 + x2^2 + x3^2)) + 0.1*sqrt(x1^2 + x2^2 + x3^2)", [(-50.0, 50.0)] * 3, 0.0),
    ("x1^2 + 2*x2^2 + 4*x3^2 - 6*(x1*x2*x3)^(1/3)", [(0.25, 4.0)] * 3, None),
    ("x1^4 + x2^4 + x3^4 - (x1 + x2 + x3)^2", [(-2.0, 3.0)] * 3, -6.75),
    ("exp(x1 + x2) - 2*x1 + x2^2 + x1^2 - x2", [(-3.0, 3.0)] * 2, None),
    ("sin(x1*x2*x3) + x1 + x2 + x3", [(0.25, 3.0)] * 3, None),
]


@pytest.mark.parametrize(("text", "bounds", "infimum"), one_in(4, CLOSED))
def test_what_falls_apart_with_a_part_closes(text: str, bounds: Bounds, infimum: float | None) -> None:
    problem = cpc.parse(text, bounds=bounds)
    found = lowest(problem)
    assert infimum is None or found == pytest.approx(infimum, abs=1e-5)
    best = found if infimum is None else infimum
    proof = lower_by_parts(problem.expression, bounds, best - 1e-6, 20.0)
    assert proof is not None
    assert isinstance(proof.proof, ByParts)
    assert proof.bound == best - 1e-6
    assert lower_by_parts(problem.expression, bounds, best + 1e-3, 20.0) is None


def lowest(problem: cpc.Problem) -> float:
    """The lowest value of a short search."""
    return float(cpc.minimize(problem, budget=3_000, rng=1).fun)


def test_the_checker_takes_products_against_sums() -> None:
    problem = cpc.parse(
        " + ".join(f"ln(x{i} - 2)^2 + ln(10 - x{i})^2" for i in range(1, 6)) + " - (x1*x2*x3*x4*x5)^0.4",
        bounds=[(2.001, 9.999)] * 5,
    )
    best = float(cpc.minimize(problem, budget=5_000, rng=1).fun)
    found = lower_by_parts(problem.expression, [(2.001, 9.999)] * 5, best - 1e-7, 60.0)
    assert found is not None
    upper = {"by": "point", "x": [9.5] * 5}
    data = certificate(
        formula(problem.expression), [[2.001, 9.999]] * 5, found.bound, 0.0, written(found.proof), upper, "all"
    )
    verdict = check({**data, "version": 5})
    assert verdict.accepted, verdict.reason
    assert {"parts", "sums"} <= set(verdict.rests_on)
    data["claim"]["lower"] = best + 1e-7
    assert not check({**data, "version": 5}).accepted


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("x1^2 + x2^2", [(-1.0, 1.0)] * 2),  # nothing is left to be a part
        ("x1*x2 + sin(x1 + x2)", [(1.0, 2.0)] * 2),  # no part makes it fall apart
        ("x1 + x2 - (x1*x2)^0.5", [(0.0, 2.0)] * 2),  # a factor may be 0
        ("where(x1*x2 <= 2, x1, x2) - x1*x2", [(1.0, 2.0)] * 2),
        ("x1^2 - 3*x1", [(1.0, 2.0)]),  # one variable
        ("1/(x1 + x2) + exp(1/(x1 + x2))", [(-1.0, 2.0)] * 2),
        ("sqrt(x1 + x2 - 9) + x1 + x2^2", [(0.0, 2.0)] * 2),  # defined nowhere
        ("ln(-x1^2) + x1 + x2^2 + sqrt(x1 + x2)", [(0.0, 2.0)] * 2),  # one line is
    ],
)
@pytest.mark.parametrize("seconds", one_in(2, [0.5, 5.0]))
def test_other_formulas_have_no_such_proof(text: str, bounds: Bounds, seconds: float) -> None:
    problem = cpc.parse(text, bounds=bounds)
    assert lower_by_parts(problem.expression, bounds, 0.0, seconds) is None


@pytest.mark.parametrize("seed", one_in(6, range(20)))
def test_no_value_is_below_what_is_proven(seed: int) -> None:
    """Random terms in single variables and a random function of a sum or a product of others."""
    rng = np.random.default_rng(seed)

    def pick(*names: str) -> str:
        return str(rng.choice(names))

    terms = [pick("x{0}^2", "sin(3*x{0})", "exp(-x{0})", "1/x{0}", "-x{0}", "ln(x{0})").format(i) for i in (1, 2, 3)]
    inner = [pick("x{0}", "x{0}^2", "exp(x{0})", "sqrt(x{0})").format(i) for i in (1, 2, 3)]
    part = f"({pick('*', '+').join(inner[:1])})" if seed % 7 == 0 else f"({pick(' + ', '*').join(inner)})"
    outer = pick("sin({0})", "-sqrt({0})", "({0} - 2)^2", "1/{0}", "-{0}^0.3").format(part)
    text = " + ".join(terms) + f" + {outer}"
    problem = cpc.parse(text, bounds=[(0.5, 2.5)] * 3)
    values = evaluate(problem.expression, rng.uniform(0.5, 2.5, (200_000, 3)))
    least = float(np.nanmin(values))
    for target in (least - 0.05, least + 1e-9):
        proof = lower_by_parts(problem.expression, [(0.5, 2.5)] * 3, target, 1.0)
        if proof is None:
            continue
        assert math.isfinite(proof.bound)
        assert proof.bound <= least
        data = certificate(text, [[0.5, 2.5]] * 3, proof.bound, 1e6, written(proof.proof), point(1.0, 1.0, 1.0), "all")
        assert check({**data, "version": 5}).accepted
