"""Fresh starts: what an unlucky beginning cannot leave, another one need not enter.

One search goes on for long. Beside it others begin with nothing known and end, each twice as long as the one before;
the best points of one that has ended join the elites of the long search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpcbench.points import Floats
from cpcbench.solvers.search.moves.archive import join
from cpcbench.solvers.search.start import run_plain
from cpcbench.solvers.search.state import (
    BY_HOP,
    CLIMBER,
    ELITE,
    HOPS,
    PENDING,
    POOL,
    SAMPLE,
    State,
    new_state,
    with_room,
)
from cpcbench.solvers.search.telling import absorb
from cpcbench.solvers.search.tuning import ALONE, CLIMBERS, FIRST, JOINING, LONG_SHARE, POOL_KEPT, Settings, for_budget


class Turns:
    """Whose turn it is. With a budget that is too small for two there is only the long search."""

    def __init__(self, lower: Floats, upper: Floats, seed: int, settings: Mapping[str, float]) -> None:
        self._box, self._settings = (lower, upper), dict(settings)
        self._seeds = np.random.default_rng(seed)
        self._budget = self._settings.pop("budget", 0.0)
        self._shared = not 0.0 < self._budget < ALONE + 2 * FIRST
        self._long = self._new(seed, LONG_SHARE * self._budget if self._shared else self._budget)
        self._fresh: State | None = None
        self._is_fresh = False
        self._spent, self._spent_fresh, self._end, self._length = 0, 0, 0.0, float(FIRST)

    def _new(self, seed: int, budget: float) -> State:
        settings = {**(for_budget(budget) if budget else {}), **self._settings}
        return new_state(*self._box, seed, Settings(**settings))

    @property
    def state(self) -> State:
        """The search whose turn it is."""
        return self._fresh if self._is_fresh and self._fresh is not None else self._long

    def next(self, m: int) -> State:
        """The search that is to ask for m points."""
        self._is_fresh = self._fresh is not None or self._begins()
        if self._is_fresh:
            self._fresh = with_room(self._fresh or self._begun(), m)
        else:
            self._long = with_room(self._long, m)
        return self.state

    def _begins(self) -> bool:
        """Whether a fresh start is due, and long enough to be worth it."""
        due = self._shared and self._spent >= ALONE and self._spent >= LONG_SHARE * (self._spent + self._spent_fresh)
        return due and self._next_length() >= FIRST / 2

    def _next_length(self) -> float:
        left = (1.0 - LONG_SHARE) * self._budget - self._spent_fresh if self._budget else np.inf
        return min(self._length, left)

    def _begun(self) -> State:
        length = self._next_length()
        self._end, self._length = self._spent_fresh + length, 2.0 * self._length
        return self._new(int(self._seeds.integers(2**63)), length)

    def owner(self, mark: Any) -> State | None:
        """The search that this mark (its table of counts) belongs to; None if it has ended since."""
        for state in (self._long, self._fresh):
            if state is not None and state.counts is mark:
                return state
        return None

    def with_room(self, mark: Any, m: int) -> State | None:
        """The same, with rows for m points."""
        if self._fresh is not None and self._fresh.counts is mark:
            self._fresh = with_room(self._fresh, m)
        elif self._long.counts is mark:
            self._long = with_room(self._long, m)
        return self.owner(mark)

    def spent(self, count: int, mark: Any = None) -> None:
        """So many values were told to a search, the one whose turn it was unless another is meant."""
        is_fresh = self._is_fresh if mark is None else self._fresh is not None and self._fresh.counts is mark
        if not is_fresh:
            self._spent += count
            return
        self._spent_fresh += count
        if self._spent_fresh >= self._end and self._fresh is not None:
            self._join(self._fresh)
            self._fresh, self._is_fresh = None, False

    def _join(self, ended: State) -> None:
        if self._long.counts["hits"][0] == 0 and ended.counts["hits"][0] > 0:  # only the fresh one has found the domain
            ended.counts["told"], ended.settings[:] = self._long.counts["told"], self._long.settings
            self._long = ended
            return
        points, values = _elites(ended)
        best = np.argsort(values, kind="stable")[:JOINING]
        run_plain(join, self._long, points[best], values[best])

    def count(self, evaluations: int) -> None:
        """So many evaluations of the budget were somebody else's."""
        self._long.counts["told"] += evaluations
        self._spent += evaluations

    def join(self, points: Floats, values: Floats) -> None:
        """Points that somebody else found become elites of the long search."""
        run_plain(join, self._long, points, values)

    def know(self, points: Floats, values: Floats) -> None:
        """Values from before: to the long search they are draws, and the lowest become elites."""
        self._long = with_room(self._long, len(values))
        self._long.facts["kind"][PENDING : PENDING + len(values)] = SAMPLE
        self._long.facts["how"][PENDING : PENDING + len(values)] = 0
        run_plain(absorb, self._long, points, values)
        self._long.counts["told"] -= len(values)  # they are no part of the budget
        lowest = np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")[:JOINING]
        lowest = lowest[np.isfinite(values[lowest])]
        run_plain(join, self._long, points[lowest], values[lowest])

    def elites(self) -> tuple[Floats, Floats]:
        """The best points kept, and their values."""
        if self._fresh is None:
            return _elites(self._long)
        both = State(*(table.copy() for table in self._long))
        run_plain(join, both, *_elites(self._fresh))
        return _elites(both)

    def low(self) -> tuple[Floats, Floats]:
        """The elites of either search, some of which may be neighbours: takes no time, unlike `elites`."""
        both = [_elites(state) for state in (self._long, self._fresh) if state is not None]
        return np.concatenate([points for points, _ in both]), np.concatenate([values for _, values in both])

    def hops(self) -> tuple[Floats, Floats]:
        """Where hops landed from which nobody has climbed yet, and the values there."""
        kept = self._long.tallies["count"][BY_HOP : BY_HOP + HOPS]
        rows = POOL + np.flatnonzero(np.arange(POOL_KEPT) < kept[:, None])
        return self._long.points[rows], self._long.facts["value"][rows]

    def climbers(self) -> tuple[Floats, Floats]:
        """Where climbers are that have come some way, and their values."""
        facts = self._long.facts[CLIMBER : CLIMBER + CLIMBERS]
        some = CLIMBER + np.flatnonzero(facts["alive"] & (facts["rung"] > 0))
        return self._long.points[some], self._long.facts["value"][some]


def _elites(state: State) -> tuple[Floats, Floats]:
    kept = slice(ELITE, ELITE + int(state.counts["elites"][0]))
    return state.points[kept], state.facts["value"][kept]
