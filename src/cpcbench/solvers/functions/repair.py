"""Points that miss constraints, moved to where these hold: Newton's method with slopes by differences, and Broyden's.

Only the constraints are computed, not the function. So a search that is told a function's values at the points moved
follows the edge of the domain, or a band that equations leave, which it would hardly meet by chance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Floats

Rooms = Callable[[Floats], Floats]
"""By how much points, the rows, meet each constraint: at least 0 where it holds, NaN where that is not known."""

STEPS = 12
"""Steps at most."""
SLOW = 3
"""After so many a step by slopes that are new has to halve what is missed most, or the point is left where it was."""
KEPT = 0.2
"""Of what was missed most, left after a step: slopes are computed again by differences where more is left."""
DIFFERENCE = 1e-7
"""Of the box, between the points from which slopes come."""
LONGEST = 0.3
"""Of a step, in units of the box."""
INSIDE = 1e-12
"""How far inside points are brought, as a share of what a constraint changes by across the box."""
FURTHER = 0.05
"""Of what is missed at most: a step is aimed further inside by what the last one says that slopes will be off by. Edges
that are bent would else be met from outside, in ever smaller steps."""
RIDGE = 1e-12
"""Added to the squares of normed slopes, so that constraints that touch have a step too."""


class Repair:
    """`repair(points)` are the points, and where one of them missed a constraint and could be moved, a point nearby at
    which all hold. Coordinates that are `held` do not move. `computed` counts the points at which the constraints were
    computed."""

    def __init__(self, rooms: Rooms, lower: Floats, upper: Floats, held: NDArray[np.bool_] | None = None) -> None:
        self._of, self._lower, self._upper = rooms, lower, upper
        self.computed = 0
        width = upper - lower
        self._width = np.where(np.isfinite(width), width, np.nan)
        self._free = np.ones(len(lower), dtype=bool) if held is None else ~held

    def __call__(self, points: Floats) -> Floats:
        room = self._rooms(points)
        rows = np.flatnonzero((room < 0.0).any(axis=1) & ~np.isnan(room).any(axis=1))
        if not len(rows) or not self._free.any():
            return points
        with np.errstate(all="ignore"):
            moved, inside = self._moved(points[rows].copy(), room[rows])
        found = points.copy()
        found[rows[inside]] = moved[inside]
        return found

    def holds(self, points: Floats) -> NDArray[np.bool_]:
        """At which points all constraints hold."""
        return np.asarray((self._rooms(points) >= 0.0).all(axis=1))

    def _rooms(self, points: Floats) -> Floats:
        self.computed += len(points)
        return self._of(points)

    def _moved(self, x: Floats, room: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """The points after some steps, and at which of them all constraints hold.

        Slopes by differences take a computation for each variable: as long as steps leave little of what is missed,
        slopes are brought up to date by what the last step showed (Broyden's formula).
        """
        missed, worst = np.zeros(room.shape, dtype=bool), np.full(len(x), np.inf)
        slopes, unit, bent = np.zeros((*room.shape, x.shape[1])), np.zeros_like(x), np.zeros_like(room)
        new, going = np.ones(len(x), dtype=bool), np.arange(len(x))
        for step_number in range(STEPS):
            if len(again := going[new[going]]):
                unit[again] = self._unit(x[again])
                slopes[again] = self._slopes(x[again], room[again], unit[again])
            missed[going] |= room[going] < 0.0
            here, had, before = x[going], room[going], worst[going]
            step = self._step(room[going] - bent[going], missed[going], slopes[going])
            x[going] = np.clip(here + step * unit[going], self._lower, self._upper)
            room[going] = self._rooms(x[going])
            worst[going] = now = np.max(-room[going], axis=1)  # NaN where nothing is known any more
            halved = now <= 0.5 * before
            slopes[going], off = _corrected(slopes[going], x[going] - here, unit[going], room[going] - had)
            bent[going] = np.minimum(np.abs(off) * (now / before)[:, None], FURTHER * np.abs(room[going]))
            hopeful = (now > 0.0) & (halved | ~new[going] | (step_number < SLOW))
            new[going] = ~(now <= KEPT * before)
            going = going[hopeful]
            if not len(going):
                break
        return x, np.asarray((room >= 0.0).all(axis=1))

    def _unit(self, x: Floats) -> Floats:
        """How long a side of the box is, and 0 where nothing moves."""
        return np.where(self._free, np.where(np.isfinite(self._width), self._width, np.maximum(np.abs(x), 1.0)), 0.0)

    def _step(self, room: Floats, missed: NDArray[np.bool_], slopes: Floats) -> Floats:
        """The shortest steps, in units of the box, that bring the constraints that were missed just inside."""
        size = np.linalg.norm(slopes, axis=2)
        usable = missed & (size > 0.0) & np.isfinite(size)
        normed = np.where(usable[:, :, None], slopes / np.where(usable, size, 1.0)[:, :, None], 0.0)
        wanted = np.where(usable, INSIDE - room / np.where(usable, size, 1.0), 0.0)
        squares = normed @ normed.transpose(0, 2, 1) + RIDGE * np.eye(room.shape[1])
        step = (normed.transpose(0, 2, 1) @ np.linalg.solve(squares, wanted[:, :, None]))[:, :, 0]
        length = np.linalg.norm(step, axis=1, keepdims=True)
        return np.asarray(step * np.minimum(1.0, LONGEST / np.maximum(length, 1e-300)))

    def _slopes(self, x: Floats, room: Floats, unit: Floats) -> Floats:
        """By differences, towards the inside of the box."""
        found, free = np.zeros((*room.shape, x.shape[1])), np.flatnonzero(self._free)
        others = np.repeat(x[:, None, :], len(free), axis=1)
        here, width = x[:, free], unit[:, free]
        forward = here + DIFFERENCE * width <= self._upper[free]
        others[:, np.arange(len(free)), free] += DIFFERENCE * width * np.where(forward, 1.0, -1.0)
        gone = (others[:, np.arange(len(free)), free] - here) / width  # what it is after rounding
        rooms = self._rooms(others.reshape(-1, x.shape[1])).reshape(len(x), len(free), -1)
        slopes = (rooms - room[:, None, :]) / gone[:, :, None]
        found[:, :, free] = np.nan_to_num(slopes, posinf=0.0, neginf=0.0).transpose(0, 2, 1)
        return found


def _corrected(slopes: Floats, moved: Floats, unit: Floats, changed: Floats) -> tuple[Floats, Floats]:
    """Slopes that give what the constraints changed by where points moved, and are else as they were; and how far off
    the old ones were."""
    step = np.where(unit > 0.0, moved / np.where(unit > 0.0, unit, 1.0), 0.0)
    square = np.square(step).sum(axis=1)[:, None]
    off = np.nan_to_num(changed - (slopes @ step[:, :, None])[:, :, 0], posinf=0.0, neginf=0.0)
    return slopes + (off / np.where(square > 0.0, square, 1.0))[:, :, None] * step[:, None, :], off
