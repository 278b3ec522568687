"""What a user knows already is used: points to begin with, points whose values are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc

BOX = [(-1e3, 1e3)] * 4
CENTRE = np.array([1.0, -2.0, 3.0, -4.0])
calls: list[list[float]] = []


def needle(x: Any) -> float:
    """Defined in a ball of radius 1 that no draw will hit: volume 5 in a box of 1.6e13."""
    calls.append([float(v) for v in x])
    return 10.0 + float(np.sum((x - CENTRE) ** 2)) if np.sum((x - CENTRE - 0.3) ** 2) < 1 else math.nan


FORMULA = "sum(i, 1, n, (x[i] - i)^2) + 0*ln(1 - sum(i, 1, n, (x[i] - i - 0.3)^2))"


def test_a_point_to_begin_with_is_evaluated_first_and_followed() -> None:
    calls.clear()
    without = cpc.minimize(needle, BOX, budget=2000, rng=1)
    assert without.x is None
    calls.clear()
    found = cpc.minimize(needle, BOX, budget=2000, rng=1, x0=CENTRE + 0.5)
    assert calls[0] == (CENTRE + 0.5).tolist()
    assert found.nfev == len(calls) == 2000
    assert found.fun < 10.001


def test_several_points_and_what_is_known() -> None:
    calls.clear()
    starts = [CENTRE + 0.4, CENTRE + 500]
    found = cpc.minimize(needle, BOX, budget=500, rng=1, x0=starts)
    assert calls[:2] == [point.tolist() for point in starts]
    assert found.fun < 11
    calls.clear()
    points = [CENTRE + 0.4, CENTRE + 500]
    found = cpc.minimize(needle, BOX, budget=500, rng=1, known=(points, [needle(points[0]), math.nan]))
    assert len(calls) == 501  # one of them in the line above
    assert points[1].tolist() not in calls
    assert found.fun < 10.5
    assert found.nfev == 500


def test_what_is_known_counts_even_if_nothing_better_is_found() -> None:
    found = cpc.minimize(lambda x: math.nan, [(0, 1)], budget=10, rng=1, known=([[0.25]], [3.0]))
    assert (found.x.tolist(), found.fun, found.nfev) == ([0.25], 3.0, 10)


@pytest.mark.parametrize("method", ["white-box", "black-box"])
def test_formulas_begin_there_too(method: str) -> None:
    centre = np.arange(1.0, 5.0)
    found = cpc.minimize(FORMULA, BOX, budget=6000, rng=1, method=method, x0=centre + 0.5)
    assert found.fun < 0.01
    if method == "white-box":
        found = cpc.minimize(FORMULA, BOX, budget=6000, rng=1, method=method, known=([centre + 0.5], [1.0]))
        assert found.fun < 0.01


def test_a_budget_of_one_goes_to_the_point_given() -> None:
    calls.clear()
    found = cpc.minimize(needle, BOX, budget=1, rng=1, x0=[CENTRE + 0.1, CENTRE])
    assert calls == [(CENTRE + 0.1).tolist()]
    assert found.nfev == 1
    assert found.x.tolist() == calls[0]


def test_without_them_nothing_changes() -> None:
    def bowl(x: Any) -> float:
        return float(np.sum((x - 0.3) ** 2))

    a = cpc.minimize(bowl, [(-1, 1)] * 2, budget=300, rng=4)
    b = cpc.minimize(bowl, [(-1, 1)] * 2, budget=300, rng=4, x0=None, known=None)
    assert (a.fun, a.x.tolist()) == (b.fun, b.x.tolist())


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"x0": [0.0]}, "4 finite coordinates"),
        ({"x0": [0.0, math.nan, 0.0, 0.0]}, "finite"),
        ({"x0": [0.0, 0.0, 0.0, 2e3]}, "outside of the bounds"),
        ({"x0": "middle"}, "finite coordinates"),
        ({"known": [[0.0] * 4]}, "known is"),
        ({"known": ([[0.0] * 4], [1.0, 2.0])}, "one value for each"),
        ({"known": ([[0.0] * 4], ["low"])}, "known is"),
        ({"known": ([[0.0] * 3], [1.0])}, "4 finite coordinates"),
    ],
)
def test_bad_input_is_refused(settings: dict[str, Any], word: str) -> None:
    for fun in (needle, FORMULA):
        with pytest.raises(cpc.CpcbenchError, match=word):
            cpc.minimize(fun, BOX, budget=10, **settings)


def test_a_formula_is_evaluated_where_it_is_said_to_be_known() -> None:
    found = cpc.minimize(
        "(x1 - 1)^2 + x2^2", [(-5, 5)] * 2, method="black-box", budget=50, rng=1, known=([[4, 4]], [-3.0])
    )
    assert found.fun >= 0


def test_workers_that_fail_at_the_points_to_begin_with() -> None:
    def failing(function: Any, points: Any) -> Any:
        for i, point in enumerate(points):
            if i == 5:
                raise OSError("gone")
            yield function(point)

    found = cpc.minimize(
        lambda x: float(x[0]), [(0, 1)], budget=100, workers=failing, x0=np.linspace(0.1, 1, 20)[:, None]
    )
    assert (found.status, found.fun) == (3, 0.1)
