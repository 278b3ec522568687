"""What is stated of a function of one operand: where it is defined, its range and slope, what it does at a limit.

Each rule of the checker, in the core and in the extensions, uses the facts it needs; where one is not stated, nothing
is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from cpcbench.certify.checker.core.intervals import EVERYWHERE, MAYBE, NOWHERE, Interval, single, sub, whole_line
from cpcbench.certify.checker.core.numbers import DOWN, UP, exact, infinite, of_double
from cpcbench.expr.nodes import Expr


@dataclass(frozen=True)
class Domain:
    """The numbers from `low` to `high`, None for no end there; the ends belong to it if it is `closed`."""

    low: int | None = None
    high: int | None = None
    closed: bool = True

    def state(self, a: Interval) -> int:
        """How much of an interval is inside."""
        if self.holds(a):
            return EVERYWHERE
        low, high = self.low, self.high
        outside = (low is not None and a[1] < low) or (high is not None and a[0] > high)
        at_end = not self.closed and ((low is not None and a[1] == low) or (high is not None and a[0] == high))
        return NOWHERE if outside or at_end else MAYBE

    def holds(self, a: Interval) -> bool:
        low, high = self.low, self.high
        if not self.closed:
            return self.surrounds(a)
        return (low is None or bool(a[0] >= low)) and (high is None or bool(a[1] <= high))

    def surrounds(self, a: Interval) -> bool:
        """Whether an interval, and what is near enough to it, is inside."""
        return (self.low is None or bool(a[0] > self.low)) and (self.high is None or bool(a[1] < self.high))

    def inside(self, a: Interval) -> Interval:
        """The part of an interval from one end to the other, where there is some."""
        low = a[0] if self.low is None else max(a[0], of_double(self.low))
        return low, a[1] if self.high is None else min(a[1], of_double(self.high))

    def room(self, a: Interval) -> Interval:
        """How far it is to the nearer end."""
        below = None if self.low is None else sub(a, single(self.low))
        above = None if self.high is None else sub(single(self.high), a)
        if below is None or above is None:
            return below or above or a
        return min(below[0], above[0]), min(below[1], above[1])

    @property
    def is_sign(self) -> bool:
        """Whether it is that the operand is not negative, or positive."""
        return self.low == 0 and self.high is None

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole line."""
        return self == LINE

    @property
    def is_connected(self) -> bool:
        """Whether all between two of its numbers belongs to it."""
        return True


class WholeNumbers(Domain):
    """The whole numbers: a closed set, of which an interval holds all that are from one end to the other."""

    def state(self, a: Interval) -> int:
        if self.holds(a):
            return EVERYWHERE
        low, high = self.inside(a)
        return NOWHERE if low > high else MAYBE

    def holds(self, a: Interval) -> bool:
        known = exact(a[0]) if a[0] == a[1] else None
        return known is not None and known.denominator == 1

    def surrounds(self, _a: Interval) -> bool:
        return False

    def inside(self, a: Interval) -> Interval:
        low, high = exact(a[0]), exact(a[1])
        first = infinite(-1) if low is None else DOWN.rational(Fraction(-(-low.numerator // low.denominator)))
        return first, infinite(1) if high is None else UP.rational(Fraction(high.numerator // high.denominator))

    @property
    def is_whole(self) -> bool:
        return False

    @property
    def is_connected(self) -> bool:
        return False


LINE, FROM_0, ABOVE_0, UNIT = Domain(), Domain(0), Domain(0, closed=False), Domain(-1, 1)

Place = tuple[Fraction, Fraction]
"""The number a + b*pi."""


class Reach(NamedTuple):
    """It tends to a number from above (1) or below (-1), or is that (0); no number: it leaves every bound that way."""

    value: Place | None
    side: int


class Beside(NamedTuple):
    """What it does just below a number, at it and just above; None where it is not defined."""

    below: Reach | None
    at: Reach | None
    above: Reach | None


def number(value: Fraction | int, pis: Fraction | int = 0) -> Place:
    return Fraction(value), Fraction(pis)


def rising(value: Place) -> Beside:
    return Beside(Reach(value, -1), Reach(value, 0), Reach(value, 1))


def bent(value: Place, side: int) -> Beside:
    return Beside(Reach(value, side), Reach(value, 0), Reach(value, side))


def level(value: int) -> Beside:
    return Beside(*[Reach(number(value), 0)] * 3)


def rises_at_0(x: Place) -> Beside | None:
    """Of a function that rises and is 0 at 0."""
    return rising(number(0)) if x == number(0) else None


AWAY, BACK = Reach(None, 1), Reach(None, -1)


@dataclass(frozen=True)
class Function:
    """Facts of a function f.

    `range` holds the values at the operands of an interval inside the domain, and `slope` the difference quotients
    there, from the operand's range and the value's. The operands of values in a range are in `inverse`. It `rises`
    strictly on every interval of its domain, and is `continuous` on it. `beside` says what it does next to a number,
    `ends` what far to the left and far to the right, where that is known. `derivative` is a formula of the operand and
    of the value, wherever its operations are defined; 1/b is best written so. `off_0` is one of the operand that holds
    wherever that is not 0. `ball` is the name of the same function in Arb, which takes balls.
    """

    range: Callable[[Interval], Interval]
    domain: Domain
    slope: Callable[[Interval, Interval], Interval] = lambda _a, _value: whole_line()
    inverse: Callable[[Interval], Interval] | None = None
    rises: bool = False
    continuous: bool = False
    beside: Callable[[Place], Beside | None] = lambda _x: None
    ends: tuple[Reach | None, Reach | None] = (None, None)
    derivative: Callable[[Expr, Expr], Expr] | None = None
    off_0: Callable[[Expr], Expr] | None = None
    ball: str = ""

    def over(self, a: Interval) -> tuple[Interval, int]:
        """The range over an interval, and how much of it is inside the domain."""
        state = self.domain.state(a)
        return whole_line() if state == NOWHERE else self.range(self.domain.inside(a)), state

    @property
    def is_0_at_0(self) -> bool:
        beside = self.beside(number(0))
        return beside is not None and beside.at == Reach(number(0), 0)

    @property
    def is_0_only_at_0(self) -> bool:
        return self.is_0_at_0 and self.rises and self.domain.is_connected

    @property
    def is_never_0(self) -> bool:
        """A function that rises does not reach what it tends to at an end of the line."""
        return (
            self.rises and self.domain.is_whole and any(end is not None and end.value == number(0) for end in self.ends)
        )
