"""The operations of the language on real numbers, each under the assumption that its result exists.

Where a ball reaches over the edge of an operation's domain, the part outside is cut off; whether the
point is in the domain at all is judged elsewhere.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint

from cpcbench.readings.reals.exact import (
    ANY_SIGN,
    EXACT_BITS,
    NEGATIVE,
    POSITIVE,
    ZERO,
    Keys,
    Number,
    arcsine_over_pi,
    everything,
    exact_ball,
    exact_log,
    exact_signs,
    hull,
    is_short,
    mirrored,
    perfect_root,
    product_signs,
    rational,
    signs_of,
    sine_of_pi_times,
    sum_signs,
    tame,
    tangent_of_pi_times,
)

BEYOND_DOUBLES = 710
"""exp of this is larger than every double."""

LONG_EXPONENT_BITS = 64
"""Integer exponents up to this size go by repeated squaring, longer ones through the logarithm."""


class Reals:
    """Arithmetic at the current working precision; numbers of different instances must not meet."""

    def __init__(self) -> None:
        self.keys = Keys()
        self.zero = self.of(Fraction(0))
        self.one = self.of(Fraction(1))
        self.half = self.of(Fraction(1, 2))

    def of(self, value: Fraction | float) -> Number:
        return self._exact(rational(value), flint.fmpq(0))

    def pi(self) -> Number:
        return self._exact(flint.fmpq(0), flint.fmpq(1))

    def neg(self, a: Number) -> Number:
        exact = None if a.exact is None else (-a.exact[0], -a.exact[1])
        return Number(-a.ball, mirrored(a.signs), a.key, -a.flip, exact, a.huge)

    def abs(self, a: Number) -> Number:
        if not a.signs & NEGATIVE:
            return a
        if not a.signs & POSITIVE:
            return self.neg(a)
        return self.number(abs(a.ball), (a.signs | mirrored(a.signs)) & ~NEGATIVE, a.key, huge=a.huge)

    def sign(self, a: Number) -> Number:
        known = {NEGATIVE: -1, ZERO: 0, POSITIVE: 1}
        if a.signs in known:
            return self.of(Fraction(known[a.signs]))
        ball = hull(*(flint.arb(value) for bit, value in known.items() if a.signs & bit))
        return self.number(ball, a.signs, self.keys("sign", a.key), a.flip)

    def floor(self, a: Number) -> Number:
        if a.rational is not None:
            return self._exact(flint.fmpq(a.rational.floor()), flint.fmpq(0))
        signs = a.signs | (ZERO if a.signs & POSITIVE else 0)
        return self._whole("floor", a, a.ball.floor(), signs)

    def round(self, a: Number) -> Number:
        """To the nearest whole number, and to the even one of two that are as near."""
        half = flint.fmpq(1, 2)
        if a.rational is not None:
            down = (a.rational + half).floor()
            tie = a.rational + half == down and down % 2 == 1
            return self._exact(flint.fmpq(down - 1 if tie else down), flint.fmpq(0))
        ball = hull((a.ball - half).ceil(), (a.ball + half).floor())
        return self._whole("round", a, ball, a.signs | ZERO)

    def _whole(self, name: str, a: Number, ball: Any, signs: int) -> Number:
        """A whole number that follows from a, in a ball."""
        ball = tame(ball)
        if ball.is_finite() and ball.abs_upper() < flint.arb(2) ** EXACT_BITS:
            whole = ball.unique_fmpz()
            if whole is not None:
                return self._exact(flint.fmpq(whole), flint.fmpq(0))
        return self.number(ball, signs, self.keys(name, a.key, a.flip), huge=a.huge)

    def add(self, a: Number, b: Number) -> Number:
        if a.key == b.key and a.flip == -b.flip:
            return self.zero
        if a.exact is not None and b.exact is not None:
            parts = a.exact[0] + b.exact[0], a.exact[1] + b.exact[1]
            if is_short(*parts):
                return self._exact(*parts)
        if ZERO in (a.signs, b.signs):
            return b if a.signs == ZERO else a
        first, second = sorted((a, b), key=lambda n: n.key)
        signs = sum_signs(a.signs, b.signs)
        key = self.keys("add", first.key, second.key, first.flip * second.flip)
        huge = (a.huge or b.huge) and signs in (POSITIVE, NEGATIVE)
        return self.number(a.ball + b.ball, signs, key, first.flip, huge)

    def sub(self, a: Number, b: Number) -> Number:
        return self.add(a, self.neg(b))

    def mul(self, a: Number, b: Number) -> Number:
        if a.rational is None:
            a, b = b, a
        if a.rational is not None:
            if b.exact is not None and is_short(a.rational * b.exact[0], a.rational * b.exact[1]):
                return self._exact(a.rational * b.exact[0], a.rational * b.exact[1])
            if a.signs == ZERO or a.key == self.one.key:
                return self.zero if a.signs == ZERO else self._flipped(b, a.flip)
        if a.key == b.key:
            return self._flipped(self.integer_power(a, flint.fmpz(2)), a.flip * b.flip)
        key = self.keys("mul", *sorted((a.key, b.key)))
        return self.number(a.ball * b.ball, product_signs(a.signs, b.signs), key, a.flip * b.flip)

    def div(self, a: Number, b: Number) -> Number:
        if a.signs == ZERO:
            return self.zero
        if a.key == b.key:
            return self._flipped(self.one, a.flip * b.flip)
        if b.key == self.one.key:
            return self._flipped(a, b.flip)
        if a.exact is not None and b.exact is not None:
            parts = _quotient(a.exact, b.exact)
            if parts is not None and is_short(*parts):
                return self._exact(*parts)
        signs = product_signs(a.signs, b.signs & ~ZERO)
        return self.number(a.ball / b.ball, signs, self.keys("div", a.key, b.key), a.flip * b.flip)

    def sqrt(self, a: Number) -> Number:
        return self.power(a, self.half)

    def ln(self, a: Number) -> Number:
        if a.rational == 1:
            return self.zero
        return self.number(a.ball.log(), ANY_SIGN, self.keys("ln", a.key, a.flip))

    def log(self, a: Number, base: int) -> Number:
        """The logarithm to the base 2 or 10."""
        known = None if a.rational is None else exact_log(a.rational, base)
        if known is not None:
            return self.of(Fraction(known))
        return self.number(a.ball.log() / flint.arb(base).log(), ANY_SIGN, self.keys("log", base, a.key, a.flip))

    def log1p(self, a: Number) -> Number:
        return self.number(a.ball.log1p(), a.signs, self.keys("log1p", a.key, a.flip))

    def expm1(self, a: Number) -> Number:
        huge = bool(a.ball > BEYOND_DOUBLES) or (a.huge and a.signs == POSITIVE)
        return self.number(a.ball.expm1(), a.signs, self.keys("expm1", a.key, a.flip), huge=huge)

    def cbrt(self, a: Number) -> Number:
        root = None if a.rational is None else perfect_root(abs(a.rational), 3)
        if root is not None:
            return self._exact(root if a.rational > 0 else -root, flint.fmpq(0))
        ball = hull(*(_cube_root(end) for end in (a.ball.lower(), a.ball.upper())))
        return self.number(ball, a.signs, self.keys("cbrt", a.key), a.flip)

    def exp(self, a: Number) -> Number:
        if a.signs == ZERO:
            return self.one
        huge = bool(a.ball > BEYOND_DOUBLES) or (a.huge and a.signs == POSITIVE)
        return self.number(a.ball.exp(), POSITIVE, self.keys("exp", a.key, a.flip), huge=huge)

    def sin(self, a: Number) -> Number:
        known = self.zero if a.signs == ZERO else self._sine(a.pi_multiple)
        return known or self.number(a.ball.sin(), ANY_SIGN, self.keys("sin", a.key), a.flip)

    def cos(self, a: Number) -> Number:
        b = a.pi_multiple
        known = self._sine(None if b is None else b + flint.fmpq(1, 2))
        return known or self.number(a.ball.cos(), ANY_SIGN, self.keys("cos", a.key))

    def tan(self, a: Number) -> Number:
        b = a.pi_multiple
        known = None if b is None else tangent_of_pi_times(b)
        if known is not None:
            return self._exact(known, flint.fmpq(0))
        return self.number(a.ball.tan(), ANY_SIGN, self.keys("tan", a.key), a.flip)

    def arcsin(self, a: Number) -> Number:
        known = None if a.rational is None else arcsine_over_pi(a.rational)
        if known is not None:
            return self._exact(flint.fmpq(0), known)
        return self.number(_arcsine_ball(a.ball), a.signs, self.keys("arcsin", a.key), a.flip)

    def arccos(self, a: Number) -> Number:
        known = None if a.rational is None else arcsine_over_pi(a.rational)
        if known is not None:
            return self._exact(flint.fmpq(0), flint.fmpq(1, 2) - known)
        ball = a.ball.acos() if abs(a.ball) < 1 else flint.arb.pi() / 2 - _arcsine_ball(a.ball)
        return self.number(ball, POSITIVE | ZERO, self.keys("arccos", a.key, a.flip))

    def arccosh(self, a: Number) -> Number:
        if a.rational == 1:
            return self.zero
        ball = a.ball.acosh() if a.ball > 1 else hull(flint.arb(0), flint.arb(1).max(a.ball.upper()).acosh())
        return self.number(ball, POSITIVE | ZERO, self.keys("arccosh", a.key, a.flip))

    def odd(self, name: str, a: Number, *, grows: bool = False) -> Number:
        """A function f(-a) = -f(a) with the sign of a, by its name in Arb; one that `grows` does so as exp does."""
        huge = grows and (a.huge or bool(abs(a.ball) > BEYOND_DOUBLES + 1))
        return self.number(getattr(a.ball, name)(), a.signs, self.keys(name, a.key), a.flip, huge)

    def arctan(self, a: Number) -> Number:
        if a.rational is not None and abs(a.rational) == 1:
            return self._exact(flint.fmpq(0), a.rational / 4)
        return self.odd("atan", a)

    def cosh(self, a: Number) -> Number:
        if a.signs == ZERO:
            return self.one
        huge = a.huge or bool(abs(a.ball) > BEYOND_DOUBLES + 1)
        return self.number(a.ball.cosh(), POSITIVE, self.keys("cosh", a.key), huge=huge)

    def power(self, a: Number, p: Number, integer: bool | None = None) -> Number:
        """a^p; `integer` says whether p is a whole number where its exact form does not."""
        if p.signs == ZERO or a.rational == 1:
            return self.one
        if p.rational is not None and p.rational.q == 1:
            return self.integer_power(a, p.rational.p)
        if p.rational is not None:
            return self._root_power(a, p)
        if integer is not False and a.signs & NEGATIVE:
            return self._power_of_either_sign(a, p)
        return self._positive_power(a, p)

    def integer_power(self, a: Number, n: Any) -> Number:
        """a^n for a whole number n (a `flint.fmpz`) other than 0."""
        if n == 1 or a.signs == ZERO:
            return a
        even = n % 2 == 0
        if a.key == self.one.key:
            return self._flipped(self.one, 1 if even else a.flip)
        if a.rational is not None and a.rational.height_bits() * abs(n) <= EXACT_BITS:
            return self._exact(a.rational ** int(n), flint.fmpq(0))
        ball = a.ball**n if n.bit_length() <= LONG_EXPONENT_BITS else self._long_power_ball(a, n, even)
        signs = (a.signs | mirrored(a.signs)) & ~NEGATIVE if even else a.signs
        signs = signs if n > 0 else signs & ~ZERO
        huge = (a.huge and n > 0) or _is_huge_power(ball, abs(a.ball), n)
        return self.number(ball, signs, self.keys("power", a.key, int(n)), 1 if even else a.flip, huge)

    def _long_power_ball(self, a: Number, n: Any, even: bool) -> Any:
        size = _power_ball(self.abs(a), self._exact(flint.fmpq(n), flint.fmpq(0)))
        if even or a.signs == POSITIVE:
            return size
        return -size if a.signs == NEGATIVE else hull(size, -size)

    def _root_power(self, a: Number, p: Number) -> Number:
        if a.rational is not None and not a.signs & NEGATIVE:
            root = perfect_root(a.rational, int(p.rational.q))
            if root is not None:
                return self.integer_power(self._exact(root, flint.fmpq(0)), p.rational.p)
        return self._positive_power(a, p)

    def _positive_power(self, a: Number, p: Number) -> Number:
        """a^p for a base that is not negative."""
        signs = POSITIVE if a.signs & POSITIVE or (a.signs & ZERO and p.signs & ZERO) else 0
        signs |= ZERO if a.signs & ZERO and p.signs & POSITIVE else 0
        key = self.keys("root", a.key, a.flip, p.key, p.flip)
        ball = _power_ball(a, p)
        return self.number(ball, signs, key, huge=_is_huge_power(ball, a.ball, p.ball))

    def _power_of_either_sign(self, a: Number, p: Number) -> Number:
        """a^p where p may be an integer and a negative: the size is known, the sign is not."""
        size = self._positive_power(self.abs(a), p)
        key = self.keys("root", a.key, a.flip, p.key, p.flip)
        return self.number(hull(size.ball, -size.ball), size.signs | mirrored(size.signs), key)

    def _flipped(self, a: Number, flip: int) -> Number:
        return a if flip > 0 else self.neg(a)

    def _sine(self, b: Any) -> Number | None:
        known = None if b is None else sine_of_pi_times(b)
        return None if known is None else self._exact(known, flint.fmpq(0))

    def _exact(self, a: Any, b: Any) -> Number:
        ball = exact_ball(a, b)
        flip = -1 if (a or b) < 0 else 1
        exact = (a, b) if is_short(a, b) else None
        return Number(ball, exact_signs(a, b, ball), self.keys("exact", flip * a, flip * b), flip, exact)

    def number(self, ball: Any, signs: int, key: int, flip: int = 1, huge: bool = False) -> Number:
        """A number in a ball, with one of these signs."""
        ball = tame(ball)
        signs &= signs_of(ball)
        if signs == ZERO:
            return self.zero
        # No sign left: the result does not exist, so whatever is said of it holds.
        return Number(ball, signs or ANY_SIGN, key, flip, None, huge)


def _quotient(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any] | None:
    if not b[1]:
        return a[0] / b[0], a[1] / b[0]
    proportional = a[0] * b[1] == a[1] * b[0]
    return (a[1] / b[1], flint.fmpq(0)) if proportional else None


def _arcsine_ball(ball: Any) -> Any:
    if abs(ball) < 1:
        return ball.asin()
    low = flint.arb(-1) if not ball.lower() > -1 else ball.lower()
    high = flint.arb(1) if not ball.upper() < 1 else ball.upper()
    return hull(low.asin(), high.asin())


def _cube_root(a: Any) -> Any:
    return a if a.is_zero() else a.root(3) if a > 0 else -(-a).root(3)


def _power_ball(a: Number, p: Number) -> Any:
    """A ball around a^p; the base is cut off at 0."""
    if a.ball > 0:
        return tame(a.ball**p.ball)
    if p.signs == POSITIVE and a.ball.is_finite():  # a^p rises with a from 0
        return hull(flint.arb(0), a.ball.upper() ** p.ball)
    return everything()


def _is_huge_power(result: Any, base: Any, exponent: Any) -> bool:
    """Whether a power that Arb gave up on is certainly larger than every double."""
    return not result.is_finite() and bool(base.log() * exponent > BEYOND_DOUBLES)
