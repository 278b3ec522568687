"""What a tree bounds: a signed sum of terms over boxes of its variables, with further parts that extensions add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from cpcbench.certify.checker.core.intervals import Interval, add, between, neg, single
from cpcbench.certify.checker.core.numbers import End
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Adjoint, Values, give

Ends = tuple[float, float]
Box = tuple[Ends, ...]
"""An interval for each axis, that is for each variable of the link in ascending order; its ends are doubles, which are
exact: they are compared, converted, and cut at other doubles, and nothing else."""


class Part(Protocol):
    """A known function of one axis that is added to, or taken off, the terms."""

    @property
    def axis(self) -> int: ...
    @property
    def sign(self) -> int: ...
    @property
    def breaks(self) -> list[float]: ...

    def range(self, low: float, high: float, /) -> Interval: ...
    def slope(self, low: float, high: float, /) -> Interval | None:
        """None where it may jump."""

    def inside(self, whole: Ends, part: Ends, /) -> Interval:
        """The range over a part of an interval; over the whole one where it has no slope."""


class LeafRule(Protocol):
    """A rule of an extension for leaves whose tokens start with a letter of its own."""

    def read(self, token: str, box: Box, /) -> object:
        """What a token says; rejects where it is none."""

    def bound(self, token: str, box: Box, /) -> End:
        """A lower bound of the sum on the box; rejects where it has none."""


class QuickRule(Protocol):
    """A rule of an extension that is asked before those of the core, as it takes less time."""

    used: bool
    """Whether a leaf rests on it."""

    def bound(self, box: Box, goal: End, slopes: bool, /) -> End | None:
        """A lower bound of the sum on the box, by its slopes too if they are asked for and needed for the goal; None if
        the rule does not know of one."""


@dataclass
class Link:
    """`terms` are the slots and signs (1 or -1) of the program's roots, in their order; `threshold` is what the sum
    is claimed to reach; `rules` are those of extensions, by their letters, and `quick` is asked first."""

    name: str
    program: Program
    variables: list[int]
    terms: list[tuple[int, int]]
    threshold: float
    box: Box
    parts: list[Part] = field(default_factory=list)
    rules: dict[str, LeafRule] = field(default_factory=dict)
    quick: QuickRule | None = None

    def intervals(self, box: Box) -> Mapping[int, Interval]:
        return {v: between(*pair) for v, pair in zip(self.variables, box, strict=True)}

    def natural(self, box: Box) -> tuple[Values, set[int]] | None:
        return self.program.ranges(self.intervals(box))

    def natural_bound(self, values: Values, box: Box) -> End:
        return self.total(values, [part.range(*box[part.axis]) for part in self.parts])[0]

    def total(self, values: Values, parts: list[Interval]) -> Interval:
        """The range of the sum from those of its terms and parts."""
        found = single(0)
        for slot, sign in self.terms:
            found = add(found, values[slot] if sign > 0 else neg(values[slot]))
        for part, value in zip(self.parts, parts, strict=True):
            found = add(found, value if part.sign > 0 else neg(value))
        return found

    def slopes(self, values: Values, box: Box, passes: Mapping[int, bool], less: Mapping[int, End]) -> list[Interval]:
        """The slope along each axis of the sum less multiples of slots; parts that may jump are left out."""
        seeds: Adjoint = [None] * len(values)
        for slot, sign in self.terms:
            give(seeds, slot, single(sign))
        for slot, multiple in less.items():
            give(seeds, slot, neg((multiple, multiple)))
        counted = {slot: weight for slot, weight in enumerate(seeds) if weight is not None}
        adjoint = self.program.slopes(values, counted, passes)
        found = self.program.slopes_in(adjoint, self.variables)
        for part in self.parts:
            slope = part.slope(*box[part.axis])
            if slope is not None:
                found[part.axis] = add(found[part.axis], slope if part.sign > 0 else neg(slope))
        return found
