"""Verification of a claimed solution: every reading of the point, and what kind of solution it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.verify.types import CONSISTENT, RULES, Assessment, TypeRule, assess, held_against, type_rule
from cpcbench.problems.kinds import FAITHFUL, Kind, close
from cpcbench.problems.problem import Problem
from cpcbench.problems.worth import Worth
from cpcbench.solvers.functions.black_box import BlackBox

if TYPE_CHECKING:
    from cpcbench.readings.reals.enclosure import Enclosure
    from cpcbench.readings.reals.error_bound import Bound


@dataclass(frozen=True)
class Verdict(Worth):
    """What is known of a claimed solution: the point by all readings, and the claim beside them.

    `reported` is the value that was claimed, None if none was. Each part is worked out when it is first asked for.
    """

    reported: float | None = None
    tolerance: float = CONSISTENT
    type_rule: TypeRule = RULES["paper"]
    evaluated_only = False
    """The problem is a function without a formula: it was evaluated again, and the enclosures say nothing."""

    @property
    def problem(self) -> str:
        return self.of.id

    @property
    def rule(self) -> str:
        return self.of.rule

    @cached_property
    def enclosure_doubles(self) -> Enclosure:
        """The real value with each part of the formula without a variable taken as the double it comes to."""
        return self.of.enclosure(self.x, constants="double")

    @cached_property
    def error_bound(self) -> Bound:
        return self.of.error_bound(self.x)

    @property
    def consistent(self) -> bool | None:
        """Whether what was reported is the value found; None if nothing was."""
        if self.reported is None:
            return None
        if math.isnan(self.reported) or math.isnan(self.reference):
            return math.isnan(self.reported) and math.isnan(self.reference)
        return close(self.reported, self.reference, self.tolerance)

    @cached_property
    def nearest(self) -> tuple[float, ...] | None:
        """The best-known point that is nearest; None if there is none on record."""
        if self.of.best_known is None:
            return None
        points: list[list[float]] = self.of.best_known.points.tolist()
        return tuple(min(points, key=lambda optimum: math.dist(optimum, self.x)))  # squares of far points overflow

    @property
    def distance(self) -> float | None:
        """How far away that is."""
        return None if self.nearest is None else math.dist(self.nearest, self.x)

    @property
    def gap(self) -> float | None:
        """The verdict minus the best-known value."""
        best = self.of.best_known
        return None if best is None or math.isnan(self.reference) else self.reference - best.value

    @property
    def constants_matter(self) -> bool:
        """The two enclosures differ: in the domain, or in the value by more than a faithful one may."""
        one, other = self.enclosure, self.enclosure_doubles
        if (one.domain, one.thin, one.defined) != (other.domain, other.thin, other.defined):
            return True
        both = one.midpoint, other.midpoint
        return one.defined is not False and both[0] != both[1] and not close(*both, FAITHFUL)

    @property
    def _rule(self) -> TypeRule:
        tolerances = replace(self.type_rule.tolerances, report=self.tolerance)
        return replace(self.type_rule, tolerances=tolerances)

    @property
    def held_against(self) -> str:
        """What the types compare with: the published solution, the best-known one or the proven infimum."""
        return held_against(self.type_rule.best(self.of))

    @cached_property
    def assessment(self) -> Assessment:
        return assess(self.of, self, rule=self._rule)

    @property
    def types(self) -> tuple[str, ...]:
        """The solution types I to IV; neither I nor II where no best-known solution is on record."""
        return self.assessment.types

    @property
    def below(self) -> str | None:
        """The kind of a point below the best-known value: a record of its kind."""
        return self.assessment.below

    @property
    def objections(self) -> tuple[str, ...]:
        """What speaks against the claim, in words; none if it is confirmed."""
        found = {
            "outside the box": not self.in_box,
            "undefined": self.kind == "inadmissible",
            "not the value reported": self.consistent is False and self.kind != "inadmissible",
        }
        return tuple(words for words, holds in found.items() if holds)

    @property
    def confirmed(self) -> bool:
        """In the box, admissible, and not contradicting what was reported."""
        return not self.objections


class Evaluated(Verdict):
    """The verdict on a function: its value again. Over the reals nothing is known."""

    evaluated_only = True
    constants_matter = False

    @property
    def fast(self) -> float:
        return self.reference

    @property
    def kind(self) -> Kind:
        return "inadmissible" if math.isnan(self.reference) else "re-evaluated"

    @property
    def enclosure(self) -> Enclosure:
        from cpcbench.readings.reals.enclosure import Enclosure

        return Enclosure(-math.inf, math.inf, math.nan, "undecided", None, False, 0, self.of.rule, "none")

    @property
    def enclosure_doubles(self) -> Enclosure:
        return self.enclosure

    @property
    def error_bound(self) -> Bound:
        from cpcbench.readings.reals.error_bound import Bound

        return Bound(self.reference, math.inf, straddles=True, decisive="the function")


def verify(
    problem: Problem,
    x: ArrayLike,
    reported: float | None = None,
    *,
    tolerance: float = CONSISTENT,
    types: str = "paper",
) -> Verdict:
    """Checks a claimed solution, independently of whoever claims it.

    Parameters
    ----------
    problem : Problem
        The problem that it is claimed of.
    x : array_like
        The point.
    reported : float, optional
        The value that was stated, if any; NaN if it was stated that the point is undefined.
    tolerance : float
        Relative above 1, absolute below.
    types : {"paper", "strict"}
        The rule for solution types: calibrated on and held against what is published, or within 1e-4 of the best-known
        or proven value.

    Returns
    -------
    Verdict
        The three readings of the point, its `kind` (faithful, thin, artefact, inadmissible), and whether the reported
        value is confirmed.

    Examples
    --------
    >>> import cpcbench as cpc
    >>> cpc.verify(cpc.problem("CPC-DF3"), [6.1828121298816, 6.49031991565847], -10.50367).kind
    'artefact'
    """
    if not isinstance(problem, Problem):
        raise CpcbenchError(f"verify takes a problem, such as cpcbench.problem('CPC-DF3'), not {problem!r}")
    kind = Evaluated if isinstance(problem, BlackBox) else Verdict
    claim: dict[str, object] = {"reported": _number("reported", reported), "tolerance": checked_tolerance(tolerance)}
    claim["type_rule"] = type_rule(types)
    verdict = kind.at(problem, x, **claim)
    verdict.reference  # noqa: B018 - of a function this is the user's code, which runs now or never
    return verdict


def checked_tolerance(tolerance: float) -> float:
    """The tolerance, if it is one."""
    value = _number("tolerance", tolerance)
    if value is None or not 0.0 <= value < math.inf:
        raise CpcbenchError(f"tolerance is a number from 0 on, not {tolerance!r}")
    return value


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise CpcbenchError(f"{name} lies beyond the range of doubles") from None
    raise CpcbenchError(f"{name} is a real number or None, not {value!r}")
