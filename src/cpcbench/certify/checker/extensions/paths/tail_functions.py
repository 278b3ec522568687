"""The functions of the language on tails; None where the function is not shown to be defined in the end."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from cpcbench.certify.checker.core import functions
from cpcbench.certify.checker.core.intervals import EVERYWHERE, Interval, magnitude, neg, single
from cpcbench.certify.checker.core.numbers import floor as floor_of
from cpcbench.certify.checker.core.numbers import of_double
from cpcbench.certify.checker.extensions.paths import powers_of_pi
from cpcbench.certify.checker.extensions.paths.tails import (
    FINITE,
    INFINITE,
    Tail,
    constant,
    exactly,
    infinite,
    inverted,
    multiplied,
    negated,
    tends,
    vanishing,
    within,
)

HALF_PI = {(0, 1): Fraction(1, 2)}


def exp(a: Tail) -> Tail:
    if a.kind == INFINITE:
        return infinite(1) if a.side == 1 else vanishing(1)
    if a.is_zero:
        return constant(1)
    if a.kind == FINITE:
        return tends(functions.exp(a.range), a.side, powers_of_pi.number(Fraction(1)) if a.vanishes else None)
    return within(functions.exp(a.range))


def ln(a: Tail) -> Tail | None:
    if a.kind == INFINITE:
        return infinite(1) if a.side == 1 else None
    if a.vanishes:
        return infinite(-1) if a.side == 1 else None
    if not a.range[0] > 0:
        return None
    if a.kind != FINITE:
        return within(functions.ln(a.range)[0])
    if a.at(1):
        return constant(0) if a.side == 0 else vanishing(a.side)
    return tends(functions.ln(a.range)[0], a.side)


def sqrt(a: Tail) -> Tail | None:
    if a.kind == INFINITE:
        return infinite(1) if a.side == 1 else None
    if a.vanishes:
        return constant(0) if a.side == 0 else vanishing(1) if a.side == 1 else None
    if a.kind != FINITE:
        return within(functions.sqrt(a.range)[0]) if a.range[0] >= 0 else None
    if not a.range[0] > 0:
        return None
    root = _root(a)
    if root is not None and a.side == 0:
        return constant(root)
    return tends(functions.sqrt(a.range)[0], a.side, None if root is None else powers_of_pi.number(root))


def _root(a: Tail) -> Fraction | None:
    """The root of the limit, if both are rational."""
    square = None if a.value is None else powers_of_pi.rational(a.value)
    if square is None or square < 0:
        return None
    root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return root if root * root == square else None


def arcsin(a: Tail) -> Tail | None:
    if a.kind == INFINITE:
        return None
    for end in (1, -1):
        if a.at(end):
            inside = a.side in (0, -end)
            value = HALF_PI if end > 0 else powers_of_pi.turned(HALF_PI)
            return None if not inside else exactly(value) if a.side == 0 else tends(single(0), a.side, value)
    if a.vanishes:
        return constant(0) if a.side == 0 else vanishing(a.side)
    if a.kind == FINITE:
        inner = a.range[0] > -1 and a.range[1] < 1
        return tends(functions.arcsin(a.range)[0], a.side) if inner else None
    found, state = functions.arcsin(a.range)
    return within(found) if state == EVERYWHERE else None


def _quarters(a: Tail) -> int | None:
    """The limit as a whole multiple of pi/2, if it is known to be one."""
    if a.kind != FINITE or a.value is None:
        return None
    if not a.value:
        return 0
    factor = 2 * a.value[0, 1] if set(a.value) == {(0, 1)} else Fraction(1, 2)
    return factor.numerator if factor.denominator == 1 else None


def sin(a: Tail) -> Tail:
    quarters = _quarters(a)
    return _wave(a, functions.sin, functions.cos) if quarters is None else _wave_at(quarters, a.side)


def cos(a: Tail) -> Tail:
    quarters = _quarters(a)
    if quarters is not None:
        return _wave_at(quarters + 1, a.side)
    return _wave(a, functions.cos, lambda range_: neg(functions.sin(range_)))


def _wave_at(quarters: int, side: int | None) -> Tail:
    """The sine at a multiple of pi/2."""
    phase = quarters % 4
    if side == 0:
        return constant((0, 1, 0, -1)[phase])
    if phase in (0, 2):
        return vanishing(None if side is None else side if phase == 0 else -side)
    top = 1 if phase == 1 else -1
    return tends(single(0), None if side is None else -top, powers_of_pi.number(Fraction(top)))


def _wave(a: Tail, wave: Callable[[Interval], Interval], slope: Callable[[Interval], Interval]) -> Tail:
    if a.kind != FINITE:
        return within((of_double(-1), of_double(1)) if a.kind == INFINITE else wave(a.range))
    low, high = slope(a.range)
    way = 1 if low > 0 else -1 if high < 0 else None
    return tends(wave(a.range), None if way is None or a.side is None else way * a.side)


def tan(a: Tail) -> Tail | None:
    quarters = _quarters(a)
    if quarters is None:
        if a.kind == INFINITE:
            return None
        found, state = functions.tan(a.range)
        if state != EVERYWHERE:
            return None
        return tends(found, a.side) if a.kind == FINITE else within(found)
    if quarters % 2:
        return infinite(-a.side) if a.side else None
    return constant(0) if a.side == 0 else vanishing(a.side)


def absolute(a: Tail) -> Tail:
    sign = a.sign
    if sign is not None:
        return negated(a) if sign < 0 else a
    if a.kind == FINITE:
        return vanishing(None) if a.vanishes else tends(magnitude(a.range), None)
    return within(magnitude(a.range))


def floor(a: Tail) -> Tail:
    if a.kind == INFINITE:
        return a
    known = None if a.value is None else powers_of_pi.rational(a.value)
    if known is not None and known.denominator == 1:
        if a.side is None:
            return within(functions.floor(a.room))
        return constant(known - (a.side < 0))
    if a.kind == FINITE:
        low, high = floor_of(a.range[0]), floor_of(a.range[1])
        if low is not None and low == high and a.range[0] > low:
            return constant(low)
    return within(functions.floor(a.room))


def sign(a: Tail) -> Tail:
    return within((of_double(-1), of_double(1))) if a.sign is None else constant(a.sign)


def whole_power(a: Tail, n: int) -> Tail | None:
    if n < 0:
        below = whole_power(a, -n)
        return None if below is None else inverted(below)
    along = None if a.along is None else powers_of_pi.raised(a.along, n)
    if n == 0 or along is not None:
        return constant(1) if along is None else exactly(along)
    if a.kind == INFINITE:
        return infinite((a.side or 1) if n % 2 else 1)
    if a.vanishes:
        return vanishing(a.side if n % 2 or a.side is None else a.side * a.side)
    if a.kind != FINITE:
        return within(functions.natural_power(a.range, n))
    value = None if a.value is None else powers_of_pi.raised(a.value, n)
    way = 1 if n % 2 else a.away
    side = None if a.side is None or not way else way * a.side
    return tends(functions.natural_power(a.range, n), side, value)


def positive_power(a: Tail, exponent: Tail) -> Tail | None:
    """a^b as exp(b ln(a)), for a base that is positive in the end."""
    logarithm = ln(a) if a.sign == 1 else None
    return None if logarithm is None else exp(multiplied(exponent, logarithm))


ONE: dict[str, Callable[[Tail], Tail | None]] = {
    "neg": negated, "exp": exp, "ln": ln, "sqrt": sqrt, "arcsin": arcsin, "sin": sin, "cos": cos, "tan": tan,
    "abs": absolute, "floor": floor, "sign": sign,
}  # fmt: skip
