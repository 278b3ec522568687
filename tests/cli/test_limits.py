"""What may be asked for, and what is said where it is too much; statuses of what could not be proven."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError, NotProvenError
from cpcbench.limits import LONGEST, MOST_EVALUATIONS, checked_budget, checked_processes, checked_seconds
from tests.cases import one_in


def said(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.mark.parametrize("given", [0, -1.0, math.nan, math.inf, 1e300, 10**400, True, "3", None, LONGEST * 1.01])
def test_times_that_are_none(given: object) -> None:
    with pytest.raises(CpcbenchError, match="the hunt is a positive number of seconds, at most 10,000,000, not"):
        checked_seconds(given, "the hunt")


@pytest.mark.parametrize("given", [0, -1, 10**20, 1.5, math.nan, True, "3", None])
def test_budgets_that_are_none(given: object) -> None:
    with pytest.raises(CpcbenchError, match="a budget is a whole number of evaluations from 1 to"):
        checked_budget(given)


def test_what_is_allowed() -> None:
    assert (checked_seconds(1), checked_seconds(LONGEST)) == (1.0, LONGEST)
    assert (checked_budget(1), checked_budget(MOST_EVALUATIONS)) == (1, MOST_EVALUATIONS)
    assert checked_processes(0, "workers", least=0) == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--budget", "9" * 20], "a budget is a whole number of evaluations from 1 to 1,000,000,000,000"),
        (["--runs", "100000000"], "a study has at most 1,000,000 runs, this would be 100,000,000"),
        (["--workers", "9" * 20], "workers is a whole number of worker processes from 0 to 1,024"),
        (["--seconds", "inf"], "a time limit is a positive number of seconds"),
        (["--store", ":memory:"], "a study is a file"),
    ],
)
def test_a_study_that_is_too_much(tmp_path: Path, words: list[str], text: str) -> None:
    store = [] if "--store" in words else ["--store", str(tmp_path / "s.db")]
    status, output = said("run", "--problems", "DF1", "--solvers", "SA", *store, *words)
    assert (status, text in output) == (2, True), output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["feasible", "DF9", "--proven", "inf"], "--proven is a positive number of seconds"),
        (["feasible", "DF9", "--proven", "1e20"], "--proven is a positive number of seconds"),
        (["multiplicity", "DF5", "--search", "9" * 20], "from 1 to 1,000,000,000"),
        (["certify", "x1^2", "--bounds", "0:1", "--format", "latex"], "--format is for the table of --table"),
        (["eval", "gamma(x1)", "--bounds", "0:1", "0.5"], "'gamma': it is not in the language, which has abs"),
        (["eval", "sinn(x1)", "--bounds", "0:1", "0.5"], "did you mean sin?"),
    ],
)
def test_what_is_refused_with_a_reason(words: list[str], text: str) -> None:
    status, output = said(*words)
    assert (status, text in output) == (2, True), output


@pytest.mark.parametrize(
    ("formula", "bounds"), one_in(2, [("abs(x1 - x1)^(-0.5)", "0:1"), ("sqrt(x1) + ln(-x1)", "-1:1")])
)
def test_what_could_not_be_proven_is_no_wrong_input(formula: str, bounds: str) -> None:
    status, output = said("certify", formula, "--bounds", bounds, "--seconds", "1")
    assert (status, "no admissible point" in output) == (1, True), output
    low, high = map(float, bounds.split(":"))
    with pytest.raises(NotProvenError):
        cpc.certify(cpc.parse(formula, bounds=[(low, high)]), seconds=1.0)


def test_a_page_of_a_study_that_is_not_there(tmp_path: Path) -> None:
    status, output = said("report", str(tmp_path / "none.db"), "--html", str(tmp_path / "p.html"))
    assert (status, "there is no study" in output, "writing" in output) == (2, True, False)
