"""Proofs that a formula has no lower bound: a family of points along which one part vanishes and the formula falls.

The part is inside a logarithm, a denominator, or the base of a negative power. Krawczyk's operator
proves that a point exists for every small value of the part; what the formula tends to is asked of the checker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import flint
import numpy as np

from cpcbench.certify.certificate.form import written
from cpcbench.certify.certificate.schema import ByFamily
from cpcbench.certify.certificate.schema import Vanishing as Vanishes
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.paths.families import LIMIT_BITS, check_falls, read_family
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.times import Deadline
from cpcbench.certify.upper.balls import exact_point
from cpcbench.certify.upper.krawczyk import Box, doubles
from cpcbench.certify.upper.pinned import Pin, Pinned
from cpcbench.certify.upper.polish import Point, Polisher
from cpcbench.certify.upper.proofs import box_around
from cpcbench.certify.upper.vanishing import Vanishing, vanishing_parts
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.points import Points
from cpcbench.rules import check_rule

SIZES = (12, 18, 24, 28, 32)


def families(
    root: Expr,
    bounds: Sequence[tuple[float, float]],
    rule: str,
    points: Sequence[Sequence[float] | Points],
    seconds: float = 30.0,
) -> Iterator[ByFamily]:
    """Proofs that the formula is unbounded below on the box, as long as there is time."""
    check_rule(rule)
    box = [(float(low), float(high)) for low, high in bounds]
    deadline = Deadline(seconds)
    for x in points:
        start = exact_point(np.asarray(x, dtype=np.float64))
        for candidate in vanishing_parts(root, rule):
            try:
                with time_limit(deadline.left()):
                    found = family_along(root, box, rule, start, candidate)
            except OutOfTimeError:
                return
            if found is not None:
                yield found


def family_along(root: Expr, box: Box, rule: str, start: Point, part: Vanishing) -> ByFamily | None:
    """A family near the start along which this part vanishes and the formula falls without end, if one is proven."""
    if any(_nested(part.node, pin.node) for pin in part.held) or len(part.held) >= len(box):
        return None
    pinned = Pinned(root, len(box), (*part.held, Pin(part.node)))
    polisher = Polisher(pinned, box, rule)
    place = polisher.onto(start)
    found = None if place is None else polisher.settled(place)
    if found is None:
        return None
    settled, solve = found
    for size in SIZES:
        around = box_around(settled, solve, size, box)
        eps = _eps(polisher, settled, solve, around)
        for side in part.sides if eps > 0.0 else ():
            family = _family(pinned, around, solve, eps, side, rule)
            last = flint.arb(0).union(flint.arb(eps * side))
            if _falls(root, box, family) and polisher.system.has_solution(around, solve, last):
                return family
    return None


def _nested(a: Expr, b: Expr) -> bool:
    """Whether one is part of the other."""
    return any(n is b for n in postorder(a)) or any(n is a for n in postorder(b))


def _eps(polisher: Polisher, point: Point, solve: list[int], around: Box) -> float:
    """How far the vanishing part can go before the solution leaves the middle half of the box, to first order."""
    matrix = doubles(polisher.system.slopes(point, solve))
    if not np.isfinite(matrix).all():
        return 0.0
    try:
        reach = np.abs(np.linalg.inv(matrix)[:, -1])
    except np.linalg.LinAlgError:
        return 0.0
    half = np.array([0.25 * (around[i][1] - around[i][0]) for i in solve])
    return float(np.min(half / np.maximum(reach, 1e-300)))


def _falls(root: Expr, box: Box, family: ByFamily) -> bool:
    """Whether the checker sees that the formula tends to minus infinity, if a point exists for each small value."""
    subject = Subject("", root, box, "all" if family.rule == "ieee" else "regular")
    try:
        with arithmetic("arb", LIMIT_BITS):
            check_falls(subject, read_family(subject, written(family)))
    except RejectedError:
        return False
    return True


def _family(pinned: Pinned, box: Box, solve: list[int], eps: float, side: int, rule: str) -> ByFamily:
    *held, small = pinned.written(pinned.pins)
    vanishing = Vanishes(small.node, "0", "+" if side > 0 else "-")
    return ByFamily([list(pair) for pair in box], held, solve, vanishing, eps, rule)
