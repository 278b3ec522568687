"""A descent in a trust region: a quadratic model of the points about the best, undefined ones being walls.

An undefined point has no value, not a large one: the fit leaves it out, the region shrinks, and steps that come nearer
to it than to what is defined are not taken, so that the next one leads along the wall.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Floats
from cpcbench.solvers.few.known import Known
from cpcbench.solvers.few.quadratic import Quadratic, fitted, lowest

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
LAST, MOST_MET = 8, 5
"""A descent is stopped where so many of its last steps were undefined."""
LATELY, SLOW, SLOWER = 3, 1e-3, 1e-2
"""Steps that are looked back on, and one more for each variable; a descent is slow where they gained no more than this
part, and the last number makes that part smaller each time that it goes on."""
ASIDE = 24
"""Steps beside the best one that are looked at where a wall is in its way."""


class Descent:
    """One way down; `step` says where to evaluate next, None at the end, and `learn` takes the value."""

    def __init__(self, centre: Floats, value: float, radius: float, rng: np.random.Generator) -> None:
        self.centre, self.value, self.radius = centre.copy(), value, radius
        self._rng = rng
        self._curvature = np.zeros((len(centre), len(centre)))
        self._hoped = 0.0  # what the model says of the step under way; 0 for one that is to make the model better
        self._way = np.zeros(len(centre))
        self._whole = False  # whether the model had as many points as it can use
        self.steps, self.is_resumed = 0, False
        self._met: list[bool] = []  # of the last steps, which were undefined
        self._began, self._way_down = value, [value]  # where it began, and its value after each step since it went on
        self._slow = SLOW

    @property
    def is_stopped(self) -> bool:
        """Whether most of the last steps went into a wall."""
        return sum(self._met[-LAST:]) >= MOST_MET

    def resumed(self) -> Descent:
        """The same, as if it had met no wall of late, and with more patience."""
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
        if known.open_to((self.centre + best)[None])[0]:
            return best
        size = np.abs(best).max()
        shorter = best * np.array([0.75, 0.5, 0.35, 0.2, 0.1])[:, None]
        beside = best + size * self._rng.uniform(-1.0, 1.0, (ASIDE, len(best)))
        ways = np.vstack([shorter, np.clip(beside, low, high), np.clip(0.5 * beside, low, high)])
        falls = model.at(ways)
        fine = known.open_to(self.centre + ways) & (falls < 0.0)
        return np.asarray(ways[np.argmin(np.where(fine, falls, np.inf))]) if fine.any() else None

    def learn(self, point: Floats, value: float) -> None:
        self._learn(point, value)
        self._way_down.append(self.value)

    def _learn(self, point: Floats, value: float) -> None:
        length = float(np.abs(self._way).max())
        self._met.append(math.isnan(value))
        if math.isnan(value):
            if self._hoped > 0.0:
                self.radius = min(self.radius, length) * 0.6
            return
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
