"""Plain numbers, and arithmetic with them rounded down or up: by Arb's balls or by MPFR's directed rounding.

A plain number, an *end*, is exactly what it is: a binary fraction, or an infinity. The rules of the checker compare
ends, which is exact, and compute with `DOWN` and `UP`, whose results are no higher and no lower than the true ones;
nothing else. So no rule can mistake a rounded number for the number it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache, partial
from math import inf
from operator import methodcaller
from threading import TIMEOUT_MAX
from typing import Any

import flint
import gmpy2

from cpcbench.arb import precision_lock
from cpcbench.certify.checker.ground.verdict import NotCheckedError

End = Any
"""A `flint.arb` of radius 0 or a `gmpy2.mpfr`; neither library has types."""

Ball = Any
"""A `flint.arb` of any radius: it stands for all numbers that it holds."""

ARITHMETICS = ("arb", "mpfr")
MOST_BITS = 1 << 16
"""An end further than this from 1, as a power of 2, has no whole part that is worth its memory."""


class Rounding:
    """Operations rounded to one side. `power` takes a positive base, `whole_power` a whole number of at least 1."""

    neg: Callable[[End], End]
    add: Callable[[End, End], End]
    sub: Callable[[End, End], End]
    mul: Callable[[End, End], End]
    div: Callable[[End, End], End]
    power: Callable[[End, End], End]
    whole_power: Callable[[End, int], End]
    pi: Callable[[], End]
    named: Callable[[str], Callable[[End], End]]
    bits: int = 64

    def __init__(self, upwards: bool) -> None:
        self.upwards = upwards
        self.known: dict[str, Callable[[End], End]] = {}

    def of(self, name: str, a: End) -> End:
        """A function of one number, by the name that it has in both libraries."""
        if name not in self.known:
            self.known[name] = self.named(name)
        return self.known[name](a)

    def rational(self, value: Fraction) -> End:
        """A fraction, by the division of whole numbers."""
        top, bottom = value.numerator, value.denominator
        shift = self.bits - top.bit_length() + bottom.bit_length()
        top, bottom = (top << shift, bottom) if shift > 0 else (top, bottom << -shift)
        return _now.binary(-(-top // bottom) if self.upwards else top // bottom, -shift)


DOWN, UP = Rounding(False), Rounding(True)


def use(arithmetic: str, bits: int) -> None:
    """Lets everything be computed by one of the arithmetics, with so many bits, from now on."""
    global _now  # noqa: PLW0603 - the precision of the libraries is global as well
    _now = {"arb": _Arb, "mpfr": _Mpfr}[arithmetic]
    _now.name = arithmetic
    for side in (DOWN, UP):
        side.bits, side.known = bits, {}
        _now.fill(side)


def in_use() -> str:
    """The name of the arithmetic."""
    return str(_now.name)


def precision(bits: int) -> None:
    """Changes the number of bits, not the arithmetic."""
    use(_now.name, bits)


@contextmanager
def arithmetic(name: str, bits: int, seconds: float = inf) -> Iterator[None]:
    """Within it, one of the arithmetics is in use, by this thread alone, whatever the libraries are set to elsewhere.

    A thread waits for its turn, but no longer than so many seconds. Nothing here uses the operators of MPFR's numbers,
    which round as the current context says: with 2 bits, so that the tests would see it.
    """
    blunt = gmpy2.context(precision=2, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min())
    if not precision_lock.acquire(timeout=min(max(seconds, 0), TIMEOUT_MAX)):
        raise NotCheckedError("the time was over before it was its turn to compute")
    try:
        with blunt:
            before, before_bits, flint_bits = _now.name, DOWN.bits, flint.ctx.prec
            use(name, bits)
            try:
                yield
            finally:
                use(before, before_bits)
                flint.ctx.prec = flint_bits
    finally:
        precision_lock.release()


@lru_cache(maxsize=1 << 17)
def _double(name: str, value: float) -> End:
    return flint.arb(value) if name == "arb" else gmpy2.mpfr(value, 53)


def of_double(value: float) -> End:
    """A double is a binary fraction: the end that it is."""
    return _double(_now.name, value)


def infinite(sign: int) -> End:
    """An infinity as an end."""
    return _now.INFINITE if sign > 0 else _now.MINUS_INFINITE


def ball(low: float, high: float) -> Ball:
    """A ball that holds all numbers from one double to another; only Arb has balls."""
    return of_double(low) if low == high else of_double(low).union(of_double(high))


def around(low: End, high: End) -> Ball:
    """A ball that holds all numbers from one end to another."""
    return low.union(high)


def ends_of(ball: Ball) -> tuple[End, End]:
    """Ends with all numbers of a ball between them."""
    return _lower(ball), _upper(ball)


def points_of(ball: Ball) -> tuple[Ball, Ball]:
    """The same as balls, each of one number."""
    return ends_of(ball)


def named(name: str) -> Callable[[Ball], Ball]:
    """A function on balls by the name that Arb has for it."""
    return methodcaller(name)


def is_finite(end: End) -> bool:
    return bool(-inf < end < inf)


def exact(end: End) -> Fraction | None:
    """The number that a finite end is; None if it is too large or too small to be written out."""
    if not is_finite(end):
        return None
    mantissa, exponent = _now.parts(end)
    if abs(exponent) > MOST_BITS:
        return None
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def floor(end: End) -> int | None:
    """The whole part of an end; None if it is infinite or too large to be written out."""
    if not is_finite(end):
        return None
    parts: tuple[int, int] = _now.parts(end)
    mantissa, exponent = parts
    if exponent < -MOST_BITS and mantissa.bit_length() < MOST_BITS:
        return -1 if mantissa < 0 else 0
    if abs(exponent) > MOST_BITS:
        return None
    return mantissa << exponent if exponent >= 0 else mantissa >> -exponent


def shown(end: End) -> str:
    """An end in a message."""
    return str(end)[:40]


class _Mpfr:
    """MPFR rounds every operation correctly to the side asked for."""

    name = "mpfr"
    INFINITE, MINUS_INFINITE = gmpy2.inf(1), gmpy2.inf(-1)

    @staticmethod
    def fill(side: Rounding) -> None:
        way = gmpy2.RoundUp if side.upwards else gmpy2.RoundDown
        context = gmpy2.context(
            precision=side.bits, round=way, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min(),
            trap_divzero=False, trap_invalid=False, trap_overflow=False, trap_underflow=False,
        )  # fmt: skip
        side.neg, side.add, side.sub, side.mul, side.div = (
            context.minus, context.add, context.sub, context.mul, context.div,
        )  # fmt: skip
        side.named = partial(getattr, context)
        side.power, side.whole_power, side.pi = context.pow, context.pow, context.const_pi

    @staticmethod
    def binary(mantissa: int, exponent: int) -> End:
        value = Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
        return gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator), max(2, mantissa.bit_length()))

    @staticmethod
    def parts(end: End) -> tuple[int, int]:
        mantissa, exponent = end.as_mantissa_exp()
        return int(mantissa), int(exponent)


class _Arb:
    """Arb's balls hold the true result; of each the end on the side asked for is kept."""

    name = "arb"
    INFINITE, MINUS_INFINITE = flint.arb.pos_inf(), flint.arb.neg_inf()

    @staticmethod
    def fill(side: Rounding) -> None:
        flint.ctx.prec = side.bits
        end = _upper if side.upwards else _lower
        side.neg = lambda a: end(-a)
        side.add = lambda a, b: end(a + b)
        side.sub = lambda a, b: end(a - b)
        side.mul = lambda a, b: end(a * b)
        side.div = lambda a, b: end(a / b)
        side.named = lambda name: lambda a: end(getattr(a, name)())
        side.power = side.whole_power = lambda a, n: end(a**n)
        side.pi = lambda: end(flint.arb.pi())

    @staticmethod
    def binary(mantissa: int, exponent: int) -> End:
        return flint.arb((mantissa, exponent))

    @staticmethod
    def parts(end: End) -> tuple[int, int]:
        mantissa, exponent = end.man_exp()
        return int(mantissa), int(exponent)


def _lower(ball: Any) -> End:
    found = ball.lower()
    return found if found.is_finite() else _Arb.MINUS_INFINITE


def _upper(ball: Any) -> End:
    found = ball.upper()
    return found if found.is_finite() else _Arb.INFINITE


_now: Any = _Arb
with precision_lock, flint.ctx.workprec(64):  # an import leaves the precision of others alone
    use("arb", 64)
