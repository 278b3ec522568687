"""Where variables have no bounds: a box outside of which every value is proven to be above one that is taken in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.form import versioned
from cpcbench.certify.certificate.schema import About, Reach
from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.numbers import arithmetic, of_double
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.trees import NATURAL, is_inside
from cpcbench.certify.checker.extensions.reach import INSIDE, face, least, outside_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.confirming import verdict_on
from cpcbench.certify.times import Deadline
from cpcbench.errors import NotProvenError
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import remade
from cpcbench.solvers.unbounded import solve_anywhere

SEARCH, GROWING = 0.2, 0.3
"""Shares of the time for the point that says how low values are, and how far from 0 they may lie, and for the trees."""
STEPS = (1.0, 4.0, 10.0, 20.0, 40.0)
"""The ends of the boxes that are tried: 2 to these powers, as multiples of where the point is."""
MOST_TOKENS = 3000
ROOM = 1e-6
"""By so much, relative above 1, values outside are shown to be above the point's: the proof inside may end there."""

Sides = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Found:
    """The box, what is said of what is outside, and points to begin with."""

    box: Sides
    reach: Reach
    points: list[list[float]]
    missing: str = ""
    """What is not known of the outside, where there is no tree: then only a fall in the box says something."""

    def part_of(self, problem: Problem) -> Problem:
        """The problem on the box."""
        lower, upper = zip(*self.box, strict=True)
        return remade(problem, problem.expression, (lower, upper))


def reach_of(problem: Problem, seconds: float, points: Sequence[Sequence[float]], rng: np.random.Generator) -> Found:
    """The smallest box tried for which the outside can be shown to be high."""
    starts = np.array(points, dtype=np.float64).reshape(-1, problem.dim) if len(points) else None
    search = solve_anywhere(problem, rng, seconds=SEARCH * seconds, starts=starts)
    if search.x is None:
        raise NotProvenError(f"no admissible point of {problem.id} was found, and without one no box can be chosen")
    value = problem.enclosure(search.x).upper
    limit = value + ROOM * max(1.0, abs(value))
    whole = tuple(problem.bounds)
    subject = Subject("", problem.expression, [], "regular", whole=whole)
    open_box: Sides = ()
    growing = Deadline(GROWING * seconds)
    for step in STEPS:
        box = _box(problem, search.x, 2.0**step)
        with arithmetic("arb", TREE_BITS):
            tree = _outside(outside_of(subject), box, limit, growing)
        if isinstance(tree, Reach):
            return Found(box, tree, [search.x.tolist()])
        if not open_box or not growing.is_over():  # what is left when the time is over says nothing
            open_box = tree
    missing = (
        f"{problem.id} has variables without bounds, and no box was found outside of which every value is above "
        f"{value!r}: nothing is known of {_shown(open_box)}; give bounds, or "
        "write growth as sums of what grows along one variable or is never negative, such as squares"
    )
    box = _box(problem, search.x, 2.0 ** STEPS[0])
    return Found(box, Reach([list(side) for side in box]), [search.x.tolist()], missing)


def whole_of(inner: Certificate, problem: Problem, found: Found, seconds: float) -> Certificate:
    """The certificate about the problem without bounds, once the checker has read it."""
    reach = Reach(found.reach.box) if inner.unbounded else found.reach
    said = versioned(replace(inner.said, problem=About.of(problem), reach=reach))
    verdict = verdict_on(said, seconds)
    if verdict is not None and not verdict.accepted:
        raise NotProvenError(f"no bounds of {problem.id} were proven that the checker takes: {verdict.reason}")
    return Certificate(said, verdict)


def _box(problem: Problem, x: Points, factor: float) -> Sides:
    """Ends where there are none, at powers of 2: so many times as far as the point lies, and as the other end."""
    size = 2.0 ** np.ceil(np.log2(np.maximum(np.abs(x), 1.0))) * factor
    no_low, no_high = np.isinf(problem.lower), np.isinf(problem.upper)
    low = np.where(no_low, np.where(no_high, -size, problem.upper - size), problem.lower)
    high = np.where(no_high, np.where(no_low, size, problem.lower + size), problem.upper)
    return tuple(zip(np.minimum(low, x).tolist(), np.maximum(high, x).tolist(), strict=True))


def _outside(link: Link, inner: Sides, limit: float, growing: Deadline) -> Reach | Sides:
    """A tree for what is outside; the first part that it is not shown for if it grows too large, or too long."""
    tokens: list[str] = []
    places: dict[float, int] = {}
    waiting, high = [link.box], of_double(limit)
    while waiting:
        box = waiting.pop()
        if is_inside(box, inner):
            tokens.append(INSIDE)
            continue
        lowest = least(link, box)
        if lowest is not None and not lowest > high:
            faces, where = _faces(link, box)
            lowest = least(link, where) if faces else lowest
            if lowest is None or lowest > high:
                tokens += faces
        if lowest is None or lowest > high:
            tokens.append(NATURAL)
            continue
        cut = _cut(box, inner)
        if cut is None or len(tokens) >= MOST_TOKENS or growing.is_over():
            return box
        axis, at = cut
        tokens.append(f"u{axis}:{places.setdefault(at, len(places))}")
        low, top = box[axis]
        waiting += [(*box[:axis], side, *box[axis + 1 :]) for side in ((at, top), (low, at))]
    return Reach([list(side) for side in inner], " ".join(tokens), list(places))


def _faces(link: Link, box: Sides) -> tuple[list[str], Sides]:
    """The sides on which the formula is least, one axis after the other."""
    tokens: list[str] = []
    for axis, (low, high) in enumerate(box):
        for rising, end in ((True, low), (False, high)):
            if math.isinf(end) or low == high:
                continue
            with suppress(RejectedError):
                box = face(link, box, axis, rising)
                tokens.append(f"{'l' if rising else 'h'}{axis}")
                break
    return tokens, box


def _cut(box: Sides, inner: Sides) -> tuple[int, float] | None:
    """Where a part is split: at an end of the box that it reaches over, else in the middle of its widest side, as the
    ranks of doubles are counted; None if there is nothing in between."""
    for axis, ((low, high), ends) in enumerate(zip(box, inner, strict=True)):
        for at in ends:
            if low < at < high:
                return axis, at
    axis = max(range(len(box)), key=lambda i: math.asinh(min(box[i][1], 1e300)) - math.asinh(max(box[i][0], -1e300)))
    low, high = box[axis]
    at = math.sinh(0.5 * (math.asinh(max(low, -1e300)) + math.asinh(min(high, 1e300))))
    if math.isinf(high) and low >= 1.0:
        at = 16.0 * low
    if math.isinf(low) and high <= -1.0:
        at = 16.0 * high
    return (axis, at) if low < at < high and math.isfinite(at) else None


def _shown(box: Sides) -> str:
    return " x ".join(f"[{low:g}, {high:g}]" for low, high in box)
