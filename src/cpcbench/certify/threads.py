"""Work shared out to threads: compiled code runs without the interpreter's lock, so they are at work at once."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cpcbench.errors import CpcbenchError

T = TypeVar("T")
R = TypeVar("R")

MOST_WORKERS = 64
"""However many are asked for."""
PIECES, SHORTEST = 4, 16
"""Parts for each worker, so that none waits long for the last one, and the rows of a part at least."""


def workers_or_cores(workers: int | None) -> int:
    """The number asked for, or that of the cores this process may use."""
    if workers is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(cores, MOST_WORKERS)
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= MOST_WORKERS:
        raise CpcbenchError(f"workers is a whole number from 1 to {MOST_WORKERS}, not {workers!r}")
    return workers


def in_threads(work: Callable[[T], R], parts: Iterable[T], workers: int) -> list[R]:
    """What `work` makes of each part, in their order."""
    listed = list(parts)
    if workers <= 1 or len(listed) <= 1:
        return [work(part) for part in listed]
    here = [contextvars.copy_context() for _ in listed]  # a time limit holds in the threads too
    with ThreadPoolExecutor(min(workers, len(listed))) as pool:
        return list(pool.map(lambda context, part: context.run(work, part), here, listed))


def slices(count: int, workers: int) -> list[slice]:
    """Ranges that make up `count` rows."""
    many = 1 if workers <= 1 else max(1, min(PIECES * workers, count // SHORTEST))
    return [slice(count * i // many, count * (i + 1) // many) for i in range(many)]
