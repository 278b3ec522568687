"""The limits of a run that is watched from outside: how long after its time it is killed, and memory in words."""

from __future__ import annotations

import math
import re

from cpcbench.errors import CpcbenchError

LEAST_GRACE = 5.0
GRACE = 0.5
"""A run with a time limit is killed when the limit and this part of it, at least `LEAST_GRACE` s, have passed."""

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
LEAST_MEMORY = 64 * UNITS["M"]
"""Less would count what Numba takes to load a kernel."""


def grace(seconds: float) -> float:
    """What a run may take beyond its time limit to come to an evaluation, where it is stopped in good order."""
    return max(LEAST_GRACE, GRACE * seconds)


def memory_bytes(given: int | str | None) -> int | None:
    """Bytes from a number or from text such as 500M or 2G; None stays None."""
    if given is None:
        return None
    amount = _read(given) if isinstance(given, str) else given
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise CpcbenchError(f"memory is a whole number of bytes or a text such as 500M or 2G, not {given!r}")
    if amount < LEAST_MEMORY:
        raise CpcbenchError(f"memory must be at least {shown(LEAST_MEMORY)}, not {given!r}")
    return amount


def shown(amount: int) -> str:
    """Bytes as a short text: 500M, 1.5G."""
    for unit in ("T", "G", "M", "K"):
        if amount >= UNITS[unit]:
            return f"{round(amount / UNITS[unit], 1):g}{unit}"
    return str(amount)


def _read(text: str) -> int | None:
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE | re.ASCII)
    if found is None:
        return None
    return math.floor(float(found[1]) * UNITS[found[2].upper()])
