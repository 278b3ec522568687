"""What is proven, as tables: infima beside the published optima, and bounds on feasible ratios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cpcbench.certify.certificate.library import proven_for
from cpcbench.problems.proven import Proven
from cpcbench.report.table import Row, Table

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem

TIGHT = 1e-9
"""A published value this near to a proven infimum, relative above 1, is proven optimal."""

OF_ANOTHER = "of the regular part"
"""What a published optimum is beside a claim about thin sets."""

COLUMNS = (
    "problem", "part", "proven lower bound", "proven upper bound", "gap", "infimum", "published",
    "the published optimum is",
)  # fmt: skip


def proven_table(problems: Sequence[Problem]) -> Table:
    """One row a certificate of the package, and one for each problem without."""
    rows = [row for p in problems for row in _rows(p)]
    return Table("proven", "Proven infima and the published optima", COLUMNS, rows, _counted(rows))


def _rows(p: Problem) -> list[Row]:
    value = None if p.published is None else p.published.value
    claims = proven_for(p)
    if not claims:
        return [(p.id, None, None, None, None, None, value, "open: there is no certificate")]
    return [_row(p.id, claim, value) for claim in claims]


def _row(name: str, claim: Proven, value: float | None) -> Row:
    part = "thin" if claim.thin else claim.part
    if claim.lower is None or claim.upper is None:
        words = OF_ANOTHER if part == "thin" else "no optimum: there is no lower bound"
        return name, part, "none", "none", None, None, value, words
    gap = f"{claim.upper - claim.lower:.1e}"
    infimum = None if claim.attained is None else "attained" if claim.attained else "not attained"
    judged = OF_ANOTHER if part == "thin" else standing(claim, value)
    return name, part, repr(claim.lower), repr(claim.upper), gap, infimum, value, judged


def standing(claim: Proven, value: float | None) -> str | None:
    """What a proven enclosure of the infimum says of a published value."""
    if value is None or claim.lower is None or claim.upper is None:
        return None
    scale = max(1.0, abs(value))
    if value < claim.lower - TIGHT * scale:
        return "below the infimum: no such value exists"
    if value > claim.upper + TIGHT * scale:
        return f"not optimal: {value - claim.upper:.1e} above a value that is reached"
    if claim.upper - claim.lower <= 2.0 * TIGHT * scale:
        return f"optimal to {TIGHT:g}"
    return "open: the gap is too wide"


def _counted(rows: Sequence[Row]) -> list[str]:
    verdicts = [str(row[-1]).partition(":")[0] for row in rows]
    names = ("optimal to 1e-09", "not optimal", "below the infimum", "no optimum", "open")
    counts = [f"{name} {verdicts.count(name)}" for name in names if name in verdicts]
    return [
        f"Published optima: {', '.join(counts)}.",
        "Gap: what is left open between the bounds. Infimum: whether it is proven to be a value of the function, or "
        "proven to be none. The regular part leaves out points that are admissible only "
        "because a varying exponent is a whole number, the thin part has just these; part all has none of them, or "
        "includes them.",
    ]


def ratio_table(rows: Sequence[tuple[Problem, float, float, int]]) -> Table:
    """Proven bounds on admissible shares: a problem, two shares and how many boxes it took."""
    cells = (_ratio_row(*row) for row in rows)
    columns = ("problem", "n", "at least (%)", "at most (%)", "published (%)", "published is", "boxes")
    notes = ("The bounds hold with certainty, given the stated accuracy of the elementary functions.",)
    return Table("feasible-proven", "Proven bounds on feasible ratios", columns, cells, notes)


def _ratio_row(p: Problem, low: float, high: float, boxes: int) -> Row:
    known = p.published
    if known is None:
        return p.id, p.dim, f"{100 * low:.6f}", f"{100 * high:.6f}", None, None, boxes
    ratio = known.feasible_ratio
    possible = 100 * low <= ratio <= 100 * high or (known.feasible_ratio_is_bound and 100 * low <= ratio)
    words = "possible" if possible else "wrong"
    return p.id, p.dim, f"{100 * low:.6f}", f"{100 * high:.6f}", ratio, words, boxes
