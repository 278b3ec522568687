"""The exact constants of a formula in decimal digits."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.expr.nodes import Expr

MAX_DIGITS = 1200


def exact(constant: Expr) -> str:
    """The constant exactly, in its shortest usual form: `0.25`, `100`, `1e-5`, `1.5e100`."""
    digits, exponent = decimal(constant)
    return shortest(digits, exponent)


def decimal(constant: Expr) -> tuple[str, int]:
    """The significant digits of a constant and the power of ten they count."""
    value = constant.payload
    if not isinstance(value, Fraction):
        raise CpcbenchError(f"{constant.op} is no constant")
    places, rest = 0, value.denominator
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    scaled = value.numerator * 10**places // value.denominator
    if scaled >= 10**MAX_DIGITS:
        raise CpcbenchError(f"a constant with more than {MAX_DIGITS:,} digits cannot be written out")
    digits = str(scaled)
    kept = digits.rstrip("0") or "0"
    return kept, len(digits) - len(kept) - places if kept != "0" else 0


def shortest(digits: str, exponent: int) -> str:
    """Plain notation, unless that of powers of ten is clearly shorter."""
    point = len(digits) + exponent
    if exponent >= 0:
        plain = digits + "0" * exponent
    elif point > 0:
        plain = f"{digits[:point]}.{digits[point:]}"
    else:
        plain = f"0.{'0' * -point}{digits}"
    scientific = f"{mantissa(digits)}e{point - 1}"
    return plain if len(plain) <= len(scientific) + 2 else scientific


def mantissa(digits: str) -> str:
    """The digits with the point behind the first: `15` is `1.5`."""
    return f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
