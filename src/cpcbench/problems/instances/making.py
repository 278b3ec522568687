"""The instances of a problem, by number: where the optimum lies is another place, and the box another one, each time.

The box is cut, unevenly, to a part that keeps an optimum, if one is known. Pairs of variables are rotated, in the
largest square that fits into their part of the box, and all are shifted and stretched. A variable whose optimum is at
an end of its bounds keeps that end, and is turned round or stretched by a power of two: so the end stays what it was to
the last bit.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.points import Points
from cpcbench.problems.instances.move import Move, form
from cpcbench.problems.problem import Problem

LARGEST = 10**9
LONGEST, WIDE = 1e150, 1e9
"""Bounds may be so large, and a side is only cut or rotated if it is so many doubles long."""
CUT = (0.9, 0.1)
"""At most these shares of the way to the optimum are cut off at the one end and at the other, whichever they are."""
DIGITS = 5
"""Of an optimum's place, as a share of the width, that count: a proof made anew does not make other instances."""
AT_END, ROOM = 1e-4, 0.05
"""An optimum so near to an end, as a share of the width, lies at it; one nearer than the second is not rotated."""
ANGLES = (0.25, 1.3)
"""Between these the rotations are, in radians."""
SLACK = 1e-3
"""By this share a rotated box is smaller than could be, so that decimals of a few digits do."""


@dataclass
class _Making:
    """A move as it is put together: forms, and new bounds."""

    rng: np.random.Generator
    low: Points
    high: Points
    at: Points
    """The cut box, and the optimum that it keeps."""
    fixed: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    """Which ends are those of the box."""
    wide: NDArray[np.bool_]
    """Which sides have so many doubles that parts of them are sides as well."""
    whole: bool
    """Whether the box is not cut and not rotated, as nobody knows where the optimum is."""
    forms: dict[int, Expr] = field(default_factory=dict)
    sides: dict[int, tuple[float, float]] = field(default_factory=dict)

    def straight(self, i: int) -> None:
        """One variable, turned round or not, stretched by a power of two and shifted."""
        factor = float(self.rng.choice([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]))
        width = 2.0 ** np.round(np.log2(self.high[i] - self.low[i])) if self.high[i] > self.low[i] else 1.0
        shift = float(self.rng.integers(-64, 65)) / 64.0 * float(width)
        for by, alone in ((factor, shift), (factor, 0.0), (float(np.sign(factor)), 0.0)):
            written = Fraction(repr(alone))  # the decimal that the formula has
            ends = [(Fraction(float(end)) - written) / Fraction(by) for end in (self.low[i], self.high[i])]
            kept = [bool(self.fixed[0][i]), bool(self.fixed[1][i])]
            if all(Fraction(float(end)) == end for end, keep in zip(ends, kept, strict=True) if keep):
                break
        (low, keep_low), (high, keep_high) = sorted(zip(ends, kept, strict=True))
        self.sides[i] = (
            float(low) if keep_low else _inward(low, np.inf),
            float(high) if keep_high else _inward(high, -np.inf),
        )
        self.forms[i] = form({i: by}, alone)

    def rotated(self, pair: tuple[int, int]) -> None:
        """Two variables, rotated in the largest square of their part of the box that holds the optimum."""
        both = list(pair)
        middle, half = (self.low[both] + self.high[both]) / 2, (self.high[both] - self.low[both]) / 2
        goal = (self.at[both] - middle) / half
        angle = self.rng.uniform(*ANGLES) * self.rng.choice([-1.0, 1.0])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        reach = np.abs(turn[0]).sum()
        for share in np.linspace(0.0, 1.0, 21):
            centre = share * goal
            size = (1.0 - np.abs(centre).max()) / reach * (1.0 - SLACK)
            if np.abs(turn.T @ (goal - centre)).max() <= 0.98 * size:
                break
        stretch = np.array([_decimals(s, 3) for s in self.rng.uniform(0.5, 2.0, 2) * half])
        shift = np.array([_decimals(s, 3) for s in self.rng.uniform(-1.0, 1.0, 2) * half])
        matrix = half[:, None] * turn / stretch[None, :]
        matrix = np.array([[_decimals(a, 6) for a in row] for row in matrix])
        alone = middle + half * centre - matrix @ shift
        for row, i in enumerate(pair):
            self.forms[i] = form(dict(zip(pair, matrix[row].tolist(), strict=True)), _rounded(alone[row], half[row]))
            ends = shift[row] + stretch[row] * size * (1.0 - SLACK) * np.array([-1.0, 1.0])
            self.sides[i] = tuple(_rounded(end, stretch[row] * size) for end in ends)  # type: ignore[assignment]


