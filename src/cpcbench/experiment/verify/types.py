"""The four solution types: what a returned solution is, beside the best one on record and its own claim.

I: as good as that, by one of two rules (`RULES`). II: local. III: nothing admissible returned. IV: the reported value
is not the one verification finds, or the point returned is inadmissible. IV comes on top of I and II;
an inadmissible point that was claimed as a solution is IV alone, as in the published record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Union

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.problems.facts import BestKnown, Published
from cpcbench.problems.kinds import close
from cpcbench.problems.problem import Problem

TYPES = ("I", "II", "III", "IV")

Best = Union[BestKnown, Published]

CONSISTENT = 1e-6
"""A reported value is consistent if the verdict agrees with it to this accuracy."""


class Claim(Protocol):
    """A solution as it was returned and verified: a run's record, or a verdict."""

    @property
    def x(self) -> tuple[float, ...] | None: ...
    @property
    def reported(self) -> float | None: ...
    @property
    def verified(self) -> float: ...
    @property
    def kind(self) -> str: ...


@dataclass(frozen=True)
class Tolerances:
    """When a solution agrees with the best-known one, and a report with its verification.

    `value`: the value may lie above the best one by this much, relative to it (below 1: absolute). `place`: the root
    mean square over the coordinates of the distance to the nearest best point, each as a share of the box's width.
    Both must hold. `odd`: a thin point or an artefact must have the best value to this accuracy instead.
    `equal`: a value not above the best one by more than this share of it is as good, wherever it is; `better`: one
    below it by more than this share beats it. `report`: how far a reported value may be off, relatively (below 1:
    absolutely). `penalty`: a report from here on says "undefined".

    The defaults are calibrated on the consistent rows of the published record, which read "best-known" loosely.
    Type I was given up to a value 0.0196 above (GA on CPC-DF21) and a place 0.00115 away (GA on CPC-DF6), and refused
    from 0.066 on at 0.00125 (B&B on CPC-DF6), and from 0.0023 on at 0.019 (SA on CPC-DF3); 0.03 and 0.0015 lie
    between. The paper's worked example, SA on CPC-DF3, is refused at 0.0171 and 0.0009, inside of these: no two
    numbers fit both, but that point is an artefact, for which `odd` is asked. A report was inconsistent from 1.1e-6 on
    (UGO on CPC-DF3, in the paper's own table) and still consistent at 8.7e-7 (SA on CPC-DF25).
    """

    value: float = 0.03
    place: float = 0.0015
    odd: float = 1e-6
    equal: float = 1e-9
    better: float = 1e-6
    report: float = CONSISTENT
    penalty: float = 1e100

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0.0:
                raise CpcbenchError(f"the tolerance {name} is a number from 0 on, not {value!r}")


DEFAULT = Tolerances()
STRICT = 1e-4
"""How far above the best-known value, relative above 1, a value of Type I may be by the rule `strict`."""


@dataclass(frozen=True)
class TypeRule:
    """What Type I means: the tolerances, and whose solution they are held `against`, published or best known."""

    name: str
    against: str
    tolerances: Tolerances

    def best(self, problem: Problem) -> Best | None:
        """The solution that others are held against; the best-known one where none is published."""
        return problem.published or problem.best_known if self.against == "published" else problem.best_known

    @property
    def text(self) -> str:
        """The rule in a sentence, for the tables that follow it."""
        if self.name == "strict":
            return (
                f"Types by the rule strict: Type I is a value within {STRICT:g} (relative above 1) of the best-known "
                "one, which is the proven infimum where there is a proof."
            )
        return (
            "Types by the rule paper: held against the published solution (the best-known one where none is "
            f"published); Type I is a value at most {self.tolerances.value:g} above it, relative above 1, at a place "
            f"at most {self.tolerances.place:g} of the box away, or a faithful value as low (to {STRICT:g} where more "
            "optima are proven to exist than points are on record)."
        )


RULES = {
    "paper": TypeRule("paper", "published", DEFAULT),
    "strict": TypeRule("strict", "best known", Tolerances(value=STRICT, place=math.inf, odd=STRICT)),
}


def type_rule(name: str) -> TypeRule:
    """The rule of that name."""
    if name not in RULES:
        raise CpcbenchError(f"types are given by the rule {' or '.join(RULES)}, not {name!r}")
    return RULES[name]


