"""What a tree bounds: a signed sum of terms, plus and minus tables, over boxes of its variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cpcbench.certify.checker.intervals import ONE, WHOLE, Ball, Interval, add, between, exact, neg, single
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.steps import Values, give
from cpcbench.certify.checker.tables import Joined, Table
from cpcbench.certify.checker.verdict import RejectedError

Box = tuple[tuple[float, float], ...]
"""An interval for each axis, that is for each variable of the link in ascending order."""


@dataclass
class Link:
    """`terms` are the slots and signs (1 or -1) in the program; `tables` the axes, signs and tables."""

    name: str
    program: Program
    variables: list[int]
    terms: list[tuple[int, int]]
    threshold: float
    box: Box
    tables: list[tuple[int, int, Table | Joined]] = field(default_factory=list)

    def table_on(self, axis: int) -> Table | Joined:
        for place, _, table in self.tables:
            if place == axis:
                return table
        raise RejectedError(f"there is no table on axis {axis}")

    def intervals(self, box: Box) -> Mapping[int, Interval]:
        return {v: between(*pair) for v, pair in zip(self.variables, box, strict=True)}

    def total(self, values: Values, tables: Sequence[Interval]) -> Interval:
        """The range of the sum from those of its parts."""
        found = single(exact(0.0))
        for slot, sign in self.terms:
            value = values[slot] or WHOLE
            found = add(found, value if sign > 0 else neg(value))
        for part in tables:
            found = add(found, part)
        return found

    def table_ranges(self, box: Box) -> list[Interval]:
        """Each table over its axis, with its sign."""
        return [_signed(table.range(*box[axis]), sign) for axis, sign, table in self.tables]

    def natural(self, box: Box) -> tuple[Values, set[int]] | None:
        return self.program.ranges(self.intervals(box))

    def natural_bound(self, values: Values, box: Box) -> Ball:
        return self.total(values, self.table_ranges(box))[0]

    def seeds(self) -> dict[int, Interval]:
        """The weight of each term, as the slopes start from."""
        found: Values = [None] * len(self.program.start)
        for slot, sign in self.terms:
            give(found, slot, single(ONE * sign))
        return {slot: weight for slot, weight in enumerate(found) if weight is not None}


def _signed(value: Interval, sign: int) -> Interval:
    return value if sign > 0 else neg(value)
