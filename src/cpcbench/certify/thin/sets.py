"""The thin sets of a formula, one by one: where a varying exponent is a whole number and its base is negative.

Such points are admissible under the rule ieee only. On each set the power is a whole power, so the
formula there is another, plainer one; boxes that cannot meet the set are thrown away, and what is left
bounds the formula from below. A set is proven empty, bounded, or unbounded below, or it stays open.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import flint
import numpy as np

from cpcbench.certify.unbounded.families import family_along
from cpcbench.certify.upper.active import pins_of
from cpcbench.certify.upper.balls import Balls, ball, interval
from cpcbench.certify.upper.krawczyk import CHECKED_BITS, Box
from cpcbench.certify.upper.pinned import Pin, Pinned, number, numbers, replaced
from cpcbench.certify.upper.polish import Polisher
from cpcbench.certify.upper.proofs import Witness, proven
from cpcbench.certify.upper.vanishing import Vanishing
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.boxes import Floats, ManyBoxes
from cpcbench.intervals.operations import NOWHERE
from cpcbench.readings.reals.exact import working_precision
from cpcbench.readings.text import formula

SMALL = 6
"""Whole exponents up to this size have a set of their own; larger ones share one."""
MOST_BOXES, ROUNDS, STARTS = 4_000, 60, 12
SEARCHED = 0.8
"""The share of a set's time after which nothing new is begun."""

State = Literal["empty", "bounded", "unbounded", "open"]


@dataclass(frozen=True)
class ThinPart:
    """One thin set: the power (as text and by its number), the whole exponent (None: all larger ones), what is proven.

    `bound` is below every value on the set (+inf if it is empty); `witness` is the lowest value proven on it.
    """

    power: str
    node: int
    exponent: int | None
    state: State
    bound: float
    witness: Witness | None = None
    family: dict[str, Any] | None = None


def thin_parts(root: Expr, bounds: Sequence[tuple[float, float]], seconds: float = 30.0) -> list[ThinPart]:
    """What is proven of each thin set on the box, in the order of the formula."""
    box = [(float(low), float(high)) for low, high in bounds]
    fixed = constants(root)
    powers = [n for n in postorder(root) if n.op == "pow" and not {id(a) for a in n.args} & fixed]
    wanted = [(power, whole) for power in powers for whole in _wholes(power, box)]
    deadline = time.monotonic() + seconds
    found = []
    for place, (power, whole) in enumerate(wanted):
        share = max((deadline - time.monotonic()) / (len(wanted) - place), 0.0)
        try:
            with time_limit(share):
                found.append(_part(root, box, power, whole, time.monotonic() + SEARCHED * share))
        except OutOfTimeError:
            found.append(ThinPart(formula(power), numbers(root)[id(power)], whole, "open", -math.inf))
    return found


def _wholes(power: Expr, box: Box) -> list[int | None]:
    """The whole numbers that the exponent can be where the base is negative, as far as ranges tell."""
    low, high = (np.array([side]) for side in zip(*box, strict=True))
    (b_low, _, _), (e_low, e_high, _) = ManyBoxes(power.args, "ieee")(low, high)
    if not b_low[0] < 0.0 or not e_low[0] <= e_high[0]:
        return []
    first, last = max(math.ceil(max(e_low[0], -SMALL)), -SMALL), min(math.floor(min(e_high[0], SMALL)), SMALL)
    own: list[int | None] = [*range(first, last + 1)]
    return [*own, None] if e_low[0] <= -SMALL - 1 or e_high[0] >= SMALL + 1 else own


def _part(root: Expr, box: Box, power: Expr, whole: int | None, deadline: float) -> ThinPart:
    bound, middles = _bounded(root, box, power, whole, deadline)
    name, place = formula(power), numbers(root)[id(power)]
    if not len(middles):
        return ThinPart(name, place, whole, "empty", math.inf)
    if whole is None:
        return ThinPart(name, place, whole, "bounded" if bound > -math.inf else "open", bound)
    pin = Pin(power.args[1], Fraction(whole))
    if bound == -math.inf and whole < 0:
        family = _family(root, box, power, pin, middles)
        if family is not None:
            return ThinPart(name, place, whole, "unbounded", -math.inf, family=family)
    witness = _witness(root, box, power, pin, middles, deadline)
    return ThinPart(name, place, whole, "bounded" if bound > -math.inf else "open", bound, witness)


