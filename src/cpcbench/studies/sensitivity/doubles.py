"""Doubles counted: each finite double has a place on the line of whole numbers, zero at 0."""

from __future__ import annotations

import sys

import numpy as np

from cpcbench.points import Floats, Places


def places(values: Floats) -> Places:
    """How many doubles lie between zero and each, negative below it; both zeros are at 0."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def place(value: float) -> int:
    """The same of one double."""
    return int(places(np.array([value]))[0])


def double_at(position: int) -> float:
    """The double at this place; the largest finite one where the line of doubles ends."""
    size = min(abs(position), place(sys.float_info.max))
    value = float(np.int64(size).view(np.float64))
    return -value if position < 0 else value


def moved(value: float, ulps: int) -> float:
    """The double so many steps up (down if negative); zero is one step like any other."""
    return double_at(place(value) + ulps)
