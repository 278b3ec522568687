"""Short searches on a card, thousands at a time: from each admissible draw, steps at random downwards."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.readings.gpu.draws import ROOM, Module, threads_of

GO = 2**30
"""Points drawn in one go for starts."""


@dataclass(frozen=True)
class Walked:
    """The lowest value found and its point, from how many starts, in how many steps each."""

    value: float
    point: npt.NDArray[np.float64]
    starts: int
    steps: int


def walk(
    module: Module, dim: int, key: int, seconds: float, *, steps: int = 1000, go: int = GO, room: int = ROOM // 8
) -> Walked:
    """Searches until the time is over; the last ones are brought to their end."""
    xp = module.xp
    threads = threads_of(xp)
    best, where = xp.full(threads, np.inf), xp.zeros((threads, dim))
    queue, filled = xp.empty(room, dtype=np.uint32), xp.zeros(1, dtype=np.uint32)
    hits = xp.zeros(threads, dtype=np.uint64)
    end = time.monotonic() + seconds
    starts = first = 0
    while True:
        filled.fill(0)
        place = np.uint64(first), np.uint64(key), queue, np.uint32(room), filled
        module.launch(
            "cpc_sift", threads, place[0], np.int64(go), place[1], np.int32(1), queue, np.uint32(room), filled, hits
        )
        module.launch("cpc_walk", threads, *place, np.uint64(first), np.int32(steps), best, where)
        found = int(filled[0])
        starts += min(found, room)
        if found > room:  # points that nobody starts from need not be drawn
            go = max(int(go * 0.9 * room / found), 1)
        first += 2**30
        if time.monotonic() >= end:
            chosen = int(best.argmin())
            return Walked(float(best[chosen]), _on_host(xp, where[chosen]), starts, steps)


def _on_host(xp: Any, array: Any) -> npt.NDArray[np.float64]:
    return array.copy() if xp is np else array.get()  # type: ignore[no-any-return]