def _family(root: Expr, box: Box, power: Expr, pin: Pin, middles: Floats) -> dict[str, Any] | None:
    part = Vanishing(power.args[0], (-1,), (pin,))
    for x in middles:
        found = family_along(root, box, "ieee", [flint.arb(v) for v in x.tolist()], part)
        if found is not None:
            return found
    return None


def _bounded(root: Expr, box: Box, power: Expr, whole: int | None, deadline: float) -> tuple[float, Floats]:
    """A bound below every value on the set, and middles of boxes that may meet it, the lowest first."""
    base, exponent = power.args
    plain = root
    if whole is not None:  # on the set the exponent is that number, wherever it stands
        plain, base = (replaced(part, {id(exponent): number(Fraction(whole))}) for part in (root, base))
    reading = ManyBoxes([plain, base, exponent], "ieee")
    low, high = (np.array([side]) for side in zip(*box, strict=True))
    low, high, bounds = _kept(reading, low, high, whole)
    bound = float(np.min(bounds, initial=math.inf))
    for _ in range(ROUNDS):
        if not len(low) or time.monotonic() > deadline:
            break
        halves = _halved(low, high, bounds)
        if halves is None:
            break
        low, high, bounds = _kept(reading, *halves, whole)
        bound = float(np.min(bounds, initial=math.inf))
    order = np.argsort(bounds, kind="stable")[:STARTS]
    return bound, 0.5 * (low[order] + high[order])


def _kept(reading: ManyBoxes, low: Floats, high: Floats, whole: int | None) -> tuple[Floats, Floats, Floats]:
    """The boxes that may meet the set, and the formula's lower bound on each."""
    (bounds, _, state), (b_low, _, b_state), (e_low, e_high, e_state) = reading(low, high)
    if whole is None:
        first, last = np.ceil(e_low), np.floor(e_high)
        meets = (first <= last) & ((first < -SMALL) | (last > SMALL))
    else:
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


def _witness(root: Expr, box: Box, power: Expr, pin: Pin, middles: Floats, deadline: float) -> Witness | None:
    """The lowest value proven at a point of the set, from a few starts."""
    best: Witness | None = None
    for way in _ways(box, pin):
        polisher = Polisher(Pinned.of(root, len(box), [way]), box, "ieee")
        for x in middles:
            if time.monotonic() > deadline:
                return best
            place = polisher.onto([flint.arb(v) for v in x.tolist()])
            for point in () if place is None else (place, polisher.lowest(place)):
                found = None if point is None else proven(polisher, point, "ieee")
                lower = found is not None and (best is None or found.upper < best.upper)
                if found is not None and lower and _is_thin(polisher.pinned, power, found):
                    best = found
    return best


def _ways(box: Box, pin: Pin) -> list[Pin]:
    """The exponent held at the whole number, or a part of it that makes it so, such as what is under a root."""
    found = [pin]
    with working_precision(CHECKED_BITS):
        around = [interval(low, high) for low, high in box]
        for part in pins_of(pin.node):
            value = Balls(pin.node, rule="ieee").values(around, {id(part.node): ball(part.value)})[id(pin.node)]
            if value.is_exact() and value == ball(pin.value):
                found.append(part)
    return found


def _is_thin(pinned: Pinned, power: Expr, found: Witness) -> bool:
    """Whether the base is proven to be negative there."""
    with working_precision(CHECKED_BITS):
        box = [interval(low, high) for low, high in found.proof["box"]]
        pins = {id(pin.node): ball(pin.value) for pin in pinned.pins}
        return bool(Balls(power.args[0], rule="ieee").values(box, pins)[id(power.args[0])] < 0)
