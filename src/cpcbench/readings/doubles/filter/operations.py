"""What a filter knows of each operation of the language; None where it knows nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from cpcbench.readings.doubles.filter.known import (
    UNIT,
    Known,
    absolute,
    added,
    arcsine,
    divided,
    exponential,
    extreme,
    inexact,
    known,
    logarithm,
    multiplied,
    negated,
    off_by,
    rooted,
    settled,
    stepped,
    subtracted,
    turned,
)
from cpcbench.readings.doubles.filter.vectors import Vectors
from cpcbench.readings.doubles.ranges import SLACK

MOST_WHOLE = 16
"""Whole exponents up to here are products in the kernel, with an error far below `WHOLE_ERROR`."""
WHOLE_ERROR = 2.0**-48


def number(v: Vectors, value: float) -> Known | None:
    return Known(v.constant(value), value, value, 0.0) if math.isfinite(value) else None


def constant_power(v: Vectors, base: Known, exponent: float, often: float) -> Known | None:
    """A power with a constant exponent, in the cases in which the kernel has them."""
    if exponent == 1.0:
        return base
    if exponent == -1.0:
        return divided(v, Known(v.constant(1.0), 1.0, 1.0, 0.0), base)
    if exponent == 0.5:
        return rooted(v, replace(base, value=v.builder.fadd(base.value, v.constant(0.0))))
    if exponent == 2.0:
        return multiplied(v, base, base)
    if exponent == math.floor(exponent) and 3.0 <= exponent <= MOST_WHOLE:
        return _whole_power(v, base, int(exponent))
    if exponent == 1.5:  # by a root, which costs less than a logarithm
        root = rooted(v, inexact(base))
        return off_by(root and multiplied(v, root, replace(base, low=max(base.low, 0.0))), SLACK)
    if not math.isfinite(exponent) or exponent == 0.0 or (exponent == math.floor(exponent) and base.low < 0.0):
        return None
    factor = number(v, exponent)
    return factor and _power(v, base, factor, often)


def _whole_power(v: Vectors, base: Known, exponent: int) -> Known | None:
    base = settled(v, base)
    value = v.whole_power(base.value, exponent)
    try:
        most = base.reach**exponent
        slope = exponent * base.reach ** (exponent - 1)
        ends = [base.low**exponent, base.high**exponent]
    except OverflowError:
        return None
    low, high = min(ends), max(ends)
    if exponent % 2 == 0:
        low = 0.0
    room = most * WHOLE_ERROR
    return known(value, (low - room, high + room), slope * base.error + (2.0 * UNIT * exponent + WHOLE_ERROR) * most)


def _power(v: Vectors, base: Known, exponent: Known, often: float) -> Known | None:
    """The exponential of exponent times logarithm, where the base is above 0; unknown elsewhere."""
    if base.high <= 0.0:
        return None
    ln = logarithm(v, inexact(base))
    product = ln and multiplied(v, ln, inexact(exponent))
    return off_by(product and exponential(v, product, often), SLACK)


def power(v: Vectors, base: Known, exponent: Known, often: float) -> Known | None:
    """With an exponent that depends on the point."""
    return _power(v, settled(v, base), settled(v, exponent), often)


def _tangent(v: Vectors, a: Known) -> Known | None:
    sine, cosine = turned(Vectors.sin)(v, a), turned(Vectors.cos)(v, a)
    return off_by(divided(v, sine, cosine) if sine and cosine else None, SLACK)


def _arccosine(v: Vectors, a: Known) -> Known | None:
    quarter, angle = number(v, math.pi / 2), arcsine(v, inexact(a))
    return off_by(quarter and angle and subtracted(v, quarter, angle), 2.0 * SLACK)


def _scaled_logarithm(factor: float) -> Callable[[Vectors, Known], Known | None]:
    def made(v: Vectors, a: Known) -> Known | None:
        ln, scale = logarithm(v, inexact(a)), number(v, factor)
        return off_by(ln and scale and multiplied(v, ln, scale), SLACK)

    return made


def _log1p(v: Vectors, a: Known) -> Known | None:
    one = number(v, 1.0)
    total = one and added(v, one, inexact(a))
    return off_by(total and logarithm(v, total), SLACK)


def _hypotenuse(v: Vectors, a: Known, b: Known) -> Known | None:
    a, b = settled(v, inexact(a)), settled(v, inexact(b))
    first, second = multiplied(v, a, a), multiplied(v, b, b)
    total = added(v, first, second) if first and second else None
    return off_by(total and rooted(v, total), SLACK)


def _sign(v: Vectors, a: Known) -> Known | None:
    a = settled(v, a)
    size = v.absolute(a.value)
    one = v.intrinsic("llvm.copysign", v.constant(1.0), a.value)
    return known(v.known_where(v.ordered(">", size, a.error), one), (-1.0, 1.0), 0.0)


OPERATIONS: dict[str, Callable[..., Known | None]] = {
    "add": added,
    "sub": subtracted,
    "mul": multiplied,
    "div": divided,
    "neg": negated,
    "pow": power,
    "sqrt": rooted,
    "ln": logarithm,
    "exp": exponential,
    "sin": turned(Vectors.sin),
    "cos": turned(Vectors.cos),
    "tan": _tangent,
    "arcsin": arcsine,
    "arccos": _arccosine,
    "log10": _scaled_logarithm(1.0 / math.log(10.0)),
    "log2": _scaled_logarithm(1.0 / math.log(2.0)),
    "log1p": _log1p,
    "hypot": _hypotenuse,
    "abs": absolute,
    "floor": stepped("llvm.floor"),
    "ceil": stepped("llvm.ceil"),
    "round": stepped("llvm.rint"),
    "sign": _sign,
    "whole": lambda _v, a: a,
    "min": extreme("<"),
    "max": extreme(">"),
    "given": lambda _v, _condition, value: value,
}
"""What is not named here is unknown, and with it what is made of it."""
