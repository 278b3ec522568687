"""Many intervals of real numbers at once, each with how much of its box it is defined on, rounded outward.

What is assumed of NumPy, and tested: `+ - * /` and the square root are rounded to nearest, and its
elementary functions are within 4 ulps of the real value at every finite double.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
States = npt.NDArray[np.int8]

NOWHERE, MAYBE, EVERYWHERE = 0, 1, 2
"""On how much of a box an expression is defined, as far as is known."""

LARGEST = sys.float_info.max
TINIEST = 2e-323
"""Four ulps of the smallest doubles."""
ROUNDING = 2.0**-53 * (1.0 + 2.0**-52)
"""x - (ROUNDING |x| + TINIEST), rounded to nearest, is below x by at least one double."""
ELEMENTARY = 2.0**-50
"""Four ulps are never more than this times the number."""


class Span(NamedTuple):
    """[lo, hi] encloses the values on the part of each box where the expression is defined.

    Arrays of one entry a box, or of a single entry for all of them. `lo` is never +inf and `hi` never
    -inf: where an expression is defined nowhere the bounds are the whole line and mean nothing.
    """

    lo: Floats
    hi: Floats
    state: States


def span(lo: float, hi: float, state: int = EVERYWHERE) -> Span:
    """The same interval for all boxes."""
    return Span(np.array([lo]), np.array([hi]), np.array([state], dtype=np.int8))


def down(x: Floats, error: float = ROUNDING) -> Floats:
    """A lower bound of the real number that was computed as x."""
    below = np.abs(x)
    below *= error
    below += TINIEST
    np.subtract(x, below, out=below)
    return np.fmin(below, LARGEST, out=below)  # inf - inf: an overflow is above the largest double


def up(x: Floats, error: float = ROUNDING) -> Floats:
    """An upper bound of the real number that was computed as x."""
    above = np.abs(x)
    above *= error
    above += TINIEST
    above += x
    return np.fmax(above, -LARGEST, out=above)


def both(a: Span, b: Span) -> States:
    """On how much of the box two parts are defined together."""
    return np.minimum(a.state, b.state)


def restricted(state: States, some: Flags, all_of: Flags) -> States:
    """The state after a condition that `some` point of the operand's interval meets, or `all_of` them do."""
    return np.minimum(state, some.astype(np.int8) + (all_of & some))


def settled(lo: Floats, hi: Floats, state: States) -> Span:
    """The span, with the whole line where it is defined nowhere."""
    nowhere = state == NOWHERE
    if nowhere.any():
        lo, hi = np.where(nowhere, -math.inf, lo), np.where(nowhere, math.inf, hi)
    return Span(lo, hi, state)


def magnitude(a: Span) -> tuple[Floats, Floats]:
    """The smallest and the largest distance from 0."""
    return np.maximum(np.maximum(a.lo, -a.hi), 0.0), np.maximum(-a.lo, a.hi)
