"""Single proofs of an upper bound: a point, or a box around an exact point at which parts of the formula are held."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cpcbench.certify.certificate.schema import ByPinnedBox, ByPoint, PointProof
from cpcbench.certify.upper.balls import Balls, exact_point, interval
from cpcbench.certify.upper.krawczyk import CHECKED_BITS, Box
from cpcbench.certify.upper.pinned import Pinned
from cpcbench.certify.upper.polish import Point, Polisher
from cpcbench.expr.nodes import Expr
from cpcbench.points import Points
from cpcbench.readings.reals.enclosure import enclose, rounded_up
from cpcbench.readings.reals.exact import working_precision

SIZES = (2, 4, 6, 9, 12, 16, 20, 24, 28)
"""Half the width of a box that is tried, as a power of two times the spacing of doubles."""


@dataclass(frozen=True)
class Witness:
    """A proven upper bound: some value of the formula is at most `upper`.

    `x` is the point, or the middle of the box that holds it; `proof` is the object of a certificate.
    """

    upper: float
    x: Points
    proof: PointProof
    description: str


def at_point(root: Expr, x: Points, rule: str) -> Witness | None:
    """The point itself, if the formula is proven to be defined there."""
    with working_precision(CHECKED_BITS):
        value = Balls(root, rule=rule).values(exact_point(x))[id(root)]
        upper = rounded_up(value.upper()) if value.is_finite() else math.nan
    if math.isnan(upper):
        found = enclose(root, x.tolist(), rule=rule, max_bits=1024)
        if found.defined is not True:
            return None
        upper = found.upper
    if not math.isfinite(upper):
        return None
    return Witness(upper, x, ByPoint(x.tolist()), "a point")


def proven(polisher: Polisher, point: Point, rule: str) -> Witness | None:
    """A box around the point, as small as can be proven to hold a solution, and the formula's upper end over it."""
    found = polisher.settled(point)
    if found is None:
        return None
    place, solve = found
    for size in SIZES:
        box = box_around(place, solve, size, polisher.box)
        if polisher.system.has_solution(box, solve):
            upper = upper_end(polisher.pinned, box, rule)
            return None if upper is None else _witness(polisher.pinned, box, solve, upper)
    return None


def box_around(point: Point, solve: list[int], size: int, sides: Box) -> Box:
    box: Box = []
    for i, x in enumerate(point):
        middle = float(x)
        if i in solve:
            half = math.ldexp(max(math.ulp(middle), math.ulp(1e-3 * (sides[i][1] - sides[i][0]))), size)
            box.append((max(middle - half, sides[i][0]), min(middle + half, sides[i][1])))
        else:
            box.append((middle, middle))
    return box


def upper_end(pinned: Pinned, box: Box, rule: str) -> float | None:
    """The upper end of the formula over the box, its pinned parts exact; None if it is not defined throughout."""
    with working_precision(CHECKED_BITS):
        balls = Balls(pinned.root, rule=rule).values([interval(*side) for side in box], pinned.balls)
        found = balls[id(pinned.root)]
        return rounded_up(found.upper()) if found.is_finite() else None


def _witness(pinned: Pinned, box: Box, solve: list[int], upper: float) -> Witness:
    proof = ByPinnedBox([list(side) for side in box], pinned.written(pinned.pins), solve)
    middle = np.array([0.5 * (low + high) for low, high in box])
    many = len(pinned.pins)
    return Witness(upper, middle, proof, f"{many} part{'s' if many > 1 else ''} of the formula exactly at an edge")
