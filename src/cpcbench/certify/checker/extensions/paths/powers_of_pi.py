"""Exact numbers and polynomials along a path: sums of c * t^i * pi^j with rational c, i >= 0 and j any whole number.

Pi is transcendental, so such a sum is 0 for all t only if every coefficient is, and its value at t = 0 only if
every coefficient with i = 0 is. A sign that is not 0 shows itself at some precision.
"""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.core.functions.waves import pi
from cpcbench.certify.checker.core.intervals import Interval, add, mul, single
from cpcbench.certify.checker.core.numbers import DOWN, precision
from cpcbench.certify.checker.core.powers import whole_power

Exact = dict[tuple[int, int], Fraction]
"""Coefficients, none of them 0, by the powers of t and of pi."""

MOST_TERMS, MOST_POWER, MOST_BITS = 60, 40, 4000
SIGN_BITS = (256, 1024, 4096)


def number(value: Fraction, pis: int = 0) -> Exact:
    return {(0, pis): value} if value else {}


def plus(a: Exact, b: Exact) -> Exact:
    total = dict(a)
    for powers, factor in b.items():
        total[powers] = total.get(powers, Fraction(0)) + factor
    return {powers: factor for powers, factor in total.items() if factor}


def turned(a: Exact) -> Exact:
    return {powers: -factor for powers, factor in a.items()}


def times(a: Exact, b: Exact) -> Exact | None:
    """The product; None if it is too long."""
    found: Exact = {}
    for (i, j), left in a.items():
        for (k, m), right in b.items():
            powers = i + k, j + m
            found[powers] = found.get(powers, Fraction(0)) + left * right
    found = {powers: factor for powers, factor in found.items() if factor}
    return found if is_short(found) else None


def is_short(a: Exact) -> bool:
    if len(a) > MOST_TERMS:
        return False
    return all(
        i <= MOST_POWER
        and abs(j) <= MOST_POWER
        and max(c.numerator.bit_length(), c.denominator.bit_length()) < MOST_BITS
        for (i, j), c in a.items()
    )


def raised(a: Exact, n: int) -> Exact | None:
    """a^n for n >= 0; None if it is too long."""
    found: Exact | None = number(Fraction(1))
    for _ in range(n if n <= MOST_POWER else 0):
        found = None if found is None else times(found, a)
    return found if n <= MOST_POWER else None


def inverse(a: Exact) -> Exact | None:
    """1/a for one term without t; None for any other."""
    if len(a) != 1:
        return None
    ((i, j), factor) = next(iter(a.items()))
    return None if i else {(0, -j): 1 / factor}


def order(a: Exact) -> int:
    """The lowest power of t, of a sum that is not 0."""
    return min(i for i, _ in a)


def lowered(a: Exact, by: int) -> Exact:
    """a / t^by."""
    return {(i - by, j): factor for (i, j), factor in a.items()}


def at_start(a: Exact) -> Exact:
    """The value at t = 0."""
    return {powers: factor for powers, factor in a.items() if powers[0] == 0}


def after_start(a: Exact) -> int | None:
    """The sign for small t > 0 of a less its value at t = 0; 0 if there is no difference, None if not found out."""
    rest = {powers: factor for powers, factor in a.items() if powers[0] > 0}
    if not rest:
        return 0
    first = order(rest)
    return sign({(0, j): factor for (i, j), factor in rest.items() if i == first})


def rational(a: Exact) -> Fraction | None:
    """The number, if it is one without t and pi."""
    if not a:
        return Fraction(0)
    return a[0, 0] if set(a) == {(0, 0)} else None


def sign(a: Exact) -> int | None:
    """The sign of a number; None if no precision tried shows it."""
    if not a:
        return 0
    before = DOWN.bits
    try:
        for bits in SIGN_BITS:
            precision(bits)
            low, high = enclosed(a)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
    finally:
        precision(before)
    return None


def enclosed(a: Exact) -> Interval:
    """An interval around a number, at the precision of the moment."""
    found = single(0)
    for (_, j), factor in a.items():
        power, _ = whole_power(pi(), j)
        found = add(found, mul(single(factor), power))
    return found
