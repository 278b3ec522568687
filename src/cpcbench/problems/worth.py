"""A point by all readings: what compiled doubles, correctly rounded doubles and the real numbers say of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from numpy.typing import ArrayLike

from cpcbench.points import as_point
from cpcbench.problems.kinds import FAITHFUL, Kind, close
from cpcbench.problems.problem import Problem

if TYPE_CHECKING:
    from cpcbench.readings.reals.enclosure import Enclosure

W = TypeVar("W", bound="Worth")


@dataclass(frozen=True)
class Worth:
    """One point of a problem; each reading is taken when it is first asked for, and kept.

    The readings say nothing of the box, `in_box` does.
    """

    of: Problem
    x: tuple[float, ...]

    @classmethod
    def at(cls: type[W], problem: Problem, x: ArrayLike, **more: object) -> W:
        """The point, whatever it is given as; `more` is what a kind of point holds beside its readings."""
        return cls(problem, tuple(as_point(x, problem.dim, problem.names).tolist()), **more)

    @cached_property
    def in_box(self) -> bool:
        return bool(self.of.in_box(self.x))

    @cached_property
    def fast(self) -> float:
        """The value in compiled doubles, as solvers see it; NaN where undefined."""
        return float(self.of(self.x))

    @cached_property
    def reference(self) -> float:
        """The value in correctly rounded doubles, the same on every machine; NaN where undefined."""
        return float(self.of.reference(self.x))

    @cached_property
    def enclosure(self) -> Enclosure:
        """The real value, the formula's constants taken as the decimals written."""
        return self.of.enclosure(self.x)

    @cached_property
    def kind(self) -> Kind:
        """What the value in doubles is worth; see `Kind`."""
        if math.isnan(self.reference):
            return "inadmissible"
        if self.enclosure.defined is False or not close(self.reference, self.enclosure.midpoint, FAITHFUL):
            return "artefact"
        return "thin" if self.of.rule == self.narrowest_rule == "ieee" else "faithful"

    @property
    def kind_in_box(self) -> Kind:
        """The kind, where a point outside the box is inadmissible."""
        return self.kind if self.in_box else "inadmissible"

    @cached_property
    def narrowest_rule(self) -> str:
        """The narrowest rule that the point may be admissible under."""
        return "ieee" if math.isnan(self.of.with_rule("strict").reference(self.x)) else "strict"

    @property
    def verified(self) -> float:
        """The value that counts: the reference reading, NaN if undefined or outside the box."""
        return self.reference if self.in_box else math.nan

    @property
    def real(self) -> tuple[float, float] | None:
        """Bounds on the real value; None where there is none."""
        e = self.enclosure
        return None if e.defined is False or math.isnan(e.lower) else (e.lower, e.upper)

    @property
    def agrees(self) -> bool:
        """Whether compiled doubles see the value too; an accident of rounding need not happen in both."""
        return self.kind == "artefact" or close(self.fast, self.reference, FAITHFUL)
