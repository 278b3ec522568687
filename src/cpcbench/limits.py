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
    return checked_whole(given, what, 1, most, of=" of evaluations")


def checked_processes(given: object, what: str, *, least: int = 1) -> int:
    """A number of worker processes."""
    return checked_whole(given, what, least, MOST_PROCESSES, of=" of worker processes")


def checked_whole(
    given: object, what: str, least: int, most: int | None = None, *, of: str = "", floats: bool = False
) -> int:
    """A whole number of things; with `floats` 1e10 is one, too."""
    try:
        number = int(given) if floats and isinstance(given, float) and given.is_integer() else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(given, bool) or not least <= number or (most is not None and number > most):
        limits = f"{least} on" if most is None else f"{least} to {most:,}"
        raise CpcbenchError(f"{what} is a whole number{of} from {limits}, not {given!r}")
    return number