def held_against(best: Best | None) -> str:
    """What a value is held against, in the words of the tables."""
    if best is None:
        return "nothing on record"
    kind = best.kind if isinstance(best, BestKnown) else "published"
    return {"proven": "proven infimum", "faithful": "best known", "published": "published"}[kind]


@dataclass(frozen=True)
class Assessment:
    """A solution's types and what they rest on.

    `types` holds neither I nor II if the point is admissible and no best-known solution is on record.
    `better`: faithful and below the best-known value. `below`: the kind of a point below it; a thin or
    an artefact one is a record of its kind only and beats nothing. `place` and `gap` are the distance
    (see `Tolerances`) and the value minus the best-known one, None where there is nothing to compare.
    """

    types: tuple[str, ...]
    better: bool = False
    below: str | None = None
    place: float | None = None
    gap: float | None = None

    @property
    def text(self) -> str:
        """The types as the tables print them."""
        return ", ".join(self.types) or "admissible"

    @property
    def solved(self) -> bool:
        """Whether it is of Type I, whatever was reported."""
        return "I" in self.types


def assess(
    problem: Problem | None, claim: Claim, *, rule: TypeRule = RULES["paper"], best: Best | None = None
) -> Assessment:
    """A solution beside the one that the rule holds it against (the problem's, unless `best` is another).

    `problem` may be None where it is not to be had: then there is nothing to compare with.
    A faithful value at or below the best one is of Type I wherever it is; one within 1e-4 of it too, where more
    optima are proven to exist than points are on record. A thin point or an artefact below it is a record of its
    kind (`below`), not the best solution.
    """
    if (
        isinstance(claim, RunRecord)
        and problem is not None
        and claim.key[:3] != (problem.id, problem.dim, problem.rule)
    ):
        raise CpcbenchError(
            f"a run of {claim.problem} (n = {claim.n}, rule {claim.rule}) cannot be assessed as one of {problem}"
        )
    tolerances = rule.tolerances
    x, reported, verified, kind = claim.x, claim.reported, claim.verified, claim.kind
    if x is None:
        return Assessment(("III",))
    if math.isnan(verified):
        return Assessment(("III",) if _says_undefined(reported, tolerances) else ("IV",))
    wrong = reported is not None and not close(reported, verified, tolerances.report)
    more = ("IV",) if wrong else ()
    known = rule.best(problem) if best is None and problem is not None else best
    if problem is None or known is None:
        return Assessment(more)
    place, gap = place_of(problem, x, known), verified - known.value
    here = place <= tolerances.place and _agrees(gap, known.value, kind, tolerances)
    as_good = kind == "faithful" and (
        gap <= tolerances.equal * abs(known.value)
        or (gap <= STRICT * max(1.0, abs(known.value)) and _has_more(problem, known))
    )
    below = kind if gap < -tolerances.better * abs(known.value) else None
    return Assessment(
        types=("I" if here or as_good else "II", *more),
        better=below == "faithful",
        below=below,
        place=place,
        gap=gap,
    )


def place_of(problem: Problem, x: Sequence[float], best: Best) -> float:
    """How far x is from the nearest best-known point: root mean square of the shares of the box's width."""
    width = problem.upper - problem.lower
    width = np.where(width > 0, width, 1.0)  # a variable that is fixed has no width to share
    with np.errstate(over="ignore"):
        shares = (best.points - np.asarray(x, dtype=np.float64)) / width
        return float(np.sqrt((shares**2).mean(axis=1)).min())


def _has_more(problem: Problem, best: Best) -> bool:
    """Whether more optima are proven to exist than the points on record, so that a place says nothing."""
    from cpcbench.studies.symmetry.optima_count import separable_optima

    counted = separable_optima(problem)
    return counted is not None and counted.at_least > len(best.points)


def _says_undefined(reported: float | None, tolerances: Tolerances) -> bool:
    """Whether the solver itself called the point undefined: no claim is made then that could be wrong."""
    return reported is not None and (math.isnan(reported) or reported >= tolerances.penalty)


def _agrees(gap: float, best: float, kind: str, tolerances: Tolerances) -> bool:
    """Near the best value; only a faithful value may be any amount below it."""
    scale = max(1.0, abs(best))
    if kind in ("thin", "artefact"):
        return abs(gap) <= tolerances.odd * scale
    return (gap if kind == "faithful" else abs(gap)) <= tolerances.value * scale
