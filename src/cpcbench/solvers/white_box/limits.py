"""What ends a search: the time, the number of evaluations, or the user."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cpcbench.clock import OutOfTimeError
from cpcbench.points import Floats
from cpcbench.solvers.white_box.tuning import COPIES, FREE_READS, FREE_WORK, GRACE, READS

Watch = Callable[[Floats, float, int], bool]
"""Told of each improvement as point, value and evaluations so far; True stops the search."""


class Limits:
    """Counts every point before it is read, and looks at the clock: a limit that is reached is an exception.

    `evaluations` are points at which the formula has been evaluated, and only they are limited by the budget; `reads`
    are points at which parts of it were read: conditions, edges with their slopes, terms.
    """

    def __init__(
        self,
        seconds: float = math.inf,
        budget: int | None = None,
        watch: Watch | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.evaluations = self.undefined = self.reads = 0
        self.other_work, self._walks = 0.0, 0
        self.stopped = self._short = False
        self._clock, self._begin, self._seconds = clock, clock(), seconds
        self.budget, self._budget = budget, math.inf if budget is None else budget
        self.before = 0
        self._watch = watch

    def allow(self, seconds: float, evaluations: float, before: int) -> None:
        """So much is left from now on, in all; `before` evaluations were made by others."""
        self._begin, self._seconds = self._clock(), seconds
        self._budget, self.before = self.evaluations + evaluations, before

    @property
    def cost(self) -> float:
        """What the work so far counts for when it is shared out; the first of what is no evaluation is for nothing."""
        other = max(self._walks - FREE_READS, 0) / READS + max(self.other_work - FREE_WORK, 0.0)
        return self.evaluations + other

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return self._clock() - self._begin

    @property
    def evaluations_left(self) -> float:
        return self._budget - self.evaluations

    @property
    def left(self) -> float:
        """Seconds left."""
        return self._seconds - self.seconds

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

    def room(self, count: int) -> int:
        """How many of so many points may be evaluated: at least one, or it is over."""
        if self.over:
            raise OutOfTimeError
        return int(min(count, self._budget - self.evaluations))

    def take(self, count: int) -> None:
        """Counts points that are to be evaluated all or not at all; too few evaluations for them are the end, too."""
        if self.room(count) < count:
            self._short = True
            raise OutOfTimeError
        self.evaluations += count

    def read(self, count: int) -> None:
        """Counts points at which parts of the formula are to be read."""
        self.read_table(count)
        self._walks += count

    def read_table(self, count: int) -> None:
        """The same for tables, whose work is counted otherwise."""
        if self.stopped or self.out_of_time:
            raise OutOfTimeError
        self.reads += count

    def improved(self, x: Floats, value: float, number: int) -> None:
        """Tells of an improvement by this one of these evaluations; where the user wants the search to stop it tells no
        more, and the next point to be read finds it stopped."""
        self.stopped = self.stopped or self.tell(x, value, self.before + number)

    def tell(self, x: Floats, value: float, evaluations: int) -> bool:
        """Whether the user, told of an improvement, wants to stop."""
        return self._watch is not None and self._watch(x, value, evaluations)
