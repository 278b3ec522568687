"""Close-ups of single points: the neighbours of two optima, and the conditions that decide about them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from cpcbench.problems.registry import problem
from cpcbench.report.table import Cell, Table

DF3_X2 = 6.49031991565847
DF3_POINTS = {
    "A (last digit of x1 below)": (6.1828121298815, DF3_X2),
    "B (best-known)": (6.1828121298816, DF3_X2),
    "C (last digit of x1 above)": (6.1828121298817, DF3_X2),
}
DF15_POINTS = (
    (3.17233243403425, 4.15125018443042),
    (3.17233243403426, 4.15125018443041),
    (3.17233243403426, 4.15125018443042),
    (3.17233243403426, 4.15125018443043),
    (3.17233243403427, 4.15125018443042),
)
RULE = "strict"
"""The published values belong to it."""


def df3_neighbours() -> Table:
    """The best-known point of CPC-DF3 and its neighbours in the last printed digit."""
    return Table(
        key="df3-neighbours",
        title="CPC-DF3 at its best-known point and beside it",
        columns=("point", "x1", "x2", "value in doubles", "real value, at least", "real value, at most"),
        rows=tuple((name, *_at("CPC-DF3", x)) for name, x in DF3_POINTS.items()),
    )


def df3_conditions() -> Table:
    """The hidden conditions of CPC-DF3 at these three points."""
    rows: list[tuple[Cell, ...]] = []
    conditions = problem("CPC-DF3", rule=RULE).conditions
    for (name, x), (number, condition) in product(DF3_POINTS.items(), enumerate(conditions, start=1)):
        found = condition.at(x)
        rows.append((name, number, condition.text, found.value, _holds(found.satisfied)))
    return Table(
        key="df3-conditions",
        title="The hidden conditions of CPC-DF3 at its best-known point and beside it",
        columns=("point", "no.", "condition", "value of its left side", "holds"),
        rows=tuple(rows),
        notes=("A condition cannot be computed where one inside it fails.",),
    )


def df15_sensitivity() -> Table:
    """The best-known point of CPC-DF15 and its neighbours in the last printed digits."""
    return Table(
        key="df15-sensitivity",
        title="CPC-DF15 at its best-known point and beside it",
        columns=("x1", "x2", "value in doubles", "real value, at least", "real value, at most"),
        rows=tuple(_at("CPC-DF15", x) for x in DF15_POINTS),
    )


def _at(id_: str, x: Iterable[float]) -> tuple[Cell, ...]:
    point = tuple(x)
    p = problem(id_, rule=RULE)
    real = p.enclosure(point)
    return *point, p.reference(point), real.lower, real.upper


def _holds(satisfied: bool | None) -> str:
    return {True: "yes", False: "no", None: "cannot be computed"}[satisfied]
