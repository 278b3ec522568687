"""A proof that closes soon does not wait for a long search, and one that does not has its whole time."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.certify import times, work
from cpcbench.certify.times import SEARCH, SHORT_SEARCH, TRY, Times
from cpcbench.certify.upper import candidates
from cpcbench.certify.upper.candidates import best_points
from cpcbench.solvers.unbounded import solve_anywhere

pytestmark = pytest.mark.usefixtures("unhurried")

BOTH, BOX = "sqrt(x1*x2 + 1) + (x1 - x2)^2 - x1", [(0, 1), (0, 1)]
"""No sum of parts in single variables, whose lowest places need no search."""


def watched(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that each search for points is given; it ends after so many evaluations, and so finds the same points
    however busy the machine is."""
    given: list[float] = []

    def search(problem: cpc.Problem, seconds: float, **options: Any) -> Any:
        given.append(seconds)
        return best_points(problem, 600.0, **options)

    monkeypatch.setattr(work, "best_points", search)
    monkeypatch.setattr(candidates, "solve_anywhere", partial(solve_anywhere, budget=5_000))
    return given


def test_an_easy_proof_needs_a_short_search_only(monkeypatch: pytest.MonkeyPatch) -> None:
    given = watched(monkeypatch)
    monkeypatch.setattr(times, "LONGEST_TRY", 30.0)  # a busy machine needs more than 2 s
    proof = cpc.certify("sqrt(x1 - x2^2) + x2", [(0, 2), (-1, 1)], seconds=300, workers=1)
    assert proof.gap <= 1e-9
    assert proof.attained
    assert len(given) == 1
    assert given[0] <= SEARCH * 30.0


def test_what_does_not_close_so_soon_is_searched_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    given = watched(monkeypatch)
    monkeypatch.setattr(work.Work, "_is_close", lambda *_: False)
    proof = cpc.certify(BOTH, BOX, seconds=20, workers=1)
    assert proof.check().accepted
    assert len(given) == 2
    assert given[0] <= SEARCH * TRY * 20
    assert given[1] > SHORT_SEARCH * 20  # points that the first try has kept do not make it a short one


def test_points_that_are_given_make_the_search_short(monkeypatch: pytest.MonkeyPatch) -> None:
    given = watched(monkeypatch)
    monkeypatch.setattr(work.Work, "_is_close", lambda *_: False)
    cpc.certify(BOTH, BOX, seconds=6, workers=1, points=[[0.25, 0.5]])
    assert given[1] <= SHORT_SEARCH * 6


def test_without_time_for_two_there_is_no_first_try() -> None:
    assert Times(2.0).first_try() is None
    first = Times(5.0).first_try()
    assert first is not None
    assert (first.seconds, first.whole, first.is_a_try) == (0.5, 5.0, True)
