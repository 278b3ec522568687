"""The functions of two operands on real numbers, each under the assumption that its result exists."""

from __future__ import annotations

from fractions import Fraction

import flint

from cpcbench.readings.reals.exact import NEGATIVE, POSITIVE, ZERO, Number, hull
from cpcbench.readings.reals.operations import Reals


def least(reals: Reals, a: Number, b: Number) -> Number:
    """The smaller of two."""
    gap = reals.sub(a, b).signs
    if not gap & POSITIVE:
        return a
    if not gap & NEGATIVE:
        return b
    first, second = sorted((a, b), key=lambda n: (n.key, n.flip))
    key = reals.keys("min", first.key, first.flip, second.key, second.flip)
    signs = (a.signs | b.signs) & NEGATIVE
    signs |= ZERO if (a.signs | b.signs) & ZERO and a.signs & ~NEGATIVE and b.signs & ~NEGATIVE else 0
    signs |= POSITIVE if a.signs & b.signs & POSITIVE else 0
    return reals.number(a.ball.min(b.ball), signs, key)


def largest(reals: Reals, a: Number, b: Number) -> Number:
    """The larger of two."""
    return reals.neg(least(reals, reals.neg(a), reals.neg(b)))


def hypot(reals: Reals, a: Number, b: Number) -> Number:
    two = flint.fmpz(2)
    return reals.sqrt(reals.add(reals.integer_power(a, two), reals.integer_power(b, two)))


def arctan2(reals: Reals, y: Number, x: Number) -> Number:
    """By the arctangent of y/x or x/y, as far as signs are known; 0 at the origin."""
    if x.signs == POSITIVE:
        return reals.arctan(reals.div(y, x))
    quarter = reals.div(reals.pi(), reals.of(Fraction(2)))
    if y.signs in (POSITIVE, NEGATIVE):
        side = quarter if y.signs == POSITIVE else reals.neg(quarter)
        return reals.sub(side, reals.arctan(reals.div(x, y)))
    if y.signs == ZERO and x.signs in (NEGATIVE, ZERO):
        return reals.pi() if x.signs == NEGATIVE else reals.zero
    signs = y.signs | (ZERO if x.signs & ~NEGATIVE else 0) | POSITIVE
    key = reals.keys("arctan2", y.key, y.flip, x.key, x.flip)
    return reals.number(hull(-flint.arb.pi(), flint.arb.pi()), signs, key)


def mod(reals: Reals, a: Number, b: Number) -> Number:
    """a - b floor(a / b), which has the sign of b."""
    found = reals.sub(a, reals.mul(b, reals.floor(reals.div(a, b))))
    if found.exact is not None:
        return found
    return reals.number(found.ball, found.signs & (b.signs | ZERO), found.key, found.flip)
