"""Work on all cores whose results come back in the order it was given, few at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Place = TypeVar("Place")
Result = TypeVar("Result")


def in_order(work: Callable[[Place], Result], places: Iterable[Place], workers: int) -> Iterator[tuple[Place, Result]]:
    """Each place and its result, in the order given; only a few are under way or waiting at any time."""
    pool = ThreadPoolExecutor(workers)
    waiting: deque[tuple[Place, Future[Result]]] = deque()
    try:
        for place in places:
            waiting.append((place, pool.submit(work, place)))
            if len(waiting) > 2 * workers:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:  # a stop, an error or the end: what has not begun never will
        pool.shutdown(wait=True, cancel_futures=True)
