"""The local minima that many local searches find, and an estimate of those they do not.

A search ends where no step it tried goes down. Whether that is a minimum is tested with points all
around, from a thousandth of the box down to the last digits; searches that end where nothing was
found lower but also nothing admissible around say so by `tested`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.limits import checked_whole
from cpcbench.points import Flags, Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import known_points
from cpcbench.studies.modality.descent import FIRST_STEP, Searches, descend, shifted, values_at
from cpcbench.studies.modality.linking import way_values
from cpcbench.studies.modality.parts import Progress, silent
from cpcbench.studies.modality.sample_parts import sampled_points, unit_points
from cpcbench.studies.modality.unseen import Unseen, unseen
from cpcbench.studies.modality.valleys import NOISE, in_one_valley, slide

STARTS = 400
SAME_POINT = 1e-6
"""Minima nearer than this share of the box, in every coordinate, are one."""
PROMINENCE = 1e-4
"""What lies no deeper than this below the way out (relative above 1, absolute below) is no minimum of its own."""
SAME_VALUE = 1e-6
"""Minima whose values differ by no more (relative above 1, absolute below) from the lowest are global."""
AROUND = 240
ROUNDS = 8
SMALLEST = -14.0
"""Decimal exponent of the smallest distance tested around an end, of the box's sides."""
NEAR_LOWER, NEAR_BENT = 12, 3
"""How many of the nearest lower minima an end is tried with, by straight and by bent ways."""
PROBES = 48


@dataclass(frozen=True)
class Minimum:
    """One local minimum as found: how many searches ended there, and how many admissible points around were tested.

    A minimum with `hits` 0 was reached from a known point only.
    """

    x: tuple[float, ...]
    value: float
    hits: int
    tested: int


@dataclass(frozen=True)
class Minima:
    """The minima, the lowest first; `stalled` searches ended where a lower admissible point is right beside."""

    problem: str
    rule: str
    minima: tuple[Minimum, ...]
    searches: int
    stalled: int
    even: bool
    """Whether the starts were spread evenly over the domain; if not, `unseen` is a rough guide only."""
    unseen: Unseen

    @property
    def global_minima(self) -> tuple[Minimum, ...]:
        """Those whose value is the lowest of all, up to `SAME_VALUE`."""
        if not self.minima:
            return ()
        lowest = self.minima[0].value
        return tuple(m for m in self.minima if m.value - lowest <= SAME_VALUE * max(1.0, abs(lowest)))


def local_minima(
    problem: Problem,
    *,
    starts: int = STARTS,
    prominence: float = PROMINENCE,
    rng: Rng = 0,
    known: bool = True,
    progress: Progress = silent,
) -> Minima:
    """Local searches from `starts` admissible points and, unless `known` is false, the best-known ones.

    Values are those of the fast reading. Two ends are one minimum if they are as good as the same
    point, or if a way between them rises above the higher one by `prominence` at most (relative above
    1, absolute below).
    """
    if not 0.0 <= prominence < math.inf:
        raise CpcbenchError(f"prominence is a number from 0 on, not {prominence!r}")
    checked_whole(starts, "starts", 1)
    rng = generator_of(rng)
    first, even = _starts(problem, starts, rng)
    points = np.concatenate([first, known_points(problem)]) if known else first
    searches, tested, stalled = _settled(problem, points, prominence, rng, progress)
    drawn = np.arange(len(points)) < len(first)
    minima = _merged(_Ends(searches, prominence, rng, []), tested, stalled, drawn)
    return Minima(
        problem=problem.id,
        rule=problem.rule,
        minima=minima,
        searches=len(points),
        stalled=int(stalled.sum()),
        even=even,
        unseen=unseen(m.hits for m in minima),
    )


def _starts(problem: Problem, count: int, rng: np.random.Generator) -> tuple[Floats, bool]:
    points, even, _ = sampled_points(problem, count, rng)
    chosen = rng.permutation(len(points))[:count] if even.all() else np.arange(len(points))[:count]
    return points[chosen], bool(even[chosen].all())


