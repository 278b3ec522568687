"""Whether two low points lie in one valley: a way between them that need not be straight.

Where a power with a small exponent meets the edge of its domain, a landscape has cracks along curves:
searches get stuck in them anywhere, on ends that are no minima of the formula, and the straight way
from one to another is higher. So the middle of the way is moved sideways to the lowest place, then
the middles of its halves, and so on: two ends are in one valley if no place so found is too high.
"""

from __future__ import annotations

import numpy as np

from cpcbench.points import Flags, Floats
from cpcbench.problems.problem import Problem
from cpcbench.studies.modality.descent import FIRST_STEP, Searches, shifted, values_at

LEVELS = 4
SLIDES = 120
LONGEST_SLIDE, SHORTEST_SLIDE = 4e-3, 1e-7
NOISE = 1e-10
"""Differences of values below this, relative above 1, are rounding."""
FIRST_LOOK = 32
LOOKS = 12
A_LOOK = 11
"""Odd, so that the best place so far, the middle of the next look, is not looked at twice."""
PROBES = 4
ASIDE = 8
"""Distances tried to either side of a straight piece of the way, each half the one before."""


def in_one_valley(problem: Problem, a: Floats, b: Floats, ceiling: Floats, rng: np.random.Generator) -> Flags:
    """For each row whether a way from `a` to `b` was found whose middles are nowhere above `ceiling`."""
    alive = np.ones(len(a), dtype=bool)
    nodes = np.stack([a, b], axis=1)
    for _ in range(LEVELS):
        rows = np.flatnonzero(alive)
        if len(rows) == 0:
            return alive
        left, right = nodes[rows, :-1], nodes[rows, 1:]
        ends = _flat(left), _flat(right)
        middles, values = _lowest_aside(problem, ends[0] / 2 + ends[1] / 2, *_across(problem, *ends, rng))
        values = values.reshape(left.shape[:2])
        alive[rows] = (values <= ceiling[rows, None]).all(axis=1)
        woven = np.empty((len(a), 2 * nodes.shape[1] - 1, problem.dim))
        woven[:, ::2] = nodes
        woven[rows, 1::2] = middles.reshape(left.shape)
        nodes = woven
    rows = np.flatnonzero(alive)
    left, right = nodes[rows, :-1], nodes[rows, 1:]
    alive[rows] = _unbroken(problem, _flat(left), _flat(right), rng).reshape(left.shape[:2]).all(axis=1)
    return alive


def slide(searches: Searches, rng: np.random.Generator) -> None:
    """Moves searches along valleys too narrow for their own steps: a step anywhere, then sideways to the lowest."""
    problem, count = searches.problem, len(searches.points)
    step, way = np.full(count, FIRST_STEP), _unit_vectors(count, problem.dim, rng)
    for _ in range(SLIDES):
        active = np.flatnonzero(step > SHORTEST_SLIDE)
        if len(active) == 0:
            break
        here = searches.points[active]
        ahead = shifted(problem, here, step[active, None] * way[active])
        across = _square_to(way[active], rng)
        there, values = _lowest_aside(problem, ahead, across, step[active])
        gain = searches.values[active] - values
        better = gain > NOISE * np.maximum(1.0, np.abs(searches.values[active]))
        better[better] = _unbroken(problem, here[better], there[better], rng)
        won, lost = active[better], active[~better]
        searches.points[won], searches.values[won] = there[better], values[better]
        searches.step[won] = FIRST_STEP
        step[won] = np.minimum(2.0 * step[won], LONGEST_SLIDE)
        turned = way[lost] + _unit_vectors(len(lost), problem.dim, rng)
        way[lost] = -turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-300)
        step[lost] *= 0.7


def _lowest_aside(problem: Problem, middle: Floats, across: Floats, length: Floats) -> tuple[Floats, Floats]:
    """The lowest point on a line across each way, at most half its length aside, and its value (+inf: none there)."""
    far = np.geomspace(1e-12, 0.5, FIRST_LOOK // 2)
    places = np.concatenate([-far[::-1], [0.0], far]) * length[:, None]
    row = np.arange(len(middle))
    for _ in range(LOOKS):
        points = shifted(problem, middle[:, None], places[:, :, None] * across[:, None])
        values = values_at(problem, points)
        best = np.argmin(values, axis=1)
        lowest, at = values[row, best], points[row, best]
        low = places[row, np.maximum(best - 1, 0)]
        high = places[row, np.minimum(best + 1, places.shape[1] - 1)]
        share = np.arange(A_LOOK + 1) / A_LOOK
        finer = low[:, None] * (1.0 - share) + high[:, None] * share
        places = np.sort(np.concatenate([finer, places[row, best][:, None]], axis=1), axis=1)  # never loses the best
    return at, lowest


def _unbroken(problem: Problem, a: Floats, b: Floats, rng: np.random.Generator) -> Flags:
    """Whether beside every probe of each straight piece there is something admissible, near for the piece's length."""
    across, length = _across(problem, a, b, rng)
    aside = 0.5 ** np.arange(2, 2 + ASIDE)
    offsets = np.concatenate([-aside, [0.0], aside]) * length[:, None]
    share = (np.arange(1, PROBES + 1) / (PROBES + 1))[:, None]
    probes = a[:, None] * (1.0 - share) + b[:, None] * share
    tried = shifted(problem, probes[:, :, None], (offsets[:, :, None] * across[:, None])[:, None])
    beside = np.asarray(problem.admissible(tried), dtype=bool).any(axis=2)
    return np.asarray(np.all(beside, axis=1), dtype=bool)


def _across(problem: Problem, a: Floats, b: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A direction across each way (with two variables the only one) and the length of the way, in shares of the box."""
    half = problem.upper / 2 - problem.lower / 2
    along = (b / 2 - a / 2) / np.where(half > 0, half, 1.0)
    length = np.linalg.norm(along, axis=1)
    unit = along / np.maximum(length, 1e-300)[:, None]
    return _square_to(unit, rng), length


def _square_to(unit: Floats, rng: np.random.Generator) -> Floats:
    """A random direction at right angles to each; zero where there is none."""
    drawn = rng.normal(size=unit.shape)
    aside = drawn - (drawn * unit).sum(axis=1, keepdims=True) * unit
    size = np.linalg.norm(aside, axis=1, keepdims=True)
    return np.where(size > 0, aside / np.maximum(size, 1e-300), 0.0)


def _unit_vectors(count: int, n: int, rng: np.random.Generator) -> Floats:
    drawn = rng.normal(size=(count, n))
    found: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found


def _flat(points: Floats) -> Floats:
    return points.reshape(-1, points.shape[-1])
