"""What an undefined value becomes for a solver or a library that cannot take it as it is: the policies, by name."""

from __future__ import annotations

import math

from cpcbench.errors import CpcbenchError

PENALTY = 1e100
"""Above every value of the suite, and its square is still a finite double."""

POLICIES = {"nan": math.nan, "inf": math.inf, "penalty": PENALTY}
"""What is given in place of an undefined value; records always keep the raw value."""


def check_policy(word: str, *more: str) -> str:
    """The word, if it names a policy or is one of those besides."""
    known = (*POLICIES, *more)
    if word not in known:
        raise CpcbenchError(f"unknown policy {word!r} for undefined values: there are {', '.join(known)}")
    return word
