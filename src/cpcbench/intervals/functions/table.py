"""The functions of one operand: all that compiled code knows of one is its entry here."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.intervals import operations as ops
from cpcbench.intervals.arithmetic import (
    INF,
    Pair,
    Part,
    divided,
    down,
    either_sign,
    far_down,
    far_up,
    magnitude,
    squared,
    up,
)
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.functions import inverses, waves
from cpcbench.intervals.functions.entry import Function, chosen, rising
from cpcbench.intervals.functions.pairs import PAIRS
from cpcbench.intervals.operations import EVERYWHERE, MAYBE, NOWHERE


def _sqrt(a: float, b: float) -> Part:
    low, high = max(down(math.sqrt(max(a, 0.0))), 0.0), up(math.sqrt(max(b, 0.0)))
    return low, high, NOWHERE if b < 0.0 else EVERYWHERE if a >= 0.0 else MAYBE


def _sqrt_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    low, high = max(r, 0.0), max(s, 0.0)
    return max(down(low * low), 0.0), up(high * high)


def _ln(a: float, b: float) -> Part:
    if b <= 0.0:
        return -INF, INF, NOWHERE
    low = far_down(math.log(a)) if a > 0.0 else -INF
    return low, far_up(math.log(b)), EVERYWHERE if a > 0.0 else MAYBE


def _exp_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    low = far_down(math.log(r)) if r > 0.0 else -INF
    return low, far_up(math.log(s)) if s > 0.0 else INF


@compiled
def _more_by_1(low: float, high: float) -> Pair:
    return down(1.0 + low), up(1.0 + high)


def _arctan_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    quarter = 0.5 * math.pi  # less than half of pi
    low = far_down(math.tan(r)) if -quarter <= r <= quarter else -INF
    return low, far_up(math.tan(s)) if -quarter <= s <= quarter else INF


@compiled
def over_root(a: float, b: float) -> Pair:
    """1 / sqrt of what is not negative."""
    return divided(1.0, 1.0, max(down(math.sqrt(max(a, 0.0))), 0.0), up(math.sqrt(b)))


@compiled
def _cosh_ends(a: float, b: float) -> Pair:
    near, far = magnitude(a, b)
    return max(far_down(math.cosh(near)), 1.0), far_up(math.cosh(far))


def _cosh_inverse(r: float, s: float, a: float, b: float) -> Pair:
    smallest, largest = far_down(math.acosh(max(r, 1.0))), far_up(math.acosh(max(s, 1.0)))
    return either_sign(smallest, largest, a, b)


def _tanh_inverse(r: float, s: float, _a: float, _b: float) -> Pair:
    low = far_down(math.atanh(r)) if -1.0 < r < 1.0 else -INF
    return low, far_up(math.atanh(s)) if -1.0 < s < 1.0 else INF


def _tanh_slope(_a: float, _b: float, r: float, s: float) -> Pair:
    c, d = squared(r, s)
    return max(down(1.0 - d), 0.0), up(1.0 - c)


def _whole(a: float, b: float) -> Part:
    low, high = np.ceil(a), np.floor(b)
    return (low, high, EVERYWHERE if a == b else MAYBE) if low <= high else (-INF, INF, NOWHERE)


FUNCTIONS: dict[str, Function] = {
    "sinc": Function(waves.cardinal_sine, slope=waves.cardinal_slope),
    "sqrt": Function(_sqrt, _sqrt_inverse, lambda a, b, r, s: divided(0.5, 0.5, r, s), ops.SIGNED, ball="sqrt"),
    "ln": Function(
        _ln,
        lambda r, s, a, b: (max(far_down(math.exp(r)), 0.0), far_up(math.exp(s))),
        lambda a, b, r, s: divided(1.0, 1.0, max(a, 0.0), b),
        ops.SIGNED,
        ball="log",
    ),
    "exp": Function(rising(math.exp, least=0.0), _exp_inverse, lambda a, b, r, s: (r, s), ball="exp"),
    "sin": Function(waves.sine, waves.sine_inverse, lambda a, b, r, s: waves.wave(True, a, b), ball="sin"),
    "cos": Function(waves.cosine, waves.cosine_inverse, waves.cosine_slope, ball="cos"),
    "tan": Function(waves.tangent, slope=waves.tangent_slope, asks=ops.OTHER, ball="tan"),
    "arcsin": Function(waves.arcsine, waves.arcsine_inverse, waves.arcsine_slope, ops.OTHER, ball="asin"),
    "arctan": Function(
        rising(math.atan, -waves.HALF_PI_UP, waves.HALF_PI_UP),
        _arctan_inverse,
        lambda a, b, r, s: divided(1.0, 1.0, *_more_by_1(*squared(a, b))),
        ball="atan",
    ),
    "sinh": Function(
        rising(math.sinh),
        lambda r, s, a, b: (far_down(math.asinh(r)), far_up(math.asinh(s))),
        lambda a, b, r, s: _cosh_ends(a, b),
        ball="sinh",
    ),
    "cosh": Function(
        lambda a, b: (*_cosh_ends(a, b), EVERYWHERE),
        _cosh_inverse,
        lambda a, b, r, s: (far_down(math.sinh(a)), far_up(math.sinh(b))),
        ball="cosh",
    ),
    "tanh": Function(rising(math.tanh, -1.0, 1.0), _tanh_inverse, _tanh_slope, ball="tanh"),
    "abs": Function(
        lambda a, b: (*magnitude(a, b), EVERYWHERE),
        lambda r, s, a, b: either_sign(r, s, a, b),  # noqa: PLW0108 - it is compiled already
        lambda a, b, r, s: (-1.0 if a < 0.0 else 1.0, 1.0 if b > 0.0 else -1.0),
    ),
    "floor": Function(
        lambda a, b: (np.floor(a), np.floor(b), EVERYWHERE), lambda r, s, a, b: (np.ceil(r), up(np.floor(s) + 1.0))
    ),
    "sign": Function(lambda a, b: (np.sign(a), np.sign(b), EVERYWHERE)),
    "arccos": Function(waves.arccosine, waves.arccosine_inverse, waves.arccosine_slope, ops.OTHER, ball="acos"),
    "arcsinh": Function(
        rising(math.asinh),
        lambda r, s, a, b: (far_down(math.sinh(r)), far_up(math.sinh(s))),
        lambda a, b, r, s: over_root(*_more_by_1(*squared(a, b))),
        ball="asinh",
    ),
    "arccosh": Function(inverses.arccosh, inverses.arccosh_inverse, inverses.arccosh_slope, ops.OTHER, ball="acosh"),
    "arctanh": Function(inverses.arctanh, inverses.arctanh_inverse, inverses.arctanh_slope, ops.OTHER, ball="atanh"),
    "log10": Function(
        inverses.log10,
        lambda r, s, a, b: (max(far_down(10.0**r), 0.0), far_up(10.0**s)),
        lambda a, b, r, s: divided(inverses.LOG10_E, inverses.LOG10_E_UP, max(a, 0.0), b),
        ops.SIGNED,
    ),
    "log2": Function(
        inverses.log2,
        lambda r, s, a, b: (max(far_down(2.0**r), 0.0), far_up(2.0**s)),
        lambda a, b, r, s: divided(inverses.LOG2_E, inverses.LOG2_E_UP, max(a, 0.0), b),
        ops.SIGNED,
    ),
    "log1p": Function(
        inverses.log1p,
        lambda r, s, a, b: (max(far_down(math.expm1(r)), -1.0), far_up(math.expm1(s))),
        lambda a, b, r, s: divided(1.0, 1.0, *_more_by_1(max(a, -1.0), b)),
        ops.OTHER,
        ball="log1p",
    ),
    "expm1": Function(
        rising(math.expm1, least=-1.0),
        inverses.expm1_inverse,
        lambda a, b, r, s: (max(far_down(math.exp(a)), 0.0), far_up(math.exp(b))),
        ball="expm1",
    ),
    "cbrt": Function(
        lambda a, b: (far_down(inverses.cube_root(a)), far_up(inverses.cube_root(b)), EVERYWHERE),
        lambda r, s, a, b: (far_down(r * r * r), far_up(s * s * s)),
        inverses.cube_root_slope,
    ),
    "erf": Function(rising(math.erf, -1.0, 1.0), inverses.erf_inverse, inverses.erf_slope, ball="erf"),
    "ceil": Function(
        lambda a, b: (np.ceil(a), np.ceil(b), EVERYWHERE), lambda r, s, a, b: (down(np.ceil(r) - 1.0), np.floor(s))
    ),
    "whole": Function(
        _whole, lambda r, s, a, b: (np.ceil(r), np.floor(s)), lambda a, b, r, s: (1.0, 1.0), ops.OTHER, whole=True
    ),
    "round": Function(
        lambda a, b: (np.rint(a), np.rint(b), EVERYWHERE),
        lambda r, s, a, b: (down(np.ceil(r) - 0.5), up(np.floor(s) + 0.5)),
    ),
}
"""By their names in the language, but for the first, sin(v) / v."""

SINC = ops.FUNCTION
_BY_NUMBER = dict(enumerate(FUNCTIONS.values(), start=ops.FUNCTION))

NUMBERS: dict[str, int] = {
    "add": ops.ADD, "sub": ops.SUB, "mul": ops.MUL, "div": ops.DIV, "neg": ops.NEG,
    "lt": ops.LT, "le": ops.LE, "where": ops.WHERE, "given": ops.GIVEN,
    **{name: ops.FUNCTION + place for place, name in enumerate(FUNCTIONS)},
    **{name: ops.PAIR + place for place, name in enumerate(PAIRS)},
}  # fmt: skip
"""The operations of the language; powers have several."""

ASKS: dict[int, int] = {
    ops.DIV: ops.OTHER, ops.THIN: ops.OTHER, ops.SLOPED: ops.OTHER,
    ops.FRACTION: ops.SIGNED, ops.VARYING: ops.SIGNED, ops.GIVEN: ops.SIGNED,
    **{number: function.asks for number, function in _BY_NUMBER.items()},
    **{ops.PAIR + place: pair.asks for place, pair in enumerate(PAIRS.values())},
}  # fmt: skip
"""What an operation asks of its operand, if it always asks the same."""

OF_WHOLE_NUMBERS = {number for number, function in _BY_NUMBER.items() if function.whole}

range_of = chosen({number: function.range for number, function in _BY_NUMBER.items()}, "a, b")
inverse_of = chosen({number: function.inverse for number, function in _BY_NUMBER.items()}, "r, s, a, b")
slope_of = chosen({number: function.slope for number, function in _BY_NUMBER.items()}, "a, b, r, s")
