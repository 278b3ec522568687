"""SplitMix64 (Steele, Lea and Flood 2014): random numbers of which each can be computed from its place alone.

State k is the seed plus k times `GAMMA`, modulo 2^64. `mixed` is written once, for NumPy's whole numbers, arrays of
them and Numba; where LLVM instructions are emitted, they are made from the same constants.
"""

from __future__ import annotations

from typing import Any

import numpy as np

GAMMA = 0x9E3779B97F4A7C15
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST_SHIFT = 31
UNIT_BITS = 53

STEP, HIGH = np.uint64(GAMMA), np.uint64(64 - UNIT_BITS)
_A, _B, _C = np.uint64(MIX[0][0]), np.uint64(MIX[1][0]), np.uint64(LAST_SHIFT)
_FIRST, _SECOND = np.uint64(MIX[0][1]), np.uint64(MIX[1][1])


def mixed(z: Any) -> Any:
    """The random number of a state; its upper `UNIT_BITS`, that is `mixed(z) >> HIGH`, make a double in [0, 1)."""
    z = (z ^ (z >> _A)) * _FIRST
    z = (z ^ (z >> _B)) * _SECOND
    return z ^ (z >> _C)
