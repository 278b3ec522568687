"""The search where a variable has no bound, or is a whole number, or where points are moved before they are evaluated:
it works in coordinates of its own.

Beyond its bound, or 0 where it has none, a variable is the hyperbolic sine of the search's coordinate: near there the
two are alike, and far away all sizes are as likely. A whole number is what the search's coordinate is nearest to.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpcbench.points import Floats
from cpcbench.solvers.search.engine import Search

Brought = Callable[[Floats], Floats]
"""Points, the rows, moved to where they can be evaluated."""

FAR = math.asinh(1e9)
"""How far the search's coordinate goes where there is no bound: a thousand million from the bound or from 0."""

HALF = 0.499
"""How far beyond the first and the last whole number the search's coordinate goes."""

TRIES = 20
"""How often other points are asked for where all that came are known, before they are evaluated again."""


def search_in(
    lower: Floats,
    upper: Floats,
    rng: np.random.Generator,
    budget: int,
    whole: NDArray[np.bool_] | None = None,
    brought: Brought | None = None,
) -> Search | MappedSearch:
    """The search itself, or one in coordinates of its own where it needs them, or where its points are `brought`
    elsewhere before they are evaluated."""
    whole = np.zeros(len(lower), dtype=bool) if whole is None else np.asarray(whole, dtype=bool)
    if np.isfinite(lower).all() and np.isfinite(upper).all() and not whole.any() and brought is None:
        return Search(lower, upper, rng, budget=budget)
    return MappedSearch(Coordinates(lower, upper, whole, brought), rng, budget)


class Coordinates:
    """The search's coordinates, in a box with all its ends, and the user's."""

    def __init__(self, lower: Floats, upper: Floats, whole: NDArray[np.bool_], brought: Brought | None = None) -> None:
        self.whole, self._brought = np.asarray(whole, dtype=bool), brought
        self._first = np.where(self.whole, np.ceil(lower), lower)
        self._last = np.where(self.whole, np.floor(upper), upper)
        down, up = np.isinf(lower), np.isinf(upper)
        self._open, self._from_above = down | up, down & ~up
        self._origin = np.where(self._from_above, self._last, np.where(down, 0.0, self._first))
        wide = np.where(self.whole, HALF, 0.0)
        bounded_low, bounded_high = self._first - wide, self._last + wide
        self.lower = np.where(self._open, np.where(down, -FAR, 0.0), bounded_low)
        self.upper = np.where(self._open, np.where(up, FAR, 0.0), bounded_high)

    def outward(self, t: Floats) -> Floats:
        """The user's coordinates of the search's, where they are evaluated."""
        x = self._plain(t)
        return x if self._brought is None or not len(x) else self._brought(x)

    @property
    def brings(self) -> bool:
        """Whether points are brought elsewhere."""
        return self._brought is not None

    def are_moved(self, t: Floats, x: Floats) -> NDArray[np.bool_]:
        """Which points x were brought elsewhere than the search's coordinates t say."""
        if self._brought is None:
            return np.zeros(len(x), dtype=bool)
        return np.asarray((self._plain(t) != x).any(axis=1))

    def _plain(self, t: Floats) -> Floats:
        x = np.where(self._open, self._origin + np.sinh(np.where(self._open, t, 0.0)), t)
        x = np.where(self.whole, np.rint(x) + 0.0, x)  # there is one 0
        return np.clip(x, self._first, self._last)

    def inward(self, x: Floats) -> Floats:
        """The search's coordinates of the user's, as far as it goes."""
        t = np.where(self._open, np.arcsinh(np.where(self._open, x - self._origin, 0.0)), x)
        return np.clip(t, self.lower, self.upper)


