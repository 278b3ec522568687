"""A batch reactor for the middle of two reactions, A to B to C, that may run away.

Rates after Denbigh's problem as Ray and Szekely (1973) have it; heat set free, jacket and runaway after Semenov's
theory (Varma, Morbidelli and Wu, 1999). Above 420 K the integration is given up.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from cpcbench.points import Floats

FIRST, SECOND = (4000.0, 2500.0), (620_000.0, 5000.0)
"""Frequencies and activation temperatures of both reactions; the first is of second order."""
HEATS = (150.0, 400.0)
"""Kelvin that each reaction adds where all has reacted."""
HOTTEST = 420.0

BOUNDS = [(290.0, 400.0), (280.0, 380.0), (0.0, 10.0), (0.2, 3.0)]
"""Temperature at the beginning and of the jacket, exchange with it, and the time until the batch is taken out."""


def slopes(_time: float, state: Any, jacket: float, exchange: float) -> list[float]:
    a, b, kelvin = state
    first = FIRST[0] * math.exp(-FIRST[1] / kelvin) * a * a
    second = SECOND[0] * math.exp(-SECOND[1] / kelvin) * b
    return [-first, first - second, HEATS[0] * first + HEATS[1] * second - exchange * (kelvin - jacket)]


def too_hot(_time: float, state: Any, _jacket: float, _exchange: float) -> float:
    return HOTTEST - float(state[2])


too_hot.terminal = True  # type: ignore[attr-defined]


def simulate(x: Floats) -> float:
    begin, jacket, exchange, end = map(float, x)
    way = solve_ivp(
        slopes, (0.0, end), [1.0, 0.0, begin], "LSODA", events=too_hot, args=(jacket, exchange), rtol=1e-8, atol=1e-10
    )
    if way.status != 0 or not np.isfinite(way.y).all():
        raise ArithmeticError(f"ran away after {way.t[-1]:.3f}")
    return float(-way.y[1, -1] + 0.02 * end + 0.001 * exchange + 5e-5 * abs(jacket - 300.0))
