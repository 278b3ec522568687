"""Real numbers as far as they are known: a ball around them, their possible signs, their exact form.

A ball alone can never prove that two numbers are equal, and the edge of a domain is an equality. So
a number also carries its exact form a + b·pi while it has one, and a key: two numbers with the same
key are equal up to the sign `flip`, whatever their balls say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from operator import or_
from typing import Any

import flint

from cpcbench.arb import precision_lock

NEGATIVE, ZERO, POSITIVE = 1, 2, 4
ANY_SIGN = NEGATIVE | ZERO | POSITIVE
"""What is known of a sign is a set of these three bits."""

EXACT_BITS = 20_000
"""An exact form with a longer numerator or denominator is given up for its ball."""


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Balls are computed with this many bits; one thread at a time, since Arb's setting is global."""
    with precision_lock, flint.ctx.workprec(bits):
        yield


@dataclass(frozen=True, slots=True)
class Number:
    """One real number.

    `ball` contains it; `signs` is the set of signs it may have; `flip` times the number named by
    `key` is the number; `exact` is (a, b) for a + b·pi; `huge` says that no double is as large.
    """

    ball: Any
    signs: int
    key: int
    flip: int = 1
    exact: tuple[Any, Any] | None = None
    huge: bool = False

    @property
    def rational(self) -> Any:
        """The number as a `flint.fmpq`, or None if it is not known to be rational."""
        return self.exact[0] if self.exact is not None and not self.exact[1] else None

    @property
    def pi_multiple(self) -> Any:
        """b, where the number is known to be b·pi, else None."""
        return self.exact[1] if self.exact is not None and not self.exact[0] else None


class Keys:
    """Small integers for structures, so that a deep expression costs no more to compare than a flat one."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], int] = {}

    def __call__(self, *structure: Any) -> int:
        return self._known.setdefault(structure, len(self._known))


def everything() -> Any:
    """The ball that says nothing."""
    return flint.arb(0, flint.arb("inf"))


def tame(ball: Any) -> Any:
    """Arb says NaN where it knows nothing; so does `everything`, and it keeps its meaning in sums."""
    return everything() if ball.is_nan() else ball


def hull(*balls: Any) -> Any:
    """A ball around all of these."""
    result = balls[0]
    for ball in balls[1:]:
        result = result.union(ball)
    return tame(result)


def rational(value: Fraction | float) -> Any:
    """The exact `flint.fmpq` of a fraction or a finite double."""
    return flint.fmpq(*value.as_integer_ratio())


def is_short(*parts: Any) -> bool:
    return all(part.height_bits() <= EXACT_BITS for part in parts)


def exact_ball(a: Any, b: Any) -> Any:
    return flint.arb(a) + flint.arb(b) * flint.arb.pi() if b else flint.arb(a)


def exact_signs(a: Any, b: Any, ball: Any) -> int:
    if a and b:
        return signs_of(ball) & ~ZERO  # pi is irrational
    lead = a or b
    return POSITIVE if lead > 0 else NEGATIVE if lead < 0 else ZERO


def signs_of(ball: Any) -> int:
    """The signs that the numbers of a ball have."""
    if ball > 0:
        return POSITIVE
    if ball < 0:
        return NEGATIVE
    if ball.is_zero():
        return ZERO
    return ANY_SIGN & ~(NEGATIVE if ball >= 0 else POSITIVE if ball <= 0 else 0)


@lru_cache
def mirrored(signs: int) -> int:
    """The signs of -a."""
    return signs & ZERO | (POSITIVE if signs & NEGATIVE else 0) | (NEGATIVE if signs & POSITIVE else 0)


@lru_cache
def sum_signs(a: int, b: int) -> int:
    """The signs that a sum can have."""
    return reduce(or_, (t if s == ZERO else s if t in (ZERO, s) else ANY_SIGN for s in _bits(a) for t in _bits(b)), 0)


@lru_cache
def product_signs(a: int, b: int) -> int:
    """The signs that a product can have."""
    signs = (ZERO if ZERO in (s, t) else POSITIVE if s == t else NEGATIVE for s in _bits(a) for t in _bits(b))
    return reduce(or_, signs, 0)


def _bits(signs: int) -> list[int]:
    return [bit for bit in (NEGATIVE, ZERO, POSITIVE) if signs & bit]


_SIXTH_SINES = {0: (0, 1), 1: (1, 2), 3: (1, 1), 5: (1, 2), 6: (0, 1), 7: (-1, 2), 9: (-1, 1), 11: (-1, 2)}


def sine_of_pi_times(b: Any) -> Any:
    """sin(b·pi) for a rational b where it is rational (a theorem of Niven lists all of them), else None."""
    sixths = 6 * b
    if sixths.q != 1:
        return None
    found = _SIXTH_SINES.get(int(sixths.p % 12))
    return None if found is None else flint.fmpq(*found)


def tangent_of_pi_times(b: Any) -> Any:
    """tan(b·pi) for a rational b where it is rational, else None."""
    quarters = 4 * b
    return None if quarters.q != 1 else {0: flint.fmpq(0), 1: flint.fmpq(1), 3: flint.fmpq(-1)}.get(int(quarters.p % 4))


def arcsine_over_pi(a: Any) -> Any:
    """arcsin(a) / pi where both are rational, else None."""
    if a.q > 2 or abs(a) > 1:
        return None
    return a / 2 if a.q == 1 else flint.fmpq(int(a.p), 6)


def exact_log(a: Any, base: int) -> int | None:
    """The whole k with base^k = a, or None."""
    size = int(max(a.p, a.q))
    k = round(math.log(size) / math.log(base)) if min(a.p, a.q) == 1 else -1
    return None if k < 0 or base**k != size else k if a.q == 1 else -k


def perfect_root(a: Any, degree: int) -> Any:
    """The rational root of a rational a >= 0, or None."""
    import gmpy2

    if degree > EXACT_BITS:  # the root of anything but 0 and 1 would be irrational
        return a if a in (0, 1) else None
    top, exact_top = gmpy2.iroot(gmpy2.mpz(int(a.p)), degree)
    if not exact_top:
        return None
    bottom, exact_bottom = gmpy2.iroot(gmpy2.mpz(int(a.q)), degree)
    return flint.fmpq(int(top), int(bottom)) if exact_bottom else None
