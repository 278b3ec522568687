"""Systems of equations: known numbers of solutions come out, proven; nothing is claimed that was not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.systems.roots import Roots
from cpcbench.cli.app import app
from cpcbench.expr.parser import parse_formula
from cpcbench.problems.collections.systems import systems

SECONDS = 600.0  # only ends what cannot end by itself
THIN = [
    "x1 - x7 * x4^2 = x4", "x1 = x7", "x3 = 0.001963495 * x2", "x5 = 43897 * x2", "x6 = 1",
    "x7 = (-1.8 * ln(6.9 / x5))^(-2 * x3)", "0 = 18 - x2^2 / 19.62",
]  # fmt: skip
"""CPC-SE2 with x3 = 0, without its second equation; the unknowns after x3 are one lower."""


@pytest.mark.parametrize(
    ("equations", "bounds", "count"),
    [
        (["x1^2 + x2^2 = 4", "x1 * x2 = 1"], (-5, 5), 4),
        (["x1^2 + x2^2 = 4", "x1 * x2 = 1"], [(0, 5), (-5, 5)], 2),
        (["x1^2 + x2^2 = 4", "x1 * x2 = 3"], (-5, 5), 0),
        (["sin(x1)"], [(-10, 10)], 7),
        (["exp(x1) = x2", "x1 + x2 = 3"], (-10, 10), 1),
        (["(x1 - 1) * (x1 - 2) * (x1 - 3) * x2", "x2^2 = x1"], (-5, 5), 7),
        (["ln(x1) = x1 - 2"], [(-1, 10)], 2),
        (["x1 + x2 + x3 = 6", "x1 * x2 * x3 = 6", "x1^2 + x2^2 + x3^2 = 14"], (-10, 10), 6),
    ],
)
def test_known_counts_are_proven(equations: list[str], bounds: object, count: int) -> None:
    found = cpc.solve_system(equations, bounds, seconds=SECONDS)
    assert found.complete, found.message
    assert len(found.solutions) == count
    assert found.message == f"exactly {count} solution{'' if count == 1 else 's'} in the box, proven"


@settings(max_examples=5, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=4, unique=True))
def test_the_roots_of_a_polynomial_are_all_found(roots: list[int]) -> None:
    found = cpc.solve_system([" * ".join(f"(x1 - ({r}))" for r in roots)], [(-10, 10)], seconds=SECONDS)
    assert found.complete
    assert [round(r.x[0]) for r in found.solutions] == sorted(roots)
    assert all(r.lower[0] <= k <= r.upper[0] for r, k in zip(found.solutions, sorted(roots), strict=True))


def test_a_double_root_is_not_counted() -> None:
    found = cpc.solve_system(["(x1 - 1)^2 = 0"], [(-3, 3)], seconds=5.0)
    assert not found.complete
    assert not found.solutions
    assert found.open_boxes
    assert "whether there are others is not" in found.message


def test_a_solution_on_the_edge_is_said_to_be_there() -> None:
    found = cpc.solve_system(["x1^3 = x1"], [(0, 5)], seconds=SECONDS)
    assert [r.x for r in found.solutions] == [(1.0,)]
    assert len(found.on_edge) == 1


def test_nothing_is_proven_where_there_is_nothing() -> None:
    roots = Roots([parse_formula("x1^2 + 1")], "strict")
    assert all(roots.near(np.array([x])) is None for x in (-2.0, 0.1, 3.0))
    assert roots.narrowed([(0.5, 0.6)]) is None


@pytest.mark.slow
def test_the_first_system_of_the_collection() -> None:
    found = cpc.solve_system(systems()["CPC-SE1"], (-math.inf, math.inf), seconds=SECONDS)
    assert not found.complete
    assert len(found.solutions) == 1
    assert found.solutions[0].x == pytest.approx(
        [999.4343, -37157.502537262, -30361.862350433, -30392.54623245, -49.573394694667], rel=1e-12
    )


def test_the_second_system_has_no_solution_with_real_powers() -> None:
    found = cpc.solve_system(systems()["CPC-SE2"], (-1e15, 1e15), seconds=SECONDS)
    assert found.complete
    assert not found.solutions


def test_the_second_system_has_a_thin_solution() -> None:
    found = cpc.solve_system(
        THIN, [(-10, 10), (-50, 50), (-1, 1), (-10, 10), (-1e7, 1e7), (-10, 10), (-10, 10)], seconds=SECONDS
    )
    assert found.complete
    kept = [r.x for r in found.solutions if r.x[3] > 0.0]  # ln(6.9 / x5) has no value for the others
    assert len(kept) == 1
    (x1, x2, x4, x5, x6, x7, x8) = kept[0]
    assert -1.8 * math.log(6.9 / x5) < 0.0
    point = {"x1": x1, "x2": x2, "x3": 0.0, "x4": x4, "x5": x5, "x6": x6, "x7": x7, "x8": x8}
    for text in systems()["CPC-SE2"]:
        left, right = (cpc.parse(side, bounds=dict.fromkeys(point, (0, 1))) for side in text.split("="))
        assert left.reference(list(point.values())) == pytest.approx(right.reference(list(point.values())), abs=1e-8)


def test_the_command() -> None:
    run = CliRunner()
    made = run.invoke(app, ["solve", "x1^2 = 2", "--bounds", "0:5", "--seconds", "600"])
    assert made.exit_code == 0
    assert "exactly 1 solution" in made.output
    made = run.invoke(app, ["solve", "x1^2 = 2", "--bounds", "0:5", "--seconds", "600", "--json"])
    assert '"complete": true' in made.output


@pytest.mark.parametrize(
    ("equations", "bounds", "said"),
    [
        (["x1 = 1", "x1 = 2"], [(0, 1)], "as many equations as variables"),
        (["x1 = 1 = 2"], [(0, 1)], "an equation is"),
        (["x3"], [(0, 1)], "x3"),
        (["x1"], [(1, 0)], "lower <= upper"),
        ([3], [(0, 1)], "an equation is"),
        ([], [(0, 1)], "as many equations"),
    ],
)  # fmt: skip
def test_wrong_input_is_said(equations: list[str], bounds: object, said: str) -> None:
    with pytest.raises(cpc.CpcbenchError, match=said):
        cpc.solve_system(equations, bounds)
