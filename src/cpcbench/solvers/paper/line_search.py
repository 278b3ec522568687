"""Step lengths for many descents at once: bracketing and sectioning with cubic and quadratic interpolation.

The scheme is that of Fletcher, Practical Methods of Optimization (2nd ed.), sections 2.6.2 and 2.6.4,
to which fminunc's line search goes back; a step meets the Armijo condition (N&W 3.6a) and, where
evaluations last, the curvature condition (N&W 3.7b).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Points
from cpcbench.problems.undefined import PENALTY
from cpcbench.solvers.objective import Objective

RHO, SIGMA = 0.01, 0.9
"""The share of the first slope a step must gain, and the share of it that may be left."""

TAU1, TAU2, TAU3 = 9.0, 0.1, 0.5
"""How far a step may grow, and how close a trial may come to either end of a bracket."""

EPS = float(np.finfo(float).eps)
ROOT_EPS = math.sqrt(EPS)

Counts = NDArray[np.int64]


class BoxedObjective:
    """The objective continued beyond the box: 1e100 times the sum of squared violations.

    Only points in the box are evaluated; what is undefined there costs the penalty.
    """

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._lower, self._upper = objective.lower, objective.upper

    def __call__(self, points: Points) -> Points:
        with np.errstate(over="ignore", invalid="ignore"):
            beyond = np.maximum(np.maximum(self._lower - points, points - self._upper), 0.0)
            values: Points = PENALTY * (beyond * beyond).sum(axis=1)
        inside = ((self._lower <= points) & (points <= self._upper)).all(axis=1)
        if inside.any():
            values[inside] = self._objective(np.ascontiguousarray(points[inside]))
        return np.where(np.isfinite(values), values, PENALTY)

    def gradients(self, points: Points, values: Points) -> Points:
        """Forward differences (FiniteDifferenceType forward): steps sqrt(eps) sign(x) max(|x|, 1)."""
        m, n = points.shape
        steps = ROOT_EPS * np.where(points < 0.0, -1.0, 1.0) * np.maximum(np.abs(points), 1.0)
        neighbours = np.repeat(points[:, None, :], n, axis=1)
        diagonal = np.arange(n)
        neighbours[:, diagonal, diagonal] += steps
        steps = neighbours[:, diagonal, diagonal] - points  # as they came out in doubles
        found = self(neighbours.reshape(m * n, n)).reshape(m, n)
        slopes: Points = (found - values[:, None]) / steps
        return slopes


@dataclass
class Steps:
    """The step lengths found (0: none), with the points, values and gradients they lead to."""

    length: Points
    x: Points
    value: Points
    gradient: Points
    spent: Counts


def line_search(
    fun: BoxedObjective, x: Points, value: Points, gradient: Points, direction: Points, length: Points, left: Counts
) -> Steps:
    """A step from each row of `x` along its direction, the first trial being `length`.

    `left` are the evaluations each may still spend; a search that has spent them keeps its best step.
    """
    n = x.shape[1]
    with np.errstate(all="ignore"):
        slope = (gradient * direction).sum(axis=1)
    best = Steps(np.zeros(len(x)), x.copy(), value.copy(), gradient.copy(), np.zeros(len(x), dtype=np.int64))
    bracket = _Bracket.begun(value, slope, length)
    rows = np.flatnonzero(np.isfinite(slope) & (slope < 0.0) & (left > n))
    while rows.size:
        trial = bracket.trial[rows]
        with np.errstate(all="ignore"):
            points = x[rows] + trial[:, None] * direction[rows]
        values = fun(points)
        best.spent[rows] += 1
        with np.errstate(all="ignore"):
            high = (values > value[rows] + RHO * trial * slope[rows]) | (values >= bracket.low_value[rows])
        lower, met = ~high, np.zeros(len(rows), dtype=bool)
        bracket.shrink(rows[high], values[high])
        if lower.any():
            ours = rows[lower]
            slopes = _step_to(fun, best, ours, points[lower], values[lower], trial[lower], direction)
            met[lower] = np.abs(slopes) <= -SIGMA * slope[ours]
            bracket.move(ours, values[lower], slopes)
        with np.errstate(all="ignore"):
            done = met | bracket.choose(rows, value, slope) | (best.spent[rows] + n >= left[rows])
        rows = rows[~done]
    return best


def _step_to(
    fun: BoxedObjective, best: Steps, rows: Counts, points: Points, values: Points, trial: Points, direction: Points
) -> Points:
    """Keeps lower points with their gradients; returns the slopes along the directions."""
    gradients = fun.gradients(points, values)
    best.length[rows], best.x[rows], best.value[rows], best.gradient[rows] = trial, points, values, gradients
    best.spent[rows] += points.shape[1]
    with np.errstate(all="ignore"):
        slopes: Points = (gradients * direction[rows]).sum(axis=1)
    return slopes


@dataclass
class _Bracket:
    """The interval of step lengths of each search, between its lowest end and the other one.

    `other` is NaN until a bracket is found; `before` is then the step before the lowest.
    """

    trial: Points
    low: Points
    low_value: Points
    low_slope: Points
    before: Points
    before_value: Points
    before_slope: Points
    other: Points
    other_value: Points
    other_slope: Points  # NaN where no slope was computed

    @classmethod
    def begun(cls, value: Points, slope: Points, length: Points) -> _Bracket:
        zero, unknown = np.zeros(len(value)), np.full(len(value), np.nan)
        ends = (zero, value, slope, zero, value, slope, unknown, unknown, unknown)
        return cls(length.copy(), *[end.copy() for end in ends])

    def shrink(self, rows: Counts, values: Points) -> None:
        """The trial is no better: it becomes the other end."""
        self.other[rows], self.other_value[rows], self.other_slope[rows] = self.trial[rows], values, np.nan

    def move(self, rows: Counts, values: Points, slopes: Points) -> None:
        """The trial is lower: it becomes the lowest end, and the end before it the other one if it lies downhill."""
        width = np.where(np.isnan(self.other[rows]), 1.0, self.other[rows] - self.low[rows])
        turned = rows[width * slopes >= 0.0]
        self.before[rows], self.before_value[rows] = self.low[rows], self.low_value[rows]
        self.before_slope[rows] = self.low_slope[rows]
        self.other[turned], self.other_value[turned] = self.low[turned], self.low_value[turned]
        self.other_slope[turned] = self.low_slope[turned]
        self.low[rows], self.low_value[rows], self.low_slope[rows] = self.trial[rows], values, slopes

    def choose(self, rows: Counts, value: Points, slope: Points) -> NDArray[np.bool_]:
        """Sets the next trial of each search; says which cannot go on."""
        closed = ~np.isnan(self.other[rows])
        inner, outer = rows[closed], rows[~closed]
        a, b = self.low[inner], self.other[inner]
        ends = self.low_value[inner], self.low_slope[inner], self.other_value[inner], self.other_slope[inner]
        self.trial[inner] = a + (b - a) * _lowest(*ends, b - a, np.full(len(a), TAU2), np.full(len(a), 1.0 - TAU3))
        # Open: from the step before through the lowest and on, at most to where the function would be unbounded.
        a, b = self.before[outer], self.low[outer]
        ends = self.before_value[outer], self.before_slope[outer], self.low_value[outer], self.low_slope[outer]
        factor = _lowest(*ends, b - a, np.full(len(a), 2.0), np.full(len(a), 1.0 + TAU1))
        farthest = -1e8 * (1.0 + np.abs(value[outer])) / (RHO * slope[outer])
        grown = np.minimum(a + (b - a) * factor, farthest)
        stuck = np.zeros(len(rows), dtype=bool)
        stuck[~closed] = ~(grown > b)
        self.trial[outer] = grown
        gain = np.abs((self.trial[inner] - self.low[inner]) * self.low_slope[inner])
        stuck[closed] = ~(gain > EPS * (1.0 + np.abs(self.low_value[inner])))  # no gain above rounding is left
        return stuck


def _lowest(fa: Points, da: Points, fb: Points, db: Points, width: Points, first: Points, last: Points) -> Points:
    """Where in [first, last] (0 is a, 1 is b) the interpolant of values and slopes is lowest (N&W 3.57-3.59).

    A cubic where both slopes are known, else the quadratic through the values and the slope at a.
    """
    da, db = da * width, db * width
    rise = fb - fa
    quadratic = np.isnan(db)
    cubic_term = np.where(quadratic, 0.0, da + db - 2.0 * rise)
    square_term = np.where(quadratic, rise - da, 3.0 * rise - 2.0 * da - db)
    root = np.sqrt(square_term * square_term - 3.0 * cubic_term * da)
    stationary = np.where(cubic_term == 0.0, -da / (2.0 * square_term), (root - square_term) / (3.0 * cubic_term))
    places = np.stack([np.clip(stationary, first, last), first, last])
    heights = places * (da + places * (square_term + places * cubic_term))
    chosen = np.argmin(np.where(np.isnan(heights), np.inf, heights), axis=0)
    lowest: Points = places[chosen, np.arange(len(first))]
    return np.where(np.isnan(lowest), first, lowest)
