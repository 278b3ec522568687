"""Coq itself, where there is one: it takes true bounds, and nothing that was changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.theorems.__main__ import checked, compiled, other_axioms

import cpcbench as cpc
from cpcbench.certify.certificate.library import certificate
from cpcbench.certify.coq.theorem import theorem

SECONDS = 1200
pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="there is no coqc")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("coq"))


def written(name: int | str) -> str:
    return theorem(certificate(f"CPC-DF{name}.json.gz"))


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def tree(new: str) -> Callable[[str], str]:
    return lambda text: re.sub(r"Definition proof : tree :=\n  .*\.\n", f"Definition proof : tree :=\n  {new}.\n", text)


def lowered(text: str) -> str:
    """A smaller upper bound, in the definition and in the statement."""
    top = re.search(r"Definition top : rational := \(\((-?\d+)\)%Z, (\d+)%", text)
    assert top is not None
    return text.replace(top[1], str(int(top[1]) - int(top[2]) // 10**6))


CHANGES: dict[str, Callable[[str], str]] = {
    "the bound is raised": replaced("-8118042766557651", "-8118042700000000"),
    "the bound is raised in the statement": replaced("(-8118042766557651 / 2251799813685248)", "(-3)"),
    "the tree is felled": tree("Leaf"),
    "another formula is stated": replaced("((1) - (ln ", "((2) - (ln "),
    "another formula is proven": replaced("(Sub (Num ((1)%Z, 1%positive))", "(Sub (Num ((2)%Z, 1%positive))"),
    "a wider box is stated": replaced("(-100) <= x1", "(-101) <= x1"),
    "a condition is left out": replaced("  0 < (((x1 ^ 2)", "  0 < 1 + (((x1 ^ 2)"),
    "the upper bound is lowered": lowered,
    "the point is another": lambda text: re.sub(r"(Definition spot .*?\(\()-?\d+", r"\g<1>0", text, count=1),
}


def without_assumptions(text: str) -> str:
    """They take ten times as long to list as the proof takes to check."""
    return re.sub(r"^Print Assumptions .*$", "", text, flags=re.MULTILINE)


@pytest.mark.slow
def test_coq_takes_both_bounds_and_nothing_that_was_changed(home: Path) -> None:
    text = without_assumptions(written(17))
    accepted, printed = checked(text, home, SECONDS)
    assert accepted, printed
    for name, change in CHANGES.items():
        after = change(text)
        assert after != text, name
        refused(after, home, name)


def refused(text: str, home: Path, name: str) -> None:
    """Coq reads it, and finds that it does not hold."""
    accepted, printed = checked(text, home, SECONDS)
    assert not accepted, name
    assert re.search(r"Unable to unify|has type|Tactic failure|Cannot", printed), (name, printed)
    assert "Syntax error" not in printed, name


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 6, 8, 17])
def test_theorems_rest_on_coqs_numbers_alone(home: Path, k: int) -> None:
    """A point, tables along a chain, a quotient without its hole, a pinned witness."""
    accepted, printed = checked(written(k), home, SECONDS)
    assert accepted, printed
    assert printed.count("Axioms:") == 1
    assert other_axioms(printed) == []


@pytest.mark.slow
def test_an_axiom_of_ones_own_is_seen(home: Path) -> None:
    text = re.sub(r"  exact \(\(by_tree.*\n", "  destruct mine.\n", written(17))
    text = text.replace("Theorem lower_bound", "Axiom mine : False.\nTheorem lower_bound")
    accepted, printed = checked(text, home, SECONDS)
    assert accepted, printed
    assert other_axioms(printed) == ["mine : False"]


def halved(text: str) -> str:
    """The bound of the sum is half of itself, and so higher."""
    return re.sub(r"(part_bound : rational := \(\()(-\d+)", lambda found: f"{found[1]}{int(found[2]) // 2}", text)


def doubled(text: str) -> str:
    """All values of the tables are twice what they are."""
    return re.sub(
        r"(positive\), \(\()(-?\d+)(\)%Z, \d+%positive\)\);)",
        lambda found: f"{found[1]}{2 * int(found[2])}{found[3]}",
        text,
    )


TABLE_CHANGES: dict[str, Callable[[str], str]] = {
    "the values of a table": doubled,
    "a table is given back where it was lent": lambda text: re.sub(
        r"(\d+)%nat, (\d+)%nat\)\)", r"\1%nat, \1%nat))", text
    ),
    "a term is in another link": lambda text: text.replace("linked : list nat := [0", "linked : list nat := [1"),
    "the sum of the bounds": halved,
}


@pytest.mark.slow
def test_coq_takes_no_other_table(home: Path) -> None:
    text = without_assumptions(written("6-n3"))
    assert checked(text, home, SECONDS)[0]
    for name, change in TABLE_CHANGES.items():
        after = change(text)
        assert after != text, name
        refused(after, home, name)


OWN = {
    "sin(3*x1)/x1": [(-5, 4)],
    "sin(x1*pi)/(x1*(x1 - 1))*x2 + sqrt(x2)": [(-3, 3), (-1, 2)],
    "cos(x1)*sqrt(x1 - x2^2) + ln(x2 + 3)": [(-4, 4), (-2, 2)],
}
"""Holes of both kinds, convex leaves, and points."""


@pytest.mark.slow
@pytest.mark.parametrize("formula", OWN)
def test_coq_takes_proofs_of_ones_own(home: Path, formula: str) -> None:
    proof = cpc.certify(cpc.parse(formula, bounds=OWN[formula]), seconds=60)
    text = without_assumptions(theorem(proof))
    assert "Theorem upper_bound" in text
    accepted, printed = checked(text, home, SECONDS)
    assert accepted, printed
