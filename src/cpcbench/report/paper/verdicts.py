"""A claim of the paper and what comes of it: confirmed, refined or refuted."""

from __future__ import annotations

from dataclasses import dataclass

CONFIRMED, REFINED, REFUTED = "confirmed", "refined", "refuted"


@dataclass(frozen=True)
class Claim:
    """A claim in a few words, what comes of it, on what figures, and the command that makes them."""

    about: str
    claim: str
    verdict: str
    figures: str
    command: str
