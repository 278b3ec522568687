"""How well the solution types fit the published record: the rows that count, and those that do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from cpcbench.experiment.verify.types import RULES, Assessment, TypeRule, assess
from cpcbench.problems.published import PublishedResult, published_results
from cpcbench.problems.registry import problem
from cpcbench.report.paper.printed import RULE, is_point, published_records
from cpcbench.report.table import Table

MISFITS = {
    ("CPC-DF1", "B&B"): "reported 1.6e-4 and re-evaluated 3.3e-6, yet not called IV",
    ("CPC-DF3", "UGO"): "I in the collection; the paper's own table has I and IV, as here",
    ("CPC-DF19", "B&B"): "IV alone although 642 is admissible; the paper's own table has II and IV, as here",
    ("CPC-DF20", "B&B"): "reported -10.70 and re-evaluated -11.41, yet not called IV",
    ("CPC-DF20", "GA"): "called I with x5 = 5.44 where the best-known point has -5.60",
}
"""Consistent rows whose published types the defaults do not give, with the reason."""

_OLDER = "the published solution belongs to an older definition of the function"
_FIVE = "five coordinates for a function of four"
_ZERO = "called I at f = 0; the minimum is -1"

INCONSISTENT = {
    **{("CPC-DF2", a): _OLDER for a in ("UGO", "SA", "GPSO", "GA")},
    **{("CPC-DF7", a): _OLDER for a in ("UGO", "SA", "GA")},
    **{("CPC-DF24", a): _OLDER for a in ("UGO", "B&B", "SA", "GPSO", "GA")},
    **{("F37", a): _FIVE for a in ("UGO", "B&B", "SA", "BFGS+MS", "GPSO", "GA")},
    ("F138", "UGO"): "called I with a reported 0; the point gives 2",
    **{("F170", a): _ZERO for a in ("SA", "BFGS+MS", "GPSO", "GA")},
}
"""Rows that contradict the problem's definition, so that no reading of the types could fit them."""


@dataclass(frozen=True)
class Fit:
    """A published row and its types by our rule; None where the row is no point of the problem."""

    row: PublishedResult
    assessment: Assessment | None
    consistent: bool

    @property
    def fits(self) -> bool:
        return self.assessment is not None and self.assessment.types == self.row.types


def is_consistent(row: PublishedResult) -> bool:
    """Whether the row can be held against a rule for the types.

    That is: it has a point at which the definition gives the value the authors verified (undefined
    included), or it states that nothing was found, which contradicts nothing.
    """
    return row.matches is True or row.point is None


def fits(rule: TypeRule = RULES["paper"]) -> list[Fit]:
    """Every published row, read against the published best-known solution."""
    records = {(r.problem, r.solver): r for r in published_records()}
    made = []
    for row in published_results():
        assessment = None
        if is_point(row):
            p = problem(row.problem, rule=RULE)
            assessment = assess(p, records[row.problem, row.algorithm], rule=rule, best=p.published)
        made.append(Fit(row, assessment, is_consistent(row)))
    return made


@cache
def calibration_table() -> Table:
    """The rows that do not fit, with the reason, and how many do."""
    found = fits()
    consistent = [f for f in found if f.consistent]
    good = sum(f.fits for f in consistent)
    reasons = {**INCONSISTENT, **MISFITS}
    return Table(
        key="calibration",
        title="Published rows to which the rule for the solution types gives other types",
        columns=("function", "algorithm", "published", "by the rule", "consistent row", "reason"),
        rows=(
            (
                f.row.problem, f.row.algorithm, ", ".join(f.row.types), f.assessment.text if f.assessment else None,
                "yes" if f.consistent else "no", reasons.get((f.row.problem, f.row.algorithm), "not explained"),
            )
            for f in found
            if not f.fits
        ),
        notes=(
            f"{good} of {len(consistent)} consistent rows get the published types ({good / len(consistent):.1%}).",
            f"{RULES['paper'].text} Held against: published.",
        ),
    )  # fmt: skip
