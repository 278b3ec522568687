"""What ends a search: the time, the number of evaluations, or the user."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cpcbench.clock import OutOfTimeError
from cpcbench.solvers.white_box.archive import Archive, Floats

Watch = Callable[[Floats, float, int], bool]
"""Told of each improvement as point, value and evaluations so far; True stops the search."""


COPIES = 0.1
"""How long copies of the optimum are looked for when no time is left, as a share of the time."""


class Limits:
    """Counts evaluations and looks at the clock; each stage of a search may use a share of both."""

    def __init__(
        self,
        seconds: float = math.inf,
        budget: int | None = None,
        watch: Watch | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.evaluations = 0
        self.stopped = False
        self._clock, self._begin, self._seconds = clock, clock(), seconds
        self._budget = math.inf if budget is None else budget
        self.stage(1.0)
        self._watch, self._best = watch, math.inf

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return self._clock() - self._begin

    @property
    def seconds_left(self) -> float:
        """Until the whole time is over; negative after that."""
        return self._seconds - self.seconds

    @property
    def for_copies(self) -> float:
        """Seconds in which copies of the optimum are looked for: what is left, or a little beyond."""
        return max(self.seconds_left, COPIES * self._seconds)

    def stage(self, share: float) -> None:
        """From here on this share of time and evaluations may be used, what is used already included."""
        self._deadline, self._most = self._begin + share * self._seconds, share * self._budget

    def check(self, evaluations: int = 0, archive: Archive | None = None) -> None:
        """Adds to the count, tells of an improvement, and raises where a limit is reached."""
        self.evaluations += evaluations
        if archive is not None and archive.best < self._best:
            self._best = archive.best
            if self._watch is not None and self._watch(archive.points[0], self._best, self.evaluations):
                self.stopped = True
        if self.stopped or self._clock() >= self._deadline or self.evaluations >= self._most:
            raise OutOfTimeError
