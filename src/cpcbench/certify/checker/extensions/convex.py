"""Convex leaves: where the gradient is monotone over a box, the tangent at any point of it is below the sum.

The slopes of the partial derivatives over the box are intervals S. If h's h >= 0 for every matrix s in S and every h,
then f(x) >= f(c) + f'(c)(x - c) for all x and c in the box.
"""

from __future__ import annotations

import re
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval, add, between, div, mul, neg, single, sub
from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.numbers import DOWN, UP, End, is_finite, of_double
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Values
from cpcbench.certify.checker.extensions.gradients import gradient
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, num

NAME = "convex"
SIDE = 1 << 48
"""The parts of a side by which a place on it is told."""

MOST_AXES, MOST_KNOWN = 100, 8

Matrix = list[list[Interval]]
_PLACES = re.compile(r"c:[0-9]{1,15}(,[0-9]{1,15})*", re.ASCII)


class Convex:
    """The rule for the leaves of one tree; formulas are made once for the axes that a box has a side along."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.known: dict[tuple[int, ...], _Bent] = {}

    def read(self, token: str, box: Box) -> list[Fraction]:
        """The point that a token names."""
        if self.link.parts:
            raise RejectedError("there are no convex leaves with tables")
        return _places(token, box)

    def bound(self, token: str, box: Box) -> End:
        """What the leaf proves of the sum on the box; rejects if it does not."""
        centre = self.read(token, box)
        axes = tuple(axis for axis, (low, high) in enumerate(box) if low < high)
        if len(axes) > MOST_AXES:
            raise RejectedError(f"a convex leaf with more than {MOST_AXES} axes")
        if axes not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[axes] = _Bent(self.link, axes)
        bent = self.known[axes]
        check_monotone_gradient(bent.slopes(box), [sub(*_turned(box[axis])) for axis in axes])
        values = bent.values(dict(zip(self.link.variables, map(single, centre), strict=True)))
        found = bent.total(values)
        for axis in axes:
            found = add(found, mul(bent.partial(axis, values), sub(between(*box[axis]), single(centre[axis]))))
        return found[0]


class _Bent:
    """The sum of a link and its derivatives along some axes."""

    def __init__(self, link: Link, axes: tuple[int, ...]) -> None:
        self.link, self.axes = link, axes
        self.terms = [(sign, root) for (_, sign), root in zip(link.terms, link.program.roots, strict=True)]
        by, self.kinks = gradient(self.terms, (link.variables[axis] for axis in axes))
        self.by: list[Expr] = [by.get(link.variables[axis], num(0)) for axis in axes]
        every = [*(term for _, term in self.terms), *self.by, *self.kinks]
        self.program = Program(every, link.program.numbers, ieee=link.program.ieee)
        if self.program.has_where:
            raise RejectedError("there are no convex leaves with where()")

    def values(self, box: dict[int, Interval]) -> Values:
        found = self.program.everywhere(box)
        if found is None:
            raise RejectedError("the sum, or a derivative of it, is not proven to be defined all over a convex leaf")
        for kink in self.kinks:
            if _has_kink(found[self.program.slots[id(kink)]]):
                raise RejectedError("an operand may be 0 in a convex leaf, where a function has a kink")
        return found

    def total(self, values: Values) -> Interval:
        found = single(0)
        for sign, term in self.terms:
            value = values[self.program.slots[id(term)]]
            found = add(found, value if sign > 0 else neg(value))
        return found

    def partial(self, axis: int, values: Values) -> Interval:
        return values[self.program.slots[id(self.by[self.axes.index(axis)])]]

    def slopes(self, box: Box) -> Matrix:
        """Those of the derivatives over the box, each row in one of them."""
        values = self.values(dict(self.link.intervals(box)))
        variables = [self.link.variables[axis] for axis in self.axes]
        found: Matrix = []
        for part in self.by:
            look_at_clock()
            found.append(self.program.slopes_of(self.program.slots[id(part)], values, variables))
        return found


def _has_kink(operand: Interval) -> bool:
    """Whether an operand may be 0."""
    return not (operand[0] > 0 or operand[1] < 0)


def check_monotone_gradient(slopes: Matrix, sides: list[Interval]) -> None:
    """Rejects unless h's h >= 0 for every matrix s of these slopes and every h; the sides only weigh the axes."""
    size = len(slopes)
    if not all(is_finite(low) and is_finite(high) for row in slopes for low, high in row):
        raise RejectedError("the derivatives have no finite slopes on a convex leaf")
    two = of_double(2)
    matrix: Matrix = [[single(0)] * size for _ in slopes]
    for i, row in enumerate(slopes):
        matrix[i][i] = row[i][0], row[i][0]
    for i in range(size):
        for j in range(i):
            low, high = add(slopes[i][j], slopes[j][i])  # of s_ij + s_ji, which is all that counts
            middle = DOWN.div(DOWN.add(low, high), two)
            apart = max(UP.sub(high, middle), UP.sub(middle, low), of_double(0))
            half = div((middle, middle), (two, two))[0]
            matrix[i][j] = matrix[j][i] = half
            for one, other in ((i, j), (j, i)):  # 2 |h_i h_j| <= (w_j/w_i) h_i^2 + (w_i/w_j) h_j^2
                less = UP.div(UP.mul(UP.div(apart, two), sides[other][1]), sides[one][1])
                matrix[one][one] = sub(matrix[one][one], (less, less))
    _check_positive(matrix)


def _check_positive(matrix: Matrix) -> None:
    """Rejects unless every symmetric matrix in these intervals is positive: by elimination, all pivots are."""
    size = len(matrix)
    for k in range(size):
        look_at_clock()
        pivot = matrix[k][k]
        if not pivot[0] > 0:
            raise RejectedError("the gradient is not proven to be monotone on a convex leaf")
        for i in range(k + 1, size):
            factor = div(matrix[i][k], pivot)[0]
            for j in range(k + 1, i + 1):
                matrix[i][j] = matrix[j][i] = sub(matrix[i][j], mul(factor, matrix[j][k]))


def _turned(pair: tuple[float, float]) -> tuple[Interval, Interval]:
    low, high = pair
    return between(high, high), between(low, low)


def _places(token: str, box: Box) -> list[Fraction]:
    """The point of the box that a token names, by the part of each side below it."""
    if not _PLACES.fullmatch(token):
        raise RejectedError(f"{token[:40]!r} is no token")
    parts = [int(text) for text in token[2:].split(",")]
    if len(parts) != len(box) or max(parts) > SIDE:
        raise RejectedError(f"{token[:40]!r} does not name a place on each of {len(box)} sides, from 0 to {SIDE}")
    return [_at(Fraction(low), Fraction(high), k) for (low, high), k in zip(box, parts, strict=True)]


def _at(low: Fraction, high: Fraction, part: int) -> Fraction:
    return low + (high - low) * Fraction(part, SIDE)
