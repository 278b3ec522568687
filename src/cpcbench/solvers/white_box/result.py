"""What the white-box search found: the lowest point of each kind."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cpcbench.points import Floats
from cpcbench.problems.kinds import Kind
from cpcbench.solvers.ending import BUDGET_SPENT, Ending
from cpcbench.solvers.white_box.judge import Candidate


@dataclass
class WhiteBoxResult:
    """What was found; `x` and `value` are the lowest faithful point, NaN and None if there is none.

    `thin` and `artefact` are the lowest points of their kind, if lower than nothing else of it; `rounded` is a lower
    point than `x` whose value is the real one with the formula's constants as doubles, not as written; `optima`
    are all faithful points found whose value is the lowest one within a tolerance, symmetric copies included.
    """

    x: Floats | None = None
    value: float = math.nan
    thin: Candidate | None = None
    artefact: Candidate | None = None
    rounded: Candidate | None = None
    optima: list[Candidate] = field(default_factory=list)
    evaluations: int = 0
    undefined: int = 0
    reads: int = 0
    epochs: int = 0
    seconds: float = 0.0
    message: str = ""
    ending: Ending = BUDGET_SPENT

    def offer(self, candidate: Candidate) -> None:
        """Keeps the candidate if it is the lowest of its kind."""
        if candidate.kind == "faithful" and not candidate.value >= self.value:
            self.x, self.value = candidate.x, candidate.value
        elif candidate.kind in ("thin", "artefact"):
            held: Candidate | None = getattr(self, candidate.kind)
            if held is None or candidate.value < held.value:
                setattr(self, candidate.kind, candidate)

    def take(self, other: WhiteBoxResult) -> None:
        """Keeps what another has, as far as it is lower."""
        if other.x is not None:
            self.offer(Candidate(other.x, other.value, other.value, "faithful"))
        for candidate in (other.thin, other.artefact):
            if candidate is not None:
                self.offer(candidate)

    def summary(self) -> str:
        """The values found, in words."""
        words = [f"lowest faithful value {self.value!r}" if self.x is not None else "no faithful point was found"]
        kinds: tuple[Kind, ...] = ("thin", "artefact")
        for kind in kinds:
            candidate = getattr(self, kind)
            if candidate is not None and not candidate.value >= self.value:
                which = "lower still, but" if self.x is not None else "the lowest that is"
                words.append(f"{which} {kind}: {candidate.value!r}")
        return "; ".join(words)
