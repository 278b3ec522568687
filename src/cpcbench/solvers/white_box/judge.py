"""The judge of candidates: what a low value in doubles is worth, asked once a point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpcbench.problems.kinds import Kind, kind_of
from cpcbench.problems.problem import Problem

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Candidate:
    """A point by all three readings: `value` is the verdict in correctly rounded doubles, `real` the real value."""

    x: Floats
    value: float
    real: float
    kind: Kind


class Judge:
    """Classifies points of one problem, each once; points outside the box are inadmissible here."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.root = problem.expression
        self._known: dict[bytes, Candidate] = {}

    def __call__(self, x: Floats) -> Candidate:
        key = x.tobytes()
        if key not in self._known:
            self._known[key] = self._judged(x.copy())
        return self._known[key]

    def _judged(self, x: Floats) -> Candidate:
        value = float(self._problem.reference(x))
        if math.isnan(value) or not self._problem.in_box(x):
            return Candidate(x, math.nan, math.nan, "inadmissible")
        real = self._problem.enclosure(x)
        return Candidate(x, value, real.midpoint, kind_of(self._problem, x, value, real))
