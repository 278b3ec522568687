"""The search as ask and tell."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.solvers.search.fresh_starts import Turns
from cpcbench.solvers.search.start import STEPS
from cpcbench.solvers.search.state import Floats, Settings


class Search:
    """Minimises by ask and tell, and is deterministic given the generator.

    `ask(m)` gives m points, `tell(points, values)` takes their values, NaN or infinite where the objective is
    undefined. `best_x` and `best_value` are the best point told so far (None and NaN before there is one).
    `budget` is how many evaluations there will be, if that is known; other settings are for experiments.
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
        self._asked = np.empty((0, len(low)))
        self._turns = Turns(low, high, int(rng.integers(2**63)), settings)

    def ask(self, m: int = 48) -> Floats:
        """The next m points to evaluate."""
        if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 1:
            raise CpcbenchError(f"points are asked for by a whole number from 1 on, not {m!r}")
        self._asked = np.empty((int(m), self._asked.shape[1]))
        STEPS.propose(self._turns.next(int(m)), len(self._asked), self._asked)
        return self._asked.copy()

    def tell(self, points: ArrayLike, values: ArrayLike) -> None:
        """The values at the points asked for last, in their order; the last of them may be left out."""
        given, told = np.asarray(points, dtype=float), np.array(values, dtype=float)
        if told.ndim != 1 or given.shape != (len(told), self._asked.shape[1]) or len(told) > len(self._asked):
            raise CpcbenchError(
                f"values are told for the {len(self._asked)} points asked for, not {given.shape} and {told.shape}"
            )
        if not np.array_equal(given, self._asked[: len(told)]):
            raise CpcbenchError("values are told for the points asked for last, in their order")
        STEPS.absorb(self._turns.state, self._asked, told, len(self._asked))
        self._turns.spent(len(told))
        self._asked = self._asked[:0]
        self._note_best(given, told)

    def _note_best(self, points: Floats, values: Floats) -> None:
        ranked = np.where(np.isfinite(values), values, np.inf)
        best = int(np.argmin(ranked)) if len(ranked) else -1
        if best >= 0 and ranked[best] < (np.inf if self.best_x is None else self.best_value):
            self.best_x, self.best_value = points[best].copy(), float(values[best])

    def optima(self, tolerance: float = 1e-6) -> Floats:
        """The elites as good as the best, up to the tolerance relative to max(1, |best|); the best first."""
        if self.best_x is None:
            return self._asked[:0].copy()
        points, values = self._turns.elites()
        order = np.argsort(values, kind="stable")
        near = [i for i in order if values[i] - self.best_value <= tolerance * max(1.0, abs(self.best_value))]
        others = [points[i].copy() for i in near if not np.array_equal(points[i], self.best_x)]
        return np.array([self.best_x, *others])
