"""The functions of the language and powers on tails; None where one is not shown to be defined in the end."""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.core.facts import Beside, Function, Place, Reach
from cpcbench.certify.checker.core.functions.table import FUNCTIONS
from cpcbench.certify.checker.core.intervals import EVERYWHERE, Interval, magnitude, whole_line
from cpcbench.certify.checker.core.numbers import exact
from cpcbench.certify.checker.core.powers import natural_power
from cpcbench.certify.checker.extensions.paths import powers_of_pi
from cpcbench.certify.checker.extensions.paths.tails import (
    FINITE,
    INFINITE,
    Tail,
    added,
    constant,
    divided,
    exactly,
    infinite,
    inverted,
    less,
    multiplied,
    negated,
    tends,
    vanishing,
    within,
)


def applied(op: str, a: Tail) -> Tail | None:
    """A function of one operand."""
    if op in ("neg", "abs"):
        return negated(a) if op == "neg" else absolute(a)
    function = FUNCTIONS[op]
    if a.kind == INFINITE:
        return _far(function, a.side)
    place = _place(a)
    beside = None if place is None else function.beside(place)
    if beside is not None and (a.side is not None or not _differs(beside)):
        return _reached(beside, a.side)
    inside = function.domain.surrounds(a.range) if a.kind == FINITE else function.domain.holds(a.range)
    if not inside:
        return None
    if not function.continuous:
        return _between_jumps(function.range(a.room))
    found = function.range(a.range)
    if a.kind != FINITE:
        return within(found)
    way = 1 if function.rises else _way(function.slope(a.range, found))
    return tends(found, None if way is None or a.side is None else way * a.side)


def _place(a: Tail) -> Place | None:
    """The limit as a + b*pi, if it is known to be such a number."""
    if a.kind != FINITE or a.value is None or not set(a.value) <= {(0, 0), (0, 1)}:
        return None
    return a.value.get((0, 0), Fraction(0)), a.value.get((0, 1), Fraction(0))


def _far(function: Function, side: int | None) -> Tail | None:
    reach = None if side is None else function.ends[0 if side < 0 else 1]
    if reach is not None:
        return _tail(reach)
    found, state = function.over(whole_line())
    return within(found) if state == EVERYWHERE else None


def _differs(beside: Beside) -> bool:
    """Whether it matters from where the number is approached."""
    values = {None if reach is None else reach.value for reach in beside}
    return len(values) > 1 or values == {None}


def _reached(beside: Beside, side: int | None) -> Tail | None:
    if side is None and beside.below == beside.at == beside.above:  # as it is off its jumps
        side = 0
    if side is None:
        return None if beside.at is None or beside.at.value is None else _tends(beside.at.value, None)
    reach = beside.at if side == 0 else beside.below if side < 0 else beside.above
    return None if reach is None else _tail(reach)


def _tail(reach: Reach) -> Tail:
    return infinite(reach.side) if reach.value is None else _tends(reach.value, reach.side)


def _tends(value: Place, side: int | None) -> Tail:
    number = powers_of_pi.plus(powers_of_pi.number(value[0]), powers_of_pi.number(value[1], 1))
    return exactly(number) if side == 0 else tends(powers_of_pi.enclosed(number), side, number)


def _between_jumps(found: Interval) -> Tail:
    level = exact(found[0]) if found[0] == found[1] else None
    return within(found) if level is None else constant(level)


def _way(slope: Interval) -> int | None:
    return 1 if slope[0] > 0 else -1 if slope[1] < 0 else None


def absolute(a: Tail) -> Tail:
    """The size, which keeps what it is exactly."""
    sign = a.sign
    if sign is not None:
        return negated(a) if sign < 0 else a
    if a.kind == FINITE:
        return vanishing(None) if a.vanishes else tends(magnitude(a.range), None)
    return within(magnitude(a.range))


def combined(op: str, a: Tail, b: Tail) -> Tail | None:
    """The arithmetic of two operands, but for powers; of other functions nothing is known."""
    if op in ("add", "sub"):
        return added(a, b if op == "add" else negated(b))
    if op == "given":
        return b if less(constant(0), a, strict=False) else None
    return multiplied(a, b) if op == "mul" else divided(a, b) if op == "div" else None


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
        return within(natural_power(a.range, n))
    value = None if a.value is None else powers_of_pi.raised(a.value, n)
    way = 1 if n % 2 else a.away
    side = None if a.side is None or not way else way * a.side
    return tends(natural_power(a.range, n), side, value)


def positive_power(a: Tail, exponent: Tail) -> Tail | None:
    """a^b as exp(b ln(a)), for a base that is positive in the end."""
    logarithm = applied("ln", a) if a.sign == 1 else None
    return None if logarithm is None else applied("exp", multiplied(exponent, logarithm))
