"""Whose evaluation it is: the models' at first, then more and more the search's; without a budget there are none."""

from __future__ import annotations

import numpy as np

from cpcbench.points import Floats, bits
from cpcbench.solvers.few.models import Models

ALONE, HALF, TENTH = 200, 2000, 10_000
"""The models have all evaluations up to the first, every second up to the second and a tenth up to the third."""
WIDEST = 30
"""Variables beyond which there are no models: those of so many take too long to fit."""
LATE = 0.15
"""The last part of the evaluations, in which the best descent goes on."""
LONG, FEW_OF_MANY = 30_000, 200
"""From so many evaluations on the models have no more than these at the beginning; with fewer more, by their square."""


def of_models(told: int, budget: float) -> float:
    """How many of so many evaluations are the models'."""
    share = min(told, ALONE) + 0.5 * (min(max(told, ALONE), HALF) - ALONE)
    share += 0.1 * (min(max(told, HALF), TENTH) - HALF)
    return min(share, FEW_OF_MANY * max(LONG / budget, 1.0) ** 2) if budget else share


quiet = np.errstate(all="ignore")
"""Models divide and square numbers of any size; what comes of it is looked at, whatever the user has NumPy do."""


class FewTurns:
    """The models in the user's box, and which of the next points are theirs."""

    @quiet
    def __init__(self, lower: Floats, upper: Floats, seed: int, budget: float) -> None:
        self._lower, self._upper, self._budget = lower, upper, budget
        half = upper / 2 - lower / 2
        self._free = np.flatnonzero(half > 0.0)
        self._half = half[self._free]
        self._asks = budget > 0.0 and 0 < len(self._free) <= WIDEST
        self._models = Models(len(self._free), seed)
        self._points: dict[bytes, Floats] = {}  # what was asked for, and what it is in the unit box
        self._asked = self._others = 0
        self._forgone = 0  # evaluations that were the models' and that they had no use for

    @quiet
    def ask(self, count: int) -> Floats:
        """Those of the next `count` points that are the models'; there may be none."""
        told = self._asked + self._others + count
        self._models.is_late = told > (1.0 - LATE) * self._budget
        due = of_models(told, self._budget) - self._asked - self._forgone if told <= TENTH else 0.0
        found = self._models.ask(min(count, int(due))) if self._asks and due >= 1 else []
        if due >= 1 and self._models.declines:
            self._forgone += int(due) - len(found)
        points = np.tile(self._lower, (len(found), 1))
        for x, unit in zip(points, found, strict=True):
            inside = self._lower[self._free] + unit * self._half + unit * self._half
            x[self._free] = np.clip(inside, self._lower[self._free], self._upper[self._free])
            self._points[bits(x)] = unit
        self._asked += len(found)
        return points

    @quiet
    def know(self, points: Floats, values: Floats) -> None:
        """Values from before, the last of them if there are very many."""
        if not self._asks:
            return
        for x, value in zip(points[-HALF:], values[-HALF:], strict=True):
            self._models.learn(self._unit(x), float(value))

    @quiet
    def learn(self, points: Floats, values: Floats) -> list[bool]:
        """Takes values, of whosever points; which points are spread ones of the models."""
        if not self._asks or (not self._points and self._others + self._asked > TENTH):
            return [False] * len(points)  # the models are not asked, or at their end
        spread = []
        for x, value in zip(points, values, strict=True):
            unit = self._points.pop(bits(x), None)
            spread.append(unit is not None and self._models.is_step(unit) is False)
            self._others += unit is None
            self._models.learn(self._unit(x) if unit is None else unit, float(value))
        return spread

    def forget(self, points: Floats) -> None:
        for x in points:
            unit = self._points.pop(bits(x), None)
            if unit is not None:
                self._models.forget(unit)

    @quiet
    def ended(self) -> tuple[Floats, Floats]:
        """Where descents ended since this was asked last, and their values."""
        taken, self._models.ended = self._models.ended, []
        points = np.tile(self._lower, (len(taken), 1))
        points[:, self._free] = [self._lower[self._free] + u * self._half + u * self._half for u, _ in taken] or 0.0
        return np.clip(points, self._lower, self._upper), np.array([value for _, value in taken])

    def _unit(self, x: Floats) -> Floats:
        away = x[self._free] / 2 - self._lower[self._free] / 2
        return np.clip(away / self._half, 0.0, 1.0)
