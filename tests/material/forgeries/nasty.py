"""Numbers and intervals at which rounding goes wrong: next to 0, whole numbers, pi/2, and the ends of doubles."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval
from cpcbench.certify.checker.core.numbers import infinite, of_double

TINIEST, LARGEST = 5e-324, 1.7976931348623157e308
SPECIAL = (
    0.0, TINIEST, 2.2250738585072014e-308, 1e-300, 1e-30, 2.0**-53, 2.0**-10, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0,
    7.0, 31.0, 33.0, 63.0, 64.0, 65.0, 127.0, 1023.0, 1025.0, 65535.0, 65537.0, 2.0**53, 2.0**64, 1e25, 1e300, LARGEST,
    math.pi, math.pi / 2, math.pi / 4, 2 * math.pi, 3 * math.pi / 2, 100 * math.pi, 1e6 * math.pi, math.e,
)  # fmt: skip

CONSTANTS = (
    "1.00000000000000000001", "0.99999999999999999999", "3.14159265358979323846", "36028797018963968", "2.0000001",
    "18446744073709551617", "1e-300", "0.1", "0.5", "2", "3", "1e25", "6.28318530717958647692", "0.333333333333333333",
)  # fmt: skip
EXPONENTS = (
    "1.0000000000000000001", "0.9999999999999999999", "2.0000000000000000001", "0.0000000000000000001", "0.5", "1.5",
    "2.5", "1", "2", "3", "4", "36028797018963969",
)  # fmt: skip


def double(r: random.Random) -> float:
    """A double: special, a neighbour of a special one, of few bits, or any."""
    way = r.randrange(6)
    if way <= 1:
        found = r.choice(SPECIAL)
        if way:
            found = math.nextafter(found, r.choice([-math.inf, math.inf]))
            found = found if math.isfinite(found) else LARGEST
    elif way == 2:
        found = r.randrange(1, 128) * 2.0 ** r.randrange(-12, 6)
    elif way == 3:
        found = math.ldexp(r.uniform(1.0, 2.0), r.randrange(-60, 60))
    else:
        found = r.uniform(0.0, 5.0)
    return found if r.random() < 0.6 else -found


def pair(r: random.Random, ends: float = 0.06) -> tuple[float, float]:
    """The ends of an interval: wide, a single number, one ulp, or without an end."""
    low = double(r)
    way = r.randrange(5)
    if way == 0:
        high = low
    elif way == 1:
        high = math.nextafter(low, math.inf)
    elif way == 2:
        high = low + abs(low) * 2.0 ** -r.randrange(1, 50)
    else:
        high = double(r)
    low, high = min(low, high), min(max(low, high), LARGEST)
    if r.random() < ends:
        return -math.inf, high
    return (low, math.inf) if r.random() < ends else (low, high)


def interval(ends: tuple[float, float]) -> Interval:
    """The checker's interval."""
    low, high = ends
    return (
        infinite(-1) if low == -math.inf else of_double(low),
        infinite(1) if high == math.inf else of_double(high),
    )


def inside(r: random.Random, ends: tuple[float, float], count: int = 4) -> list[Fraction]:
    """Numbers of an interval, its ends and special ones before others."""
    low, high = ends
    found = [Fraction(end) for end in ends if math.isfinite(end)]
    least = Fraction(low) if math.isfinite(low) else Fraction(min(high, 0.0)) - Fraction(2) ** r.randrange(70)
    most = Fraction(high) if math.isfinite(high) else Fraction(max(low, 0.0)) + Fraction(2) ** r.randrange(70)
    for _ in range(count):
        way = r.randrange(4)
        if way == 0:
            number = Fraction(double(r))
        elif way == 1:
            middle = least + (most - least) * Fraction(r.randrange(257), 256)
            number = Fraction(math.floor(middle)) + Fraction(r.randrange(2))
        else:
            number = least + (most - least) * Fraction(r.randrange(1 << 20), 1 << 20)
        if Fraction(least) <= number <= Fraction(most):
            found.append(number)
    return found
