"""Random numbers in compiled code, all from one 64-bit state that the caller holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.readings.doubles.compiling import compiled
from cpcbench.sampling import splitmix
from cpcbench.sampling.splitmix import HIGH, STEP

_mixed = compiled(splitmix.mixed)


@compiled
def unit(seed: Any) -> float:
    """An even draw from [0, 1): the SplitMix64 sequence."""
    seed[0] += STEP
    return float(_mixed(seed[0]) >> HIGH) * 2.0**-53


@compiled
def between(seed: Any, low: float, high: float) -> float:
    return low + (high - low) * unit(seed)


@compiled
def below(seed: Any, count: int) -> int:
    """A whole number from 0 to count - 1."""
    return min(int(unit(seed) * count), count - 1)


@compiled
def chance(seed: Any, probability: float) -> bool:
    return unit(seed) < probability


@compiled
def sign(seed: Any) -> float:
    return -1.0 if unit(seed) < 0.5 else 1.0


@compiled
def normal(seed: Any) -> float:
    """A standard normal draw (Box and Muller)."""
    return float(math.sqrt(-2.0 * math.log(1.0 - unit(seed))) * math.cos(2.0 * math.pi * unit(seed)))


@compiled
def power_of_ten(seed: Any, low: float, high: float) -> float:
    """10 to an even draw from [low, high]: every order of magnitude is as likely as any other."""
    return float(10.0 ** between(seed, low, high))


@compiled
def few_bits(seed: Any, x: float) -> float:
    """A distance of up to 64 doubles about x, either way."""
    bits = math.floor(2.0 ** (6.0 * unit(seed)))
    return float((bits if chance(seed, 0.5) else -bits) * np.spacing(abs(x)))
