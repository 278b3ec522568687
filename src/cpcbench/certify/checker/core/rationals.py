"""Exact rational values: of constants, and of parts of a formula whose variables or parts are held fixed."""

from __future__ import annotations

from fractions import Fraction

MOST_BITS = 20_000
"""Longer numerators and denominators are left to intervals."""

MOST_WHOLE = 10_000
"""The largest whole exponent of an exact power."""


def combined(op: str, args: list[Fraction]) -> Fraction | None:
    """The exact result of an operation on exact numbers; None if it is not rational arithmetic or too long."""
    if op == "neg":
        return -args[0]
    if op not in ("add", "sub", "mul", "div", "pow"):
        return None
    a, b = args
    if op == "pow":
        return _power(a, b)
    if op == "div":
        return None if b == 0 else _short(a / b)
    return _short(a + b if op == "add" else a - b if op == "sub" else a * b)


def _power(a: Fraction, b: Fraction) -> Fraction | None:
    if b.denominator != 1 or (a == 0 and b < 0):
        return None
    size = max(a.numerator.bit_length(), a.denominator.bit_length())
    if abs(b) > MOST_WHOLE or size * abs(b) > MOST_BITS:
        return None
    return Fraction(a**b.numerator)


def _short(value: Fraction) -> Fraction | None:
    size = max(value.numerator.bit_length(), value.denominator.bit_length())
    return value if size <= MOST_BITS else None
