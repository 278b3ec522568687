"""Leaves by Arb's balls, which take less time than pairs of ends: where they are not enough, the core decides.

An operation on balls gives a ball that holds its value at any numbers of the operands' balls. So from a ball around
each side of a box come balls around all values of the sum; where an operation may be undefined only the part of its
operand counts on which it is not. If all operations are defined, those of the derivatives g too, the sum is at least
its value at a point c of the box plus the least of g (x - c), by the mean-value theorem.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from cpcbench.certify.checker.core.link import Box, Ends, Link, Part
from cpcbench.certify.checker.core.mean_value import centre_of, is_levelled
from cpcbench.certify.checker.core.numbers import (
    Ball,
    End,
    around,
    ball,
    ends_of,
    infinite,
    named,
    of_double,
    points_of,
)
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import KINDS, Applied, FixedPower, Step, WholePower
from cpcbench.certify.checker.extensions.gradients import gradient
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, num

NAME = "balls"
MOST_KNOWN = 1 << 14
"""Ranges of tables that are kept."""

Operation = Callable[..., Ball]


class _UnsureError(Exception):
    """An operation is not certain to be defined all over a box, or a function may have a kink there."""


class _NowhereError(Exception):
    """An operation is certainly defined nowhere on a box, and so is the sum."""


@dataclass(frozen=True)
class Half:
    """All numbers at or above (side 1), or at or below (-1), some number of a ball; it is only added up."""

    side: int
    end: Ball

    def __neg__(self) -> Half:
        return Half(-self.side, -self.end)

    def __add__(self, other: Ball | Half) -> Half:
        if not isinstance(other, Half):
            return Half(self.side, self.end + other)
        if other.side != self.side:
            raise _UnsureError
        return Half(self.side, self.end + other.end)

    __radd__ = __add__

    def __sub__(self, other: Ball | Half) -> Half:
        return self.__add__(-other)

    def __rsub__(self, other: Ball) -> Half:
        return (-self).__add__(other)

    def _unsure(self, *_: object) -> NoReturn:
        raise _UnsureError

    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __gt__ = __lt__ = _unsure


class Balls:
    """The rule for the leaves of one tree."""

    def __init__(self, link: Link) -> None:
        self.link, self.used = link, False
        self._known: dict[tuple[int, Ends, Ends], Ball] = {}
        self._slopes: dict[tuple[int, Ends], Ball | None] = {}

    @cached_property
    def _sum(self) -> _Sum | None:
        """The terms with their derivatives, made when they are first needed; None if an operation is not for balls."""
        link = self.link
        signed = [(sign, root) for (_, sign), root in zip(link.terms, link.program.roots, strict=True)]
        try:
            by, kinks = gradient(signed, link.variables)
            return _Sum(link, signed, [by.get(variable, num(0)) for variable in link.variables], kinks)
        except RejectedError:
            pass
        try:
            return _Sum(link, signed, [], [])
        except RejectedError:
            return None

    def bound(self, box: Box, goal: End, slopes: bool) -> End | None:
        """A lower bound of the sum on the box, by slopes too if the natural one does not reach the goal; None if there
        is none by balls."""
        look_at_clock()
        sum_ = self._sum
        if sum_ is None:
            return None
        sides = [ball(*pair) for pair in box]
        try:
            values = sum_.over(sides)
            found = _lower(self._total(sum_, values, box, box))
        except _NowhereError:
            return infinite(1)
        except (_UnsureError, AttributeError):  # the latter where a function is asked of a half
            return None
        if found >= goal or not slopes or not sum_.partials:
            return found
        try:
            return max(found, self._by_slopes(sum_, values, box, sides))
        except (_NowhereError, _UnsureError, AttributeError):  # a derivative may be defined nowhere
            return found

    def _by_slopes(self, sum_: _Sum, values: list[Ball], box: Box, sides: list[Ball]) -> End:
        slopes = sum_.slopes(values)
        for place, part in enumerate(self.link.parts):
            slope = self._slope(place, part, box[part.axis])
            if slope is not None:
                slopes[part.axis] = slopes[part.axis] + slope if part.sign > 0 else slopes[part.axis] - slope
        ends = [ends_of(slope) for slope in slopes]
        centre = tuple(centre_of(pair, slope) for pair, slope in zip(box, ends, strict=True))
        places = [ball(*place) for place in centre]
        found = self._total(sum_, sum_.over(places), box, centre)
        for axis, pair in enumerate(box):
            if not is_levelled(pair, ends[axis]):
                found = found + slopes[axis] * (sides[axis] - places[axis])
        return _lower(found)

    def _total(self, sum_: _Sum, values: list[Ball], box: Box, inner: Box) -> Ball | Half:
        found: Ball | Half = of_double(0)
        for sign, slot in sum_.terms:
            found = found + values[slot] if sign > 0 else found - values[slot]
        for place, part in enumerate(self.link.parts):
            more = self._range(place, part, box[part.axis], inner[part.axis])
            found = found + more if part.sign > 0 else found - more
        return found

    def _range(self, place: int, part: Part, whole: Ends, inner: Ends) -> Ball:
        key = place, whole, inner
        if key not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[key] = around(*(part.range(*whole) if whole == inner else part.inside(whole, inner)))
        return self._known[key]

    def _slope(self, place: int, part: Part, whole: Ends) -> Ball | None:
        key = place, whole
        if key not in self._slopes:
            if len(self._slopes) >= MOST_KNOWN:
                self._slopes.clear()
            slope = part.slope(*whole)
            self._slopes[key] = None if slope is None else around(*slope)
        return self._slopes[key]


class _Sum:
    """Terms of a sum, and behind them their derivatives, as operations on balls."""

    def __init__(
        self, link: Link, terms: Sequence[tuple[int, Expr]], partials: Sequence[Expr], kinks: Sequence[Expr]
    ) -> None:
        roots = [*(term for _, term in terms), *partials, *kinks]
        program = Program(roots, link.program.numbers, ieee=link.program.ieee)
        self.terms = [(sign, program.slots[id(term)]) for sign, term in terms]
        self.partials, self._kinks = ([program.slots[id(root)] for root in some] for some in (partials, kinks))
        self._variables = [
            (program.variables[v], axis) for axis, v in enumerate(link.variables) if v in program.variables
        ]
        self._start = [around(*pair) for pair in program.start]
        self._clipped = [False]
        steps = [(made.slot, _operation(made, self._clipped), *_operands(made)) for made in program.steps]
        own = {slot for _, slot in self.terms}
        last = max((place for place, step in enumerate(steps) if step[0] in own), default=-1)
        self._own, self._further = steps[: last + 1], steps[last + 1 :]

    def over(self, sides: Sequence[Ball]) -> list[Ball]:
        """Balls around the values of the terms over a box."""
        self._clipped[0] = False
        values = self._start.copy()
        for slot, axis in self._variables:
            values[slot] = sides[axis]
        _run(self._own, values)
        return values

    def slopes(self, values: list[Ball]) -> list[Ball]:
        """Balls around their derivatives, by the values of the terms over the box that was just looked at: there are
        none where an operation may be undefined."""
        _run(self._further, values)
        if self._clipped[0]:
            raise _UnsureError
        for slot in self._kinks:
            _check_away(values[slot])
        return [values[slot] for slot in self.partials]


def _operands(made: Step) -> tuple[int, int | None]:
    return made.args[0], made.args[1] if len(made.args) > 1 else None


def _run(steps: list[tuple[int, Operation, int, int | None]], values: list[Ball]) -> None:
    for slot, operation, first, second in steps:
        values[slot] = operation(values[first]) if second is None else operation(values[first], values[second])


def _lower(value: Ball | Half) -> End:
    if isinstance(value, Half):
        return ends_of(value.end)[0] if value.side > 0 else infinite(-1)
    return ends_of(value)[0]


def _check_away(a: Ball) -> None:
    """Unless 0 is outside of it nothing is certain."""
    if not (a > 0 or a < 0):
        raise _UnsureError


def _quotient(a: Ball, b: Ball) -> Ball:
    _check_away(b)
    return a / b


PLAIN: dict[str, Operation] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "div": _quotient,
    "given": lambda condition, value: value,
}  # fmt: skip


def _operation(made: Step, clipped: list[bool]) -> Operation:
    """A step on balls; rejects where there is none. Once it has left a part of an operand out, as it is not defined
    there, it says so."""
    if type(made) is Applied:
        return _applied(made, clipped)
    if type(made) is WholePower:
        return _whole_power(made.exponent)
    if type(made) is FixedPower:
        return _fixed_power(made.positive, clipped)
    if made.op in PLAIN and type(made) is KINDS[made.op]:
        return PLAIN[made.op]
    raise RejectedError(f"{made.op} is not for balls")


def _whole_power(exponent: int) -> Operation:
    """A power as the ball around those of the ends, between which it is monotone, and 0 if that is between them."""

    def power(a: Ball, _exponent: Ball) -> Ball:
        if exponent < 0:
            _check_away(a)
        low, high = points_of(a)
        found = (low**exponent).union(high**exponent)
        return found if exponent % 2 or a > 0 or a < 0 else found.union(of_double(0))

    return power


def _fixed_power(positive: bool, clipped: list[bool]) -> Operation:
    """A power that is not whole, of what is not negative."""

    def power(a: Ball, exponent: Ball) -> Ball | Half:
        if a > 0:
            return a**exponent
        found, clipped[0] = _most(a) ** exponent, True
        return found.union(of_double(0)) if positive else Half(1, found)

    return power


def _most(a: Ball) -> Ball:
    """The upper end, which is positive, of a ball that holds 0 or less too."""
    if a < 0:
        raise _NowhereError
    found = points_of(a)[1]
    if not found > 0:
        raise _UnsureError
    return found


def _applied(made: Applied, clipped: list[bool]) -> Operation:
    """A function, which asks that its operand is inside its domain where that has ends."""
    function = made.function
    if not function.ball:
        raise RejectedError(f"{made.op} is not for balls")
    operation: Operation = named(function.ball)
    if function.domain.is_whole:
        return operation
    if function.domain.low is None:
        raise RejectedError(f"{made.op} has a domain that is not for balls")
    low, high = (
        of_double(function.domain.low),
        infinite(1) if function.domain.high is None else of_double(function.domain.high),
    )
    closed, rises = function.domain.closed, function.rises and function.domain.high is None

    def checked(a: Ball) -> Ball | Half:
        if a > low and a < high:
            return operation(a)
        if a < low or a > high:
            raise _NowhereError
        most = points_of(a)[1]
        if not rises or not most > low:
            raise _UnsureError
        clipped[0] = True
        return operation(most).union(operation(low)) if closed else Half(-1, operation(most))

    return checked
