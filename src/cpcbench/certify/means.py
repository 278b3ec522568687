"""What a proof may use while it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cpcbench.certify.certificate.state import ProofState
from cpcbench.certify.lower.tree.grown import Tree
from cpcbench.intervals.tape import Tape
from cpcbench.points import Points
from cpcbench.progress import silent

Tell = Callable[[str], None]
"""Takes a line of text about a proof in the making."""

First = Callable[[Tape, Sequence[float], Sequence[float], float], Tree | None]
"""Gives a tree of boxes to begin with, for a tape on a box and a target; none where it can not."""


@dataclass(frozen=True)
class Means:
    """Threads, a state to keep what is found in and to go on from, somebody to tell, and who may grow trees first; and
    points at which a proof in the making shows the formula to be lower than the point that it was made with."""

    workers: int = 1
    state: ProofState = field(default_factory=lambda: ProofState(None, "", ()))
    tell: Tell = silent
    first: First | None = None
    shown: list[Points] = field(default_factory=list)
