"""What the user of the white box is told of: each improvement as the evaluation that it was, until he wants to stop."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.clock import OutOfTimeError
from cpcbench.points import Floats
from cpcbench.solvers.white_box.evaluations import Counted, Lowest
from cpcbench.solvers.white_box.limits import Limits

P = cpc.parse("x1 + sqrt(x1)", [(-9.0, 9.0)])


def evaluated(points: list[float], most: int, stops_at: float = -math.inf) -> list[tuple[int, float, float]]:
    """What is told of when these are evaluated at once, up to so many, after 3 evaluations here and 10 by others."""
    told: list[tuple[int, float, float]] = []

    def watch(x: Floats, value: float, evaluations: int) -> bool:
        told.append((evaluations, float(x[0]), value))
        return bool(x[0] <= stops_at)

    limits = Limits(watch=watch)
    limits.allow(math.inf, 3 + most, 10)
    counted = Counted(P, limits, Lowest(P, limits))
    with suppress(OutOfTimeError):
        for batch in ([9.0, 8.0, 9.0], points):
            counted(np.array(batch), np.empty(len(batch)))
    return told[2:]


def test_each_improvement_of_a_batch_is_told_of_as_the_evaluation_that_it_was() -> None:
    points = [-1.0, 7.0, 7.5, 4.0, -2.0, 1.0, 3.0]
    value = {x: x + math.sqrt(x) for x in (7.0, 4.0, 1.0)}
    all_of_them = [(15, 7.0, value[7.0]), (17, 4.0, value[4.0]), (19, 1.0, value[1.0])]
    assert evaluated(points, 7) == all_of_them
    for most in range(1, 7):
        assert evaluated(points, most) == [one for one in all_of_them if one[0] <= 13 + most], "a part is its beginning"


def test_nothing_is_told_of_after_the_user_wanted_to_stop() -> None:
    assert [x for _, x, _ in evaluated([7.0, 4.0, 1.0, 0.5], 4, stops_at=4.0)] == [7.0, 4.0]


@pytest.mark.parametrize("budget", [300, 200_000])
@pytest.mark.parametrize("fails", [False, True])
def test_a_callback_that_ended_the_search_is_not_called_again(budget: int, fails: bool) -> None:
    """Not by the other lanes of the round either, which is a whole one where the budget is large."""
    told: list[int] = []

    def callback(intermediate_result: OptimizeResult) -> None:
        told.append(intermediate_result.nfev)
        if len(told) == 2:
            raise ValueError("the second") if fails else StopIteration

    def search() -> OptimizeResult:
        text, box = "abs(x1*x2 - 0.3) + (x1 - x3)^4 + cos(7*x2 + x3)", [(-2.0, 2.0)] * 3
        return cpc.minimize(text, box, method="white-box", budget=budget, rng=1, callback=callback)

    if fails:
        with pytest.raises(ValueError, match="the second"):
            search()
    else:
        assert search().nfev < budget
    assert len(told) == 2
