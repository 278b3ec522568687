"""Close-ups of single points: the neighbours of two optima, and the conditions that decide about them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from cpcbench.problems.facts import facts
from cpcbench.problems.registry import problem
from cpcbench.report.table import Row, Table
from cpcbench.studies.sensitivity.neighbours import Neighbour, decimal_neighbours

DF3_NAMES = ("A (last digit of x1 below)", "B (best-known)", "C (last digit of x1 above)")
RULE = "strict"
"""The published values belong to it."""


def df3_neighbours() -> Table:
    """The best-known point of CPC-DF3 and its neighbours in the last printed digit."""
    return Table(
        key="df3-neighbours",
        title="CPC-DF3 at its best-known point and beside it",
        columns=("point", "x1", "x2", "value in doubles", "real value, at least", "real value, at most"),
        rows=((name, *_row(found)) for name, found in _df3_points()),
    )


def df3_conditions() -> Table:
    """The hidden conditions of CPC-DF3 at these three points."""
    rows = []
    conditions = problem("CPC-DF3", rule=RULE).conditions
    for (name, beside), (number, condition) in product(_df3_points(), enumerate(conditions, start=1)):
        found = condition.at(beside.x)
        holds = {True: "yes", False: "no", None: "cannot be computed"}[found.satisfied]
        rows.append((name, number, condition.text, found.value, holds))
    return Table(
        key="df3-conditions",
        title="The hidden conditions of CPC-DF3 at its best-known point and beside it",
        columns=("point", "no.", "condition", "value of its left side", "holds"),
        rows=rows,
        notes=("A condition cannot be computed where one inside it fails.",),
    )


def df15_sensitivity() -> Table:
    """The best-known point of CPC-DF15 and its neighbours in the last printed digits."""
    return Table(
        key="df15-sensitivity",
        title="CPC-DF15 at its best-known point and beside it",
        columns=("x1", "x2", "value in doubles", "real value, at least", "real value, at most"),
        rows=map(_row, _beside_published("CPC-DF15")),
    )


def _df3_points() -> Iterator[tuple[str, Neighbour]]:
    return zip(DF3_NAMES, _beside_published("CPC-DF3", [0]), strict=True)


def _beside_published(id_: str, coordinates: list[int] | None = None) -> tuple[Neighbour, ...]:
    """The published point as printed, and with its last digits moved."""
    point = facts(id_).published.points[0]
    return decimal_neighbours(problem(id_, rule=RULE), point, coordinates=coordinates)


def _row(found: Neighbour) -> Row:
    return *found.x, found.reference, found.enclosure.lower, found.enclosure.upper
