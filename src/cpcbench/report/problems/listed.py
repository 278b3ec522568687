"""The minima that collections list for the classics, held against what is proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cpcbench.certify.certificate.library import proven_for
from cpcbench.problems.classics.entry import COLLECTIONS, Listed
from cpcbench.problems.problem import Problem
from cpcbench.problems.proven import Proven
from cpcbench.report.problems.proven import TIGHT
from cpcbench.report.table import Row, Table

STANDS, ROUNDED, CUT, LAST = "stands", "rounded", "cut off", "wrong in the last digit"
HIGH, LOW, NONE, OPEN = "wrong: too high", "wrong: too low", "wrong: there is no lower bound", "open"
VERDICTS = (STANDS, ROUNDED, CUT, LAST, HIGH, LOW, NONE, OPEN)

MEANING = (
    f"Stands: within {TIGHT:g} of the infimum, relative above 1. Rounded: a number that the proof allows prints as the "
    "listed one at its digits, whole numbers below 100 being exact. Cut off: its digits are those of the infimum, and "
    "further ones are left out. Wrong in the last digit: off by one unit of it at most. Too high: a lower value is "
    "reached, and the plain value in doubles at such a point is given. Too low: no such value exists. Open: there is "
    "no proof, or the bounds are too far apart. By: how far the number is from them."
)


def listed_table(problems: Sequence[Problem], folder: Path | None = None) -> Table:
    """One row for each minimum that is listed; proofs are the package's, or those of a folder."""
    rows = [row for p in problems for row in _rows(p, folder)]
    return Table(
        key="listed",
        title="Listed minima of the classics, and what is proven",
        columns=("problem", "n", "listed by", "listed", "proven infimum", "gap", "infimum", "the listed minimum", "by",
                 "a lower value", "at its point"),
        rows=rows,
        notes=(_counted(rows), _enclosed(problems, folder), MEANING),
    )  # fmt: skip


def counts_table(listed: Table) -> Table:
    """How many of the numbers of each collection stand, are rounded, wrong or open, from the table of them."""
    found = Counter(zip(listed.column("listed by"), listed.column("the listed minimum"), strict=True))
    rows: list[Row] = []
    for by, words in COLLECTIONS.items():
        each = [found[by, verdict] for verdict in VERDICTS]
        rows.append((words, sum(each), *each))
    return Table("listed-counts", "Listed minima by collection", ("collection", "listed", *VERDICTS), rows)


def claim_for(p: Problem, folder: Path | None = None) -> Proven | None:
    """The proof about the regular part, or about all of the domain; None if there is none."""
    return next((claim for claim in proven_for(p, folder) if not claim.thin), None)


def judged(one: Listed, claim: Proven | None) -> tuple[str, float | None]:
    """What a proof says of a listed minimum, and how far that is from the bounds where it is wrong."""
    if claim is None or claim.lower is None or claim.upper is None:
        return (OPEN if claim is None else NONE), None
    off = max(one.value - claim.upper, claim.lower - one.value, 0.0)
    room = TIGHT * max(1.0, abs(one.value))
    if off <= max(room, one.unit / 2):
        if claim.gap > max(2.0 * room, one.unit):
            return OPEN, None
        return (STANDS if off <= room and claim.gap <= 2.0 * room else ROUNDED), None
    if off <= one.unit:
        short = abs(one.value) <= min(abs(claim.lower), abs(claim.upper)) and one.value * claim.upper > 0.0
        return (CUT if short else LAST), off
    return (HIGH if one.value > claim.upper else LOW), off


def _rows(p: Problem, folder: Path | None) -> list[Row]:
    claim, listed = claim_for(p, folder), () if p.facts is None else p.facts.published.listed
    return [_row(p, one, claim) for one in listed]


def _row(p: Problem, one: Listed, claim: Proven | None) -> Row:
    verdict, off = judged(one, claim)
    infimum = None if claim is None or claim.attained is None else "attained" if claim.attained else "not attained"
    lower = p.reference(claim.x) if claim is not None and claim.x is not None and verdict == HIGH else None
    bounds = None if claim is None else "none" if claim.upper is None else repr(claim.upper)
    return (
        p.id, p.dim, one.by, one.printed, bounds, None if claim is None else f"{claim.gap:.1e}", infimum, verdict,
        None if off is None else f"{off:.1e}", lower, None if one.met else "has another value",
    )  # fmt: skip


def _counted(rows: Sequence[Row]) -> str:
    found = Counter(str(row[7]) for row in rows)
    return f"Of {len(rows)} listed minima: {', '.join(f'{v} {found[v]}' for v in VERDICTS if found[v])}."


def _enclosed(problems: Sequence[Problem], folder: Path | None) -> str:
    claims = [claim_for(p, folder) for p in problems]
    tight = sum(c is not None and c.upper is not None and c.gap <= TIGHT * max(1.0, abs(c.upper)) for c in claims)
    return f"Of {len(claims)} functions {tight} are enclosed to {TIGHT:g}, {claims.count(None)} have no proof."
