"""What a search saw of a function: where it failed and how, and the part of the box where it seems to be defined."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from cpcbench.points import Points

NUMBER = re.compile(r"0x[0-9a-fA-F]+|[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")

MOST_KINDS = 30
"""Kinds that are told apart; the rest are counted together."""

UNDEFINED, OTHERS = "returned NaN", "others"
LATE = "still running when the time was over"


@dataclasses.dataclass
class Failure:
    """How often a function had no value for the same reason: `kind` has # for numbers; with the first of its points."""

    kind: str
    count: int
    example: str
    x: Points


@dataclasses.dataclass(frozen=True)
class Defined:
    """Where values were seen: `share` of the search's evaluations, and the least box [lower, upper] around the points.

    The search goes where values are: its share is not that of the volume.
    """

    share: float
    lower: Points
    upper: Points


class Failures:
    """Counts failures by kind."""

    def __init__(self) -> None:
        self._kinds: dict[str, Failure] = {}
        self._texts: dict[str, Failure] = {}  # those met already, as far as they are few

    def add(self, error: str, point: Points, count: int = 1) -> None:
        found = self._texts.get(error)
        if found is None:
            found = self._kind_of(error, point)
            if len(self._texts) < 10 * MOST_KINDS:
                self._texts[error] = found
        found.count += count

    def _kind_of(self, error: str, point: Points) -> Failure:
        kind = NUMBER.sub("#", error)
        if kind not in self._kinds:
            kind = kind if len(self._kinds) < MOST_KINDS else OTHERS
            self._kinds.setdefault(kind, Failure(kind, 0, error, point.copy()))
        return self._kinds[kind]

    def all(self) -> list[Failure]:
        """The most frequent first."""
        return sorted(self._kinds.values(), key=lambda failure: -failure.count)


class Seen:
    """The least box around all points with values; looked for in many at a time, since there are many."""

    MANY = 100

    def __init__(self) -> None:
        self._waiting: list[Points] = []

    def add(self, points: Points, defined: np.typing.NDArray[np.bool_]) -> None:
        self._waiting.append(points[defined])
        if len(self._waiting) >= self.MANY:
            self._reduce()

    def _reduce(self) -> None:
        every = np.concatenate(self._waiting)
        self._waiting = [np.array([every.min(axis=0), every.max(axis=0)]) if len(every) else every]

    def part(self, share: float) -> Defined | None:
        """None where nothing was defined."""
        if self._waiting:
            self._reduce()
        return Defined(share, *self._waiting[0]) if self._waiting and len(self._waiting[0]) else None
