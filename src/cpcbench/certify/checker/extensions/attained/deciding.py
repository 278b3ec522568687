"""Whether some admissible point has the infimum as its value: which proof a certificate offers, and its check."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from cpcbench.certify.checker.core.numbers import DOWN, precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import Task
from cpcbench.certify.checker.extensions import parts
from cpcbench.certify.checker.extensions.attained.approached import NeverAt, check_approached
from cpcbench.certify.checker.extensions.attained.compact import guards_of, guards_of_each
from cpcbench.certify.checker.extensions.attained.least import check_least
from cpcbench.certify.checker.extensions.attained.oscillation import check_oscillation
from cpcbench.certify.checker.extensions.cases import check_exponents
from cpcbench.certify.checker.extensions.settled import Guards
from cpcbench.certify.checker.extensions.sums.links import Proven
from cpcbench.certify.checker.ground.fields import field, only, shown
from cpcbench.certify.checker.ground.verdict import RejectedError

NAME = "attained: bounds"
KINDS = {"bounds": True, "compact": True, "least": True, "oscillation": False, "approached": False}
"""What each kind of proof says of the infimum."""

ENTRIES = {"oscillation": ("node", "variable", "boxes"), "approached": ("path",)}
"""What comes with some kinds."""

Guarded = Guards | NeverAt


class Bounds(NamedTuple):
    """What is claimed, or proven by now, of an infimum."""

    lower: float
    upper: float


def read_attained(claim: object, proof: object) -> str | None:
    """The kind of proof; None if nothing is claimed."""
    said = claim.get("attained") if isinstance(claim, dict) else None
    if said is None:
        if proof is not None:
            raise RejectedError("there is a proof of whether the infimum is attained, but no such claim")
        return None
    if not isinstance(said, bool):
        raise RejectedError(f"attained is {shown(said)}, neither true nor false")
    if proof is None:
        raise RejectedError("the proof of whether the infimum is attained is missing")
    by = field(proof, "by")
    if not isinstance(by, str) or by not in KINDS:
        raise RejectedError(f"whether the infimum is attained is not shown by {shown(by)}")
    only(proof, {"by", *ENTRIES.get(by, ())})
    if KINDS[by] != said:
        raise RejectedError(f"a proof by {by!r} does not show that attained is {str(said).lower()}")
    return by


def check_attained(
    by: str | None, subject: Subject, data: Any, bounds: Bounds, tasks: list[Task], proven: list[Proven]
) -> list[Guarded | None]:
    """What the leaves of each task must show besides; all else about being attained is checked here."""
    if subject.part == "thin" and by in ("least", "oscillation", "approached"):
        raise RejectedError(f"on thin sets a proof by {by!r} shows nothing")
    if by == "bounds":
        subject.rests_on.add(NAME)
        if bounds.lower != bounds.upper:
            raise RejectedError("the bounds differ, so that they do not show that the infimum is attained")
    if by == "least":
        check_least(subject, field(data, "upper"))
    if by == "oscillation":
        check_oscillation(subject, field(data, "attained"), data.get("optima"), Fraction(bounds.upper))
    if by == "approached":
        return _never_at(subject, data, bounds.lower, len(tasks))
    if by != "compact":
        return [None] * len(tasks)
    lower_by = field(field(data, "lower"), "by")
    if lower_by == parts.NAME:  # its trees are about other formulas: only what ranges over the whole box show counts
        guards_of(subject, [], [], Fraction(bounds.upper))
        return [None] * len(tasks)
    if lower_by == "cases":
        check_exponents(subject)
        return list(guards_of_each(tasks, Fraction(bounds.upper)))
    if subject.part == "thin":
        return list(guards_of_each(tasks, Fraction(bounds.upper)))
    return list(guards_of(subject, tasks, proven, Fraction(bounds.upper)))


def _never_at(subject: Subject, data: Any, lower: float, count: int) -> list[Guarded | None]:
    """Low leaves of one tree on the formula show that they are never at the infimum, or else the whole box does."""
    by = field(field(data, "lower"), "by")
    if by not in ("tree", "sums") or data.get("optima") is not None:
        raise RejectedError("an infimum that is approached goes with a lower bound by 'tree' or 'sums', without optima")
    bits = DOWN.bits
    check_approached(subject, field(data, "attained"), lower)
    precision(bits)
    never = NeverAt.of(subject, Fraction(lower))
    if by == "tree":
        return [never]
    never.check(tuple(subject.bounds))
    return [None] * count
