"""The functions of two operands: all that the checker knows of one is its entry in the table at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cpcbench.certify.checker.core.functions.growth import sqrt
from cpcbench.certify.checker.core.functions.levels import floor
from cpcbench.certify.checker.core.functions.waves import arctan, pi
from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    NOWHERE,
    Interval,
    add,
    div,
    hull,
    meet,
    mul,
    neg,
    single,
    square,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import infinite, is_finite, of_double

Two = tuple[Interval, Interval]


def _unknown(_a: Interval, _b: Interval, _value: Interval) -> Two:
    return whole_line(), whole_line()


@dataclass(frozen=True)
class Pair:
    """Facts of a function f of two operands.

    `over` has the range over two intervals, and how much of them is inside the domain. `slopes` holds numbers s and t
    with f(a, b) - f(a', b') = s (a - a') + t (b - b') for any two places there, from the ranges of operands and value,
    where it is defined all over; the operands of values in a range are in `inverse`. It `divides` if it is
    defined where the second operand is not 0, else it is everywhere, and then it may be `continuous` there.
    """

    over: Callable[[Interval, Interval], tuple[Interval, int]]
    slopes: Callable[[Interval, Interval, Interval], Two] = _unknown
    inverse: Callable[[Interval, Interval, Interval], Two] = _unknown
    continuous: bool = False
    divides: bool = False


def _min(a: Interval, b: Interval) -> tuple[Interval, int]:
    return (min(a[0], b[0]), min(a[1], b[1])), EVERYWHERE


def _max(a: Interval, b: Interval) -> tuple[Interval, int]:
    return (max(a[0], b[0]), max(a[1], b[1])), EVERYWHERE


def _either(first: bool, second: bool) -> Two:
    """One of the two, if it is known which; else the share of each is from 0 to 1 (G. Lebourg's mean value theorem)."""
    if first or second:
        return single(1 if first else 0), single(0 if first else 1)
    share = of_double(0), of_double(1)
    return share, share


def _hypot(a: Interval, b: Interval) -> tuple[Interval, int]:
    return sqrt(add(square(a), square(b))), EVERYWHERE


def _hypot_slopes(a: Interval, b: Interval, value: Interval) -> Two:
    """a/h and b/h, which are between -1 and 1, and at the origin all that is."""
    unit = of_double(-1), of_double(1)
    first, second = (meet(div(leg, value)[0], unit) or unit if value[0] > 0 else unit for leg in (a, b))
    return first, second


def _hypot_inverse(_a: Interval, _b: Interval, value: Interval) -> Two:
    inside = neg(value)[0], value[1]
    return inside, inside


def _angle(y: Interval, x: Interval) -> tuple[Interval, int]:
    return _smooth_angle(y, x) or _any_angle(y, x), EVERYWHERE


def _smooth_angle(y: Interval, x: Interval) -> Interval | None:
    """By the arctangent of y/x or x/y, off the origin and the half-line left of it."""
    if x[0] > 0:
        return arctan(div(y, x)[0])
    if not (y[0] > 0 or y[1] < 0):
        return None
    quarter = div(pi(), single(2))[0]
    return sub(quarter if y[0] > 0 else neg(quarter), arctan(div(x, y)[0]))


def _any_angle(y: Interval, x: Interval) -> Interval:
    """The half-turns that there are: above 0 with y >= 0, below with y < 0."""
    turn = div(pi(), single(2))[0] if x[0] >= 0 else pi()
    up, down = (turn[1] if y[1] > 0 or x[0] < 0 else of_double(0)), (neg(turn)[0] if y[0] < 0 else of_double(0))
    return down, up


def _angle_slopes(y: Interval, x: Interval, _value: Interval) -> Two:
    """x/h^2 and -y/h^2 off the origin and the half-line left of it."""
    if _smooth_angle(y, x) is None:
        return whole_line(), whole_line()
    long = add(square(y), square(x))
    return div(x, long)[0], neg(div(y, long)[0])


def _mod(a: Interval, b: Interval) -> tuple[Interval, int]:
    """From 0 to the divisor; a - k b if the whole part of a/b is k."""
    zero = single(0)
    around, state = hull([b, zero]), div(a, b)[1]
    turn = _turn(a, b)
    if turn is None:
        return (whole_line() if state == NOWHERE else around), state
    return meet(sub(a, mul(turn, b)), around) or around, state


def _turn(a: Interval, b: Interval) -> Interval | None:
    """The whole part of a/b, if there is one only."""
    quotient, state = div(a, b)
    found = floor(quotient)
    return found if state == EVERYWHERE and is_finite(found[0]) and found[0] == found[1] else None


def _mod_slopes(a: Interval, b: Interval, _value: Interval) -> Two:
    turn = _turn(a, b)
    return (whole_line(), whole_line()) if turn is None else (single(1), neg(turn))


PAIRS: dict[str, Pair] = {
    "min": Pair(
        _min, lambda a, b, value: _either(a[1] <= b[0], b[1] <= a[0]),
        lambda a, b, value: ((value[0], infinite(1)), (value[0], infinite(1))), continuous=True,
    ),
    "max": Pair(
        _max, lambda a, b, value: _either(b[1] <= a[0], a[1] <= b[0]),
        lambda a, b, value: ((infinite(-1), value[1]), (infinite(-1), value[1])), continuous=True,
    ),
    "hypot": Pair(_hypot, _hypot_slopes, _hypot_inverse, continuous=True),
    "arctan2": Pair(_angle, _angle_slopes),
    "mod": Pair(_mod, _mod_slopes, divides=True),
}  # fmt: skip