def move_of(problem: Problem, number: int | None) -> Move:
    """How the instance of this number comes from the problem."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 1 <= number <= LARGEST:
        raise CpcbenchError(f"instances are numbered from 1 to {LARGEST:,}, not {number!r}")
    problem.needs_box("an instance")
    if any(part.op == "whole" for part in postorder(problem.expression)):
        raise CpcbenchError(f"{problem.id} has variables that are whole numbers: shifted and rotated they would not be")
    if np.maximum(np.abs(problem.lower), np.abs(problem.upper)).max() > LONGEST:
        raise CpcbenchError(f"{problem.id} has bounds beyond {LONGEST:g}: such boxes have no instances")
    seed = hashlib.sha256(f"{problem.id} {problem.dim} {int(number)}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(seed[:16], "little"))
    making = _cut(problem, rng)
    if not making.whole:
        room = np.minimum(making.at - making.low, making.high - making.at)
        free = rng.permutation(np.flatnonzero(making.wide & (room >= ROOM * (making.high - making.low)))).tolist()
        for pair in zip(free[0::2], free[1::2], strict=False):
            making.rotated(pair)
    for i in range(problem.dim):
        if i not in making.forms:
            making.straight(i)
    lower, upper = zip(*(making.sides[i] for i in range(problem.dim)), strict=True)
    return Move(tuple(making.forms[i] for i in range(problem.dim)), lower, upper)


def instance(problem: Problem, number: int | None) -> Problem:
    """The problem shifted, scaled, rotated and on a box that is cut, all by the number; its optimum goes with it."""
    return move_of(problem, number).of(problem, f"{problem.id}@{number}")


def optimum(problem: Problem) -> Points | None:
    """The point that instances keep: where the infimum is proven to be, else the best-known one, if there is one."""
    proven = next((claim.x for claim in problem.proven if claim.settles), None)
    if proven is not None:
        return np.array(proven)
    if problem.best_known is not None and len(problem.best_known.points):
        return np.asarray(np.clip(problem.best_known.points[0], problem.lower, problem.upper))
    return None


def _cut(problem: Problem, rng: np.random.Generator) -> _Making:
    found, width = optimum(problem), problem.upper - problem.lower
    place = np.zeros(problem.dim) if found is None else (found - problem.lower) / np.where(width > 0.0, width, 1.0)
    at = problem.lower + np.round(place, DIGITS) * width
    left, right = at - problem.lower, problem.upper - at
    wide = width > WIDE * np.spacing(np.maximum(np.abs(problem.lower), np.abs(problem.upper)))
    stays = ~wide | (found is None)
    fixed = stays | (left <= AT_END * width), stays | (right <= AT_END * width)
    shares = rng.permuted(rng.uniform(0.0, np.outer(CUT, np.ones(problem.dim))), axis=0)
    low = np.where(fixed[0], problem.lower, problem.lower + shares[0] * left)
    high = np.where(fixed[1], problem.upper, problem.upper - shares[1] * right)
    return _Making(rng, low, high, at, fixed, wide, found is None)


def _inward(end: Fraction, towards: float) -> float:
    """The double next to an exact number, on one side of it."""
    near = float(end)
    beyond = Fraction(near) < end if towards > 0 else Fraction(near) > end
    return float(np.nextafter(near, towards)) if beyond else near


def _decimals(value: float, digits: int) -> float:
    """A number of so many digits."""
    return float(f"{value:.{digits - 1}e}")


def _rounded(value: float, scale: float) -> float:
    """A number to a millionth of a scale."""
    return float(round(float(value), int(np.ceil(6.0 - np.log10(scale)))))