class MappedSearch:
    """`Search` by the user's coordinates; where all are whole numbers, known points are not asked for again."""

    def __init__(self, coordinates: Coordinates, rng: np.random.Generator, budget: int) -> None:
        self._coordinates = coordinates
        none = {"walk_share": 0.0} if coordinates.whole.any() or coordinates.brings else {}  # edges would be jagged
        self._search = Search(coordinates.lower, coordinates.upper, rng, budget=budget, **none)
        self._rng, self._dim = rng, len(coordinates.lower)
        self._asked: dict[bytes, list[Floats]] = {}
        self._known: dict[bytes, float] | None = {} if coordinates.whole.all() else None
        self.best_x: Floats | None = None
        self.best_value = math.nan

    def ask(self, m: int = 48) -> Floats:
        """The next m points to evaluate."""
        if self._known is None:
            return self._noted(self._search.ask(m))
        points: list[Floats] = []
        for _ in range(TRIES):
            points += self._unknown(m - len(points))
            if len(points) == m:
                return np.array(points)
        others = self._rng.uniform(self._coordinates.lower, self._coordinates.upper, (TRIES * m, self._dim))
        new = {x.tobytes(): x for x in self._coordinates.outward(others) if x.tobytes() not in self._known}
        points += list(new.values())[: m - len(points)]
        if len(points) < m:  # nearly all there are
            points += [*self._noted(self._search.ask(m - len(points)))]
        return np.array(points)

    def _unknown(self, m: int) -> list[Floats]:
        """Of the search's next m points those that were not told yet; of the others it is told at once."""
        drawn = self._search.ask(m)
        known = self._known or {}
        values = [known.get(x.tobytes()) for x in self._coordinates.outward(drawn)]
        old = np.array([value is not None for value in values])
        if old.any():
            self._search.tell(drawn[old], np.array([value for value in values if value is not None]))
        return [*self._noted(drawn[~old])]

    def _noted(self, drawn: Floats) -> Floats:
        """The user's coordinates of points that the search asks for."""
        found: Floats = self._coordinates.outward(drawn)
        for x, t in zip(found, drawn, strict=True):
            self._asked.setdefault(x.tobytes(), []).append(t)
        return found

    def _asked_as(self, points: ArrayLike) -> tuple[NDArray[np.bool_], Floats]:
        """Which points were asked for by the search, and its own points behind them, the oldest first."""
        given = np.array(points, dtype=float)
        asked, found = np.zeros(len(given), dtype=bool), []
        for i, x in enumerate(given):
            waiting = self._asked.get(x.tobytes())
            if waiting:
                asked[i] = True
                found.append(waiting.pop(0))
        return asked, np.array(found).reshape(-1, self._dim)

    def tell(self, points: ArrayLike, values: ArrayLike) -> None:
        """The values at points that were asked for."""
        given, told = np.array(points, dtype=float), np.array(values, dtype=float)
        asked, inner = self._asked_as(given)
        if asked.any():
            self._know_moved(inner, given[asked], told[asked])
            self._search.tell(inner, told[asked])
        if not asked.all():
            self._search.know(self._coordinates.inward(given[~asked]), told[~asked])
        self._note(given, told)

    def _know_moved(self, inner: Floats, points: Floats, values: Floats) -> None:
        """What the search is told of a point that was moved it is told of where it was moved to first: else its steps
        would start from places outside, around which all points are moved to the same one."""
        moved = self._coordinates.are_moved(inner, points)
        if moved.any():
            self._search.know(self._coordinates.inward(points[moved]), values[moved])

    def know(self, points: ArrayLike, values: ArrayLike) -> None:
        """Points whose values were known before."""
        self._search.know(self._coordinates.inward(np.array(points, dtype=float)), values)
        self._note(points, values)

    def forget(self, points: ArrayLike | None = None) -> None:
        """Gives up on open points, all of them unless some are named."""
        if points is None:
            self._asked.clear()
            self._search.forget()
        else:
            self._search.forget(self._asked_as(points)[1])

    def open_points(self) -> Floats:
        """The points asked for and not told yet."""
        return self._coordinates.outward(self._search.open_points())

    def _note(self, points: ArrayLike, values: ArrayLike) -> None:
        for x, value in zip(np.array(points, dtype=float), np.array(values, dtype=float), strict=True):
            if self._known is not None:
                self._known[x.tobytes()] = float(value)
            if math.isfinite(value) and not value >= self.best_value:
                self.best_x, self.best_value = x.copy(), float(value)

    def optima(self, tolerance: float = 1e-6) -> Floats:
        """The points as good as the best, the best first."""
        if self.best_x is None:
            return np.empty((0, self._dim))
        seen = {self.best_x.tobytes(): self.best_x}
        for x in self._coordinates.outward(self._search.optima(tolerance)):
            seen.setdefault(x.tobytes(), x)
        return np.array(list(seen.values()))

    def elites(self) -> tuple[Floats, Floats]:
        """The best points kept, one for each neighbourhood, and their values."""
        points, values = self._search.elites()
        return self._coordinates.outward(points), values
