"""Proven upper bounds on the infimum over the reals: points, and boxes proven to hold an exact point of an edge.

An optimum on an edge of the domain has no double nearby that is as good, and most doubles nearby are
outside. So the parts that are 0 there are held at exactly 0: that such a point exists is proven by
Krawczyk's operator, and the formula is evaluated with these parts replaced by their exact values.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import flint
import numpy as np

from cpcbench.certify.lower.bounds import natural_end
from cpcbench.certify.times import Deadline
from cpcbench.certify.upper.active import nearest
from cpcbench.certify.upper.balls import exact_point
from cpcbench.certify.upper.krawczyk import Box
from cpcbench.certify.upper.pinned import Pin, Pinned
from cpcbench.certify.upper.polish import Point, Polisher
from cpcbench.certify.upper.proofs import Witness, at_point, proven
from cpcbench.certify.upper.shifted import shifted_starts
from cpcbench.certify.upper.vanishing import small_values
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.intervals.fillings.holes import beside_holes
from cpcbench.points import Points
from cpcbench.rules import check_rule

NEAR = 1e-3
"""How near, as a share of the box, a part must be to be worth pinning."""
MOST_SKIPS = 3
OTHERS = 5
"""Single points told beside the best bound."""


def witnesses(
    root: Expr,
    bounds: Sequence[tuple[float, float]],
    points: Sequence[Sequence[float] | Points],
    rule: str = "strict",
    seconds: float = 20.0,
) -> list[Witness]:
    """The lowest upper bound that can be proven near the given points, and a few at single points after it."""
    check_rule(rule)
    box = [(float(low), float(high)) for low, high in bounds]
    search = _Search(root, box, rule, Deadline(seconds))
    starts = [_checked(x, box) for x in points]
    with time_limit(seconds), suppress(OutOfTimeError):
        search.run(starts)
    plain = sorted(search.plain, key=lambda found: found.upper)
    return ([] if search.best is None else [search.best]) + [w for w in plain if w is not search.best][:OTHERS]


def _checked(x: Sequence[float] | Points, box: Box) -> Points:
    point = np.asarray(x, dtype=np.float64)
    if point.shape != (len(box),) or not np.isfinite(point).all():
        raise CpcbenchError(f"a point has {len(box)} finite coordinates, not {x!r}")
    return np.clip(point, [low for low, _ in box], [high for _, high in box])


@dataclass(frozen=True)
class _Trial:
    """What to pin, which variables stay at a side of the box, and where to start."""

    pins: tuple[Pin, ...]
    held: frozenset[int]
    point: Point


class _Heap:
    """Trials, those with the fewest pins left out first, and of these the ones with the most pins."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int, _Trial]] = []
        self._seen: set[frozenset[tuple[int, Any]]] = set()

    def __bool__(self) -> bool:
        return bool(self._heap)

    def push(self, skips: int, pins: tuple[Pin, ...], held: frozenset[int], point: Point) -> None:
        """Takes a trial, unless the same pins and sides came before."""
        name = frozenset([*((id(pin.node), pin.value) for pin in pins), *((-1, i) for i in held)])
        if name not in self._seen:
            self._seen.add(name)
            heapq.heappush(self._heap, (skips, -len(name), len(self._seen), _Trial(pins, held, point)))

    def pop(self) -> tuple[int, _Trial]:
        skips, _, _, trial = heapq.heappop(self._heap)
        return skips, trial


