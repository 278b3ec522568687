"""The trend below ripples: where it is found, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from cpcbench.points import Floats
from cpcbench.solvers.few.known import Known
from cpcbench.solvers.few.trend import lowest_of_trend

CENTRE = np.array([0.55, 0.4, 0.5])
LOWEST = np.array([0.47, 0.52, 0.41])


def told(count: int, ripple: float, bend: float = 1.0, undefined: float = 0.0) -> Known:
    """Points of a rippled bowl, or of a hill; of some there is no value."""
    known, rng = Known(3), np.random.default_rng(5)
    for point in rng.uniform(0.0, 1.0, (count, 3)):
        known.add(point, np.nan if rng.uniform() < undefined else bowl(point, ripple, bend))
    return known


def bowl(point: Floats, ripple: float, bend: float) -> float:
    away = point - LOWEST
    return float(bend * (away @ away + away[0] * away[1]) + ripple * np.sum(1.0 - np.cos(77.0 * away)))


def trend(known: Known, region: float = 0.4) -> Floats | None:
    return lowest_of_trend(known, CENTRE, region, np.random.default_rng(1))


@pytest.mark.parametrize("undefined", [0.0, 0.5])
def test_a_bowl_is_found_exactly(undefined: float) -> None:
    place = trend(told(200, 0.0, undefined=undefined))
    assert place is not None
    assert np.abs(place - LOWEST).max() < 1e-9


def test_ripples_do_not_hide_it() -> None:
    """They are as high as the bowl is a third of the box away, and what is found is within a few hundredths."""
    place = trend(told(600, 0.1))
    assert place is not None
    assert np.abs(place - LOWEST).max() < 0.05


def test_a_hill_has_none() -> None:
    assert trend(told(200, 0.0, bend=-1.0)) is None


def test_one_that_is_lowest_elsewhere_is_none() -> None:
    assert trend(told(20_000, 0.0), region=0.05) is None


def test_few_points_have_none() -> None:
    assert trend(told(18, 0.0)) is None
    assert trend(Known(3)) is None


@pytest.mark.parametrize("size", [1e-300, 1e150, 1e308])
def test_values_of_any_size(size: float) -> None:
    known = Known(3)
    with np.errstate(all="ignore"):
        for point, value in zip(told(100, 0.0).points, told(100, 0.0).values, strict=True):
            known.add(point, size * value)
        place = trend(known)
    assert place is None or np.isfinite(place).all()
