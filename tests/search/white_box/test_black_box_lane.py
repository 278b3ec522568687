"""The black box inside the white box: the search that users have, told of few evaluations first and then of more."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.tuning import for_budget
from cpcbench.solvers.white_box.lanes.black_box import BlackBox
from cpcbench.solvers.white_box.lanes.lane import Task
from cpcbench.solvers.white_box.limits import Limits
from cpcbench.solvers.white_box.tuning import BATCHES, LARGEST_BATCH, STAGES

HALF = "(x1 - 1)^2 + 100*(x2 - x1^2)^2 + 0*sqrt(x2 + x1)"
BOX = [(-3.0, 3.0)] * 2


def lane(p: Problem, evaluations: int, whole: bool = False) -> tuple[BlackBox, Floats]:
    """The lane by itself after so many evaluations, and the points that it asked for."""
    limits = Limits(watch=None)
    limits.allow(math.inf, evaluations, 0)
    made = BlackBox(Task(p, np.empty((0, p.dim)), np.full(p.dim, whole), None), np.random.default_rng(5), limits)
    read, asked = made._read, []

    def seen(points: Floats) -> Floats:
        asked.append(points.copy())
        return read(points)

    made._read = seen  # type: ignore[method-assign]
    made.run(evaluations)
    return made, np.vstack(asked)


def test_its_first_points_are_those_of_the_search_that_has_so_many_evaluations() -> None:
    p = cpc.parse(HALF, BOX)
    made, asked = lane(p, 600)
    search = Search(p.lower, p.upper, np.random.default_rng(5), **for_budget(STAGES[0]))
    done = 0
    while done < 600:
        points = search.ask(min(LARGEST_BATCH, max(1, done // BATCHES), 600 - done))
        assert np.array_equal(points, asked[done : done + len(points)])
        search.tell(points, p(points))
        done += len(points)
    assert made._search.best_value == search.best_value
    assert search.best_value < 1e-6, "models come down the valley at once"


def test_a_search_for_more_knows_what_the_one_before_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpcbench.solvers.white_box.lanes.black_box.STAGES", (150, 250))
    p = cpc.parse(HALF, BOX)
    best, searches = math.inf, set()
    for evaluations in (100, 200, 300, 500):
        made, asked = lane(p, evaluations)
        assert len(asked) == evaluations
        lowest = float(np.nanmin(p(asked)))
        assert made._search.best_value == lowest <= best
        best = lowest
        searches.add(made._search._few._budget)  # type: ignore[union-attr]
    assert searches == {150.0, 250.0, 0.0}


def test_points_of_whole_numbers_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpcbench.solvers.white_box.lanes.black_box.STAGES", (50, 60))
    p = cpc.parse("(x1 - 17)^2 + (x2 + 4)^2 + sin(x1*x2)", [(-40.0, 40.0)] * 2)
    _, asked = lane(p, 300, whole=True)
    assert len(np.unique(asked, axis=0)) == len(asked)
