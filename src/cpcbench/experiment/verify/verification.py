"""Verification of a claimed solution: every reading of the point, and what kind of solution it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.points import as_point
from cpcbench.problems.kinds import FAITHFUL, Kind, close, kind_of
from cpcbench.problems.problem import Problem
from cpcbench.solvers.functions.black_box import BlackBox

if TYPE_CHECKING:
    from cpcbench.readings.reals.enclosure import Enclosure
    from cpcbench.readings.reals.error_bound import Bound

CONSISTENT = 1e-6
"""A reported value is consistent if the verdict agrees with it to this accuracy."""


@dataclass(frozen=True)
class Verdict:
    """What is known of a claimed solution.

    `fast`, `reference` and `enclosure` are the three readings of the value. The enclosure takes the
    formula's constants as the decimals written; `enclosure_doubles` takes each part without a
    variable as the double it comes to. `kind` says what the value in doubles is worth: see `kind_of`.
    """

    problem: str
    rule: str
    x: tuple[float, ...]
    reported: float | None
    in_box: bool
    fast: float
    reference: float
    enclosure: Enclosure
    enclosure_doubles: Enclosure
    error_bound: Bound
    consistent: bool | None
    kind: Kind
    distance: float | None
    nearest: tuple[float, ...] | None
    gap: float | None
    """The verdict minus the best-known value."""
    constants_matter: bool
    """The two enclosures differ: in the domain, or in the value by more than a faithful one may."""
    types: tuple[str, ...]
    """The solution types I to IV; neither I nor II where no best-known solution is on record."""
    below: str | None
    """The kind of a point below the best-known value: a record of its kind."""
    evaluated_only: bool = False
    """The problem is a function without a formula: it was evaluated again, and the enclosures say nothing."""

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


def verify(problem: Problem, x: ArrayLike, reported: float | None = None, *, tolerance: float = CONSISTENT) -> Verdict:
    """Checks a claimed solution, independently of whoever claims it.

    `reported` is the value the solver stated, if any (NaN: it stated that the point is undefined);
    `tolerance` is relative above 1 and absolute below.
    """
    from cpcbench.experiment.verify.types import Tolerances, assess  # which reads the records verification makes

    if not isinstance(problem, Problem):
        raise CpcbenchError(f"verify takes a problem, such as cpcbench.problem('CPC-DF3'), not {problem!r}")
    point = as_point(x, problem.dim, problem.names)
    claimed = _number("reported", reported)
    accepted = checked_tolerance(tolerance)
    if isinstance(problem, BlackBox):
        return _evaluated_again(problem, point, claimed, accepted)
    reference = float(problem.reference(point))
    enclosure = problem.enclosure(point)
    doubles = problem.enclosure(point, constants="double")
    nearest, distance = _nearest(problem, point)
    best, inside = problem.best_known, bool(problem.in_box(point))
    kind = kind_of(problem, point, reference, enclosure)
    solution = assess(
        problem,
        point.tolist(),
        claimed,
        reference if inside else math.nan,
        kind=kind,
        tolerances=Tolerances(report=accepted),
    )
    return Verdict(
        problem=problem.id,
        rule=problem.rule,
        x=tuple(point.tolist()),
        reported=claimed,
        in_box=inside,
        fast=float(problem(point)),
        reference=reference,
        enclosure=enclosure,
        enclosure_doubles=doubles,
        error_bound=problem.error_bound(point),
        consistent=_consistent(claimed, reference, accepted),
        kind=kind,
        distance=distance,
        nearest=nearest,
        gap=None if best is None or math.isnan(reference) else reference - best.value,
        constants_matter=_differ(enclosure, doubles),
        types=solution.types,
        below=solution.below,
    )


def _evaluated_again(problem: BlackBox, point: np.ndarray, claimed: float | None, tolerance: float) -> Verdict:
    """The verdict on a function: its value again. Over the reals nothing is known."""
    from cpcbench.experiment.verify.types import Tolerances, assess
    from cpcbench.readings.reals.enclosure import Enclosure
    from cpcbench.readings.reals.error_bound import Bound

    value, inside = float(problem.reference(point)), bool(problem.in_box(point))
    kind: Kind = "inadmissible" if math.isnan(value) else "re-evaluated"
    unknown = Enclosure(-math.inf, math.inf, math.nan, "undecided", None, False, 0, problem.rule, "none")
    verified = value if inside else math.nan
    types = assess(problem, point.tolist(), claimed, verified, kind=kind, tolerances=Tolerances(report=tolerance)).types
    return Verdict(
        problem=problem.id, rule=problem.rule, x=tuple(point.tolist()), reported=claimed, in_box=inside, fast=value,
        reference=value, enclosure=unknown, enclosure_doubles=unknown,
        error_bound=Bound(value, math.inf, straddles=True, decisive="the function"),
        consistent=_consistent(claimed, value, tolerance), kind=kind, distance=None, nearest=None, gap=None,
        constants_matter=False, types=types, below=None, evaluated_only=True,
    )  # fmt: skip


def checked_tolerance(tolerance: float) -> float:
    """The tolerance, if it is one."""
    value = _number("tolerance", tolerance)
    if value is None or not 0.0 <= value < math.inf:
        raise CpcbenchError(f"tolerance is a number from 0 on, not {tolerance!r}")
    return value


def _consistent(reported: float | None, reference: float, tolerance: float) -> bool | None:
    if reported is None:
        return None
    if math.isnan(reported) or math.isnan(reference):
        return math.isnan(reported) and math.isnan(reference)
    return close(reported, reference, tolerance)


def _nearest(problem: Problem, point: np.ndarray) -> tuple[tuple[float, ...] | None, float | None]:
    if problem.best_known is None:
        return None, None
    optima = problem.best_known.points.tolist()
    distances = [math.dist(optimum, point) for optimum in optima]  # math.dist: squares of far points overflow
    index = distances.index(min(distances))
    return tuple(optima[index]), distances[index]


def _differ(decimal: Enclosure, doubles: Enclosure) -> bool:
    """Whether reading the constants as doubles makes a difference."""
    if (decimal.domain, decimal.thin, decimal.defined) != (doubles.domain, doubles.thin, doubles.defined):
        return True
    both = decimal.midpoint, doubles.midpoint
    return decimal.defined is not False and both[0] != both[1] and not close(*both, FAITHFUL)


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise CpcbenchError(f"{name} lies beyond the range of doubles") from None
    raise CpcbenchError(f"{name} is a real number or None, not {value!r}")
