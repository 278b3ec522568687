"""Certificates of random formulas: no crash, no overrun, nothing that is rejected, and no value below a bound."""

from __future__ import annotations

import pytest

from tests.cases import one_in
from tests.material.random_proofs import attempt, attempts, longest

PATIENT = 20.0
"""Seconds that a busy machine may add."""


@pytest.mark.parametrize("seed", one_in(4, range(12)))
def test_a_random_formula(seed: int) -> None:
    found = attempt(seed, 1.0)
    assert found.wrong == []
    assert found.took < longest(1.0) + PATIENT


@pytest.mark.slow
def test_many_random_formulas() -> None:
    wrong = [(o.seed, o.part, o.wrong) for o in attempts(range(100, 160), 2.0) if o.wrong]
    assert wrong == []
