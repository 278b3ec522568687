"""How the white box shares its work out: a lane that came lower last has more of it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.solvers.white_box import start
from cpcbench.solvers.white_box.lanes.lane import Report, Task
from cpcbench.solvers.white_box.lanes.rounds import KINDS, Grant, Lanes, Rounds
from cpcbench.solvers.white_box.limits import Limits
from cpcbench.solvers.white_box.tuning import EARLY_SHARES, LOWER, LUCKY

P = cpc.parse("x1^2 + x2^2", [(-1.0, 2.0)] * 2)


class Told:
    """Lanes of which each tells of the values that are given, one a turn, whatever it found; and their work."""

    def __init__(self, values: dict[str, list[float]]) -> None:
        with np.errstate(all="ignore"):
            start.prepare(P)
        task = Task(P, np.empty((0, 2)), np.zeros(2, dtype=np.bool_), None)
        self._lanes, self._values = Lanes(task, 1, None, time.perf_counter), values
        self.works: list[dict[str, float]] = []

    def turn(self, number: int, grant: Grant) -> Report:
        name = KINDS[number].name
        if not self.works or name in self.works[-1]:
            self.works.append({})
        self.works[-1][name] = grant.work
        value = self._values.get(name, [9.0])[min(len(self.works), len(self._values.get(name, [9.0]))) - 1]
        return replace(self._lanes.turn(number, grant), low=(np.zeros((1, 2)), np.array([value])))

    def turns(self, grants: dict[int, Grant]) -> Iterator[tuple[int, Report]]:
        return ((number, self.turn(number, grant)) for number, grant in grants.items())


def favoured(values: dict[str, list[float]], rounds: int, lane: str = "near") -> float:
    """How much more of the last round the lane has than it has beside the black box otherwise."""
    limits, told = Limits(), Told(values)
    limits.allow(math.inf, 3000, 0)
    work = Rounds(P, limits, told)
    for _ in range(rounds):
        for _ in work._round():
            pass
    last = told.works[-1]
    return last[lane] / last["black box"] / (EARLY_SHARES[lane] / EARLY_SHARES["black box"])


@pytest.mark.parametrize(
    ("near", "black", "more"),
    [
        ([5.0, 4.0], [6.0, 6.0], LUCKY),
        ([6.0, 6.0], [5.0, 4.0], 1.0 / LUCKY),
        ([5.0, 5.0, 5.0], [6.0, 5.0, 4.0], 1.0 / LUCKY),  # the other one was the last
        ([5.0, 5.0], [6.0, 5.0 - 5.0 * LOWER / 2.0], LUCKY),  # not by a last digit
        ([5.0, 5.0], [6.0, 5.0], LUCKY),  # to be as low is not to be lower
    ],
)
def test_the_lane_that_came_lower_last_has_more(near: list[float], black: list[float], more: float) -> None:
    assert favoured({"near": near, "black box": black}, len(near) + 1) == pytest.approx(more)


def test_tables_have_no_more_for_it_since_each_takes_longer_than_the_last() -> None:
    told = {"tables": [3.0], "near": [5.0], "black box": [6.0]}
    assert favoured(told, 3, "tables") == pytest.approx(1.0)
    assert favoured(told, 3) == pytest.approx(1.0), "and what was lucky before is so no more"


def test_where_nobody_found_anything_shares_are_as_they_are_stated() -> None:
    assert favoured({kind.name: [math.inf] for kind in KINDS}, 3) == 1.0
