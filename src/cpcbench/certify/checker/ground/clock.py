"""The time that a check may take: looked at wherever work is done that a file can make long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from cpcbench.certify.checker.ground.verdict import NotCheckedError

_end = [inf]


@contextmanager
def until(end: float) -> Iterator[None]:
    """Within it the check is given up at this moment of `time.perf_counter`."""
    before, _end[0] = _end[0], end
    try:
        yield
    finally:
        _end[0] = before


def left() -> float:
    """Seconds until then."""
    return _end[0] - time.perf_counter()


def look_at_clock() -> None:
    if time.perf_counter() > _end[0]:
        raise NotCheckedError("the time was over")
