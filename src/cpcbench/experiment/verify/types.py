"""The four solution types: what a returned solution is, beside the best-known one and its own claim.

I: best-known, in value and place. II: local. III: nothing admissible returned. IV: the reported value
is not the one verification finds, or the point returned is inadmissible. IV comes on top of I and II;
an inadmissible point that was claimed as a solution is IV alone, as in the published record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.verify.verification import CONSISTENT
from cpcbench.problems.facts import BestKnown, Published
from cpcbench.problems.kinds import close

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem

TYPES = ("I", "II", "III", "IV")

Best = Union[BestKnown, Published]


@dataclass(frozen=True)
class Tolerances:
    """When a solution agrees with the best-known one, and a report with its verification.

    `value`: the value may lie above the best-known one by this much, relative to it (below 1:
    absolute). `place`: the root mean square over the coordinates of the distance to the nearest
    best-known point, each as a share of the box's width. Both must hold.
    `equal`: a value not above the best-known one by more than this share of it is as good, wherever it
    is; `better`: one below it by more than this share beats it. `report`: how far a reported value
    may be off, relatively (below 1: absolutely). `penalty`: a report from here on says "undefined".

    The defaults are calibrated on the consistent rows of the published record, which read "best-known"
    loosely. Type I was given up to a value 0.0196 above (GA on CPC-DF21) and a place 0.00115 away (GA on
    CPC-DF6), and refused from 0.066 on at 0.00125 (B&B on CPC-DF6), and from 0.0023 on at 0.019 (SA on
    CPC-DF3); 0.03 and 0.0015 lie between. A report was inconsistent from 1.1e-6 on (UGO on CPC-DF3, in
    the paper's own table) and still consistent at 8.7e-7 (SA on CPC-DF25).
    """

    value: float = 0.03
    place: float = 0.0015
    equal: float = 1e-9
    better: float = 1e-6
    report: float = CONSISTENT
    penalty: float = 1e100

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0.0:
                raise CpcbenchError(f"the tolerance {name} is a number from 0 on, not {value!r}")


DEFAULT = Tolerances()


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


def classify(
    problem: Problem | None,
    x: Sequence[float] | None,
    reported: float | None,
    verified: float,
    *,
    kind: str = "faithful",
    tolerances: Tolerances = DEFAULT,
    best: Best | None = None,
) -> tuple[str, ...]:
    """The types of a solution, in order; see `assess`."""
    return assess(problem, x, reported, verified, kind=kind, tolerances=tolerances, best=best).types


def assess(
    problem: Problem | None,
    x: Sequence[float] | None,
    reported: float | None,
    verified: float,
    *,
    kind: str = "faithful",
    tolerances: Tolerances = DEFAULT,
    best: Best | None = None,
) -> Assessment:
    """A solution beside the best-known one (the problem's, unless `best` is another).

    `verified` is the reference value at x, NaN if it is undefined there or x lies outside the box.
    `problem` may be None where it is not to be had: then there is nothing to compare with.
    A faithful value at or below the best-known one is of Type I wherever it is. A thin point or an
    artefact below it is a record of its kind (`below`), not the best-known solution.
    """
    if x is None:
        return Assessment(("III",))
    if math.isnan(verified):
        return Assessment(("III",) if _says_undefined(reported, tolerances) else ("IV",))
    wrong = reported is not None and not close(reported, verified, tolerances.report)
    more = ("IV",) if wrong else ()
    known = problem.best_known if best is None and problem is not None else best
    if problem is None or known is None:
        return Assessment(more)
    place, gap = place_of(problem, x, known), verified - known.value
    here = place <= tolerances.place and _agrees(gap, known.value, kind, tolerances)
    as_good = kind == "faithful" and gap <= tolerances.equal * abs(known.value)
    below = kind if gap < -tolerances.better * abs(known.value) else None
    return Assessment(
        types=("I" if here or as_good else "II", *more),
        better=below == "faithful",
        below=below,
        place=place,
        gap=gap,
    )


def assess_record(
    record: RunRecord, problem: Problem | None, *, tolerances: Tolerances = DEFAULT, best: Best | None = None
) -> Assessment:
    """The assessment of a study's row; the problem must be the row's own, or None if it is not to be had."""
    if problem is not None and (record.problem, record.n, record.rule) != (problem.id, problem.dim, problem.rule):
        raise CpcbenchError(
            f"a run of {record.problem} (n = {record.n}, rule {record.rule}) cannot be assessed as one of {problem}"
        )
    return assess(
        problem, record.x, record.reported, record.verified, kind=record.kind, tolerances=tolerances, best=best
    )


def best_run(records: Iterable[RunRecord]) -> RunRecord:
    """The best of several runs, by the verified value: what was reported has no say.

    An undefined value loses to every other. A thin point loses to every point of the regular domain:
    else a lucky whole exponent would hide the best regular run. If no run has a defined value, a run
    that returned a point goes before one that returned none. Ties go to the lowest run number.
    """
    rows = list(records)
    if not rows:
        raise CpcbenchError("the best of no runs was asked for: at least one is needed")
    return min(rows, key=_rank)


def place_of(problem: Problem, x: Sequence[float], best: Best) -> float:
    """How far x is from the nearest best-known point: root mean square of the shares of the box's width."""
    width = problem.upper - problem.lower
    width = np.where(width > 0, width, 1.0)  # a variable that is fixed has no width to share
    with np.errstate(over="ignore"):
        shares = (best.points - np.asarray(x, dtype=np.float64)) / width
        return float(np.sqrt((shares**2).mean(axis=1)).min())


def _rank(record: RunRecord) -> tuple[int, float, int]:
    if math.isnan(record.verified):
        return (3 if record.x is None else 2), 0.0, record.run
    return int(record.kind == "thin"), record.verified, record.run


def _says_undefined(reported: float | None, tolerances: Tolerances) -> bool:
    """Whether the solver itself called the point undefined: no claim is made then that could be wrong."""
    return reported is not None and (math.isnan(reported) or reported >= tolerances.penalty)


def _agrees(gap: float, best: float, kind: str, tolerances: Tolerances) -> bool:
    """Near the best-known value; only a faithful value may be any amount below it."""
    return (gap if kind == "faithful" else abs(gap)) <= tolerances.value * max(1.0, abs(best))
