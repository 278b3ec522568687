"""The table of records: each published optimum beside the lowest points known here, and what that says of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cpcbench.experiment.verify.types import DEFAULT
from cpcbench.problems.kinds import FAITHFUL
from cpcbench.problems.records import KINDS, Record
from cpcbench.problems.worth import Worth
from cpcbench.report.table import Row, Table

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem
    from cpcbench.readings.reals.enclosure import Enclosure

NOTES = (
    "Difference: the lowest faithful value minus the published one. Thin and artefact values are shown where they "
    "are lower than the lowest faithful one.",
    f"Reproduced: within {DEFAULT.equal:g} of the published value, relatively; improved in the last digits: lower by "
    f"at most {DEFAULT.better:g} of it; lower in doubles only: the real value is not lower. "
    f"Below {FAITHFUL:g} a faithful value is 0 up to rounding.",
)


def records_table(problems: Sequence[Problem], records: Iterable[Record]) -> Table:
    """One row a problem; records of other problems or sizes are left out."""
    by_key = {record.key: record for record in records}
    return Table(
        key="records",
        title="Published optima and the lowest points known here, by kind",
        columns=(
            "problem", "published", "its kind", "lowest faithful", "difference", "lower thin", "lower artefact",
            "the published optimum is",
        ),
        rows=(_row(p, by_key) for p in problems),
        notes=NOTES,
    )  # fmt: skip


def _row(p: Problem, by_key: Mapping[tuple[str, int, str], Record]) -> Row:
    faithful, thin, artefact = (by_key.get((p.id, p.dim, kind)) for kind in KINDS)
    known, kind, beaten = p.published, None, False
    if known is not None:
        point = Worth.at(p, known.points[0])
        kind = point.kind
        beaten = faithful is not None and really_lower(faithful, point.enclosure)
    value = None if known is None else known.value
    ours = None if faithful is None else faithful.value
    gap = None if value is None or ours is None else f"{ours - value:+.3e}"
    return p.id, value, kind, ours, gap, _lower(thin, ours), _lower(artefact, ours), standing(value, kind, ours, beaten)


def really_lower(record: Record, other: Enclosure) -> bool:
    """Whether a record is lower than another point in real arithmetic, too; not if the other is undefined there."""
    return record.real is not None and record.real[1] < other.lower


def _lower(record: Record | None, faithful: float | None) -> str | None:
    """The value of a record of another kind, if it is lower than the faithful one."""
    if record is None or (faithful is not None and record.value >= faithful):
        return None
    return f"{record.value:.9g}"


def standing(published: float | None, kind: str | None, faithful: float | None, beaten: bool) -> str | None:
    """What the lowest faithful value says of the published one, which is itself of some kind.

    `beaten`: the real value is lower, too. What is lower in doubles may be higher by what a faithful value may be off.
    """
    if published is None or faithful is None:
        return None
    gap, size = faithful - published, abs(published)
    if gap < 0.0 and max(size, abs(faithful)) <= FAITHFUL:
        return "nearly 0, as the lower one is"
    if gap < -DEFAULT.equal * size and kind == "faithful" and not beaten:
        return "lower in doubles only"
    if gap < -DEFAULT.better * size:
        return "improved"
    if gap < -DEFAULT.equal * size:
        return "improved in the last digits"
    if kind != "faithful":
        return f"{kind}, with no faithful point as low" if gap > DEFAULT.equal * size else f"{kind}, yet met"
    return "reproduced" if gap <= DEFAULT.equal * size else "not reached"
