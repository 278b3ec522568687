"""What ends a search: the time, the number of evaluations, or the user."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cpcbench.clock import OutOfTimeError
from cpcbench.points import Floats
from cpcbench.solvers.white_box.tuning import COPIES, GRACE

Watch = Callable[[Floats, float, int], bool]
"""Told of each improvement as point, value and evaluations so far; True stops the search."""


class Limits:
    """Counts every point before it is read, and looks at the clock: a limit that is reached is an exception."""

    def __init__(
        self,
        seconds: float = math.inf,
        budget: int | None = None,
        watch: Watch | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.evaluations = self.undefined = 0
        self.stopped = self._short = False
        self._clock, self._begin, self._seconds = clock, clock(), seconds
        self.budget, self._budget = budget, math.inf if budget is None else budget
        self._watch = watch

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return self._clock() - self._begin

    @property
    def out_of_time(self) -> bool:
        return self.seconds >= self._seconds

    @property
    def for_copies(self) -> float:
        """Seconds in which copies of the optimum are looked for: what is left, or a little beyond."""
        return max(self._seconds - self.seconds, COPIES * self._seconds)

    @property
    def late(self) -> bool:
        """Whether more than the time is spent, and what is left to do should be left."""
        return self.seconds >= self._seconds + GRACE

    @property
    def over(self) -> bool:
        """Whether nothing more may be evaluated."""
        return self.stopped or self._short or self.out_of_time or self.evaluations >= self._budget

    def beyond(self, share: float, most: float = math.inf) -> bool:
        """Whether this share of the time is over, or so many evaluations."""
        return self.evaluations >= most or self.seconds >= share * self._seconds

    def room(self, count: int) -> int:
        """How many of so many points may be evaluated: at least one, or it is over."""
        if self.over:
            raise OutOfTimeError
        return int(min(count, self._budget - self.evaluations))

    def take(self, count: int) -> None:
        """Counts points that are to be read all or not at all; too few evaluations for them are the end, too."""
        if self.room(count) < count:
            self._short = True
            raise OutOfTimeError
        self.evaluations += count

    def improved(self, x: Floats, value: float) -> None:
        """Tells of an improvement; the next point to be read will find the search stopped if the user wants that."""
        if self._watch is not None and self._watch(x, value, self.evaluations):
            self.stopped = True
