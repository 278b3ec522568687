"""The judge of candidates: what a low value in doubles is worth, asked once a point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpcbench.points import Floats
from cpcbench.problems.kinds import FAITHFUL, Kind, close
from cpcbench.problems.problem import Problem
from cpcbench.problems.worth import Worth

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Candidate:
    """A point by all three readings: `value` is the verdict in correctly rounded doubles, `real` the real value."""

    x: Floats
    value: float
    real: float
    kind: Kind


class Judge:
    """Classifies points of one problem, each once, and says so; points outside the box are inadmissible here."""

    def __init__(self, problem: Problem, asked: Callable[[], None] = lambda: None) -> None:
        self._problem, self._asked = problem, asked
        self.root = problem.expression
        self._known: dict[bytes, Candidate] = {}

    def __call__(self, x: Floats) -> Candidate:
        key = x.tobytes()
        if key not in self._known:
            self._asked()
            self._known[key] = self._judged(x.copy())
        return self._known[key]

    def with_rounded_constants(self, x: Floats) -> Candidate | None:
        """The point, if its value is the real one with the formula's constants as doubles."""
        real = self._problem.enclosure(x, constants="double")
        value = self(x).value
        if real.defined is False or not close(value, real.midpoint, FAITHFUL):
            return None
        return Candidate(x.copy(), value, real.midpoint, "faithful")

    def _judged(self, x: Floats) -> Candidate:
        point = Worth(self._problem, tuple(x.tolist()))
        if math.isnan(point.verified):
            return Candidate(x, math.nan, math.nan, "inadmissible")
        return Candidate(x, point.reference, point.enclosure.midpoint, point.kind)
