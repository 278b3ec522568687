"""Proofs that a formula has no lower bound: a family of points along which one part vanishes and the formula falls.

The part is inside a logarithm, a denominator, or the base of a negative power. Krawczyk's operator
proves that a point exists for every small value of the part; the limit is taken in extended arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import flint
import numpy as np

from cpcbench.certify.unbounded.limit_values import limit_at, vanishing
from cpcbench.certify.upper.balls import ball, interval
from cpcbench.certify.upper.krawczyk import CHECKED_BITS, Box, doubles
from cpcbench.certify.upper.pinned import Pin, Pinned, numbers
from cpcbench.certify.upper.polish import Point, Polisher
from cpcbench.certify.upper.proofs import box_around, solve_variables
from cpcbench.certify.upper.vanishing import Vanishing, vanishing_parts
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.points import Points
from cpcbench.readings.reals.exact import working_precision
from cpcbench.rules import check_rule

SIZES = (12, 18, 24, 28, 32)


def find_family(
    root: Expr,
    bounds: Sequence[tuple[float, float]],
    rule: str,
    points: Sequence[Sequence[float] | Points],
    seconds: float = 30.0,
) -> dict[str, Any] | None:
    """A proof that the formula is unbounded below on the box, as the object of a certificate; None if none is found."""
    return next(families(root, bounds, rule, points, seconds), None)


def families(
    root: Expr,
    bounds: Sequence[tuple[float, float]],
    rule: str,
    points: Sequence[Sequence[float] | Points],
    seconds: float = 30.0,
) -> Iterator[dict[str, Any]]:
    """Proofs that the formula is unbounded below on the box, as long as there is time."""
    check_rule(rule)
    box = [(float(low), float(high)) for low, high in bounds]
    deadline = time.monotonic() + seconds
    for x in points:
        start = [flint.arb(float(v)) for v in np.asarray(x, dtype=np.float64)]
        for candidate in vanishing_parts(root, rule):
            try:
                with time_limit(deadline - time.monotonic()):
                    found = family_along(root, box, rule, start, candidate)
            except OutOfTimeError:
                return
            if found is not None:
                yield found


def family_along(root: Expr, box: Box, rule: str, start: Point, part: Vanishing) -> dict[str, Any] | None:
    """A family near the start along which this part vanishes and the formula falls without end, if one is proven."""
    if any(_nested(part.node, pin.node) for pin in part.held) or len(part.held) >= len(box):
        return None
    pinned = Pinned(root, len(box), (*part.held, Pin(part.node)))
    polisher = Polisher(pinned, box, rule)
    place = polisher.onto(start)
    solve = None if place is None else solve_variables(polisher, place)
    if place is None or solve is None:
        return None
    exact = [v if i in solve else flint.arb(float(v)) for i, v in enumerate(place)]
    settled = polisher.onto(exact, solve)
    if settled is None:
        return None
    for size in SIZES:
        around = box_around(settled, solve, size, box)
        eps = _eps(polisher, settled, solve, around)
        for side in part.sides:
            if eps > 0.0 and _falls(polisher, around, solve, eps, side, rule):
                return _proof(pinned, around, solve, eps, side, rule)
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


def _falls(polisher: Polisher, around: Box, solve: list[int], eps: float, side: int, rule: str) -> bool:
    """Whether the formula is proven to tend to minus infinity, and a point to exist for each small value."""
    pinned = polisher.pinned
    with working_precision(CHECKED_BITS):
        balls = [interval(low, high) for low, high in around]
        pins = {id(pin.node): ball(pin.value) for pin in pinned.pins[:-1]}
        limit = limit_at(pinned.root, balls, pins, pinned.pins[-1].node, vanishing(eps, side), rule)
        if limit is None or limit.tends != "infinite" or limit.sign > 0:
            return False
        return polisher.system.has_solution(around, solve, flint.arb(0).union(flint.arb(eps * side)))


def _proof(pinned: Pinned, box: Box, solve: list[int], eps: float, side: int, rule: str) -> dict[str, Any]:
    place = numbers(pinned.root)
    *held, small = pinned.pins
    return {
        "by": "family",
        "box": [list(interval) for interval in box],
        "equations": [{"node": place[id(pin.node)], "value": str(pin.value)} for pin in held],
        "solve": solve,
        "vanishing": {"node": place[id(small.node)], "value": "0", "side": "+" if side > 0 else "-"},
        "eps": eps,
        "rule": rule,
    }
