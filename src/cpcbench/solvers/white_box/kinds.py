"""What a low value in doubles is worth: faithful, thin, or an artefact of rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from cpcbench.problems.problem import Problem

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Kind = Literal["faithful", "thin", "artefact", "inadmissible"]

FAITHFUL = 1e-6
"""How far a faithful value may be from the real one, relative above 1 and absolute below."""


@dataclass(frozen=True)
class Candidate:
    """A point by all three readings: `value` is the verdict in correctly rounded doubles, `real` the real value."""

    x: Floats
    value: float
    real: float
    kind: Kind


class Judge:
    """Classifies points of one problem, each once."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._strict = problem, problem.with_rule("strict")
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
        middle = real.midpoint
        if real.defined is False or not abs(value - middle) <= FAITHFUL * max(1.0, abs(middle)):
            return Candidate(x, value, middle, "artefact")
        thin = self._problem.rule == "ieee" and math.isnan(self._strict.reference(x))
        return Candidate(x, value, middle, "thin" if thin else "faithful")
