"""Walks beside the rest of a search: which evaluations are theirs, where they begin, and which of them go on."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from cpcbench.points import Floats, bits
from cpcbench.solvers.edges.walk import Walk

FROM, LAST, LAST_PART = 1000, 29_000, 0.1
"""Walks are made from so many evaluations on, when something is known, but only in the last ones, so many or this part
of all: before that nobody knows which places are low enough to be worth it."""
LEAST = 0.125
"""The part of their share that they have where they do not win."""
LUCKY, SOON = 0.2, 0.1
"""With this part of the last walks having found the lowest value they have all that they may; how soon that is seen."""
LONGEST_WAIT = 1000
"""Values told to others before nobody waits for one that a walk asked for: its walk ends."""
OWED = 100
"""Evaluations at most that they were not able to use and may make later."""
AT_ONCE = 0.16
"""Walks at a time for each point that is asked for at once; at least one."""
WIDEST = 30
"""Variables beyond which there are none: each edge takes evaluations in proportion."""
KEPT, REMEMBERED = 0.4, 24
"""In its first two stages a walk goes on if it is among this part of the last ones, by its value."""
OUTLOOK = 3.0
"""Gains like that of its last round that a walk may hope for."""
FROM_ELITES, FROM_HOPS = 0.5, 0.35
"""How often walks begin at elites and at landed hops; the others begin where climbers are."""
POWER, LOW_HOPS = 2.5, 0.5
"""How much less often they begin at higher ones of these; only hops count that are lower than part of the elites."""
TIMES, CLOSE, PLACES = 2, 1e-3, 200
"""None begins where so many have begun or ended so near, as a part of the box; and of how many that is known."""

Low = tuple[Floats, Floats]
"""Points and their values."""


class Source(Protocol):
    """Where walks may begin."""

    def low(self) -> Low: ...

    def hops(self) -> Low: ...

    def climbers(self) -> Low: ...


class Turn:
    """A walk; which of the points that it wants were not asked for yet, and the values told so far."""

    def __init__(self, walk: Walk) -> None:
        self.walk, self.has_won, self.asked_at = walk, False, 0
        self.wants()

    def wants(self) -> None:
        self.missing = len(self.walk.wanted)
        self.unasked = list(reversed(range(self.missing)))
        self.values = [math.nan] * self.missing


quiet = np.errstate(all="ignore")
"""Planes and models divide numbers of any size; what comes of it is looked at."""


class EdgeTurns:
    """The walks in the user's box, and which of the next points are theirs; without a budget there are none."""

    @quiet
    def __init__(self, lower: Floats, upper: Floats, seed: int, budget: float, share: float) -> None:
        self._lower, self._upper = lower, upper
        self._free = np.flatnonzero(upper > lower)
        self._share, self._from = share, max(FROM, budget - max(LAST, LAST_PART * budget))
        self._asks = budget > 0.0 and share > 0.0 and 0 < len(self._free) <= WIDEST
        self._rng = np.random.default_rng([seed, 1])
        self._turns: list[Turn] = []
        self._waiting: dict[bytes, list[tuple[Turn, int]]] = {}
        self._seen, self._due, self._luck, self._best = 0, 0.0, 0.5, math.inf
        self._stages: tuple[list[float], list[float]] = [], []  # what walks came to in the first two
        self._places: list[Floats] = []  # where walks began and ended
        self._ended: list[tuple[Floats, float]] = []

    @quiet
    def ask(self, count: int, room: int, source: Source) -> Floats:
        """Those of the next `count` points that are the walks', `room` of them at most; there may be none."""
        if not (self._asks and self._seen >= self._from):
            return np.empty((0, len(self._lower)))
        self._due += count * self._share * max(LEAST, min(1.0, self._luck / LUCKY))
        most, at_once = min(int(self._due), room), max(1, round(AT_ONCE * count))
        points: list[Floats] = []
        for turn in [one for one in self._turns if not one.unasked and self._seen - one.asked_at > LONGEST_WAIT]:
            self._drop(turn)
        for turn in self._turns:
            self._ask(turn, most, points)
        while len(points) < most and len(self._turns) < at_once:
            begun = self._begun(source)
            if begun is None:
                break
            self._turns.append(begun)
            self._ask(begun, most, points)
        self._due = min(self._due - len(points), OWED)
        return np.array(points).reshape(-1, len(self._lower))

    def _ask(self, turn: Turn, most: int, points: list[Floats]) -> None:
        """Adds what a walk wants, with the variables that are fixed."""
        while turn.unasked and len(points) < most:
            place = turn.unasked.pop()
            x = self._lower.copy()
            x[self._free] = turn.walk.wanted[place]
            turn.asked_at = self._seen
            self._waiting.setdefault(bits(x), []).append((turn, place))
            points.append(x)

    def know(self, values: Floats) -> None:
        """Values of whosever points."""
        self._best = min(self._best, float(np.min(values, where=np.isfinite(values), initial=np.inf)))

    @quiet
    def learn(self, points: Floats, values: Floats, own: int) -> None:
        """Takes values, of whosever points; only the first `own` of them may be the walks'."""
        self._seen += len(values)
        self.know(values)
        for x, value in zip(points[:own], values[:own], strict=True):
            waiting = self._waiting.pop(bits(x), None) if self._waiting else None
            if waiting is None:
                continue
            (turn, place), *others = waiting
            if others:
                self._waiting[bits(x)] = others
            turn.values[place] = float(value) if math.isfinite(value) else math.nan
            turn.missing -= 1
            if not turn.missing:
                self._tell(turn)

    def _tell(self, turn: Turn) -> None:
        walk, stage = turn.walk, turn.walk.stage
        walk.tell(turn.values)
        turn.has_won |= walk.best[1] <= self._best
        if walk.wanted and (walk.stage == stage or self._goes_on(walk)):
            turn.wants()
            return
        self._luck += SOON * (turn.has_won - self._luck)
        self._turns.remove(turn)
        self._note_place(walk.best[0])
        self._ended.append(walk.best)

    def forget(self, points: Floats) -> None:
        """Values that will not come: their walks end."""
        for x in points:
            for turn, _ in self._waiting.get(bits(x), []):
                self._drop(turn)

    def _drop(self, turn: Turn) -> None:
        """Ends a walk, and waits for none of its values."""
        if turn in self._turns:
            self._turns.remove(turn)
            self._ended.append(turn.walk.best)
        left = {key: [one for one in waiting if one[0] is not turn] for key, waiting in self._waiting.items()}
        self._waiting = {key: waiting for key, waiting in left.items() if waiting}

    def ended(self) -> Low:
        """Where walks ended since this was asked last, and their values."""
        taken, self._ended = self._ended, []
        points = np.tile(self._lower, (len(taken), 1))
        points[:, self._free] = [x for x, _ in taken] or 0.0
        return points, np.array([value for _, value in taken])

    def _goes_on(self, walk: Walk) -> bool:
        value = walk.best[1]
        if walk.stage <= len(self._stages):
            seen = self._stages[walk.stage - 1]
            better = sum(one < value for one in seen)
            seen.append(value)
            del seen[:-REMEMBERED]
            if better > KEPT * len(seen):
                return False
        return value - OUTLOOK * walk.gain <= self._best

    def _begun(self, source: Source) -> Turn | None:
        draw = self._rng.uniform()
        elites, lowest = source.low()
        if draw < FROM_ELITES:
            points, values, power = elites, lowest, POWER
        elif draw < FROM_ELITES + FROM_HOPS:
            points, values, power = *source.hops(), POWER
        else:
            points, values, power = *source.climbers(), 0.0
        if not (len(lowest) and len(values)):
            return None
        rank = np.argsort(np.argsort(values, kind="stable"), kind="stable")
        weight = (self._walked(points[:, self._free]) < TIMES) / (1.0 + rank) ** power
        if FROM_ELITES <= draw < FROM_ELITES + FROM_HOPS:
            weight = weight * (values <= np.quantile(lowest, LOW_HOPS))
        if not weight.any():
            return None
        chosen = int(self._rng.choice(len(values), p=weight / weight.sum()))
        x, low, high = (row[self._free] for row in (points[chosen], self._lower, self._upper))
        self._note_place(x)
        walk = Walk(x, float(values[chosen]), low, high, int(self._rng.integers(2**63)))
        return Turn(walk) if walk.wanted else None

    def _note_place(self, x: Floats) -> None:
        self._places.append(x)
        del self._places[:-PLACES]

    def _walked(self, points: Floats) -> Floats:
        """How often walks began or ended near each point."""
        if not self._places:
            return np.zeros(len(points))
        half = self._upper[self._free] / 2 - self._lower[self._free] / 2
        ways = np.abs(points[:, None] / 2 - np.array(self._places)[None] / 2) / half
        return np.asarray((ways.max(axis=2) < CLOSE).sum(axis=1), dtype=float)
