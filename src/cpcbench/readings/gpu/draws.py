"""Points that a module draws by their numbers: looked at, counted, evaluated. Nothing is needed here but arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

Stream = Literal["philox", "splitmix"]
STREAMS: tuple[Stream, ...] = ("philox", "splitmix")
"""How points are drawn: by Philox 4x32-10, or as the counts on processors draw them."""

ROOM = 2**25
"""Points that the queue between the two kernels holds."""
CHUNK = 2**28
"""Points that are sifted in one go, at most."""
AT_ONCE = 64
"""Goes between two looks at how full the queue became; the first look is after one."""


class Module(Protocol):
    """A compiled source: a card's, or the host's."""

    xp: Any

    def launch(self, name: str, threads: int, *args: Any) -> None: ...

    def wait(self) -> None: ...


@dataclass(frozen=True)
class Survey:
    """Of drawn points: how many are admissible, the lowest value (infinite: none) and the number of that point."""

    points: int
    hits: int
    least: float
    lowest: int


class Draws:
    """The drawn points of one module: point number k is the same however many are asked for at once."""

    def __init__(self, module: Module, dim: int) -> None:
        self._module, self._dim = module, dim

    def points(self, first: int, count: int, key: int) -> npt.NDArray[np.float64]:
        """Points number `first` and those that follow, as they are drawn with this key."""
        xp = self._module.xp
        out = xp.empty((count, self._dim))
        if count:
            place = np.uint64(first), np.int64(count), np.uint64(key)
            self._module.launch("cpc_points", min(count, threads_of(xp)), *place, out)
        return out if xp is np else out.get()  # type: ignore[no-any-return]

    def count(self, first: int, count: int, key: int) -> int:
        """How many of these points are admissible."""
        return self._surveyed(first, count, key, False).hits

    def survey(self, first: int, count: int, key: int) -> Survey:
        """Those that are admissible, counted and evaluated."""
        return self._surveyed(first, count, key, True)

    def low_points(self, first: int, count: int, key: int, most: int) -> npt.NDArray[np.float64]:
        """Admissible points with low values, the lowest first: those that some thread found no lower one than."""
        numbers = self._work(first, count, key, True).lowest(most)
        found = [self.points(int(number), 1, key) for number in numbers]
        return np.concatenate(found) if found else np.empty((0, self._dim))

    def _surveyed(self, first: int, count: int, key: int, valued: bool) -> Survey:
        return self._work(first, count, key, valued).result(count)

    def _work(self, first: int, count: int, key: int, valued: bool) -> _Survey:
        work = _Survey(self._module, threads_of(self._module.xp), np.uint64(key), valued)
        done = 0
        while done < count:
            done += work.batch(first + done, count - done)
        return work


def threads_of(xp: Any) -> int:
    """As many as the card holds at once."""
    if xp is np:
        return 512
    return int(xp.cuda.Device().attributes["MultiProcessorCount"]) * 2048


class _Survey:
    """One survey under way: the queue, and what each thread has found."""

    def __init__(self, module: Module, threads: int, key: Any, valued: bool) -> None:
        xp = module.xp
        self._module, self._threads, self._key, self._valued = module, threads, key, valued
        self._goes = 1
        self._room = ROOM if xp is not np else 2**16
        self._chunk = CHUNK if xp is not np else 2**18
        self._queue = xp.empty(self._room, dtype=np.uint32)
        self._filled, self._most = (xp.zeros(1, dtype=np.uint32) for _ in range(2))
        self._hits, self._where = (xp.zeros(threads, dtype=np.uint64) for _ in range(2))
        self._least = xp.full(threads, np.inf)

    def batch(self, first: int, left: int) -> int:
        """Goes on with the next points; gives how many are done, none if the queue was too small for a go."""
        kept = self._hits.copy()
        self._most.fill(0)
        done = 0
        for _ in range(self._goes):
            if done < left:
                done += self._go(first + done, min(self._chunk, left - done))
        most = int(self._most[0])
        if most <= self._room:
            self._goes = min(2 * self._goes, AT_ONCE)
            return done
        self._hits = kept  # the lowest value stands: it is that of a drawn point
        self._chunk = max(int(self._chunk * 0.8 * self._room / most), 1)
        return 0

    def _go(self, first: int, count: int) -> int:
        launch, room = self._module.launch, np.uint32(self._room)
        place = np.uint64(first)
        self._filled.fill(0)
        launch(
            "cpc_sift", self._threads, place, np.int64(count), self._key, np.int32(self._valued), self._queue, room,
            self._filled, self._hits,
        )  # fmt: skip
        launch(
            "cpc_settle", self._threads, place, self._key, self._queue, room, self._filled, self._most, self._hits,
            self._least, self._where,
        )  # fmt: skip
        return count

    def result(self, points: int) -> Survey:
        best = int(self._least.argmin())
        return Survey(points, int(self._hits.sum()), float(self._least[best]), int(self._where[best]))

    def lowest(self, most: int) -> list[int]:
        """The numbers of the points with the lowest values of the threads."""
        order = self._least.argsort()[:most]
        return [int(number) for number in self._where[order[self._least[order] < np.inf]]]
