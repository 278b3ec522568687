"""The functions of the dimension records are the ones meant, and the command doubles until it says why it ends."""

from __future__ import annotations

import math

import pytest
from benchmarks.dimension_records.__main__ import FUNCTIONS, main, proven


@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("Egg Holder", [512.0, 404.2319], -959.6407),
        ("Rana", [-300.3376, 500.0], -500.8021602966615),
        ("Michalewicz", [2.20290552, 1.57079633], -1.8013034),
        ("Rosenbrock", [1.0, 1.0, 1.0], 0.0),
        ("Griewank", [0.0, 0.0], 0.0),
        ("Schwefel 2.26", [420.968746] * 3, 0.0),
        ("sine envelope", [0.0, 0.0, 0.0], 0.0),
        ("Keane", [1.60086, 0.4685], -0.3649797),
    ],
)
def test_the_formulas_have_their_listed_minima(name: str, x: list[float], value: float) -> None:
    assert FUNCTIONS[name].problem(len(x))(x) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_any_number_of_variables(name: str) -> None:
    assert [FUNCTIONS[name].problem(n).dim for n in (2, 7)] == [2, 7]


def test_the_command_ends_at_the_most_variables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["Rosenbrock", "--seconds", "3", "--first", "2", "--most", "4"]) == 0
    said = capsys.readouterr().out
    assert "Rosenbrock, n = 2" in said
    assert "Rosenbrock, n = 4" in said
    assert "n = 8" not in said


@pytest.mark.parametrize("words", [["Egg"], ["Rana", "--first", "1"]])
def test_what_it_cannot_do_is_said(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)


def test_a_proof_says_how_close_it_is() -> None:
    row = proven(FUNCTIONS["Griewank"], 3, 3.0)
    assert row is not None
    assert row.closed
    assert math.isclose(row.lower, row.upper, abs_tol=1e-9)