@dataclass
class _Search:
    """The best so far, and the search among sets of pins near one start after another."""

    root: Expr
    box: Box
    rule: str
    deadline: Deadline
    best: Witness | None = None
    pinned: Pinned | None = None
    """The pins of the best, if it has some."""
    plain: list[Witness] = field(default_factory=list)
    """Single points."""
    _values: dict[bytes, float] = field(default_factory=dict)

    def run(self, starts: list[Points]) -> None:
        """The starts themselves, then what is near each of them in turn, then elsewhere."""
        for x in starts:
            self.offer(at_point(self.root, x, self.rule))
        turns = [self.near(x) for x in sorted(starts, key=self.promise)]
        while turns and not self.is_over():
            turns = [turn for turn in turns if not self.is_over() and next(turn, None) is not None]
        self.elsewhere()
        if self.best is not None:  # an infimum may be a limit at a hole, where doubles are too coarse for a search
            for x in beside_holes(self.root, self.box, self.best.x):
                self.offer(at_point(self.root, x, self.rule))

    def is_over(self) -> bool:
        """Whether the time is, or nothing lower is possible."""
        return self.deadline.is_over() or (self.best is not None and self.best.upper <= self._lowest)

    @cached_property
    def _lowest(self) -> float:
        """A bound that the ranges of the formula's parts give, with a little room for rounding."""
        bound = natural_end(self.root, self.box, self.rule)
        return bound + 1e-14 * abs(bound) + 1e-300 if math.isfinite(bound) else -math.inf

    def offer(self, witness: Witness | None, pinned: Pinned | None = None) -> None:
        if witness is None:
            return
        self._values[witness.x.tobytes()] = witness.upper
        if self.best is None or witness.upper < self.best.upper:
            self.best, self.pinned = witness, pinned
        if pinned is None:
            self.plain.append(witness)

    def promise(self, x: Points) -> float:
        """Points proven to be low come first; those that are not even admissible last, as they came."""
        return self._values.get(x.tobytes(), math.inf)

    def near(self, x: Points) -> Iterator[bool]:
        """Tries sets of pins near a start: in the first turn always the nearest one more, then with some left out."""
        heap = _Heap()
        start = exact_point(x)
        held = {i for i, side in enumerate(self.box) if float(x[i]) in side}
        heap.push(0, (), frozenset(held), start)
        for pin in small_values(self.root, x):
            heap.push(1, (pin,), frozenset(held), start)
        if held:
            heap.push(1, (), frozenset(), start)
        turn = 0
        while heap and not self.is_over():
            skips, trial = heap.pop()
            if skips > turn:
                turn = skips
                yield True
            self._expand(heap, skips, trial)

    def _expand(self, heap: _Heap, skips: int, trial: _Trial) -> None:
        """Tries one set, and puts it back with one more of the nearest pins or sides of the box."""
        pinned = Pinned.of(self.root, len(self.box), trial.pins)
        place = self._try(pinned, trial.point, trial.held)
        if place is None or len(trial.pins) + len(trial.held) == len(self.box):
            return
        near = nearest(pinned, self.box, place, self.rule, NEAR)
        steps: list[tuple[float, Pin | None, int]] = [(n.distance, n.pin, -1) for n in near]
        for i, (low, high) in enumerate(self.box):
            distance = min(float(place[i]) - low, high - float(place[i])) / max(high - low, 1e-300)
            if i not in trial.held and distance <= NEAR:
                steps.append((distance, None, i))
        steps.sort(key=lambda step: step[0])
        for rank, (_, pin, i) in enumerate(steps[: MOST_SKIPS + 1 - skips]):
            if pin is not None:
                heap.push(skips + rank, (*trial.pins, pin), trial.held, place)
            else:
                heap.push(skips + rank, trial.pins, trial.held | {i}, _at_side(place, i, self.box[i]))

    def _try(self, pinned: Pinned, point: Point, held: frozenset[int] = frozenset()) -> Point | None:
        """Moves the point onto the pins and down along them, and proves what is there; where it is on the pins."""
        polisher = Polisher(pinned, self.box, self.rule, held)
        place = polisher.onto(point) if pinned.pins else point
        if place is None:
            return None
        lowest = polisher.lowest(place) if len(pinned.pins) + len(held) < pinned.dim else None
        for found in (place, lowest):
            if found is not None:
                self._prove(polisher, found)
        return place

    def _prove(self, polisher: Polisher, point: Point) -> None:
        if polisher.pinned.pins:
            self.offer(proven(polisher, point, self.rule), polisher.pinned)
        else:
            self.offer(self._rounded(point))

    def elsewhere(self) -> None:
        """With the pins of the best, looks for a better place among the copies of what they leave."""
        if (
            self.pinned is None
            or len(self.pinned.pins) == self.pinned.dim
            or self.deadline.left() < 1.0
            or self.is_over()
        ):
            return
        starts = shifted_starts(self.pinned, self.box, self.rule)
        for x in starts:
            if not self.is_over():
                self._try(self.pinned, exact_point(x))

    def _rounded(self, point: Point) -> Witness | None:
        return at_point(self.root, np.array([float(v) for v in point]), self.rule)


def _at_side(point: Point, i: int, side: tuple[float, float]) -> Point:
    """The point with one coordinate moved to the nearer end of its interval."""
    x = float(point[i])
    return [*point[:i], flint.arb(side[0] if x - side[0] < side[1] - x else side[1]), *point[i + 1 :]]
