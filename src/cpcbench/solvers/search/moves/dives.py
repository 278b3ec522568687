"""Dives: lines of a slider that go to the edge of the domain whatever the values are, down to the last double.

Halving the interval to an undefined point tries all orders of distance from the edge on the way. That is what finds
the lowest point where the objective oscillates towards its edge, or where the slope is singular.
"""

from __future__ import annotations

import math
from typing import Any

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.solvers.search.state import SLIDER


@compiled
def dive(s: Any, k: int, at: float, value: float) -> None:
    """Goes on from any defined point; the best on the way is kept."""
    slider = s.facts[SLIDER + k]
    if value != value:
        if slider.side > 0.0:
            slider.high = at
        else:
            slider.low = at
        return
    slider.at = at
    slider.reach *= 2.0
    if value < slider.value:
        slider.value = value
        slider.deepest = at
    if abs(at) > 1.0:
        slider.left = 0


@compiled
def at_the_edge(s: Any, k: int) -> bool:
    slider = s.facts[SLIDER + k]
    end = slider.high if slider.side > 0.0 else slider.low
    return bool(slider.value < math.inf and abs(end - slider.at) < 1e-19)


@compiled
def surface(s: Any, k: int) -> None:
    """A dive ends at its best point, whose distance from the edge is the scale of what follows."""
    slider = s.facts[SLIDER + k]
    slider.sigma = max(abs(slider.at - slider.deepest), 1e-18)
    slider.at = slider.deepest
