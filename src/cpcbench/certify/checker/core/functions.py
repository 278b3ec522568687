"""The functions of the language: all that the checker knows of one is its entry in the table at the end."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from cpcbench.certify.checker.core.facts import (
    ABOVE_0,
    AWAY,
    BACK,
    FROM_0,
    LINE,
    UNIT,
    Beside,
    Domain,
    Function,
    Place,
    Reach,
    bent,
    level,
    number,
    rises_at_0,
    rising,
)
from cpcbench.certify.checker.core.intervals import (
    Interval,
    add,
    div,
    made,
    magnitude,
    mul,
    neg,
    not_negative,
    reciprocal,
    single,
    square,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import DOWN, UP, End, infinite, is_finite, of_double
from cpcbench.certify.checker.core.numbers import floor as floor_of
from cpcbench.expr.nodes import node

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
QUARTER_TURN = Fraction("1.5707")
"""Less than half of pi."""


def pi() -> Interval:
    return DOWN.pi(), UP.pi()


def _sqrt(a: Interval) -> Interval:
    least = max(DOWN.of("sqrt", a[0]), of_double(0)) if a[0] > 0 else of_double(0)
    return made(least, UP.of("sqrt", a[1]))


def _squared(value: Interval) -> Interval:
    return square(not_negative(value)) if is_finite(value[1]) else (of_double(0), infinite(1))


def _root_beside(x: Place) -> Beside | None:
    if x == number(0):
        return Beside(None, Reach(x, 0), Reach(x, 1))
    root = Fraction(isqrt(x[0].numerator), isqrt(x[0].denominator)) if x[0] > 0 and not x[1] else Fraction(0)
    return rising(number(root)) if root * root == x[0] and root else None


def ln(a: Interval) -> Interval:
    """For operands from 0 on."""
    return made(DOWN.of("log", a[0]) if a[0] > 0 else infinite(-1), UP.of("log", a[1]))


def _ln_beside(x: Place) -> Beside | None:
    if x == number(0):
        return Beside(None, None, BACK)
    return rising(number(0)) if x == number(1) else None


def exp(a: Interval) -> Interval:
    return made(max(DOWN.of("exp", a[0]), of_double(0)), UP.of("exp", a[1]))


def _exp_inverse(value: Interval) -> Interval:
    return ln(not_negative(value)) if value[1] > 0 else whole_line()


def _exp_beside(x: Place) -> Beside | None:
    return rising(number(1)) if x == number(0) else None


def _arcsin(a: Interval) -> Interval:
    most = UP.div(UP.pi(), of_double(2))
    least = DOWN.neg(most)
    return made(DOWN.of("asin", a[0]) if a[0] > -1 else least, UP.of("asin", a[1]) if a[1] < 1 else most)


def _arcsin_inverse(value: Interval) -> Interval:
    """Where the sine may not rise an end says nothing."""
    most, least = single(QUARTER_TURN)[0], single(-QUARTER_TURN)[1]
    low, high = value
    bottom = DOWN.of("sin", low) if least < low < most else of_double(-1)
    return bottom, UP.of("sin", high) if least < high < most else of_double(1)


def _arcsin_beside(x: Place) -> Beside | None:
    quarter = number(0, x[0] / 2)
    if x == number(1):
        return Beside(Reach(quarter, -1), Reach(quarter, 0), None)
    return Beside(None, Reach(quarter, 0), Reach(quarter, 1)) if x == number(-1) else rises_at_0(x)


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


def _sin_beside(x: Place) -> Beside | None:
    return _wave_beside(_quarters(x))


def _cos_beside(x: Place) -> Beside | None:
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


def _tan(a: Interval) -> Interval:
    return made(DOWN.of("tan", a[0]), UP.of("tan", a[1])) if WITHOUT_POLES.holds(a) else whole_line()


def _tan_beside(x: Place) -> Beside | None:
    quarters = _quarters(x)
    if quarters is None:
        return None
    return Beside(AWAY, None, BACK) if quarters % 2 else rising(number(0))


def _arctan(a: Interval) -> Interval:
    most = UP.div(UP.pi(), of_double(2))
    return made(max(DOWN.of("atan", a[0]), DOWN.neg(most)), min(UP.of("atan", a[1]), most))


def _arctan_inverse(value: Interval) -> Interval:
    """Near the ends of its range nothing is said."""
    most, least = single(QUARTER_TURN)[0], single(-QUARTER_TURN)[1]
    low, high = value
    bottom = DOWN.of("tan", low) if least < low < most else infinite(-1)
    return bottom, UP.of("tan", high) if least < high < most else infinite(1)


def _arctan_beside(x: Place) -> Beside | None:
    return rising(number(0, x[0] / 4)) if x in (number(1), number(-1)) else rises_at_0(x)


def _sinh(a: Interval) -> Interval:
    return made(DOWN.of("sinh", a[0]), UP.of("sinh", a[1]))


def _sinh_inverse(value: Interval) -> Interval:
    return made(DOWN.of("asinh", value[0]), UP.of("asinh", value[1]))


def _cosh(a: Interval) -> Interval:
    low, high = magnitude(a)
    return made(max(DOWN.of("cosh", low), of_double(1)), UP.of("cosh", high))


def _cosh_inverse(value: Interval) -> Interval:
    most = UP.of("acosh", max(value[1], of_double(1)))
    return made(DOWN.neg(most), most)


def _tanh(a: Interval) -> Interval:
    return made(max(DOWN.of("tanh", a[0]), of_double(-1)), min(UP.of("tanh", a[1]), of_double(1)))


def _tanh_inverse(value: Interval) -> Interval:
    low, high = value
    bottom = DOWN.of("atanh", low) if -1 < low < 1 else infinite(-1)
    return bottom, UP.of("atanh", high) if -1 < high < 1 else infinite(1)


def _abs_slope(a: Interval, _value: Interval) -> Interval:
    one = single(1)
    return one if a[0] >= 0 else neg(one) if a[1] <= 0 else (neg(one)[0], one[1])


def _floor(a: Interval) -> Interval:
    low, high = floor_of(a[0]), floor_of(a[1])
    least = infinite(-1) if low is None else DOWN.rational(Fraction(low))
    return made(least, infinite(1) if high is None else UP.rational(Fraction(high)))


def _floor_beside(x: Place) -> Beside | None:
    if x[1]:
        return None
    whole = x[0].numerator // x[0].denominator
    return level(whole) if x[0] != whole else level(whole)._replace(below=Reach(number(whole - 1), 0))


def _sign(a: Interval) -> Interval:
    def of(end: End) -> End:
        return of_double(1 if end > 0 else -1 if end < 0 else 0)

    return of(a[0]), of(a[1])


def _sign_beside(x: Place) -> Beside | None:
    if x[0] and x[1]:
        return None
    below, at, above = (Reach(number(way), 0) for way in (-1, 0, 1))
    part = x[0] or x[1]
    return Beside(below, at, above) if not part else level(1 if part > 0 else -1)


def _step_slope(_a: Interval, value: Interval) -> Interval:
    """Of what is constant between jumps: 0 where the value is one number."""
    return single(0) if value[0] == value[1] else whole_line()


FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(
        _sqrt, FROM_0, lambda a, value: mul(single(HALF), reciprocal(not_negative(value))), _squared,
        rises=True, continuous=True, beside=_root_beside, ends=(None, AWAY),
    ),
    "ln": Function(
        ln, ABOVE_0, lambda a, value: reciprocal(not_negative(a)), exp,
        rises=True, continuous=True, beside=_ln_beside, ends=(None, AWAY), derivative=lambda u, y: 1 / u,
    ),
    "exp": Function(
        exp, LINE, lambda a, value: value, _exp_inverse,
        rises=True, continuous=True, beside=_exp_beside, ends=(Reach(number(0), 1), AWAY),
        derivative=lambda u, y: y,
    ),
    "sin": Function(
        sin, LINE, lambda a, value: cos(a),
        continuous=True, beside=_sin_beside, derivative=lambda u, y: node("cos", u),
    ),
    "cos": Function(
        cos, LINE, lambda a, value: neg(sin(a)),
        continuous=True, beside=_cos_beside, derivative=lambda u, y: -node("sin", u),
    ),
    "tan": Function(
        _tan, WITHOUT_POLES, lambda a, value: add(single(1), square(value)),
        rises=True, continuous=True, beside=_tan_beside, derivative=lambda u, y: 1 + y * y,
    ),
    "arcsin": Function(
        _arcsin, UNIT, lambda a, value: reciprocal(not_negative(cos(_arcsin(UNIT.inside(a))))), _arcsin_inverse,
        rises=True, continuous=True, beside=_arcsin_beside, derivative=lambda u, y: 1 / node("sqrt", 1 - u * u),
    ),
    "arctan": Function(
        _arctan, LINE, lambda a, value: reciprocal(add(single(1), square(a))), _arctan_inverse,
        rises=True, continuous=True, beside=_arctan_beside,
        ends=(Reach(number(0, -HALF), 1), Reach(number(0, HALF), -1)), derivative=lambda u, y: 1 / (1 + u * u),
    ),
    "sinh": Function(
        _sinh, LINE, lambda a, value: _cosh(a), _sinh_inverse,
        rises=True, continuous=True, beside=rises_at_0, ends=(BACK, AWAY), derivative=lambda u, y: node("cosh", u),
    ),
    "cosh": Function(
        _cosh, LINE, lambda a, value: _sinh(a), _cosh_inverse,
        continuous=True, beside=lambda x: bent(number(1), 1) if x == number(0) else None, ends=(AWAY, AWAY),
        derivative=lambda u, y: node("sinh", u),
    ),
    "tanh": Function(
        _tanh, LINE, lambda a, value: not_negative(sub(single(1), square(value))), _tanh_inverse,
        rises=True, continuous=True, beside=rises_at_0, ends=(Reach(number(-1), 1), Reach(number(1), -1)),
        derivative=lambda u, y: 1 - y * y,
    ),
    "abs": Function(
        magnitude, LINE, _abs_slope,
        continuous=True, beside=lambda x: bent(x, 1) if x == number(0) else None, ends=(AWAY, AWAY),
    ),
    "floor": Function(_floor, LINE, _step_slope, beside=_floor_beside, ends=(BACK, AWAY)),
    "sign": Function(
        _sign, LINE, _step_slope, beside=_sign_beside, ends=(Reach(number(-1), 0), Reach(number(1), 0))
    ),
}  # fmt: skip
