"""Many basins within a larger one: descents that begin near the lowest end of the others."""

from __future__ import annotations

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.points import Floats
from cpcbench.solvers.few.models import FARTHEST, NEAR_FROM, NEAR_RADIUS, Models
from tests.cases import one_in

AT = np.array([0.37, 0.61])


def basins(x: Floats) -> float:
    """A wide bowl with a basin each twelfth of the box; lowest, 0, at AT."""
    away = x - AT
    return float(20.0 * away @ away + np.sum(1.0 - np.cos(24.0 * np.pi * away)))


def test_a_part_of_the_descents_begins_near_the_lowest_end_in_a_region_of_that_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cpcbench.solvers.few.models.TREND_SHARE", 0.0)
    models, near = Models(2, 4), 0
    for _ in range(400):
        for point in models.ask(1):
            if models._reach and models.is_step(point) is False:
                lowest = min(models._ends, key=lambda one: one[1])[0]
                assert np.abs(point - lowest).max() <= models._reach <= FARTHEST
                assert len(models._ends) >= NEAR_FROM - 1
                near += 1
            elif models._reach and models._descent is not None and models._descent.steps == 1:
                assert models._descent.radius <= max(NEAR_RADIUS * models._reach, 0.1)
            models.learn(point, basins(point))
    assert near > 10


def is_found(seed: int) -> bool:
    """Whether the models alone find the lowest basin with 400 evaluations."""
    models = Models(2, seed)
    for _ in range(400):
        for point in models.ask(1):
            models.learn(point, basins(point))
    return models._low < 0.01


def test_others_begin_where_the_trend_is_lowest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which leads into the lowest basin: with trends alone in all of these searches, without them in half."""
    monkeypatch.setattr("cpcbench.solvers.few.models.TREND_SHARE", 1.0)
    assert sum(map(is_found, range(8))) >= 7


@pytest.mark.parametrize(("seeds", "least"), one_in(2, [(3, 2), (12, 10)]))
def test_the_lowest_of_many_basins_is_found(seeds: int, least: int) -> None:
    found = [cpc.minimize(basins, [(0.0, 1.0)] * 2, budget=600, rng=seed).fun for seed in range(seeds)]
    assert sum(value < 1e-4 for value in found) >= least
