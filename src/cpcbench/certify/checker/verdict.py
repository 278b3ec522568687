"""What the checker says of a certificate, and how its parts refuse one."""

from __future__ import annotations

from dataclasses import dataclass

from cpcbench.errors import CpcbenchError


class RejectedError(CpcbenchError):
    """A step of a proof that does not hold; the message says which and why."""


@dataclass(frozen=True)
class Verdict:
    """Whether a certificate is a proof of its claim; `lower` and `upper` are what is proven, None if nothing is.

    An accepted certificate of an unbounded function has both at -inf. `leaves` counts the leaves of the
    trees that were checked. `attained` says whether some point has the infimum as its value, None if that is open.
    """

    accepted: bool
    reason: str
    lower: float | None = None
    upper: float | None = None
    leaves: int = 0
    seconds: float = 0.0
    attained: bool | None = None

    def __str__(self) -> str:
        word = "accepted" if self.accepted else "rejected"
        return f"{word}: {self.reason} ({self.leaves:,} leaves, {self.seconds:.1f} s)"
