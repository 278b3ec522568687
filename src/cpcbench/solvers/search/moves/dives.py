"""Dives: lines of a slider that go to the edge of the domain whatever the values are, down to the last double.

Halving the interval to an undefined point tries all orders of distance from the edge on the way. That is what finds
the lowest point where the objective oscillates towards its edge, or where the slope is singular.
"""

from __future__ import annotations

import math
from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.solvers.search.state import AT, DEEPEST, HIGH, LEFT, LOW, SIDE, SIGMA, SIZE, VALUE

LONG_DIVE = 80
"""Evaluations of a dive at most."""


@compiled
def dive(s: Any, row: int, at: float, value: float) -> None:
    """Goes on from any defined point; the best on the way is kept."""
    if value != value:
        if s.facts[row, SIDE] > 0.0:
            s.facts[row, HIGH] = at
        else:
            s.facts[row, LOW] = at
        return
    s.facts[row, AT] = at
    s.facts[row, SIZE] *= 2.0
    if value < s.facts[row, VALUE]:
        s.facts[row, VALUE] = value
        s.facts[row, DEEPEST] = at
    if abs(at) > 1.0:
        s.facts[row, LEFT] = 0.0


@compiled
def at_the_edge(s: Any, row: int) -> bool:
    end = s.facts[row, HIGH] if s.facts[row, SIDE] > 0.0 else s.facts[row, LOW]
    return bool(s.facts[row, VALUE] < math.inf and abs(end - s.facts[row, AT]) < 1e-19)


@compiled
def surface(s: Any, row: int) -> None:
    """A dive ends at its best point, whose distance from the edge is the scale of what follows."""
    s.facts[row, SIGMA] = max(abs(s.facts[row, AT] - s.facts[row, DEEPEST]), 1e-18)
    s.facts[row, AT] = s.facts[row, DEEPEST]
