"""What the checker says of a certificate, and how its parts refuse one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cpcbench.errors import CpcbenchError


class RejectedError(CpcbenchError):
    """A step of a proof that does not hold; the message says which and why."""


class NotCheckedError(CpcbenchError):
    """A limit of time, memory or size was met before there was a verdict; the message says which."""


@dataclass(frozen=True)
class Verdict:
    """Whether a certificate is a proof of its claim; `lower` and `upper` are what is proven, None if nothing is.

    An accepted certificate of an unbounded function has both at -inf, one of an empty domain both at inf. `checked` is
    False if a limit was met before there was a verdict. `about` has the formula, the bounds, the rule and the part of
    the domain that the claim is about, as far as they could be read; `rests_on` the extensions beyond the core that the
    proof uses. `leaves` counts the leaves of the trees that were checked. `attained` says whether some point has the
    infimum as its value, None if that is open.
    """

    accepted: bool
    reason: str
    lower: float | None = None
    upper: float | None = None
    leaves: int = 0
    seconds: float = 0
    attained: bool | None = None
    checked: bool = True
    about: dict[str, Any] = field(default_factory=dict)
    rests_on: tuple[str, ...] = ()
    arithmetic: str = "arb"

    @property
    def lines(self) -> list[str]:
        """What it is about, and what the proof rests on beyond the core, in words."""
        if not self.about:
            return []
        formula = " ".join(self.about["formula"].split())  # no line breaks that would hide a part of it
        bounds = ", ".join(f"[{low!r}, {high!r}]" for low, high in self.about["bounds"])
        return [
            f"about: {formula if formula.isprintable() else repr(formula)}",
            f"bounds: {bounds}; rule {self.about['rule']}; part {self.about['part']}; named {self.about['name']!r}",
            f"arithmetic: {self.arithmetic}; rests on: {', '.join(self.rests_on) or 'the core alone'}",
        ]

    def __str__(self) -> str:
        word = "accepted" if self.accepted else "rejected" if self.checked else "not checked"
        return f"{word}: {self.reason} ({self.leaves:,} leaves, {self.seconds:.1f} s)"
