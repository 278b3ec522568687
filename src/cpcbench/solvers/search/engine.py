"""The search as ask and tell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench import __version__
from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats
from cpcbench.solvers.edges.turns import EdgeTurns
from cpcbench.solvers.few.turns import FewTurns
from cpcbench.solvers.search.asking import propose
from cpcbench.solvers.search.moves.fresh_starts import Turns
from cpcbench.solvers.search.open_asks import Ask, OpenAsks
from cpcbench.solvers.search.start import STEPS
from cpcbench.solvers.search.state import PENDING, SLIDE, SLIDER, SWEEP, SWEEPER, State
from cpcbench.solvers.search.telling import absorb
from cpcbench.solvers.search.tuning import WALK_SHARE, Settings


class Search:
    """Minimises by ask and tell, and is deterministic given the generator and the order of what is told.

    `ask(m)` gives m points, `tell(points, values)` takes their values, NaN or infinite where the objective is
    undefined. Several asks may be open at once, and values may be told in any order; points whose values will
    never come may be given up with `forget`. `best_x` and `best_value` are the best point told so far (None and
    NaN before there is one). `budget` is how many evaluations there will be, if that is known; other settings are
    for experiments. A search can be pickled, its open points included, and goes on with the same bits.
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike, rng: np.random.Generator, **settings: float) -> None:
        low, high = np.array(lower, dtype=float), np.array(upper, dtype=float)
        if low.ndim != 1 or low.shape != high.shape or not len(low):
            raise CpcbenchError(f"lower and upper bounds are two lists of equal length, not {lower!r} and {upper!r}")
        if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
            raise CpcbenchError(f"bounds are finite and in order, not {lower!r} and {upper!r}")
        unknown = set(settings) - set(Settings._fields)
        if unknown:
            raise CpcbenchError(f"unknown setting {min(unknown)!r}: there are {', '.join(Settings._fields)}")
        self.best_x: Floats | None = None
        self.best_value = math.nan
        self._dim = len(low)
        self._latest: Floats | None = None  # asked for last, as long as its rows stand in the tables
        self._beside = np.empty((0, len(low)))  # what models and walks asked for together with that, before it
        self._mark: Any = None
        self._open = OpenAsks()
        seed = int(rng.integers(2**63))
        self._few = FewTurns(low, high, seed, settings.get("budget", 0.0))
        self._edges = EdgeTurns(low, high, seed, settings.get("budget", 0.0), settings.get("walk_share", WALK_SHARE))
        self._turns = Turns(low, high, seed, settings)

    def ask(self, m: int = 48) -> Floats:
        """The next m points to evaluate."""
        if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 1:
            raise CpcbenchError(f"points are asked for by a whole number from 1 on, not {m!r}")
        self._put_aside()
        beside = self._few.ask(int(m))
        beside = np.vstack([beside, self._edges.ask(int(m), int(m) - len(beside), self._turns)])
        points = np.empty((int(m) - len(beside), self._dim))
        if len(points):
            state = self._turns.next(len(points))
            STEPS.run(propose, state, len(points), points)
            self._mark = state.counts
        self._latest, self._beside = points, beside
        return np.vstack([beside, points])

    def tell(self, points: ArrayLike, values: ArrayLike) -> None:
        """The values at points that were asked for, any of them in any order; those left out stay open."""
        given, told = np.asarray(points, dtype=float), np.array(values, dtype=float)
        if told.ndim != 1 or given.shape != (len(told), self._dim):
            raise CpcbenchError(
                f"values are told for points of {self._dim} coordinates, one each, not {given.shape} and {told.shape}"
            )
        count = len(self._beside)
        if self._latest is not None and np.array_equal(given, np.vstack([self._beside, self._latest])):
            asked, self._latest = self._latest, None
            if count:
                self._turns.count(count)
            if len(asked):
                self._absorb(self._mark, asked, told[count:])
        else:
            self._put_aside()
            self._tell_open(self._open.take(given), told)
            count = len(told)
        self._note_best(given, told)
        self._learn(given, told, count)

    def _learn(self, points: Floats, values: Floats, beside: int) -> None:
        """The models learn from all values; their spread points are draws to the search, their ends elites."""
        spread = self._few.learn(points, values)
        if any(spread):
            self._turns.know(points[spread], values[spread])
        self._edges.learn(points, values, beside)
        for turns in (self._few, self._edges):
            ends, reached = turns.ended()
            if len(ends):
                self._turns.join(ends, reached)

    def know(self, points: ArrayLike, values: ArrayLike) -> None:
        """Points whose values were known before: the search takes them as its own draws, and the best as elites."""
        given, told = np.array(points, dtype=float), np.array(values, dtype=float)
        if told.ndim != 1 or given.shape != (len(told), self._dim):
            raise CpcbenchError(f"known are points of {self._dim} coordinates and a value for each")
        if not len(told):
            return
        self._put_aside()
        self._turns.know(given, told)
        self._few.know(given, told)
        self._edges.know(told)
        self._note_best(given, told)

    def forget(self, points: ArrayLike | None = None) -> None:
        """Gives up on open points, all of them unless some are named: their values will never be told."""
        self._put_aside()
        given = self.open_points() if points is None else np.asarray(points, dtype=float)
        if given.ndim != 2 or given.shape[1] != self._dim:
            raise CpcbenchError(f"points to forget have the shape (m, {self._dim}), not {given.shape}")
        asks = self._open.take(given)
        self._few.forget(given)
        self._edges.forget(given)
        for ask in asks:
            state = self._turns.owner(ask.mark)
            if state is not None and ask.facts["kind"] == SLIDE:  # who waits for it need not
                slider = state.facts[SLIDER + ask.facts["who"]]
                slider["ticket"] *= slider["ticket"] != ask.facts["how"]
            elif state is not None and ask.facts["kind"] == SWEEP:  # a line with a hole says nothing
                sweep = state.facts[SWEEPER + ask.facts["who"]]
                sweep["alive"] &= sweep["ticket"] != ask.facts["how"]

    def open_points(self) -> Floats:
        """The points asked for and not told yet, the oldest first."""
        self._put_aside()
        return np.array([ask.point for ask in self._open.all()]).reshape(-1, self._dim)

    def _put_aside(self) -> None:
        """Takes what was asked for last out of the tables, to make place for another ask."""
        if self._latest is None:
            return
        self._open.put([Ask(x, None, None, x) for x in self._beside])
        state = self._turns.owner(self._mark) if len(self._latest) else None
        if state is not None:
            asks = enumerate(self._latest, start=PENDING)
            self._open.put([Ask(x, self._mark, state.facts[i].copy(), state.points[i].copy()) for i, x in asks])
        self._latest = None

    def _tell_open(self, asks: list[Ask], values: Floats) -> None:
        """Each search is told what it asked for; one that has ended needs to know nothing."""
        for mark in {id(ask.mark): ask.mark for ask in asks}.values():
            rows = [i for i, ask in enumerate(asks) if ask.mark is mark]
            state = self._turns.with_room(mark, len(rows))
            if mark is None:
                self._turns.count(len(rows))
            if state is None:
                continue
            for place, i in enumerate(rows, start=PENDING):
                state.facts[place], state.points[place] = asks[i].facts, asks[i].row
            self._absorb(mark, np.array([asks[i].point for i in rows]), values[rows])

    def _absorb(self, mark: Any, points: Floats, values: Floats) -> None:
        state: State | None = self._turns.owner(mark)
        if state is not None:
            STEPS.run(absorb, state, points, values)
            self._turns.spent(len(values), mark)

    def _note_best(self, points: Floats, values: Floats) -> None:
        ranked = np.where(np.isfinite(values), values, np.inf)
        best = int(np.argmin(ranked)) if len(ranked) else -1
        if best >= 0 and ranked[best] < (np.inf if self.best_x is None else self.best_value):
            self.best_x, self.best_value = points[best].copy(), float(values[best])

    def optima(self, tolerance: float = 1e-6) -> Floats:
        """The elites as good as the best, up to the tolerance relative to `max(1, |best|)`; the best first."""
        if self.best_x is None:
            return np.empty((0, self._dim))
        points, values = self._turns.elites()
        order = np.argsort(values, kind="stable")
        near = [i for i in order if float(values[i]) - self.best_value <= tolerance * max(1.0, abs(self.best_value))]
        others = [points[i].copy() for i in near if not np.array_equal(points[i], self.best_x)]
        return np.array([self.best_x, *others])

    def elites(self) -> tuple[Floats, Floats]:
        """The best points kept, one for each neighbourhood, and their values."""
        return self._turns.elites()

    def __getstate__(self) -> dict[str, Any]:
        self._put_aside()
        return {**self.__dict__, "version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made_by = state.pop("version", None)
        if made_by != __version__:
            raise CpcbenchError(f"this search was pickled by cpcbench {made_by}, and here is {__version__}")
        self.__dict__.update(state)
