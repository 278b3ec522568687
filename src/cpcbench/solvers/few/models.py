"""The search by models: a few spread points, descents from the best of them, and new beginnings elsewhere."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.few.descent import Descent
from cpcbench.solvers.few.known import Known
from cpcbench.solvers.few.spread import spread_point
from cpcbench.solvers.few.trend import lowest_of_trend

FIRST_RADIUS, LATER_RADIUS, POLISH_RADIUS = 0.2, 0.1, 0.03
"""The trust regions of descents to begin with, as parts of the box; the last is for points that others found."""
FIRST, BETWEEN, TRIES = 3, 2, 4
"""Spread points before the first descent, and one more for each variable; between two; more if all are undefined."""
SOON, LUCKY, UNLUCKY, WAIT = 0.1, 0.4, 0.15, 9
"""How soon it is seen that spread points are lost. With less than the second part of them defined there are fewer
tries, with less than the third one spread point between two descents, and for so many turns none: they are left to
the rest of the search, which draws in other ways."""
MOST_STEPS = 30
"""Steps of a descent, and so many more for each variable, before others are tried."""
MOST_KNOWN = 1500
"""Points that are remembered; beyond that only the models' own."""
CLOSE = 0.05
"""A descent that comes so near to where another has ended is given up."""
OUTLOOK = 4.0
"""Gains like that of its last steps that a descent may hope for where another came lower."""
MET = 3
"""Undefined ones among its last steps with which a descent is given up where another came lower."""
NEAR_FROM, NEAR_SHARE = 3, 0.7
"""From so many descents on, this part of the others begins near the lowest end: basins often lie in a larger one."""
NEAREST, FARTHEST = 0.003, 0.3
"""How near, as parts of the box: any part between them, all magnitudes alike."""
NEAR_RADIUS = 0.5
"""The first trust region of such a descent, as a part of that."""
TREND_SHARE = 0.6
"""This part of the points near the lowest end is where the trend below the points about it is lowest, if it has such a
place: ripples hide where a larger basin is lowest."""
SMALLEST_REGION, LARGEST_REGION = 0.02, 1.0
"""How far from the lowest end the points are that have a trend, as parts of the box, all magnitudes alike."""
TREND_REACH, TREND_NOISE = 0.1, 0.02
"""How near to it that point is thought to be, and how far beside it is tried, as parts of that."""
RESUMED = 3
"""Every so many descents one goes on that was slow or that a wall had stopped, if it is the best."""


