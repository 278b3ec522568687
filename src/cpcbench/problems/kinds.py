"""What a value in doubles is worth: faithful, thin, an artefact of rounding, or no value at all."""

from __future__ import annotations

import math
from typing import Literal

Kind = Literal["faithful", "thin", "artefact", "inadmissible", "re-evaluated"]
"""What the value in doubles at a point is worth.

- `faithful`: it is the real value at that point,
- `thin`: admissible only because an exponent is an exact whole number there,
- `artefact`: an accident of rounding; the real value is another, or there is none,
- `inadmissible`: undefined in doubles,
- `re-evaluated`: of functions without a formula: the same value came out again, and that is all that can be known.
"""

FAITHFUL = 1e-6
"""A value is faithful if it is the real value to this relative (below 1: absolute) accuracy."""


def close(a: float, b: float, tolerance: float) -> bool:
    """Whether two values agree, relatively above 1 and absolutely below; what is not finite agrees with nothing."""
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tolerance * max(1.0, abs(b))
