"""A time limit for a whole call: work deep inside looks at the clock, and whoever set the limit catches its end."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_END: ContextVar[float] = ContextVar("end of the time", default=math.inf)


class OutOfTimeError(Exception):
    """A limit is reached; what was found by then is with whoever set it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Within it `look_at_clock` raises once the time is over; a limit inside another one cannot be longer."""
    token = _END.set(min(_END.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _END.reset(token)


@contextmanager
def time_limit_lifted() -> Iterator[None]:
    """Within it no limit holds: for what has a time of its own."""
    token = _END.set(math.inf)
    try:
        yield
    finally:
        _END.reset(token)


def look_at_clock() -> None:
    """Raises if the time of a limit around this call is over."""
    if time.monotonic() > _END.get():
        raise OutOfTimeError
