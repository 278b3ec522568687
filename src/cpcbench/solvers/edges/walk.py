"""A local search that learns the edges of the domain near a point and descends along where they meet.

Optima of partly defined objectives often lie on an edge, or where several meet, with infinite slopes towards them:
there no model of the values holds, and steps along a bent edge leave the domain. But the edges themselves are smooth.
So they are found by halving between defined and undefined points, planes are laid on them, points are brought to the
same small distance from all that the values fall towards, and a descent by models is made along the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.edges.along import descend
from cpcbench.solvers.edges.crossings import Edge, edges_about
from cpcbench.solvers.edges.ground import Asking, Ground, together
from cpcbench.solvers.edges.meeting import Meeting

REACH, NEARER, NEAREST = 1e-2, 0.1, 1e-8
"""How far about its point a walk looks first, as a part of the box; what is left of that after each round; and when
it ends."""
IDLE, GAIN = 1, 1e-6
"""Rounds without a gain after which it ends; a gain is this part of all that was gained."""
ABOUT, SHRINK, DEFINED, SHRINKS = 4, 0.25, 0.2, 8
"""Points looked at about it, and two more for each variable; the region shrinks by a factor until this part of them is
defined, so often at most."""
WIDER, WIDEST = 5.0, 0.25
"""Where all are, it looks so many times as far at first, but no farther than this part of the box."""
DISTANCE, PART = 1e-9, 1e-3
"""How far from the edges a descent along them is, as a part of the box, and of the reach at most."""
FLATTEST = 0.05
"""Edges that are nearer to parallel are not used together."""
LIFT, HIGHEST = 0.1, 10.0
"""How far from the edges a point is looked for that is brought onto one more of them, as a part of the way to that; and
how far at most, in reaches."""


class Walk:
    """Asks for the values at `wanted`, which is empty when it has ended.

    What it does follows from where it begins and what it was told, so that is all that a pickle holds.
    """

    def __init__(self, x: Floats, value: float, lower: Floats, upper: Floats, seed: int) -> None:
        self._begun = x.copy(), value, lower, upper, seed
        self._told: list[tuple[float, ...]] = []
        self._begin()

    def _begin(self) -> None:
        x, value, lower, upper, seed = self._begun
        self._ground = Ground(lower, upper, x, value)
        self._rng = np.random.default_rng(seed)
        self.rounds, self.stage, self.gain = 0, 0, math.inf
        self._work = self._rounds()
        self.wanted: list[Floats] = next(self._work, [])

    @property
    def best(self) -> tuple[Floats, float]:
        return self._ground.best_x, self._ground.best

    def tell(self, values: Sequence[float]) -> None:
        """The values at all that was wanted."""
        self._told.append(tuple(values))
        self._go_on(values)

    def _go_on(self, values: Sequence[float]) -> None:
        try:
            self.wanted = self._work.send(list(values))
        except (StopIteration, np.linalg.LinAlgError):  # values of 1e308 have no models
            self.wanted = []

    def __getstate__(self) -> dict[str, Any]:
        return {"begun": self._begun, "told": self._told}

    @np.errstate(all="ignore")
    def __setstate__(self, state: dict[str, Any]) -> None:
        self._begun, self._told = state["begun"], state["told"]
        self._begin()
        for values in self._told:
            self._go_on(values)

    def _rounds(self) -> Asking[None]:
        reach, idle, first = REACH, 0, self._ground.best
        while reach > NEAREST and idle < IDLE:
            before = self._ground.best
            region = yield from self._region(reach)
            if region is None:
                return
            base, value, reach, edged = region
            if not (edged or self.rounds):
                return
            yield from self._round(base, value, reach, edged)
            self.rounds += 1
            self.stage += 1
            self.gain = before - self._ground.best
            idle = 0 if self.gain > GAIN * (first - self._ground.best) else idle + 1
            reach *= NEARER

    def _region(self, reach: float) -> Asking[tuple[Floats, float, float, bool] | None]:
        """A defined point far from undefined ones, its value, how far about was looked, and whether there were any."""
        x, n = self._ground.best_x.copy(), len(self._ground.lower)
        for _ in range(SHRINKS):
            ways = self._rng.normal(size=(2 * n + ABOUT, n))
            ways *= self._rng.uniform(0.3, 1.0, (len(ways), 1)) / np.abs(ways).max(axis=1, keepdims=True)
            points = [self._ground.moved(x, reach * way) for way in ways]
            values = np.array((yield from together([self._ground.at(point) for point in points])))
            has = np.isfinite(values)
            if has.all() and not self.rounds and reach * WIDER <= WIDEST:
                reach *= WIDER
                continue
            if has.all():
                return x, self._ground.best, reach, False
            if has.mean() >= DEFINED:
                away = np.square(ways[has][:, None] - ways[~has][None]).sum(axis=2).min(axis=1)
                chosen = np.flatnonzero(has)[np.argmax(away)]
                return self._ground.moved(x, reach * ways[chosen]), float(values[chosen]), reach, True
            reach *= SHRINK
        return None

    def _round(self, base: Floats, value: float, reach: float, edged: bool) -> Asking[None]:
        """Edges about a point, those that it pays to be near, and a descent along them."""
        ground, n = self._ground, len(base)
        x, low = ground.best_x.copy(), ground.best
        distance = min(DISTANCE, PART * reach)
        active = Meeting((), n)
        if edged:
            edges = yield from edges_about(ground, base, 2.0 * reach, ground.way(base, x), self._rng)
            found = yield from self._pays(edges, base, value, reach, distance)
            if found is not None:
                active, x, low = found
        self.stage += 1
        if active.count < n:
            x, low = yield from descend(ground, active, x, low, distance, reach, self._rng)
        if active.count:
            yield from active.pressed(ground, x, low, distance)

    def _pays(
        self, edges: list[Edge], base: Floats, value: float, reach: float, distance: float
    ) -> Asking[tuple[Meeting, Floats, float] | None]:
        """Those edges near which the value is lower, one after the other, the lowest first; and a point there."""
        ground, n = self._ground, len(base)
        near = PART * reach
        tried = yield from together([Meeting((e,), n).settled(ground, base, value, near, e.far) for e in edges])
        alone = [(one[1], edge, one[0]) for one, edge in zip(tried, edges, strict=True) if one is not None]
        alone = sorted((one for one in alone if one[0] < value), key=lambda one: one[0])
        if not alone:
            return None
        low, edge, x = alone[0]
        chosen, active = [edge], Meeting((edge,), n)
        settled = yield from active.settled(ground, x, low, distance, near)
        if settled is not None:
            x, low = settled
        for _, edge, _ in alone[1:]:
            wider = Meeting((*chosen, edge), n)
            if wider.flatness < FLATTEST:
                continue
            lifted = yield from wider.lifted(ground, x, max(LIFT * edge.far, distance), HIGHEST * reach)
            found = None
            if lifted is not None:
                found = yield from wider.settled(ground, lifted[0], lifted[1], distance, lifted[2])
            if found is not None and found[1] < low:
                chosen.append(edge)
                active, (x, low) = wider, found
        return active, x, low
