"""Exact rational values: of constants, and of parts of a formula whose variables or parts are held fixed."""

from __future__ import annotations

import re
from fractions import Fraction

from cpcbench.certify.checker.core.verdict import RejectedError

MOST_BITS = 20_000
"""Longer numerators and denominators are left to intervals."""

MOST_WHOLE = 10_000
"""The largest whole exponent of an exact power."""

_RATIONAL = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")


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


def of_text(text: object) -> Fraction:
    """A rational number written as `p` or `p/q`."""
    if not isinstance(text, str) or not _RATIONAL.fullmatch(text):
        raise RejectedError(f"{str(text)[:40]!r} is no rational number p or p/q")
    top, _, bottom = text.partition("/")
    if bottom and int(bottom) == 0:
        raise RejectedError(f"{text[:40]!r} divides by 0")
    return Fraction(int(top), int(bottom or "1"))
