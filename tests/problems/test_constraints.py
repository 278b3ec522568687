"""Constraints are conditions that are not hidden: stated, listed, measured, and kept by every reading."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError, FormulaError
from cpcbench.studies.feasible.ratio import feasible_ratio

BOX = [(-2.0, 2.0), (-2.0, 2.0)]
DISC = cpc.parse("x1 + x2", bounds=BOX, subject_to=["x1^2 + x2^2 <= 1", "x1 >= x2"])


def test_a_point_that_misses_one_is_not_admissible_and_it_is_known_by_how_much() -> None:
    assert DISC([0.5, 0.25]) == 0.75
    assert math.isnan(DISC([0.25, 0.5]))
    assert math.isnan(DISC([1.0, 0.5]))
    assert DISC.violation([0.5, 0.25]) == 0.0
    assert DISC.violation([0.25, 0.5]) == 0.25
    assert DISC.violation([1.0, 1.5]) == 2.25 + 0.5
    assert DISC.violation([[0.5, 0.25], [1.0, 1.5]]).tolist() == [0.0, 2.75]


def test_violation_is_0_exactly_where_the_value_is_defined() -> None:
    p = cpc.parse("sqrt(x1) + ln(x2) + exp(500*x2)", bounds=BOX, subject_to=["x1*x2 == 0.5", "x1 <= 1.5"])
    points = np.random.default_rng(1).uniform(-2, 2, (2000, 2))
    points[::3, 1] = 0.5 / points[::3, 0]
    points = np.clip(points, -2, 2)
    missed = p.violation(points)
    assert ((missed == 0.0) == ~np.isnan(p(points))).all()
    assert 10 < (missed == 0.0).sum() < 1990
    assert (missed >= 0.0).all()


def test_they_are_listed_as_they_were_stated() -> None:
    p = cpc.parse("sqrt(x1)", bounds=BOX, subject_to=["x1*x2==0.5", "x1 + x2   <= 1", "0 <= x2 <= 1"])
    assert [c.text for c in p.constraints] == ["x1*x2==0.5", "x1 + x2   <= 1", "0 <= x2 <= 1"]
    assert [(c.kind, c.text) for c in p.conditions] == [
        ("root", "x1 >= 0"),
        ("constraint", "x1*x2==0.5 (at most 1e-06 above)"),
        ("constraint", "x1*x2==0.5 (at most 1e-06 below)"),
        ("constraint", "x1 + x2   <= 1"),
        ("constraint", "0 <= x2"),
        ("constraint", "x2 <= 1"),
    ]
    assert [c([1.0, 0.5]) for c in p.conditions] == [True, True, True, False, True, True]
    assert p.conditions[3].value([1.0, 0.5]) == -0.5


def test_an_equation_is_met_within_the_tolerance() -> None:
    wide = cpc.parse("x1", bounds=BOX, subject_to=["x1 == x2"], tolerance=0.25)
    assert wide([1.0, 1.25]) == wide([1.0, 0.75]) == 1.0
    assert math.isnan(wide([1.0, 1.26]))
    assert math.isnan(wide([1.0, 0.74]))
    exact = cpc.parse("x1", bounds=BOX, subject_to=["x1 == x2"], tolerance=0)
    assert exact([0.1, 0.1]) == 0.1
    assert math.isnan(exact([0.1, math.nextafter(0.1, 1.0)]))
    assert exact.enclosure([0.1, 0.1]).defined
    assert [c.text for c in exact.conditions] == ["x1 == x2 (not above)", "x1 == x2 (not below)"]


def test_other_statements_are_met_or_not() -> None:
    p = cpc.parse("x1", bounds=BOX, subject_to=["x1 < 0 or x2 < 0", "x1 >= -1"])
    assert p([-1.0, 1.0]) == -1.0
    assert math.isnan(p([0.0, 0.0]))
    assert p.violation([0.0, 0.0]) == math.inf
    assert p.violation([-1.5, 1.0]) == 0.5


def test_the_formula_says_all_and_the_problem_can_travel() -> None:
    assert cpc.parse(DISC.formula, bounds=BOX).expression is DISC.expression
    again = pickle.loads(pickle.dumps(DISC))  # noqa: S301
    assert again == DISC
    assert again.constraints == DISC.constraints
    assert DISC.with_rule("strict").constraints == DISC.constraints


def test_a_problem_under_constraints_is_another_problem() -> None:
    """What is published, recorded or proven of the function does not hold for it."""
    p = cpc.problem("CPC-DF6").subject_to("x1 <= 0")
    assert (p.published, p.best_known, p.proven) == (None, None, ())
    assert cpc.problem("CPC-DF6").subject_to() is cpc.problem("CPC-DF6")
    named = cpc.parse("a", bounds={"a": (0, 1), "b": (0, 1)}, subject_to=["a >= b"])
    assert [c.text for c in named.conditions] == ["a >= b"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"subject_to": "x1 <= 1"}, "list of statements"),
        ({"subject_to": ["x1 + 1"]}, "a comparison is needed"),
        ({"subject_to": ["x1 <= "]}, "missing at the end"),
        ({"subject_to": ["x3 <= 1"]}, "there is no x3"),
        ({"subject_to": ["x1 = 1"]}, "write =="),
        ({"subject_to": ["x1 == 1"], "tolerance": -1}, "from 0 on"),
        ({"subject_to": ["x1 == 1"], "tolerance": math.nan}, "from 0 on"),
    ],
)
def test_trouble_is_named(given: dict[str, object], words: str) -> None:
    with pytest.raises((CpcbenchError, FormulaError), match=words):
        cpc.parse("x1 + x2", bounds=BOX, **given)  # type: ignore[arg-type]


def test_verdicts_and_the_feasible_ratio_take_them_as_conditions() -> None:
    assert cpc.verify(DISC, [0.5, 0.25], 0.75).confirmed
    missed = cpc.verify(DISC, [1.0, 0.5], 1.5)
    assert not missed.confirmed
    found = feasible_ratio(DISC, samples=20_000)
    assert found.ratio == pytest.approx(math.pi / 32, rel=0.1)


def spoken(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_the_command_line_takes_them() -> None:
    shared = ("x1 + x2", "--bounds", "-2:2", "--subject-to", "x1^2 + x2^2 <= 1", "--subject-to", "x1 >= x2")
    shown = spoken("conditions", *shared, "1", "0.5").output
    assert "2 conditions of user, 2 of them stated" in shown
    assert "x1^2 + x2^2 <= 1" in shown
    assert "FAILS" in shown
    assert spoken("verify", *shared, "--reported", "0.75", "0.5", "0.25").exit_code == 0
    assert spoken("verify", *shared, "--reported", "1.5", "1", "0.5").exit_code == 1
    assert "x1 >= x2" in spoken("show", *shared).output
    assert spoken("export", *shared, "--to", "ampl").output.count("subject to") == 2
    lonely = spoken("feasible", "--subject-to", "x1 <= 1")
    assert lonely.exit_code == 2
    assert "need a problem" in lonely.output
