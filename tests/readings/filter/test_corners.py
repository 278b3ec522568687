"""Ranges hold for the kernel's doubles at the ends of the box, not for the filter's: a sign that is known is known."""

from __future__ import annotations

import math

import numpy as np

import cpcbench as cpc
from tests.readings.filter.compiled import both


def test_a_hypotenuse_may_be_less_than_the_root_of_rounded_squares() -> None:
    """Its range then began above it, its difference had the wrong sign, and what was cut off went the wrong way."""
    rng, seen = np.random.default_rng(0), 0
    for _ in range(400):
        a, b = map(float, rng.uniform(1.0, 4.0, 2))
        low = math.sqrt(a * a + b * b)
        if seen == 3 or math.hypot(a, b) >= low:
            continue
        box = [(a, a + 1.0), (b, b + 1.0), (0.0, 600.0)]
        left = both(cpc.parse(f"sqrt(-1 - exp(x3)*(hypot(x1, x2) - {low!r}))", bounds=box).fast.plan)
        found = left(np.array([[a, b, 500.0]]))
        if np.isnan(found.value[0]):  # the platform's own function is not Python's
            continue
        assert found.may[0]
        sure = both(cpc.parse(f"sqrt(1 + exp(x3)*(hypot(x1, x2) - {low!r}))", bounds=box).fast.plan)
        found = sure(np.array([[a, b, 150.0]]))
        assert np.isnan(found.value[0])
        assert not found.certain[0]
        seen += 1
