"""How much may be asked for: numbers beyond these are refused at once, with a message, instead of never ending."""

from __future__ import annotations

import math
import operator

from cpcbench.errors import CpcbenchError

LONGEST = 10_000_000.0
"""Seconds that a time limit may be: 115 days."""

MOST_EVALUATIONS = 10**12
"""A budget; at a microsecond each they take 11 days."""

MOST_RUNS = 1_000_000
"""Of one study: all solvers on all problems together."""

MOST_PROCESSES = 1024


def checked_seconds(given: object, what: str = "a time limit") -> float:
    """A time that passes."""
    try:
        seconds = math.nan if isinstance(given, (bool, str)) else float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not 0.0 < seconds <= LONGEST:
        raise CpcbenchError(f"{what} is a positive number of seconds, at most {LONGEST:,.0f}, not {given!r}")
    return seconds


def checked_budget(given: object, what: str = "a budget", *, most: int = MOST_EVALUATIONS) -> int:
    """A number of evaluations."""
    return _whole(given, what, "a whole number of evaluations", most)


def checked_processes(given: object, what: str, *, least: int = 1) -> int:
    """A number of worker processes."""
    return _whole(given, what, "a whole number of worker processes", MOST_PROCESSES, least=least)


def _whole(given: object, what: str, wanted: str, most: int, *, least: int = 1) -> int:
    try:
        number = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(given, bool) or not least <= number <= most:
        raise CpcbenchError(f"{what} is {wanted} from {least} to {most:,}, not {given!r}")
    return number
