"""Boxes on which a formula is convex are closed at once, however near to the infimum the bound is to be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.intervals.tape import Tape
from cpcbench.readings.doubles.arrays import evaluate
from tests.cases import one_in
from tests.material.proof_problems import KNOWN
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded

pytestmark = pytest.mark.usefixtures("unhurried")

SMOOTH = [b for i, b in enumerate(RATIONAL) if i not in (6, 7, 9, 10)] + ELEMENTARY


def test_a_smooth_optimum_in_five_variables_takes_few_boxes() -> None:
    known = next(known for known in KNOWN if known.name == "cycle")
    problem = known.problem()
    tape = Tape.of_formula(problem.expression, problem.dim)
    lower, upper = zip(*known.bounds, strict=True)
    tree = prove(tape, lower, upper, known.infimum - 1e-9, seconds=60.0)
    assert tree.complete
    assert tree.boxes < 100_000
    assert "c:" in tree.text()
    assert not prove(tape, lower, upper, known.infimum + 1e-9, seconds=60.0, max_nodes=20_000).complete


def test_the_checker_takes_them_and_the_optima_stay_small() -> None:
    problem = cpc.parse("exp(x1 - x2) + exp(x2 - x3) + exp(x3 - x1) + (x1 + x2 + x3 - 1)^2", bounds=[(-2, 3)] * 3)
    proof = cpc.certify(problem, seconds=20)
    assert proof.checked is not None
    assert proof.checked.accepted
    assert "convex" in proof.checked.rests_on
    assert proof.lower <= 3.0 <= proof.upper <= proof.lower + 4e-9
    assert proof.said.optima is not None
    (box,) = proof.said.optima
    assert all(low <= 1 / 3 <= high and high - low < 0.01 for low, high in box)


@pytest.mark.parametrize("seed", one_in(2, range(60)))
def test_no_value_is_below_what_is_proven(seed: int) -> None:
    """Random formulas in a bowl: at no point of the box are they below the bound of the tree."""
    r, rng = seeded(seed), np.random.default_rng(seed)
    bowl = cpc.parse("20*(x1 - 0.3)^2 + 20*x2^2", bounds=[(-1, 1)] * 2).expression
    root = bowl + formula(r, 3, SMOOTH)
    tape = Tape.of_formula(root, 2)
    values = evaluate(root, rng.uniform(-1, 1, (20_000, 2)))
    if not np.isfinite(values).any():
        return
    least = float(np.nanmin(np.where(np.isfinite(values), values, math.inf)))
    tree = prove(tape, [-1, -1], [1, 1], least - 1e-3, seconds=20.0, max_nodes=3_000)
    assert tree.bound <= least + 1e-9 * max(1.0, abs(least))


def test_the_tree_is_the_same_however_many_threads_grow_it() -> None:
    known = next(known for known in KNOWN if known.name == "cycle")
    problem = known.problem()
    tape = Tape.of_formula(problem.expression, problem.dim)
    lower, upper = zip(*known.bounds, strict=True)
    texts = {
        prove(tape, lower, upper, known.infimum - 1e-9, seconds=60.0, workers=n, peels=True).text() for n in (1, 2)
    }
    assert len(texts) == 1
