"""Sine, cosine, tangent and their inverses: ranges, inverses, and what they do next to a number."""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.core.facts import (
    AWAY,
    BACK,
    UNIT,
    Beside,
    Domain,
    Place,
    Reach,
    bent,
    number,
    rises_at_0,
    rising,
)
from cpcbench.certify.checker.core.intervals import (
    Interval,
    div,
    made,
    not_negative,
    reciprocal,
    single,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import DOWN, UP, infinite, is_finite, of_double
from cpcbench.certify.checker.core.numbers import floor as floor_of

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
QUARTER_TURN = Fraction("1.5707")
HALF_TURN = Fraction("3.1415")
"""Less than half of pi, and than pi."""


def pi() -> Interval:
    return DOWN.pi(), UP.pi()


def sin(a: Interval) -> Interval:
    return _wave(a, QUARTER, "sin")


def cos(a: Interval) -> Interval:
    return _wave(a, Fraction(0), "cos")


def _wave(a: Interval, top: Fraction, name: str) -> Interval:
    """A wave of period 2 pi; it is 1 at `top` plus whole turns, -1 half a turn later and monotone between."""
    turns = _turns(a, 2)
    if turns is None:
        return of_double(-1), of_double(1)
    low, high = of_double(-1), of_double(1)
    if not holds_whole(turns, top + HALF):
        low = max(min(DOWN.of(name, a[0]), DOWN.of(name, a[1])), low)
    if not holds_whole(turns, top):
        high = min(max(UP.of(name, a[0]), UP.of(name, a[1])), high)
    return made(low, high)


def _turns(a: Interval, halves: int) -> Interval | None:
    """The ends as multiples of `halves` pi; None if they say nothing."""
    if not (is_finite(a[0]) and is_finite(a[1])):
        return None
    length = DOWN.mul(DOWN.pi(), of_double(halves)), UP.mul(UP.pi(), of_double(halves))
    return div(a, length)[0]


def holds_whole(turns: Interval, shift: Fraction) -> bool:
    """Whether a whole number plus the shift may lie between the two."""
    low, high = sub(turns, single(shift))
    first, last = floor_of(low), floor_of(high)
    return first is None or last is None or last > first or low == first


def _quarters(x: Place) -> int | None:
    """The number as a whole multiple of pi/2, if it is one."""
    return (2 * x[1]).numerator if x[0] == 0 and (2 * x[1]).denominator == 1 else None


def _wave_beside(quarters: int | None) -> Beside | None:
    """The sine at a multiple of pi/2."""
    if quarters is None:
        return None
    phase = quarters % 4
    falling = Beside(Reach(number(0), 1), Reach(number(0), 0), Reach(number(0), -1))
    return (rising(number(0)), bent(number(1), -1), falling, bent(number(-1), 1))[phase]


def sin_beside(x: Place) -> Beside | None:
    return _wave_beside(_quarters(x))


def cos_beside(x: Place) -> Beside | None:
    quarters = _quarters(x)
    return None if quarters is None else _wave_beside(quarters + 1)


class _WithoutPoles(Domain):
    """All numbers but the odd multiples of pi/2."""

    is_connected = False

    def holds(self, a: Interval) -> bool:
        turns = _turns(a, 1)
        return turns is not None and not holds_whole(turns, HALF)

    surrounds = holds


WITHOUT_POLES = _WithoutPoles(closed=False)


def tan(a: Interval) -> Interval:
    return made(DOWN.of("tan", a[0]), UP.of("tan", a[1])) if WITHOUT_POLES.holds(a) else whole_line()


def tan_beside(x: Place) -> Beside | None:
    quarters = _quarters(x)
    if quarters is None:
        return None
    return Beside(AWAY, None, BACK) if quarters % 2 else rising(number(0))


def arcsin(a: Interval) -> Interval:
    most = UP.div(UP.pi(), of_double(2))
    least = DOWN.neg(most)
    return made(DOWN.of("asin", a[0]) if a[0] > -1 else least, UP.of("asin", a[1]) if a[1] < 1 else most)


def arcsin_slope(a: Interval, _value: Interval) -> Interval:
    return reciprocal(not_negative(cos(arcsin(UNIT.inside(a)))))


def arcsin_inverse(value: Interval) -> Interval:
    """Where the sine may not rise an end says nothing."""
    most, least = single(QUARTER_TURN)[0], single(-QUARTER_TURN)[1]
    low, high = value
    bottom = DOWN.of("sin", low) if least < low < most else of_double(-1)
    return bottom, UP.of("sin", high) if least < high < most else of_double(1)


def arcsin_beside(x: Place) -> Beside | None:
    quarter = number(0, x[0] / 2)
    if x == number(1):
        return Beside(Reach(quarter, -1), Reach(quarter, 0), None)
    return Beside(None, Reach(quarter, 0), Reach(quarter, 1)) if x == number(-1) else rises_at_0(x)


def arccos(a: Interval) -> Interval:
    least = max(DOWN.of("acos", a[1]), of_double(0)) if a[1] < 1 else of_double(0)
    return made(least, UP.of("acos", a[0]) if a[0] > -1 else UP.pi())


def arccos_inverse(value: Interval) -> Interval:
    """Where the cosine may not fall an end says nothing."""
    most = single(HALF_TURN)[0]
    low, high = value
    bottom = DOWN.of("cos", high) if 0 < high < most else of_double(-1)
    return bottom, UP.of("cos", low) if 0 < low < most else of_double(1)


def arccos_beside(x: Place) -> Beside | None:
    half, turn, none = number(0, HALF), number(0, 1), number(0)
    if x == number(1):
        return Beside(Reach(none, 1), Reach(none, 0), None)
    if x == number(-1):
        return Beside(None, Reach(turn, 0), Reach(turn, -1))
    return Beside(Reach(half, 1), Reach(half, 0), Reach(half, -1)) if x == none else None


def arctan(a: Interval) -> Interval:
    most = UP.div(UP.pi(), of_double(2))
    return made(max(DOWN.of("atan", a[0]), DOWN.neg(most)), min(UP.of("atan", a[1]), most))


def arctan_inverse(value: Interval) -> Interval:
    """Near the ends of its range nothing is said."""
    most, least = single(QUARTER_TURN)[0], single(-QUARTER_TURN)[1]
    low, high = value
    bottom = DOWN.of("tan", low) if least < low < most else infinite(-1)
    return bottom, UP.of("tan", high) if least < high < most else infinite(1)


def arctan_beside(x: Place) -> Beside | None:
    return rising(number(0, x[0] / 4)) if x in (number(1), number(-1)) else rises_at_0(x)
