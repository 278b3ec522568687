"""Structure read off formulas, checked in values, and printed."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.studies.structure.interactions import Interactions, PairCheck, interactions
from cpcbench.studies.structure.interplay import structure

CHAINS = ["CPC-DF4", "CPC-DF6", "CPC-DF12", "CPC-DF16", "CPC-DF20", "CPC-DF21", "CPC-DF25"]


def kind(text: str, n: int = 4) -> str:
    return structure(cpc.parse(text, bounds=[(-2.0, 3.0)] * n)).kind


def test_the_suite_is_as_published_but_for_df5() -> None:
    found = {p.id: structure(p).separable for p in cpc.problems()}
    differ = [p.id for p in cpc.problems() if p.separable != found[p.id]]
    assert differ == ["CPC-DF5"]
    assert sorted(id_ for id_, is_so in found.items() if is_so) == ["CPC-DF2", "CPC-DF7", "F138", "F37"]


def test_df5_is_separable_only_inside_its_logarithm() -> None:
    known = structure(cpc.problem("CPC-DF5"))
    assert known.kind == "separable inside ln, coupled domain"
    assert not known.increasing
    assert known.value.shape == "none"
    assert known.domain.groups == ((0, 1, 2, 3, 4),)


@pytest.mark.parametrize("id_", CHAINS)
@pytest.mark.parametrize("n", [None, 7])
def test_chains_are_chains_at_any_size(id_: str, n: int | None) -> None:
    p = cpc.problem(id_, n=n)
    known = structure(p)
    assert known.kind == "chain"
    assert known.together.groups == tuple((i, i + 1) for i in range(p.dim - 1))


def test_kinds_of_formulas() -> None:
    assert kind("x1^2 + exp(x2) - x3*2 + x4") == "separable"
    assert kind("exp(x1 + x2^2)", 2) == "separable inside exp"
    assert kind("x1 + x2 + 0*sqrt(x1 - x2)", 2) == "separable, coupled domain"
    assert kind("x1*x2 + x3*x4") == "separable groups"
    assert kind("x1*x2 + x2*x3 + x3*x4") == "chain"
    assert kind("x1*x2 + x2*x3 + x3*x4 + x4*x1") == "cyclic chain"
    assert kind("x1*x2*x3 + x3*x4") == "partially separable"
    assert kind("x1*x2*x3*x4") == "non-separable"


def test_what_cancels_does_not_join() -> None:
    assert kind("(x1 + x2)^2 - 2*x1*x2", 2) == "separable"
    assert kind("2*(x1*x2 + x1) - x1*x2*2", 2) == "separable"


def test_conditions_that_always_hold_join_nothing() -> None:
    known = structure(cpc.parse("x1 + x2 + 0*ln(x1^2 + x2^2 + 1)", bounds=[(-1, 1)] * 2))
    assert known.domain.shape == "none"
    assert known.kind == "separable"


def test_a_denominator_joins_no_factors() -> None:
    known = structure(cpc.parse("x1 + 1/(x1*(x2 - 1))*0", bounds=[(-2, 2)] * 2))
    assert known.domain.shape == "none"


def test_terms_are_listed_through_factors_and_signs() -> None:
    known = structure(cpc.parse("-(2*(x1 - sin(x2)) + 5)/3", bounds=[(-2, 2)] * 2))
    assert [(t.text, t.variables) for t in known.terms] == [("-(x1)", (0,)), ("sin(x2)", (1,))]


@pytest.mark.parametrize("id_", ["CPC-DF5", "CPC-DF7", "CPC-DF8", "CPC-DF12", "F138"])
def test_values_do_not_contradict_the_formula(id_: str) -> None:
    p = cpc.problem(id_)
    found = interactions(p, bases=60, rng=1)
    assert found.count("disagree") == 0
    values = [pair for pair in found.pairs if pair.of == "value"]
    assert all(pair.verdict == "agree" for pair in values)
    assert {pair.seen for pair in values} >= ({True} if id_ in ("CPC-DF5", "CPC-DF8", "CPC-DF12") else {False})


def test_an_interaction_against_the_formula_would_be_seen() -> None:
    """The structure of another formula is held against these values."""
    p = cpc.parse("x1*x2 + sqrt(x1 - x2)", bounds=[(0, 1)] * 2)
    wrong = structure(cpc.parse("x1 + x2", bounds=[(0, 1)] * 2))
    assert interactions(p, wrong, bases=60).count("disagree") == 2
    assert interactions(p, bases=60).count("agree") == 2


def test_too_few_rectangles_are_undecided() -> None:
    p = cpc.parse("ln(x1 - 2) + x2", bounds=[(0, 1)] * 2)
    assert {pair.verdict for pair in interactions(p, bases=5).pairs} == {"undecided"}
    assert PairCheck(0, 1, "value", True, False, 99).verdict == "undecided"
    assert isinstance(interactions(p, bases=5), Interactions)
    with pytest.raises(CpcbenchError, match="at least one"):
        interactions(p, bases=0)


# The command line


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_one_problem_is_shown_term_by_term() -> None:
    text = run("structure", "sqrt(x1)*x2 + sin(x3)^2", "--bounds", "-1:1", "--check")
    assert "separable groups" in text
    assert "x3 -> -x3" in text
    assert "needs x1 >= 0" in text


def test_several_problems_are_a_table() -> None:
    tables = json.loads(run("structure", "DF5", "DF14", "--format", "json"))["tables"]
    assert [t["key"] for t in tables] == ["structure", "discontinuities"]
    assert [row[4] for row in tables[0]["rows"]] == ["separable inside ln, coupled domain", "non-separable"]


def test_multiplicity_is_printed() -> None:
    rows = json.loads(run("multiplicity", "DF11", "DF12", "--format", "json"))["tables"][0]["rows"]
    assert [[row[2], row[3], row[5]] for row in rows] == [
        [two, f"at least {two}", two] for two in ("2^2 = 4", "2^4 = 16")
    ]
    text = run("multiplicity", "(x1^2 - 1)^2", "--bounds", "-2:2", "--at", "1", "--search", "5000")
    assert "2^1 = 2" in text


@pytest.mark.parametrize(
    "words",
    [
        ("structure", "--n", "3"),
        ("multiplicity", "x1*x2", "--bounds", "0:1,0:1"),
        ("multiplicity", "DF1", "--at", "1"),
        ("multiplicity", "sqrt(x1)", "--bounds", "-1:1", "--at", "-0.5"),
    ],
)
def test_wrong_input_is_told(words: tuple[str, ...]) -> None:
    assert CliRunner().invoke(app, list(words)).exit_code == 2


def test_a_condition_in_a_branch_takes_its_comparison_along() -> None:
    """ln(x2) is asked for only where x1 < 0: the domain is no product of two sets."""
    p = cpc.parse("where(x1 < 0, ln(x2), x2)", bounds=(-1, 1))
    assert not p.admissible([-0.5, -0.5])
    assert p.admissible([[0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]).all()
    assert structure(p).domain.groups == ((0, 1),)
