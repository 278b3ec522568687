"""Points asked for and not told yet, each with what its asker noted about it, so that values may come in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats, bits

MOST_OPEN = 100_000
"""Open points that are remembered; of more the oldest are forgotten."""


class Ask(NamedTuple):
    """One open point: whose it is, and the rows of facts and of points that stand for it in the tables."""

    point: Floats
    mark: Any
    facts: Any
    row: Floats


class OpenAsks:
    """Asks by their points; of two for the same point the older one is answered first."""

    def __init__(self) -> None:
        self._asks: dict[bytes, list[Ask]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, asks: Sequence[Ask]) -> None:
        for ask in asks:
            self._asks.setdefault(bits(ask.point), []).append(ask)
        self._count += len(asks)
        while self._count > MOST_OPEN:
            self._drop(next(iter(self._asks)))

    def take(self, points: Floats) -> list[Ask]:
        """The asks of these points, which are open no longer; refuses, and takes none, if one is not open."""
        keys = [bits(point) for point in points]
        wanted = Counter(keys)
        for i, key in enumerate(keys):
            if wanted[key] > len(self._asks.get(key, ())):
                raise CpcbenchError(
                    "values are told for points that were asked for and not told yet, of which there are"
                    f" {self._count}: {points[i].tolist()} is none of them, or told twice"
                )
        return [self._drop(key) for key in keys]

    def all(self) -> list[Ask]:
        return [ask for asks in self._asks.values() for ask in asks]

    def _drop(self, key: bytes) -> Ask:
        asks = self._asks[key]
        ask = asks.pop(0)
        if not asks:
            del self._asks[key]
        self._count -= 1
        return ask
