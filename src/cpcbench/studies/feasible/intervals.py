"""Confidence intervals of a share: from counts, and from independent unbiased estimates of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cpcbench.errors import CpcbenchError

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`, both included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def meets(self, other: Interval) -> bool:
        """Whether the two have a value in common."""
        return self.low <= other.high and other.low <= self.high


def count_interval(hits: int, samples: int, confidence: float = CONFIDENCE) -> Interval:
    """Clopper and Pearson's interval for the share of which `hits` of `samples` were seen: never too short."""
    if not (0 <= hits <= samples and samples >= 1):
        raise CpcbenchError(f"a count is from 0 to the number of samples, not {hits} of {samples}")
    if not 0.0 < confidence < 1.0:
        raise CpcbenchError(f"a confidence lies between 0 and 1, not {confidence!r}")
    from scipy.special import betaincinv

    tail = (1.0 - confidence) / 2
    low = float(betaincinv(hits, samples - hits + 1, tail)) if hits else 0.0
    high = 1.0 - float(betaincinv(samples - hits, hits + 1, tail)) if hits < samples else 1.0
    if 2 * hits < samples:  # near 0 the complement has too few digits
        high = float(betaincinv(hits + 1, samples - hits, 1.0 - tail))
    return Interval(low, high)


def mean_interval(estimates: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Student's interval for the mean of positive estimates, taken on the logarithm of the mean.

    On that scale the errors of a product of shares are close to symmetric, and no end is negative.
    From estimates that are all 0 nothing follows: then it is [0, 1].
    """
    count = len(estimates)
    if count < 2:
        raise CpcbenchError(f"an interval needs two estimates or more, not {count}")
    mean = math.fsum(estimates) / count
    if mean == 0.0:
        return Interval(0.0, 1.0)
    from scipy.stats import t

    relative = relative_error(estimates)
    width = float(t.ppf(0.5 + confidence / 2, count - 1)) * relative
    return Interval(mean * math.exp(-width), min(1.0, mean * math.exp(min(width, 700.0))))


def relative_error(estimates: Sequence[float]) -> float:
    """The standard error of the mean, as a share of the mean."""
    count = len(estimates)
    mean = math.fsum(estimates) / count
    if mean == 0.0:
        return math.inf
    variance = math.fsum((value - mean) ** 2 for value in estimates) / (count - 1)
    return math.sqrt(variance / count) / mean
