"""What a filter knows of a value of the kernel: a number in each lane, and how far it can be off.

A `Known` speaks of points of the box at which the kernel has a value, and of lanes that are not NaN. There the double
that the kernel comes to at this place of the formula lies from `low` to `high`, and within `error` of the lane. With
an error of 0 it is the lane, bit for bit. Lanes in `above` were cut off: there all this is true of a number that the
kernel's double is not below, and in `below` of one that it is not above; `peak` bounds the size of the kernel's double
in these as well, but where `Vectors.far` says that it does not. Few points have a size below `usual`: it only decides
where lanes are given up that would need large bounds. Of other points nothing is said, and nothing need be said: the
kernel rejects them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from llvmlite import ir

from cpcbench.readings.doubles.filter.vectors import (
    ARCSIN_ERROR,
    EXP_ERROR,
    LEAST_LN,
    LN_ERROR,
    MOST_EXPONENT,
    MOST_TURN,
    TURN_ERROR,
    Vectors,
)
from cpcbench.readings.doubles.ranges import SLACK, Range

UNIT = 2.0**-53
TINY = 2.0**-1000
"""More than whatever is lost where results are subnormal, or taken for 0."""
MOST = 1e100
"""Nothing is said of numbers that can be larger, if they are not exact: no bound overflows."""
ROOM = 1.0 + 1e-9
"""For the rounding of the bounds themselves."""
COARSE = 2.0**-17
"""Of a divisor's largest size: lanes with smaller divisors are not looked into."""
LOOSE, LEAST_CUT = 1e-3, 100.0
"""exp is cut off where its error would be larger than the first, but not below the second."""
FAR = 200.0
"""Exponents up to here keep the peak small enough for products of several exponentials."""


@dataclass(frozen=True)
class Known:
    value: ir.Value
    low: float
    high: float
    error: float
    above: ir.Value | None = None
    below: ir.Value | None = None
    cut_peak: float = 0.0
    usual: float = 0.0

    @property
    def peak(self) -> float:
        return max(self.size, self.cut_peak)

    @property
    def is_exact(self) -> bool:
        return self.error == 0.0

    @property
    def span(self) -> Range:
        return self.low, self.high

    @property
    def size(self) -> float:
        return max(abs(self.low), abs(self.high))

    @property
    def reach(self) -> float:
        """The largest size of a lane."""
        return self.size + self.error

    @property
    def is_cut(self) -> bool:
        return self.above is not None or self.below is not None


def known(value: ir.Value, span: Range, error: float, like: Known | None = None) -> Known | None:
    """None where the bound says nothing; cut off, and of no larger peak, as the operand that it is `like`."""
    low, high = span
    if not (0.0 <= error <= MOST and -MOST <= low <= high <= MOST):
        return None
    above, below = (None, None) if like is None else (like.above, like.below)
    peak = max(like.peak, 1e3) if like is not None and like.is_cut else 0.0  # of a root, a logarithm or an angle
    return Known(value, low, high, (error + TINY) * ROOM, above, below, peak)


def either(v: Vectors, a: ir.Value | None, b: ir.Value | None) -> ir.Value | None:
    return b if a is None else a if b is None else v.builder.or_(a, b)


def settled(v: Vectors, a: Known) -> Known:
    """Unknown where it was cut off."""
    cut = either(v, a.above, a.below)
    if cut is None:
        return a
    return replace(a, value=v.choose(cut, v.constant(math.nan), a.value), above=None, below=None, cut_peak=0.0)


def inexact(a: Known) -> Known:
    """As one of which only the real number is known: what is made of it is not the kernel's own operation."""
    return replace(a, error=max(a.error, TINY))


def off_by(a: Known | None, relative: float) -> Known | None:
    """The same if the kernel's double is off by so much more, in proportion to itself."""
    if a is None:
        return None
    low, high = a.low - relative * abs(a.low), a.high + relative * abs(a.high)
    return replace(a, low=low, high=high, error=(a.error + relative * a.reach + TINY) * ROOM)


def negated(v: Vectors, a: Known) -> Known:
    return _mirrored(a, v.builder.fneg(a.value))


def _mirrored(a: Known, value: ir.Value) -> Known:
    return Known(value, -a.high, -a.low, a.error, a.below, a.above, a.cut_peak)


def added(v: Vectors, a: Known, b: Known) -> Known | None:
    return _sum(v, v.builder.fadd(a.value, b.value), a, b)


def subtracted(v: Vectors, a: Known, b: Known) -> Known | None:
    return _sum(v, v.builder.fsub(a.value, b.value), a, _mirrored(b, b.value))