def _settled(
    problem: Problem, points: Floats, prominence: float, rng: np.random.Generator, progress: Progress
) -> tuple[Searches, Places, Flags]:
    """Searches run to their ends; those with something lower beside them go on from there, a few times.

    With the number of admissible points tested around each end, and whether the last ones still found
    something lower by more than a hundredth of the prominence.
    """
    searches = Searches(problem, points.copy(), values_at(problem, points))
    tested, gain = np.zeros(len(points), dtype=np.int64), np.zeros(len(points))
    for _ in range(ROUNDS):
        descend(searches, rng, progress)
        slide(searches, rng)
        tested, gain = _look_around(searches, rng)
        if not gain.any():
            break
    return searches, tested, gain > max(NOISE, prominence / 100.0) * np.maximum(1.0, np.abs(searches.values))


def _look_around(searches: Searches, rng: np.random.Generator) -> tuple[Places, Floats]:
    """How many admissible points were tested near each end, and how much lower the lowest is: there the search goes on.

    Differences that may be rounding count as none.
    """
    count, n = searches.points.shape
    radius = 10.0 ** rng.uniform(SMALLEST, np.log10(FIRST_STEP), (count, AROUND, 1))
    tried = shifted(searches.problem, searches.points[:, None], radius * rng.uniform(-1, 1, (count, AROUND, n)))
    values = values_at(searches.problem, tried)
    best = np.argmin(values, axis=1)
    row = np.arange(count)
    gain = searches.values - values[row, best]
    lower = gain > NOISE * np.maximum(1.0, np.abs(searches.values))
    searches.points[lower], searches.values[lower] = tried[row, best][lower], values[row, best][lower]
    searches.step[lower] = radius[row, best, 0][lower]
    return np.isfinite(values).sum(axis=1), np.where(lower, gain, 0.0)


@dataclass(eq=False)
class _Ends:
    """The ends of the searches, put together to minima one by one, from the lowest up."""

    searches: Searches
    prominence: float
    rng: np.random.Generator
    kept: list[int]

    def home(self, i: int) -> int | None:
        """The minimum, among those at least as low, that this end belongs to; None if it is one of its own."""
        if not self.kept:
            return None
        candidates = np.array(self.kept)
        apart = np.abs(self.unit[candidates] - self.unit[i]).max(axis=1)
        near = candidates[np.argsort(apart, kind="stable")[:NEAR_LOWER]]
        if apart.min() <= SAME_POINT:
            return int(near[0])
        down = self._downhill(i, near)
        return int(near[int(np.argmax(down))]) if down.any() else None

    @cached_property
    def unit(self) -> Floats:
        return unit_points(self.searches.problem, self.searches.points)

    def _downhill(self, i: int, near: Places) -> Flags:
        points, value = self.searches.points, float(self.searches.values[i])
        ceiling = value + self.prominence * max(1.0, abs(value))
        here = np.tile(points[i], (len(near), 1))
        straight = way_values(self.searches.problem, here, points[near], PROBES)
        down = np.asarray(np.all(straight <= ceiling, axis=1), dtype=bool)  # False where undefined
        if not down.any():
            few = slice(0, NEAR_BENT)
            limits = np.full(len(near[few]), ceiling)
            down[few] = in_one_valley(self.searches.problem, here[few], points[near[few]], limits, self.rng)
        return down


def _merged(ends: _Ends, tested: Places, stalled: Flags, drawn: Flags) -> tuple[Minimum, ...]:
    """The distinct ends, the lowest first; an end that only stalled counts for a minimum it leads down to."""
    values, points = ends.searches.values, ends.searches.points
    defined = np.flatnonzero(np.isfinite(values))
    hits: dict[int, int] = {}
    for i in defined[np.argsort(values[defined], kind="stable")].tolist():
        home = ends.home(i)
        if home is None and stalled[i]:
            continue
        if home is None:
            home = i
            ends.kept.append(i)
            hits[i] = 0
        hits[home] += int(drawn[i])
    return tuple(Minimum(tuple(points[i].tolist()), float(values[i]), hits[i], int(tested[i])) for i in ends.kept)
