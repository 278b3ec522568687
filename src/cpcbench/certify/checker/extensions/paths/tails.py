"""What a part of a formula does along a path as t falls to 0: it has a limit, or leaves every bound, or stays bounded.

Every statement is about all t > 0 small enough, how small may differ from part to part. Whoever makes a tail has shown
that the part is defined for these t.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import (
    Interval,
    add,
    div,
    hull,
    mul,
    neg,
    single,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import is_finite
from cpcbench.certify.checker.extensions.paths import powers_of_pi
from cpcbench.certify.checker.extensions.paths.powers_of_pi import Exact

FINITE, INFINITE, BOUNDED = "finite", "infinite", "bounded"
ROOM = Fraction(1, 1 << 40)
"""What has a limit is, in the end, no further from it than this; any positive number would do."""


@dataclass(frozen=True)
class Tail:
    """`finite`: it has a limit, which lies in `range` and is `value` if that is known; `side` says whether it is in the
    end always above the limit (1), below (-1) or at it (0), None if that is not known; `along` is what it is exactly.
    `infinite`: it leaves every bound, with the sign `side`. `bounded`: in the end it is in `range`."""

    kind: str
    range: Interval
    side: int | None = None
    value: Exact | None = None
    along: Exact | None = None

    @property
    def sign(self) -> int | None:
        """Its sign in the end, 0 if it is 0; None if that is not known."""
        if self.kind == INFINITE:
            return self.side
        if self.kind == FINITE and self.value is not None:
            return powers_of_pi.sign(self.value) if self.value else self.side
        return 1 if self.range[0] > 0 else -1 if self.range[1] < 0 else None

    @property
    def vanishes(self) -> bool:
        """Whether its limit is known to be 0."""
        return self.kind == FINITE and self.value == {}

    @property
    def is_zero(self) -> bool:
        return self.vanishes and self.side == 0

    @property
    def away(self) -> int:
        """1 or -1 if it stays away from 0 on that side, else 0."""
        if self.kind == INFINITE:
            return self.side or 0
        return 1 if self.range[0] > 0 else -1 if self.range[1] < 0 else 0

    @property
    def room(self) -> Interval:
        """An interval that it is in, in the end."""
        if self.kind == FINITE:
            return add(self.range, hull([neg(single(ROOM)), single(ROOM)]))
        return whole_line() if self.kind == INFINITE else self.range

    def at(self, number: int) -> bool:
        """Whether its limit is known to be this number."""
        return self.kind == FINITE and self.value == powers_of_pi.number(Fraction(number))


def exactly(along: Exact) -> Tail:
    """The tail of a polynomial in t."""
    value = powers_of_pi.at_start(along)
    return Tail(FINITE, powers_of_pi.enclosed(value), powers_of_pi.after_start(along), value, along)


def constant(value: Fraction | int) -> Tail:
    return exactly(powers_of_pi.number(Fraction(value)))


def tends(range_: Interval, side: int | None, value: Exact | None = None) -> Tail:
    """A limit in a range, or exactly at a value."""
    return Tail(FINITE, range_ if value is None else powers_of_pi.enclosed(value), side, value)


def vanishing(side: int | None) -> Tail:
    return tends(single(0), side, {})


def infinite(sign: int) -> Tail:
    return Tail(INFINITE, whole_line(), sign)


def within(range_: Interval) -> Tail:
    return Tail(BOUNDED, range_)


def unknown() -> Tail:
    """Defined, and nothing else is known."""
    return within(whole_line())


def joint(a: int | None, b: int | None) -> int | None:
    """The side of a sum from those of its terms."""
    return a if b in (0, a) else b if a == 0 else None


def negated(a: Tail) -> Tail:
    along, value = (None if part is None else powers_of_pi.turned(part) for part in (a.along, a.value))
    return Tail(a.kind, neg(a.range), None if a.side is None else -a.side, value, along)


def added(a: Tail, b: Tail) -> Tail:
    if a.along is not None and b.along is not None:
        return exactly(powers_of_pi.plus(a.along, b.along))
    if a.kind == FINITE and b.kind == FINITE:
        value = None if a.value is None or b.value is None else powers_of_pi.plus(a.value, b.value)
        return tends(add(a.range, b.range), joint(a.side, b.side), value)
    for one, other in ((a, b), (b, a)):
        if one.kind == INFINITE and one.side:
            if other.kind == INFINITE:
                return one if other.side == one.side else unknown()
            return one if is_finite(other.room[0 if one.side > 0 else 1]) else unknown()
    return within(add(a.room, b.room))


def multiplied(a: Tail, b: Tail) -> Tail:
    if a.is_zero or b.is_zero:
        return constant(0)
    if a.along is not None and b.along is not None:
        along = powers_of_pi.times(a.along, b.along)
        if along is not None:
            return exactly(along)
    if INFINITE in (a.kind, b.kind):
        return infinite(a.away * b.away) if a.away and b.away else unknown()
    signs = None if a.sign is None or b.sign is None else a.sign * b.sign
    for one, other in ((a, b), (b, a)):
        if one.vanishes and all(map(is_finite, other.room)):
            return vanishing(signs)
    if a.kind == FINITE and b.kind == FINITE:
        value = None if a.value is None or b.value is None else powers_of_pi.times(a.value, b.value)
        sizes = [None if x.side is None else x.side * x.away for x in (a, b)]
        size = joint(*sizes) if a.away and b.away else None
        return tends(mul(a.range, b.range), None if size is None else size * a.away * b.away, value)
    return within(mul(a.room, b.room))


def divided(a: Tail, b: Tail) -> Tail | None:
    if a.along and b.along:
        common = min(powers_of_pi.order(a.along), powers_of_pi.order(b.along))
        if common:
            a, b = (exactly(powers_of_pi.lowered(part.along or {}, common)) for part in (a, b))
    below = inverted(b)
    return None if below is None else multiplied(a, below)


def inverted(b: Tail) -> Tail | None:
    """1/b; None if b is not shown to be other than 0."""
    if b.kind == INFINITE:
        return vanishing(b.side)
    if b.vanishes:
        return infinite(b.side) if b.side else None
    if not b.away:
        return None
    along = None if b.along is None else powers_of_pi.inverse(b.along)
    if along is not None:
        return exactly(along)
    if b.kind == BOUNDED:
        return within(div(single(1), b.range)[0])
    value = None if b.value is None else powers_of_pi.inverse(b.value)
    return tends(div(single(1), b.range)[0], None if b.side is None else -b.side, value)


def less(a: Tail, b: Tail, strict: bool) -> bool | None:
    """Whether a < b, or a <= b if that is not strict, in the end; None if that is not known."""
    if a.kind == INFINITE and b.kind == INFINITE:
        return None if a.side == b.side else b.side == 1
    apart = added(b, negated(a)).sign
    if apart is not None:
        return apart > 0 if strict else apart >= 0
    gap = sub(b.room, a.room)
    return True if gap[0] > 0 else False if gap[1] < 0 else None