def _sum(v: Vectors, value: ir.Value, a: Known, b: Known) -> Known | None:
    above, below = either(v, a.above, b.above), either(v, a.below, b.below)
    low, high = a.low + b.low, a.high + b.high
    if a.is_exact and b.is_exact:
        return Known(value, low, high, 0.0) if math.isfinite(low) and math.isfinite(high) else None
    made = known(value, (low, high), a.error + b.error + 2.0 * UNIT * (a.reach + b.reach))
    return made and replace(made, above=above, below=below, cut_peak=(a.peak + b.peak) * ROOM)


def multiplied(v: Vectors, a: Known, b: Known) -> Known | None:
    a, b, above, below = _cuts(v, a, b)
    value = v.builder.fmul(a.value, b.value)
    ends = [p * q for p in a.span for q in b.span]
    low, high = min(ends), max(ends)
    if a.value is b.value:
        low = max(low, 0.0)
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    if a.is_exact and b.is_exact:
        return Known(value, low, high, 0.0)
    error = a.reach * b.error + b.size * a.error + 2.0 * UNIT * a.reach * b.reach
    made = known(value, (low, high), error)
    return made and replace(made, above=above, below=below, cut_peak=a.peak * b.peak * ROOM)


def _cuts(v: Vectors, a: Known, b: Known) -> tuple[Known, Known, ir.Value | None, ir.Value | None]:
    """The factors, and where their product is cut off: one factor may be if the other has a known sign."""
    if a.is_cut and b.is_cut and min(a.low, b.low) >= 0.0 and a.below is None and b.below is None:
        return a, b, either(v, a.above, b.above), None
    if a.is_cut and b.is_cut:
        a, b = settled(v, a), settled(v, b)
    cut, other = (a, b) if a.is_cut else (b, a)
    if not cut.is_cut:
        return a, b, None, None
    if other.low >= 0.0:
        return a, b, cut.above, cut.below
    if other.high <= 0.0:
        return a, b, cut.below, cut.above
    return settled(v, a), settled(v, b), None, None


def divided(v: Vectors, a: Known, b: Known) -> Known | None:
    a, b, above, below = _cuts(v, a, settled(v, b))
    value = v.builder.fdiv(a.value, b.value)
    least = max(b.low, -b.high, 0.0)  # of |b| in the kernel
    lane = least - b.error
    if least <= 4.0 * b.error or least < COARSE**2 * b.size:
        if a.size <= TINY or b.size <= TINY:
            return None
        lane = max(b.usual or COARSE * b.size, 16.0 * b.error)
        value = v.known_where(v.ordered(">=", v.absolute(b.value), lane), value)
        least = (lane - b.error) * (1.0 - UNIT)
    most = a.size / least
    ends = [p / q for p in a.span for q in (max(b.low, least), max(b.high, least))] if b.low >= 0.0 else [-most, most]
    span = min(ends), max(ends)
    if a.is_exact and b.is_exact and math.isfinite(most):
        return Known(value, *span, 0.0)
    error = (a.error + most * b.error) / lane
    made = known(value, span, error + 2.0 * UNIT * (most + error))
    return made and replace(made, above=above, below=below, cut_peak=a.peak / least * ROOM)


def rooted(v: Vectors, a: Known) -> Known | None:
    value = v.intrinsic("llvm.sqrt", a.value)
    low, high = math.sqrt(max(a.low, 0.0)), math.sqrt(max(a.high, 0.0))
    if a.is_exact:
        return Known(value, low, high, 0.0)
    lane = max(a.usual or math.sqrt(a.error * a.reach), 2.0 * a.error)
    if a.low > 2.0 * lane:
        lane = a.low - a.error
    else:
        value = v.known_where(v.ordered(">=", a.value, lane), value)
    error = a.error / math.sqrt(lane)
    return known(value, (low, high), error + 2.0 * UNIT * (high + error), a)


def logarithm(v: Vectors, a: Known) -> Known | None:
    lane = max(a.usual or math.sqrt(a.error * a.reach), 4.0 * a.error) if not a.is_exact else LEAST_LN
    lane = max(lane, LEAST_LN)
    if a.high < lane:
        return None
    if a.low > 2.0 * lane:
        lane = a.low - a.error
    value = v.known_where(v.ordered(">=", a.value, lane * (1.0 - UNIT)), v.ln(a.value))
    least = lane - 2.0 * a.error if a.error else lane
    low, high = math.log(least) - 1e-9, math.log(a.high) + 1e-9
    size = max(abs(low), abs(high))
    return known(value, (low, high), a.error / least + LN_ERROR + (SLACK + 2.0 * UNIT) * size, a)


