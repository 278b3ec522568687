"""Doubles counted: each finite double has a place on the line of whole numbers, zero at 0."""

from __future__ import annotations

import struct
import sys

MAGNITUDE = 2**63 - 1


def place(value: float) -> int:
    """How many doubles lie between zero and this one, negative below it; both zeros are at 0."""
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & MAGNITUDE)


def double_at(position: int) -> float:
    """The double at this place; the largest finite one where the line of doubles ends."""
    size = min(abs(position), place(sys.float_info.max))
    value: float = struct.unpack("<d", struct.pack("<q", size))[0]
    return -value if position < 0 else value


def moved(value: float, ulps: int) -> float:
    """The double so many steps up (down if negative); zero is one step like any other."""
    return double_at(place(value) + ulps)
