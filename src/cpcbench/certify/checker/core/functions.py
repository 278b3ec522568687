"""The functions of the language on intervals; those with a domain also say how much of the operand is inside it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    MAYBE,
    NOWHERE,
    Interval,
    div,
    hull,
    made,
    magnitude,
    neg,
    not_negative,
    single,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import DOWN, UP, End, infinite, is_finite, of_double
from cpcbench.certify.checker.core.numbers import floor as floor_of

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def pi() -> Interval:
    return DOWN.pi(), UP.pi()


def sqrt(a: Interval) -> tuple[Interval, int]:
    low, high = a
    if high < 0:
        return whole_line(), NOWHERE
    least = max(DOWN.sqrt(low), of_double(0)) if low > 0 else of_double(0)
    return made(least, UP.sqrt(high)), EVERYWHERE if low >= 0 else MAYBE


def ln(a: Interval) -> tuple[Interval, int]:
    low, high = a
    if high <= 0:
        return whole_line(), NOWHERE
    return made(DOWN.ln(low) if low > 0 else infinite(-1), UP.ln(high)), EVERYWHERE if low > 0 else MAYBE


def exp(a: Interval) -> Interval:
    return made(max(DOWN.exp(a[0]), of_double(0)), UP.exp(a[1]))


def arcsin(a: Interval) -> tuple[Interval, int]:
    low, high = a
    if high < -1 or low > 1:
        return whole_line(), NOWHERE
    most = UP.div(UP.pi(), of_double(2))
    least = DOWN.neg(most)
    found = made(DOWN.arcsin(low) if low > -1 else least, UP.arcsin(high) if high < 1 else most)
    return found, EVERYWHERE if low >= -1 and high <= 1 else MAYBE


def sin(a: Interval) -> Interval:
    return _wave(a, QUARTER, DOWN.sin, UP.sin)


def cos(a: Interval) -> Interval:
    return _wave(a, Fraction(0), DOWN.cos, UP.cos)


def _wave(a: Interval, top: Fraction, down: Callable[[End], End], up: Callable[[End], End]) -> Interval:
    """A wave of period 2 pi; it is 1 at `top` plus whole turns, -1 half a turn later and monotone between."""
    turns = _turns(a, 2)
    if turns is None:
        return of_double(-1), of_double(1)
    low = of_double(-1) if _holds_whole(turns, top + HALF) else max(min(map(down, a)), of_double(-1))
    high = of_double(1) if _holds_whole(turns, top) else min(max(map(up, a)), of_double(1))
    return made(low, high)


def _turns(a: Interval, halves: int) -> Interval | None:
    """The ends as multiples of `halves` pi; None if they say nothing."""
    if not (is_finite(a[0]) and is_finite(a[1])):
        return None
    length = DOWN.mul(DOWN.pi(), of_double(halves)), UP.mul(UP.pi(), of_double(halves))
    return div(a, length)[0]


def _holds_whole(turns: Interval, shift: Fraction) -> bool:
    """Whether a whole number plus the shift may lie between the two."""
    low, high = sub(turns, single(shift))
    first, last = floor_of(low), floor_of(high)
    return first is None or last is None or last > first or low == first


def tan(a: Interval) -> tuple[Interval, int]:
    turns = _turns(a, 1)
    if turns is None or _holds_whole(turns, HALF):
        return whole_line(), MAYBE
    return made(DOWN.tan(a[0]), UP.tan(a[1])), EVERYWHERE


def floor(a: Interval) -> Interval:
    low, high = floor_of(a[0]), floor_of(a[1])
    least = infinite(-1) if low is None else DOWN.rational(Fraction(low))
    return made(least, infinite(1) if high is None else UP.rational(Fraction(high)))


def sign(a: Interval) -> Interval:
    def of(end: End) -> End:
        return of_double(1 if end > 0 else -1 if end < 0 else 0)

    return of(a[0]), of(a[1])


def whole_power(a: Interval, n: int) -> tuple[Interval, int]:
    """a^n for a whole number n; a negative one needs a base that is not 0."""
    if n < 0:
        return div(single(1), natural_power(a, -n))
    return natural_power(a, n), EVERYWHERE


def natural_power(a: Interval, n: int) -> Interval:
    if n == 0:
        return single(1)
    low, high = magnitude(a) if n % 2 == 0 else a
    least = DOWN.whole_power(low, n) if is_finite(low) else infinite(-1)
    most = UP.whole_power(high, n) if is_finite(high) else infinite(1)
    return made(max(least, of_double(0)) if low >= 0 else least, most)


def positive_power(a: Interval, p: Interval) -> Interval:
    """All x^y with x in a, not negative, and y in p; x^y is monotone in each, so the corners hold it between them."""
    corners = [(base, exponent) for base in a for exponent in p]
    low = min(_corner(base, exponent, DOWN.power) for base, exponent in corners)
    high = max(_corner(base, exponent, UP.power) for base, exponent in corners)
    return made(max(low, of_double(0)), high)


def _corner(base: End, exponent: End, power: Callable[[End, End], End]) -> End:
    """What x^y tends to at base >= 0 and exponent, either of which may be infinite; 0^0 and 1^infinity are 1."""
    if base == 1 or exponent == 0:
        return of_double(1)
    if base == 0 or not is_finite(base) or not is_finite(exponent):
        return infinite(1) if (base > 1) == (exponent > 0) else of_double(0)
    return power(base, exponent)


def fixed_power(a: Interval, p: Interval, positive: bool) -> tuple[Interval, int]:
    """a^p for one number p in an interval, not whole and of known sign: the base is at least 0, and not 0 if p < 0."""
    low, high = a
    if high < 0 or (high <= 0 and not positive):
        return whole_line(), NOWHERE
    return positive_power(not_negative(a), p), EVERYWHERE if low > 0 or (low >= 0 and positive) else MAYBE


def varying_power(a: Interval, p: Interval, ieee: bool) -> tuple[Interval, int]:
    """a^p where the exponent depends on variables.

    The base is positive, or 0 with an exponent of at least 0. Under the rule `ieee` a whole exponent takes
    any base, but for 0 to a negative power.
    """
    low, high = a
    if low >= 0:
        if high <= 0 and p[1] < 0:
            return whole_line(), NOWHERE
        return positive_power(a, p), EVERYWHERE if low > 0 or p[0] >= 0 else MAYBE
    if not ieee or not may_be_whole(p):
        nowhere = high < 0 or (high <= 0 and p[1] < 0)
        return (whole_line(), NOWHERE) if nowhere else (positive_power(not_negative(a), p), MAYBE)
    n = floor_of(p[0])
    if n is not None and p[0] == p[1] == n:
        return whole_power(a, n)
    size = positive_power(magnitude((low, min(high, of_double(0)))), p)
    parts = [size, neg(size)]
    return hull(parts if high < 0 else [*parts, positive_power(not_negative(a), p)]), MAYBE


def may_be_whole(p: Interval) -> bool:
    """Whether a whole number may be in an interval."""
    return _holds_whole(p, Fraction(0)) if is_finite(p[0]) and is_finite(p[1]) else True
