"""Sums of squares by their tangents: fits of curves close, and nothing false is proven."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.expr import Expr
from cpcbench.intervals.tape import Tape
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.readings.reals.reference import Reference
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded

pytestmark = pytest.mark.usefixtures("unhurried")

FIT = " + ".join(f"({y} - x1*(1 - exp(-x2*{t})) - x3)^2" for t, y in ((1, 0.9), (2, 1.3), (3, 1.7), (5, 1.8), (8, 2.1)))


def test_a_fit_of_three_parameters_takes_few_boxes() -> None:
    problem = cpc.parse(FIT, bounds=[(0, 5), (0.05, 3), (-2, 2)])
    best = float(cpc.minimize(problem, budget=5_000, rng=1).fun)
    tape = Tape.of_formula(problem.expression, 3)
    tree = prove(tape, [0, 0.05, -2], [5, 3, 2], best - 1e-9, seconds=60.0, max_nodes=200_000)
    assert tree.complete
    assert tree.boxes < 20_000
    assert "q:" in tree.text()


def test_the_checker_takes_them() -> None:
    proof = cpc.certify(cpc.parse(FIT, bounds=[(0, 5), (0.05, 3), (-2, 2)]), seconds=20)
    assert proof.checked is not None
    assert proof.checked.accepted
    assert "squares" in proof.checked.rests_on
    assert proof.said.version == 5
    assert proof.upper - proof.lower <= 1e-9


def test_squares_are_found_as_they_are_written() -> None:
    def count(text: str) -> int:
        tape = Tape.of_formula(cpc.parse(text, bounds=[(1, 2)] * 2).expression, 2)
        return 0 if tape.squares is None else len(tape.squares.roots) - 1

    assert count("x1^2 + (x1 - x2)*(x1 - x2) - x2^2 + x1*x2 + (x2 - 1)^2") == 3
    assert count("x1^2 + 2*x2^2") == 0  # one square is too few
    assert count("exp(x1^2 + x2^2)") == 0
    assert count("x1^4 + x2^3") == 0


def lowest(root: Expr, points: np.ndarray) -> float:
    """By the verdict: NumPy goes on with an undefined operand where its result does not depend on it."""
    values, verdict = evaluate(root, points), Reference(root, "strict")
    order = np.argsort(np.where(np.isfinite(values), values, np.inf))[: np.isfinite(values).sum()]
    return next((value for i in order if math.isfinite(value := verdict(points[i].tolist()))), math.inf)


@pytest.mark.parametrize("seed", range(60))
def test_no_value_is_below_what_is_proven(seed: int) -> None:
    r, rng = seeded(seed), np.random.default_rng(seed)
    parts = [formula(r, 3, [*RATIONAL, *ELEMENTARY]) for _ in range(3)]
    root = parts[0] ** 2 + (parts[1] - 1) ** 2 + (parts[0] + parts[1]) ** 2 + parts[2]
    least = lowest(root, rng.uniform(-1, 1, (20_000, 2)))
    if least == math.inf:
        return
    tree = prove(Tape.of_formula(root, 2), [-1, -1], [1, 1], least - 1e-3, seconds=20.0, max_nodes=3_000)
    assert tree.bound <= least + 1e-9 * max(1.0, abs(least))


def test_a_tree_goes_on_from_its_arrays() -> None:
    from cpcbench.certify.lower.tree.grown import from_arrays

    problem = cpc.parse(FIT, bounds=[(0, 5), (0.05, 3), (-2, 2)])
    tape, best = Tape.of_formula(problem.expression, 3), float(cpc.minimize(problem, budget=5_000, rng=1).fun)
    whole = prove(tape, [0, 0.05, -2], [5, 3, 2], best - 1e-6, seconds=60.0)
    some = prove(tape, [0, 0.05, -2], [5, 3, 2], best - 1e-6, seconds=0.0)
    assert whole.complete
    assert not some.complete
    again = from_arrays(tape, some.arrays(), "the state")
    assert prove(tape, [0, 0.05, -2], [5, 3, 2], best - 1e-6, seconds=60.0, state=again).complete
