"""A descent in a trust region: a quadratic model of the points about the best, undefined ones being walls.

An undefined point has no value, not a large one: the fit leaves it out, and planes before it keep the next step on the
side of what is defined, so that it leads along the wall. The optimum is often at a wall, and there the way into it is
steep beside the way along it: a step that was undefined is therefore tried once more, as far along the wall, but back
uphill to where only a little is gained. The region itself shrinks slowly, so that a descent does not end where it first
meets a wall.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Floats
from cpcbench.solvers.few.known import Known
from cpcbench.solvers.few.quadratic import Quadratic, fitted, lowest
from cpcbench.solvers.few.walls import Planes, lowest_within, planes

NEAR = 4.0
"""Points within so many radii are fitted."""
POISED = 0.08
"""A direction in which the points reach less than this part of the radius is not known."""
SMALLEST = 1e-9
"""The radius of a descent that has ended."""
GAIN = 1e-11
"""A gain that is not worth a step, relative to the value above 1."""
FALL = 0.25
"""A region shrinks to no less than this part of itself after one bad step."""
LAST, MOST_MET = 8, 7
"""A descent is stopped where so many of its last steps were undefined."""
MET_AT_EDGE, SMALL, WIDENED = 3, 0.02, 0.5
"""It is stopped as well where so many were and the region is this part of what it was; where it goes on, it begins with
the last part of that."""
LATELY, SLOW, SLOWER = 3, 1e-3, 1e-2
"""Steps that are looked back on, and one more for each variable; a descent is slow where they gained no more than this
part, and the last number makes that part smaller each time that it goes on."""
LOST, FOUND = 6, 3
"""Undefined and defined points that walls are made from, for each variable, and a few more."""
LEAST_SHARE, MOST_SHARE = 0.1, 0.5
"""How far beyond the defined points a step along a wall may lead, as a part of the way to an undefined one."""
SHORT = 0.1
"""Steps along a wall that are shorter than this part of the radius are not taken: the region shrinks instead."""
BACK = 0.85
"""The part of what was hoped for that is given up where an undefined step is tried again, nearer to the centre."""
SHRINK_NEW, SHRINK_WALL = 0.7, 0.95
"""What is left of the radius after an undefined step: into a wall that was not known, and along one that was."""


class Descent:
    """One way down; `step` says where to evaluate next, None at the end, and `learn` takes the value."""

    def __init__(self, centre: Floats, value: float, radius: float, rng: np.random.Generator) -> None:
        self.centre, self.value, self.radius = centre.copy(), value, radius
        self._rng, self._first_radius = rng, radius
        self._curvature = np.zeros((len(centre), len(centre)))
        self._hoped = 0.0  # what the model says of the step under way; 0 for one that is to make the model better
        self._way = np.zeros(len(centre))
        self._share = MOST_SHARE  # how far a plane is from the defined points to an undefined one
        self._goes_back = self._is_back = False  # whether the next step, and the one under way, goes back from a wall
        self._walled = False  # whether the step under way is one along a wall
        self._whole = False  # whether the model had as many points as it can use
        self.steps, self.is_resumed = 0, False
        self._met: list[bool] = []  # of the last steps, which were undefined
        self._began, self._way_down = value, [value]  # where it began, and its value after each step since it went on
        self._slow = SLOW

    @property
    def met_of_late(self) -> int:
        """How many of the last steps were undefined."""
        return sum(self._met[-LAST:])

    @property
    def is_stopped(self) -> bool:
        """Whether most of the last steps went into a wall, or many did and the region has become small."""
        met = self.met_of_late
        return met >= MOST_MET or (met >= MET_AT_EDGE and self.radius < SMALL * self._first_radius)

    def resumed(self) -> Descent:
        """The same, as if it had met no wall of late, and with more patience."""
        if self.is_stopped:  # at a wall: what is along it shows in a larger region
            self._first_radius *= WIDENED
            self.radius, self._share = max(self.radius, self._first_radius), MOST_SHARE
        self._met, self.is_resumed, self.steps = [], True, 0
        self._way_down = [self.value]
        self._slow *= SLOWER
        return self

    def gained_of_late(self) -> float:
        """By how much the last steps have come down; infinite before there are so many."""
        last = len(self.centre) + LATELY
        return self._way_down[-1 - last] - self.value if len(self._way_down) > last else math.inf

    @property
    def is_slow(self) -> bool:
        """Whether the last steps gained next to nothing, beside all that was gained and beside the value itself."""
        return self.gained_of_late() <= self._slow * min(self._began - self.value, abs(self.value))

    def step(self, known: Known) -> Floats | None:
        while self.radius > SMALLEST:
            points, values = known.defined()
            ways = points - self.centre
            away = np.abs(ways).max(axis=1)
            near = (away <= NEAR * self.radius) & (away > 0.0)
            n = len(self.centre)
            most = max(min(n * (n + 3) // 2, 4 * n + 12), n + 1)
            order = np.flatnonzero(near)
            order = order[np.argsort(away[order], kind="stable")]
            chosen, aside = self._poised(ways, order, most)
            self._walled = self._is_back = False
            if aside is not None:
                way = self._to_know(aside, known)
                if way is not None:
                    return self._begun(way, 0.0)
                self.radius *= 0.5
                continue
            model = fitted(ways[chosen], values[chosen] - self.value, self.radius, self._curvature)
            self._curvature = model.curvature
            low, high = np.maximum(-self.centre, -self.radius), np.minimum(1.0 - self.centre, self.radius)
            candidates = lowest(model, low, high, self._rng)
            hoped = -model.at(candidates[:1])[0]
            if not hoped > GAIN * max(1.0, abs(self.value)):
                return None
            way = self._back(model, low, high)
            if way is None:
                way = self._past_walls(candidates[0], model, low, high, known)
            if way is None:
                self.radius *= 0.5
                continue
            return self._begun(way, float(-model.at(way[None])[0]))
        return None

    def _begun(self, way: Floats, hoped: float) -> Floats:
        self._way, self._hoped = way, hoped
        self.steps += 1
        return np.clip(self.centre + way, 0.0, 1.0)

    def _poised(self, ways: Floats, order: NDArray[np.intp], most: int) -> tuple[NDArray[np.intp], Floats | None]:
        """The points to be fitted, the nearest but in all directions; and a direction in which there is none."""
        n = len(self.centre)
        span, first = np.zeros((0, n)), []
        for i in order:
            rest = ways[i] - (ways[i] @ span.T) @ span
            size = math.sqrt(rest @ rest)
            if size > POISED * max(math.sqrt(ways[i] @ ways[i]), self.radius):
                span = np.vstack([span, rest / size])
                first.append(i)
                if len(first) == n:
                    others = [k for k in order[: most + n] if k not in first]
                    self._whole = len(order) >= most
                    return np.array(first + others[: most - n]), None
        free = self._rng.normal(size=n) if first else self._rng.permutation(np.eye(n))[0]
        free = free - (free @ span.T) @ span
        return np.array(first), free / math.sqrt(free @ free)

    def _to_know(self, aside: Floats, known: Known) -> Floats | None:
        """A way of one radius in this direction or against it: where there is room, and no wall."""
        length = self.radius / np.abs(aside).max()
        both = np.array([length * aside, -length * aside, 0.5 * length * aside, -0.5 * length * aside])
        if self._rng.uniform() < 0.5:
            both = both[[1, 0, 3, 2]]
        ways = np.clip(self.centre + both, 0.0, 1.0) - self.centre
        room = np.abs(ways @ aside) / (length * (aside @ aside))
        fine = known.open_to(self.centre + ways) & (room > 0.2)
        if not fine.any():
            return None
        order = np.argsort(-np.where(fine, np.minimum(room, 0.9) - 0.3 * (np.arange(4) > 1), -1.0), kind="stable")
        return np.asarray(ways[order[0]])

    def _past_walls(self, best: Floats, model: Quadratic, low: Floats, high: Floats, known: Known) -> Floats | None:
        """The lowest step that no wall seems to be in the way of; None if there is none that goes down."""
        walls = self._walls(known)
        self._walled = walls is not None and not walls.hold(best)
        if not self._walled or walls is None:
            return best
        way = lowest_within(model, low, high, walls, self.radius)
        if way is None or np.abs(way).max() < SHORT * self.radius or model.at(way[None])[0] >= 0.0:
            self._share = MOST_SHARE
            return None
        return way

    def _back(self, model: Quadratic, low: Floats, high: Floats) -> Floats | None:
        """Where the last step met a wall: as far along it, but uphill again to where little is gained; else None."""
        if not (self._goes_back and self._hoped > 0.0):
            return None
        self._goes_back = False
        rise = model.slope + model.curvature @ self._way
        steep = float(rise @ rise)
        way = np.clip(self._way + BACK * self._hoped / steep * rise, low, high) if steep > 0.0 else self._way
        if not model.at(way[None])[0] < 0.0:
            return None
        self._walled = self._is_back = True
        return way

    def _walls(self, known: Known) -> Planes | None:
        """Planes before the undefined points about; None where there are none."""
        has = np.isfinite(known.values)
        ways = known.points - self.centre
        away = np.abs(ways).max(axis=1)
        near = away <= NEAR * self.radius
        lost = np.flatnonzero(near & ~has)
        if not len(lost):
            return None
        n = len(self.centre)
        found = np.flatnonzero(near & has)
        lost = lost[np.argsort((ways[lost] ** 2).sum(axis=1), kind="stable")][: LOST * n + 6]
        found = found[np.argsort((ways[found] ** 2).sum(axis=1), kind="stable")][: FOUND * n + 8]
        return planes(ways[found], ways[lost], self._share)

    def learn(self, point: Floats, value: float) -> None:
        self._learn(point, value)
        self._way_down.append(self.value)

    def _learn(self, point: Floats, value: float) -> None:
        length = float(np.abs(self._way).max())
        self._met.append(math.isnan(value))
        if math.isnan(value):
            if self._hoped > 0.0:
                self._goes_back = not self._is_back
                if self._is_back:
                    return
                self.radius *= SHRINK_WALL if self._walled else SHRINK_NEW
                if self._walled:
                    self._share = max(0.5 * self._share, LEAST_SHARE)
            return
        self._goes_back = False
        if self._walled:
            self._share = min(2.0 * self._share, MOST_SHARE)
        gain = self.value - value
        if self._hoped > 0.0:
            ratio = gain / self._hoped
            if ratio > 0.7 and length > 0.8 * self.radius:
                self.radius = min(2.0 * self.radius, 1.0)
            elif ratio < 0.1:
                self.radius = (
                    max(0.5 * min(self.radius, length), FALL * self.radius) if self._whole else 0.7 * self.radius
                )
            elif ratio < 0.5:
                self.radius = max(0.7 * self.radius, length)
        if gain > 0.0:
            self.centre, self.value = point.copy(), value
