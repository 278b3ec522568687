"""Families on thin sets: where an exponent is a negative whole number, the formula may fall as its base vanishes.

Boxes that cannot meet such a set are thrown away, and families looked for from the middles of what is left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from cpcbench.certify.certificate.schema import ByFamily
from cpcbench.certify.times import Deadline
from cpcbench.certify.unbounded.families import family_along
from cpcbench.certify.upper.balls import exact_point
from cpcbench.certify.upper.krawczyk import Box
from cpcbench.certify.upper.pinned import Pin, number
from cpcbench.certify.upper.vanishing import Vanishing
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.boxes import Floats, ManyBoxes
from cpcbench.intervals.operations import NOWHERE

LOWEST = -6
"""Whole exponents below this are not looked at."""
MOST_BOXES, ROUNDS, STARTS = 4_000, 60, 12
SEARCHED = 0.8
"""The share of a set's time in which boxes are halved."""


def thin_families(root: Expr, bounds: Sequence[tuple[float, float]], seconds: float = 30.0) -> Iterator[ByFamily]:
    """Proofs that the formula is unbounded below on a thin set, in the order of the formula."""
    box = [(float(low), float(high)) for low, high in bounds]
    fixed = constants(root)
    powers = [n for n in postorder(root) if n.op == "pow" and not {id(a) for a in n.args} & fixed]
    wanted = [(power, whole) for power in powers for whole in _wholes(power, box)]
    deadline = Deadline(seconds)
    for place, (power, whole) in enumerate(wanted):
        share = deadline.left(len(wanted) - place)
        try:
            with time_limit(share):
                found = _family(root, box, power, whole, Deadline(SEARCHED * share))
        except OutOfTimeError:
            continue
        if found is not None:
            yield found


def _wholes(power: Expr, box: Box) -> range:
    """The negative whole numbers that the exponent can be where the base is negative, as far as ranges tell."""
    low, high = (np.array([side]) for side in zip(*box, strict=True))
    (b_low, _, _), (e_low, e_high, _) = ManyBoxes(power.args, "ieee")(low, high)
    if not b_low[0] < 0.0 or not e_low[0] <= e_high[0]:
        return range(0)
    return range(max(math.ceil(max(e_low[0], LOWEST)), LOWEST), min(math.floor(min(e_high[0], 0.0)), -1) + 1)


def _family(root: Expr, box: Box, power: Expr, whole: int, deadline: Deadline) -> ByFamily | None:
    part = Vanishing(power.args[0], (-1,), (Pin(power.args[1], Fraction(whole)),))
    for x in _low_middles(root, box, power, whole, deadline):
        found = family_along(root, box, "ieee", exact_point(x), part)
        if found is not None:
            return found
    return None


def _low_middles(root: Expr, box: Box, power: Expr, whole: int, deadline: Deadline) -> Floats:
    """Middles of boxes that may meet the set, the lowest first; none if the formula has a lower bound on it."""
    held = {id(power.args[1]): number(Fraction(whole))}  # on the set the exponent is that number, wherever it stands
    reading = ManyBoxes([replaced(root, held), replaced(power.args[0], held), power.args[1]], "ieee")
    low, high = (np.array([side]) for side in zip(*box, strict=True))
    low, high, bounds = _kept(reading, low, high, whole)
    for _ in range(ROUNDS):
        halves = None if deadline.is_over() or not len(low) else _halved(low, high, bounds)
        if halves is None:
            break
        low, high, bounds = _kept(reading, *halves, whole)
    order = np.argsort(bounds, kind="stable")[:STARTS]
    return 0.5 * (low[order] + high[order]) if np.min(bounds, initial=math.inf) == -math.inf else low[:0]


def _kept(reading: ManyBoxes, low: Floats, high: Floats, whole: int) -> tuple[Floats, Floats, Floats]:
    """The boxes that may meet the set, and the formula's lower bound on each."""
    (bounds, _, state), (b_low, _, b_state), (e_low, e_high, e_state) = reading(low, high)
    meets = (e_low <= whole) & (e_high >= whole)
    keep = meets & (b_low < 0.0) & (state != NOWHERE) & (b_state != NOWHERE) & (e_state != NOWHERE)
    return low[keep], high[keep], bounds[keep]


def _halved(low: Floats, high: Floats, bounds: Floats) -> tuple[Floats, Floats] | None:
    """The boxes halved along their longest sides, the lowest ones only if they are many; None if they are too many."""
    count = len(low)
    chosen = np.argsort(bounds, kind="stable")[: max(MOST_BOXES - count, 0)]
    if not len(chosen):
        return None
    axis = np.argmax(high[chosen] - low[chosen], axis=1)
    rows = np.arange(len(chosen))
    middle = 0.5 * (low[chosen, axis] + high[chosen, axis])
    left, right = high[chosen].copy(), low[chosen].copy()
    left[rows, axis] = right[rows, axis] = middle
    rest = np.ones(count, dtype=np.bool_)
    rest[chosen] = False
    return np.concatenate([low[rest], low[chosen], right]), np.concatenate([high[rest], left, high[chosen]])
