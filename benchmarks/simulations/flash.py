"""Two separators and a tank: how much of a well's stream is liquid in the end, less what its gas and cooling cost.

Equilibrium ratios by Wilson (1968), phases by Rachford and Rice (1952), critical data after Reid, Prausnitz and Poling
(1987). A separator in which there is one phase only has no answer.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from cpcbench.points import Floats

CRITICAL_KELVIN = np.array([190.6, 305.4, 369.8, 425.2, 469.7, 540.3])
CRITICAL_BAR = np.array([46.0, 48.8, 42.5, 38.0, 33.7, 27.4])
ACENTRIC = np.array([0.012, 0.099, 0.153, 0.199, 0.251, 0.349])
"""Of methane, ethane, propane, butane, pentane and heptane."""
FEED = np.array([0.45, 0.10, 0.10, 0.10, 0.10, 0.15])
TANK_BAR, TANK_KELVIN, SALES_BAR = 1.01, 288.15, 60.0
COMPRESSION, COOLING = 0.02, 2e-4
"""What a mole of gas costs for each factor of e in pressure, and a mole of feed for each kelvin below 320."""

BOUNDS = [(1.5, 80.0), (1.1, 40.0), (250.0, 380.0), (250.0, 380.0)]
"""Pressure of both separators in bar, and their temperatures in kelvin."""


def split(feed: Floats, kelvin: float, bar: float) -> tuple[float, Floats]:
    """The share of vapour, and what the liquid is made of."""
    ratios = CRITICAL_BAR / bar * np.exp(5.37 * (1.0 + ACENTRIC) * (1.0 - CRITICAL_KELVIN / kelvin))

    def balance(vapour: float) -> float:
        return float((feed * (ratios - 1.0) / (1.0 + vapour * (ratios - 1.0))).sum())

    if not (balance(0.0) > 0.0 > balance(1.0)):
        raise ArithmeticError(f"one phase at {kelvin:.1f} K and {bar:.2f} bar")
    vapour = float(brentq(balance, 0.0, 1.0, xtol=1e-13))
    return vapour, feed / (1.0 + vapour * (ratios - 1.0))


def simulate(x: Floats) -> float:
    liquid, made, cost = 1.0, FEED, 0.0
    for bar, kelvin in ((x[0], x[2]), (x[1], x[3]), (TANK_BAR, TANK_KELVIN)):
        vapour, made = split(made, float(kelvin), float(bar))
        cost += liquid * (vapour * COMPRESSION * math.log(SALES_BAR / bar) + COOLING * max(320.0 - kelvin, 0.0))
        liquid *= 1.0 - vapour
    return float(cost - liquid)
