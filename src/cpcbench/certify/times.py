"""How the time for a certificate is shared out: all shares and limits in one place, found by trying on the suite."""

from __future__ import annotations

import time

SEARCH, SHORT_SEARCH, WITNESS = 0.3, 0.1, 0.5
"""When the search for points (the short one beside points given) and the upper bound end, as shares of the time."""

ATTAINED, CHECKING, LATE = 0.5, 1.0, 0.1
"""Beyond the time, as shares of it: how long it is tried to prove whether the infimum is attained, how long the checker
may take, and how late a step may end."""

LATE_SECONDS = 2.0
"""What is added to all of these: a step of a large formula, and the start of the checker."""

TRY, SHORTEST_TRY, LONGEST_TRY = 0.1, 0.3, 2.0
"""The share of the time, and the seconds at least and at most, of a first try with the points of a short search: most
proofs close then, and need not wait for a long one."""

QUICK, QUICK_NODES = 0.5, 2000
"""Seconds and boxes to see at once that there is no admissible point, before any are looked for."""

PATHS, MOST_PATHS = 0.1, 3.0
"""The share of the time, and the seconds at most, to look for a straight path along which there is no lower bound."""

APPROACHED = 20.0
"""Seconds at most to look for a path to an infimum that is not attained."""

CHEAPEST = 2.0
"""Seconds that the cheapest proof of whether an infimum is attained has in any case."""


class Deadline:
    """The end of a time, which begins when this is made."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.end = seconds, time.monotonic() + seconds

    def left(self, parts: int = 1) -> float:
        """Seconds left, or an even share of them; 0 once it is over."""
        return max(self.end - time.monotonic(), 0.0) / parts

    def is_over(self) -> bool:
        return time.monotonic() > self.end

    def spent(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.end + self.seconds


class Times(Deadline):
    """The time for one certificate, or for a first try at it: `whole` is what the whole has."""

    def __init__(self, seconds: float, whole: float | None = None) -> None:
        super().__init__(seconds)
        self.whole = seconds if whole is None else whole
        self.is_a_try = whole is not None

    def first_try(self) -> Times | None:
        """The time for a first try, which begins now; None if there is too little for one."""
        seconds = min(TRY * self.seconds, LONGEST_TRY)
        return Times(seconds, self.seconds) if seconds >= SHORTEST_TRY else None

    def until(self, share: float = 1.0) -> float:
        """Seconds until this share of the time is over, at least a tenth of a second."""
        return max(self.end - (1.0 - share) * self.seconds - time.monotonic(), 0.1)

    def late(self, share: float = 1.0) -> float:
        """Seconds until a step that does not end by itself at this share of the time is given up."""
        return self.until(share) + LATE * self.seconds + 0.5 * LATE_SECONDS

    def is_nearly_over(self) -> bool:
        """Whether there is no time to begin anything."""
        return self.until() <= min(0.5, 0.1 * self.seconds)
