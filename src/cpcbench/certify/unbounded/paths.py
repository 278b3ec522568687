"""Paths along which a formula tends to a limit: straight lines from corners, zeros and multiples of pi/2."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from cpcbench.certify.certificate.form import written
from cpcbench.certify.certificate.schema import ByPath
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.paths.paths import BITS, tail_along
from cpcbench.certify.checker.extensions.paths.tails import INFINITE, Tail
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.straight import straight_parts
from cpcbench.certify.times import Deadline
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.points import Points

Bounds = Sequence[tuple[float, float]]
Start = tuple[str, float]
"""A coordinate to start from, as it is written and roughly."""

MOST_TURNS, MOST_STARTS, NEAR = 8, 24, 1e-2
"""Multiples of pi/2 and starts tried for a variable, and how near a low point is to be, relative to its side."""


def find_falling_path(root: Expr, bounds: Bounds, points: Sequence[Points], seconds: float) -> ByPath | None:
    """A path along which the formula has no lower bound; None if none is found."""
    for path, tail in tails_nearby(root, bounds, points, seconds):
        if tail.kind == INFINITE and tail.side == -1:
            return path
    return None


def tails_nearby(root: Expr, bounds: Bounds, points: Sequence[Points], seconds: float) -> Iterator[tuple[ByPath, Tail]]:
    """Paths on which the formula is defined, those that end near the points given first, and what it does there."""
    deadline = Deadline(seconds)
    subject = Subject("", root, [(float(low), float(high)) for low, high in bounds], "regular")
    starts = _starts(root, subject.bounds)
    seen: set[str] = set()
    for path in itertools.chain(_snapped(subject.bounds, starts, points), _lines(subject.bounds, starts, points)):
        if deadline.is_over():
            return
        if str(path) in seen:
            continue
        seen.add(str(path))
        try:
            with arithmetic("arb", BITS):
                tail = tail_along(subject, written(path))
        except RejectedError:
            continue
        yield path, tail


def _starts(root: Expr, bounds: Bounds) -> list[list[Start]]:
    """For each variable the ends of its side, 0, zeros of straight parts of it alone, multiples of pi/2, the middle."""
    order = postorder(root)
    waves = any(node.op in ("sin", "cos", "tan") for node in order)
    zeros = _zeros(order, len(bounds))
    found = []
    for variable, (low, high) in enumerate(bounds):
        exact = [Fraction(low), Fraction(high), Fraction(0), *zeros[variable]]
        kept = {str(v): float(v) for v in exact if low <= v <= high}
        if waves and high > low:
            first = math.ceil(low / (math.pi / 2))
            for k in range(first, min(math.floor(high / (math.pi / 2)), first + MOST_TURNS) + 1):
                kept.setdefault(f"{Fraction(k, 2)}*pi", k * math.pi / 2)
        middle = low + (high - low) / 2
        kept.setdefault(str(Fraction(middle)), middle)
        found.append(list(kept.items())[:MOST_STARTS])
    return found


def _zeros(order: list[Expr], count: int) -> list[list[Fraction]]:
    """Where a straight part of a single variable is 0."""
    found: list[list[Fraction]] = [[] for _ in range(count)]
    for slopes, number in straight_parts(order).values():
        for variable, slope in slopes.items() if len(slopes) == 1 else ():
            if slope and -number / slope not in found[variable]:
                found[variable].append(-number / slope)
    return found


def _path(parts: Sequence[tuple[str, int]]) -> ByPath:
    return ByPath([[start, str(way)] if way else [start] for start, way in parts])


def _snapped(bounds: Bounds, starts: list[list[Start]], points: Sequence[Points]) -> Iterator[ByPath]:
    """Paths that start where a low point nearly is, and go towards it."""
    for x in points:
        parts: list[tuple[str, int]] = []
        for value, (low, high), near in zip(x.tolist(), bounds, starts, strict=True):
            start, place = min(near, key=lambda s: abs(s[1] - value))
            if abs(place - value) <= NEAR * (high - low):
                parts.append((start, 0 if low == high else _way(value - place, place, low, high)))
            else:
                parts.append((str(Fraction(value)), 0))
        yield _path(parts)
        for lone in range(len(parts)):
            yield _path([(start, way if i == lone else 0) for i, (start, way) in enumerate(parts)])


def _way(apart: float, place: float, low: float, high: float) -> int:
    """The direction in which a point is, or one that stays inside."""
    if apart:
        return 1 if apart > 0 else -1
    return 1 if place <= low else -1 if place >= high else 1


def _lines(bounds: Bounds, starts: list[list[Start]], points: Sequence[Points]) -> Iterator[ByPath]:
    """One or two coordinates start where something may vanish and move, the others rest at a point."""
    count = len(bounds)
    middle = np.array([0.5 * (low + high) for low, high in bounds])
    for moved in (1, 2):
        for x in [*points[:8], middle]:
            for axes in itertools.combinations(range(count), min(moved, count)):
                for chosen in itertools.product(*(starts[axis] for axis in axes)):
                    for ways in itertools.product((1, -1, 0), repeat=len(axes)):
                        if any(ways):
                            parts = [(str(Fraction(float(v))), 0) for v in x]
                            for axis, (start, _), way in zip(axes, chosen, ways, strict=True):
                                parts[axis] = start, way
                            yield _path(parts)