def exponential(v: Vectors, a: Known, often: float = LEAST_CUT) -> Known | None:
    """Cut off where it is large: then little is lost by an error that is the same for all lanes.

    Few points have values larger than `often`: what is beyond need not be told apart.
    """
    relative = math.expm1(min(a.error, 1.0)) + EXP_ERROR + SLACK
    if a.error >= 1.0 or a.high < -MOST_EXPONENT:
        return None
    top = math.log(min(often, max(LOOSE / relative, LEAST_CUT)))  # far below MOST_EXPONENT
    if a.low > top:
        return None
    above, x = a.above, a.value
    v.is_far(above)
    if a.high + a.error >= top:
        v.is_far(v.ordered(">", x, FAR))
        beyond = v.ordered(">", x, top)
        above, x = either(v, above, beyond), v.choose(beyond, v.constant(top), x)
    top = min(a.high, top) + 2.0 * a.error
    if a.low - a.error <= -MOST_EXPONENT:
        x = v.choose(v.ordered("<", x, -MOST_EXPONENT), v.constant(-MOST_EXPONENT), x)
    low, high = math.exp(max(a.low, -MOST_EXPONENT)) * (1.0 - 1e-9), math.exp(top) * (1.0 + 1e-9)
    low = low if a.low > -MOST_EXPONENT else 0.0
    made = known(v.exp(x), (low, high), high * relative + 1e-300)
    return made and replace(made, above=above, below=a.below, cut_peak=0.0 if above is None else math.exp(FAR + 2.0))


def turned(function: Callable[[Vectors, ir.Value], ir.Value]) -> Callable[[Vectors, Known], Known | None]:
    """Sine or cosine."""

    def made(v: Vectors, a: Known) -> Known | None:
        a = settled(v, a)
        value = function(v, a.value)
        if a.reach > MOST_TURN:
            value = v.known_where(v.ordered("<=", v.absolute(a.value), MOST_TURN), value)
        error = a.error + TURN_ERROR + UNIT * a.reach + SLACK
        return known(value, (-1.0, 1.0), error) if error < 0.25 else None

    return made


def arcsine(v: Vectors, a: Known) -> Known | None:
    """Away from -1 and 1, where it is steep."""
    lane = max(math.sqrt(a.error), 4.0 * a.error)
    if lane >= 0.5:
        return None
    inside = v.ordered("<=", v.absolute(a.value), 1.0 - lane)
    error = a.error / math.sqrt(0.5 * lane) if a.error else 0.0
    return known(v.known_where(inside, v.arcsin(a.value)), (-1.6, 1.6), error + ARCSIN_ERROR + 2.0 * SLACK, a)


def absolute(v: Vectors, a: Known) -> Known:
    a = settled(v, a)
    low = 0.0 if a.low <= 0.0 <= a.high else min(abs(a.low), abs(a.high))
    return Known(v.absolute(a.value), low, a.size, a.error)


def stepped(name: str) -> Callable[[Vectors, Known], Known | None]:
    """floor, ceil or rint: known where the step is the same at both ends of what the operand can be."""

    def made(v: Vectors, a: Known) -> Known | None:
        a = settled(v, a)
        value = v.intrinsic(name, a.value)
        low, high = float(math.floor(a.low)), float(math.ceil(a.high))
        if a.is_exact:
            return Known(value, low, high, 0.0)
        room = v.constant(a.error * 1.5 + 4.0 * UNIT * a.reach)
        ends = (v.builder.fsub(a.value, room), v.builder.fadd(a.value, room))
        steps = [v.intrinsic(name, end) for end in ends]
        same = v.builder.fcmp_ordered("==", *steps)
        return known(v.known_where(same, value), (low, high), 0.0)

    return made


def extreme(relation: str) -> Callable[[Vectors, Known, Known], Known | None]:
    """The lesser or the larger of two."""

    def made(v: Vectors, a: Known, b: Known) -> Known | None:
        a, b = settled(v, a), settled(v, b)
        better = v.choose(v.builder.fcmp_ordered(relation, b.value, a.value), b.value, a.value)
        value = v.known_where(v.builder.fcmp_ordered("ord", a.value, b.value), better)
        pick = min if relation == "<" else max
        span = pick(a.low, b.low), pick(a.high, b.high)
        if a.is_exact and b.is_exact:
            return Known(value, *span, 0.0)
        return known(value, span, max(a.error, b.error))

    return made
