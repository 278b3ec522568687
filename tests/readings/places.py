"""Where a point lies, as the rigorous reading says it."""

from __future__ import annotations

from cpcbench.expr import (
    variables,
)
from cpcbench.readings.reals.enclosure import Enclosure

x1, x2 = variables(2)


def place(enclosure: Enclosure) -> tuple[str, bool | None, bool]:
    return enclosure.domain, enclosure.defined, enclosure.thin


INSIDE = ("inside", True, False)
EDGE = ("edge", True, False)
THIN = ("edge", True, True)
GAP = ("edge", False, False)
OUTSIDE = ("outside", False, False)
