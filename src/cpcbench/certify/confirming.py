"""The independent checker's word on a certificate before it is handed out, within a time of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

from cpcbench.certify.attained.approaching import approached
from cpcbench.certify.attained.deciding import attained_proofs
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.form import to_json, versioned
from cpcbench.certify.certificate.schema import Statement
from cpcbench.certify.checker import Verdict, check
from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.times import APPROACHED, CHEAPEST


def verdict_on(said: Statement, seconds: float, workers: int = 1) -> Verdict | None:
    """What the checker says; None if it did not come to an end in the time."""
    verdict = check(to_json(said), workers=workers, seconds=seconds)
    return verdict if verdict.checked else None


def confirmed(said: Statement, seconds: float = math.inf, more: float = math.inf, workers: int = 1) -> Certificate:
    """The certificate with what the checker says to it, and with a proof of whether the infimum is attained if it takes
    one. What comes back has the newest version; its `checked` is None if the time ran out.

    For whether it is attained there are `more` seconds; as that is checked with all the rest, it may take half of those
    for checking too.
    """
    if said.reach is not None or said.carried is not None:  # what they say of it was decided when they were made
        return Certificate(said, verdict_on(said, seconds, workers))
    end = time.monotonic() + more + seconds
    last = end - 0.5 * seconds if seconds < math.inf else math.inf
    plain = versioned(replace(said, claim=replace(said.claim, attained=None), attained=None))
    for rank, claimed in enumerate(_claims(plain, last) if said.claim.kind == "infimum" else ()):
        left = last - time.monotonic()
        least = CHEAPEST if rank == 0 else 0.0  # the first one needs no tree
        verdict = verdict_on(claimed, max(left, least), workers) if left > 0.0 or least else None
        if verdict is None:
            break
        if verdict.accepted:
            return Certificate(claimed, verdict)
    return Certificate(plain, verdict_on(plain, max(end - time.monotonic(), 0.0), workers))


def _claims(plain: Statement, deadline: float) -> Iterator[Statement]:
    """The certificate with each proof of whether the infimum is attained that may be offered, the cheapest first."""
    for said, proof in attained_proofs(plain):
        yield replace(plain, claim=replace(plain.claim, attained=said), attained=proof)
    if plain.part != "thin":
        with arithmetic("arb", TREE_BITS):
            found = approached(plain, min(max(deadline - time.monotonic(), 0.0), APPROACHED))
        if found is not None:
            yield found
