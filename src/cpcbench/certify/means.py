"""What a proof may use while it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cpcbench.certify.certificate.state import ProofState
from cpcbench.progress import silent

Tell = Callable[[str], None]
"""Takes a line of text about a proof in the making."""


@dataclass(frozen=True)
class Means:
    """Threads, a state to keep what is found in and to go on from, and somebody to tell."""

    workers: int = 1
    state: ProofState = field(default_factory=lambda: ProofState(None, "", ()))
    tell: Tell = silent
