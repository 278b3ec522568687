"""The independent checker's word on a certificate before it is handed out, within a time of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

from cpcbench.certify.attained.approaching import approached
from cpcbench.certify.attained.deciding import attained_proofs
from cpcbench.certify.certificate.certificate import VERSION, Certificate
from cpcbench.certify.checker import Verdict, check
from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.numbers import arithmetic

Data = dict[str, Any]

SHORTEST, MOST_SECONDS = 2.0, 20.0
"""What the cheapest proof has in any case, and how long a path to an infimum that is not attained is looked for."""


def verdict_on(data: Data, seconds: float, jobs: int = 1) -> Verdict | None:
    """What the checker says; None if it did not come to an end in the time."""
    verdict = check(data, jobs=jobs, seconds=seconds)
    return verdict if verdict.checked else None


def confirmed(certificate: Certificate, seconds: float, more: float = 0.0, jobs: int = 1) -> Certificate:
    """The certificate with what the checker says to it, and with a proof of whether the infimum is attained if it takes
    one. What comes back has the newest version; its `checked` is None if the time ran out.

    For whether it is attained there are `more` seconds; as that is checked with all the rest, it may take half of those
    for checking too.
    """
    end = time.monotonic() + more + seconds
    last = end - 0.5 * seconds if seconds < math.inf else math.inf
    plain = without_attained(certificate.data)
    for rank, data in enumerate(_claims(plain, last) if certificate.bounded else ()):
        left = last - time.monotonic()
        least = SHORTEST if rank == 0 else 0.0  # the first one needs no tree
        verdict = verdict_on(data, max(left, least), jobs) if left > 0.0 or least else None
        if verdict is None:
            break
        if verdict.accepted:
            return Certificate(data, verdict)
    return Certificate(plain, verdict_on(plain, max(end - time.monotonic(), 0.0), jobs))


def without_attained(data: Data) -> Data:
    """The same claims but for whether the infimum is attained."""
    claim = {name: part for name, part in data["claim"].items() if name != "attained"}
    return {**{name: part for name, part in data.items() if name != "attained"}, "version": VERSION, "claim": claim}


def _claims(plain: Data, deadline: float) -> Iterator[Data]:
    """The certificate with each proof of whether the infimum is attained that may be offered, the cheapest first."""
    for said, proof in attained_proofs(plain):
        yield {**plain, "claim": {**plain["claim"], "attained": said}, "attained": proof}
    if plain["part"] != "thin":
        with arithmetic("arb", TREE_BITS):
            found = approached(plain, min(max(deadline - time.monotonic(), 0.0), MOST_SECONDS))
        if found is not None:
            yield found


def with_attained(certificate: Certificate, jobs: int = 1, seconds: float = float("inf")) -> Certificate:
    """The certificate with a claim of whether its infimum is attained, if the checker takes a proof in the time."""
    return confirmed(certificate, seconds, seconds, jobs)