class Models:
    """Asks for points of the unit box; `learn` takes values, of its own points and of others."""

    def __init__(self, dim: int, seed: int) -> None:
        self.known = Known(dim)
        self.ended: list[tuple[Floats, float]] = []
        """Where descents ended since somebody took them from here."""
        self._rng = np.random.default_rng(seed)
        self._dim = dim
        self._descent: Descent | None = None
        self._ends: list[tuple[Floats, float]] = []
        self._stopped: list[Descent] = []
        self._fresh: list[tuple[Floats, float]] = []  # spread points since the last descent
        self._other: tuple[Floats, float] | None = None  # the best that others found since
        self._spread_left, self._turn, self._descents = FIRST + dim, 0, 0
        self._luck = 0.5  # the part of the last spread points that had a value
        self._under_way: dict[bytes, bool] = {}  # what was asked for; whether it is a step
        self._reach = 0.0  # how far from the lowest end the next descent begins; 0 for anywhere
        self._waited = 0  # times that there could have been a spread point since the last one
        self._low = math.inf  # the lowest value where a descent has ended
        self.is_late = False
        """Whether the evaluations left are for the best."""
        self.declines = False
        """Whether there was nothing to go by when points were asked for last."""

    def ask(self, count: int) -> list[Floats]:
        """Up to `count` points, none if there is nothing to go by: a descent makes one step at a time."""
        points: list[Floats] = []
        self.declines = False
        while len(points) < count:
            point = self._next()
            if point is None:
                break
            points.append(point)
        return points

    def is_step(self, point: Floats) -> bool | None:
        """Whether a point that was asked for is a step of a descent; None if it was not asked for."""
        return self._under_way.get(point.tobytes())

    def forget(self, point: Floats) -> None:
        """The value of a point will not come."""
        if self._under_way.pop(point.tobytes(), None) and self._descent is not None:
            self._descent.radius *= 0.5

    def learn(self, point: Floats, value: float) -> None:
        value = value if math.isfinite(value) else math.nan
        step = self._under_way.pop(point.tobytes(), None)
        if step is not None or self.known.count < MOST_KNOWN:
            self.known.add(point, value)
        if step and self._descent is not None:
            self._descent.learn(point, value)
        elif step is not None:
            self._luck += SOON * ((value == value) - self._luck)
            self._fresh += [(point, value)] if value == value else []
        elif value == value and (self._other is None or value < self._other[1]):
            self._other = point, value

    def _next(self) -> Floats | None:
        if any(self._under_way.values()):
            return None
        if self._descent is None and self._spread_left <= 0:
            self._begin()
        if self._descent is not None:
            point = None if self._is_lost(self._descent) else self._step(self._descent)
            if point is not None:
                return self._asked(point, True)
            self._end(self._descent)
        self._waited += 1
        tries = int(TRIES * min(1.0, self._luck / LUCKY)) if self.known.any_defined else 0
        if self._spread_left <= -tries or (self._luck < UNLUCKY and self._waited <= WAIT):
            self.declines = True
            return None
        self._waited = 0
        self._turn += 1
        self._spread_left -= 1
        return self._asked(self._beginning(), False)

    def _step(self, descent: Descent) -> Floats | None:
        """Its next point; none where values are so large that no model of them can be made."""
        try:
            return descent.step(self.known)
        except np.linalg.LinAlgError:
            return None

    def _beginning(self) -> Floats:
        """Where a descent might begin: near the lowest end, at a trend's lowest place, or at a spread point."""
        if not self._reach:
            return spread_point(self.known, self._turn, self._rng, [end for end, _ in self._ends])
        lowest = min(self._ends, key=lambda one: one[1])[0]
        about, far = lowest, self._reach
        if self._rng.uniform() < TREND_SHARE:
            region = _magnitude(SMALLEST_REGION, LARGEST_REGION, self._rng)
            trend = lowest_of_trend(self.known, lowest, region, self._rng)
            if trend is not None:
                about, far, self._reach = trend, TREND_NOISE * region, TREND_REACH * region
        return np.clip(about + far * self._rng.uniform(-1.0, 1.0, self._dim), 0.0, 1.0)

    def _asked(self, point: Floats, step: bool) -> Floats:
        self._under_way[point.tobytes()] = step
        return point

    def _begin(self) -> None:
        """From the best that others found, if no descent came so low; else from a spread point, or a stopped one."""
        self._descents += 1
        if self._other is not None and (self._other[1] < self._low or not self._fresh):
            at, value = self._other
            self._descent = Descent(at, value, POLISH_RADIUS if self._ends else LATER_RADIUS, self._rng)
            self._other = None
            return
        stopped = min(self._stopped, key=lambda one: one.value, default=None)
        resumes = self.is_late or not self._fresh or self._descents % RESUMED == 0
        if stopped is not None and resumes and stopped.value <= self._low:
            self._stopped.remove(stopped)
            self._descent = stopped.resumed()
        elif self._fresh:
            at, value = min(self._fresh, key=lambda one: one[1])
            radius = LATER_RADIUS if self._ends else FIRST_RADIUS
            radius = min(radius, NEAR_RADIUS * self._reach) if self._reach else radius
            self._descent = Descent(at, value, radius, self._rng)

    def _end(self, descent: Descent) -> None:
        if descent.is_stopped or self._is_paused(descent):
            self._stopped.append(descent)
        self._ends.append((descent.centre, descent.value))
        self._low = min(self._low, descent.value)
        self.ended.append((descent.centre, descent.value))
        self._reach = 0.0
        if self._descents >= NEAR_FROM and self._rng.uniform() < NEAR_SHARE:
            self._reach = _magnitude(NEAREST, FARTHEST, self._rng)
        self._descent, self._spread_left, self._fresh = None, BETWEEN if self._luck > UNLUCKY else 1, []

    def _is_paused(self, descent: Descent) -> bool:
        """Whether it is so slow, or has taken so long, that others are tried before it goes on."""
        if self.is_late and descent.value <= self._low:
            return False
        return descent.is_slow or descent.steps > MOST_STEPS * (1 + self._dim)

    def _is_lost(self, descent: Descent) -> bool:
        """Whether it is paused, stopped by walls, will not come as low as another, or comes to where one has ended."""
        if descent.is_stopped or self._is_paused(descent):
            return True
        if descent.value > self._low and descent.met_of_late >= MET:
            return True
        if descent.value - OUTLOOK * descent.gained_of_late() > self._low:
            return True
        near = min(descent.radius, CLOSE)
        return (
            any(value <= descent.value and np.abs(end - descent.centre).max() <= near for end, value in self._ends)
            and not descent.is_resumed
        )


def _magnitude(least: float, most: float, rng: np.random.Generator) -> float:
    """A number between the two, all magnitudes alike."""
    return float(most * (least / most) ** rng.uniform())
