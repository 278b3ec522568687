"""What a value in doubles is worth: faithful, thin, an artefact of rounding, or no value at all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem
    from cpcbench.readings.reals.enclosure import Enclosure

Kind = Literal["faithful", "thin", "artefact", "inadmissible", "re-evaluated"]

FAITHFUL = 1e-6
"""A value is faithful if it is the real value to this relative (below 1: absolute) accuracy."""


def kind_of(problem: Problem, point: ArrayLike, reference: float, enclosure: Enclosure) -> Kind:
    """What the value in doubles is worth, given the verdict on the point and the enclosure of the real value.

    - `faithful`: it is the real value at that point,
    - `thin`: admissible only because an exponent is an exact whole number there,
    - `artefact`: an accident of rounding; the real value is another, or there is none,
    - `inadmissible`: undefined in doubles.

    The fifth kind, `re-evaluated`, is of functions without a formula: the same value came out again, and that is
    all that can be known.
    """
    if math.isnan(reference):
        return "inadmissible"
    if enclosure.defined is False or not close(reference, enclosure.midpoint, FAITHFUL):
        return "artefact"
    if problem.rule == "ieee" and math.isnan(problem.with_rule("strict").reference(point)):
        return "thin"
    return "faithful"


def close(a: float, b: float, tolerance: float) -> bool:
    """Whether two values agree, relatively above 1 and absolutely below; what is not finite agrees with nothing."""
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tolerance * max(1.0, abs(b))
