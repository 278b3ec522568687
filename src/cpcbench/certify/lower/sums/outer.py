"""The lower bound of a formula that follows from those of the sums inside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.certify.certificate.schema import BySums, Side
from cpcbench.certify.lower.bounds import Lower, gap_line, room_at
from cpcbench.certify.lower.sums.proving import prove_sum
from cpcbench.certify.lower.sums.structure import Bounds, SumNode, sums_of, value_at
from cpcbench.certify.means import Means
from cpcbench.certify.times import Deadline
from cpcbench.clock import OutOfTimeError, look_at_clock
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import constants
from cpcbench.intervals.boxes import Boxes, ManyBoxes
from cpcbench.points import Points
from cpcbench.readings.doubles.fast import FastReading

NEARBY, NEARBY_SURE = 20_000, 200
"""Points tried around one that is just outside of the domain, and how many of the lowest are looked at closely."""


def inner_point(root: Expr, bounds: Bounds, x: Points) -> Points:
    """The point, or where rounding has put it outside of the domain the lowest point found close by."""
    low, high = (np.array(side) for side in zip(*bounds, strict=True))
    kernel = FastReading(root, low, high, "strict")
    if not math.isnan(value_at(root, x)):
        return x
    rng = np.random.default_rng(0)
    for reach in np.geomspace(1e-16, 1e-7, 10):
        look_at_clock()
        tried = np.clip(x + reach * (high - low) * rng.uniform(-1.0, 1.0, (NEARBY, len(x))), low, high)
        values = kernel.batch(tried)
        good = np.flatnonzero(np.isfinite(values))
        for i in good[np.argsort(values[good])][:NEARBY_SURE]:
            if not math.isnan(value_at(root, tried[i])):
                return np.array(tried[i])
    return x


class Outer:
    """The formula as a function of its sums (and of variables, where these also occur outside)."""

    def __init__(self, root: Expr, sums: Sequence[SumNode], bounds: Bounds) -> None:
        n = len(bounds)
        self._box = np.asarray(bounds, dtype=np.float64)
        self._reading = Boxes(replaced(root, {id(s.node): var(n + i) for i, s in enumerate(sums)}), "strict")
        ranges = ManyBoxes([s.node for s in sums], "strict")(self._box[None, :, 0], self._box[None, :, 1])
        self.ranges = np.array([(low[0], high[0]) for low, high, _ in ranges]).reshape(-1, 2)

    def lower(self, ranges: ArrayLike) -> float:
        """A lower bound of the formula while its sums lie in these ranges."""
        both = np.concatenate([self._box, np.asarray(ranges, dtype=np.float64).reshape(-1, 2)])
        low, _, _ = self._reading(both[None, :, 0], both[None, :, 1])
        return float(low[0])


def sides_needed(outer: Outer, at_point: ArrayLike, tolerance: float) -> list[tuple[int, Side]]:
    """The sums, by place, and the sides of them whose natural bound is not good enough for the formula's."""
    known = _about(at_point)
    best = outer.lower(known)
    needed: list[tuple[int, Side]] = []
    for place, (low, high) in enumerate(outer.ranges):
        look_at_clock()
        sides: tuple[tuple[Side, tuple[float, float]], ...] = (
            ("min", (low, known[place, 1])),
            ("max", (known[place, 0], high)),
        )
        for side, loose in sides:
            ranges = known.copy()
            ranges[place] = min(loose[0], known[place, 0]), max(loose[1], known[place, 1])
            if not outer.lower(ranges) >= best - 0.1 * tolerance:
                needed.append((place, side))
    return needed


def lower_by_structure(
    root: Expr,
    bounds: Bounds,
    upper_value: float,
    upper_point: ArrayLike,
    tolerance: float = 1e-9,
    seconds: float = 60.0,
    means: Means | None = None,
) -> Lower | None:
    """A proven lower bound of the formula; None if no sum of it can be taken apart.

    `upper_value` is the formula's value at `upper_point`, a very good point: the closer to the infimum,
    the less work. The bound aimed at lies `tolerance * max(1, |upper_value|)` below it.
    What the state among the `means` keeps of an earlier proof is gone on from.
    """
    deadline, means = Deadline(seconds), means or Means()
    sums = [s for s in sums_of(root) if id(s.node) not in constants(root)]
    if not sums:
        return None
    x = np.asarray(upper_point, dtype=np.float64)
    whole = sums[0].node is root
    if not whole or len(sums[0].chains) > 1:
        x = inner_point(root, bounds, x)
    values = [upper_value] if whole else [value_at(s.node, x) for s in sums]
    if any(math.isnan(v) for v in values):
        return None
    outer = Outer(root, sums, bounds)
    room = room_at(tolerance, upper_value)
    needed = sides_needed(outer, values, room)
    ranges, proofs = outer.ranges.copy(), []
    for done, (place, side) in enumerate(needed):
        share = deadline.left(len(needed) - done)
        try:
            slack = _slack(outer, values, place, side, 0.5 * room / len(needed))
            proof = prove_sum(sums[place], side, bounds, x, slack, share, values[place], means)
        except OutOfTimeError:  # what is proven by now holds without the rest
            break
        if proof is None:
            continue
        proofs.append(proof)
        end = 0 if side == "min" else 1
        pick = max if side == "min" else min
        ranges[place, end] = pick(ranges[place, end], proof.bound)
        means.tell(gap_line(outer.lower(ranges), upper_value, deadline.spent()))
    lower = outer.lower(ranges)
    lower -= 1e-14 * (1.0 + abs(lower)) if math.isfinite(lower) else 0.0
    return Lower(lower, proof=BySums(proofs))


def _about(values: ArrayLike) -> Points:
    """Narrow ranges about the values: a sum that is 0 at an edge comes out on either side of it."""
    middle = np.asarray(values, dtype=np.float64)
    room = 1e-10 * np.maximum(1.0, np.abs(middle))
    return np.stack([middle - room, middle + room], axis=1)


def _slack(outer: Outer, values: Sequence[float], place: int, side: Side, room: float) -> float:
    """How far the sum's bound may lie from its value so that the formula's bound moves by no more than `room`."""
    known = _about(values)
    best = outer.lower(known)
    slack = room
    for _ in range(200):
        look_at_clock()
        ranges = known.copy()
        ranges[place] += (-slack, 0.0) if side == "min" else (0.0, slack)
        moved = best - outer.lower(ranges)
        if moved <= room:
            if moved >= 0.25 * room or slack > 1e300:
                return slack
            slack *= 2.0
        else:
            slack *= 0.7
    return slack
