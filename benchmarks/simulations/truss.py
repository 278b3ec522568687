"""The lightest of von Mises's trusses (1923) that carries its load: two bars, one support of which is held by a spring.

Equilibrium by Newton's method in steps of the load; a truss that snaps through, or a bar that buckles (Euler), is a
failure, so the lightest one lies at the edge of the domain.
"""

from __future__ import annotations

import math

import numpy as np

from cpcbench.points import Floats

LOAD, STEPS, MOST, CLOSE = 1e-3, 8, 25, 1e-12
SPRING_COST = 2e-3

BOUNDS = [(0.05, 1.0), (-3.0, 0.0), (-3.0, 1.0)]
"""The rise of the apex beside a half span of 1, and the logarithms (base 10) of the bars' area and of the spring."""


def simulate(x: Floats) -> float:
    rise, area, stiffness = float(x[0]), 10.0 ** float(x[1]), 10.0 ** float(x[2])
    length, at = math.hypot(1.0, rise), np.zeros(2)  # how far the apex is down, and the support out
    for step in range(1, STEPS + 1):
        at = balanced(at, LOAD * step / STEPS, rise, area, stiffness)
        if at[0] >= rise:
            raise ArithmeticError("snapped through")
    now = math.hypot(1.0 + at[1] / 2.0, rise - at[0])
    pressed = area * (length - now) / length
    if pressed > math.pi * area**2 / (4.0 * length**2):  # of a solid round bar
        raise ArithmeticError("a bar buckles")
    return float(2.0 * area * length + SPRING_COST * stiffness)


def balanced(at: Floats, load: float, rise: float, area: float, stiffness: float) -> Floats:
    """Where all forces are in balance, from a place nearby; the apex moves half as far aside as the support."""
    length = math.hypot(1.0, rise)
    for _ in range(MOST):
        across, high = 1.0 + at[1] / 2.0, rise - at[0]
        now = math.hypot(across, high)
        pulled = 2.0 * area * (now - length) / length  # of both bars
        along = np.array([-high / now, across / now / 2.0])
        off = pulled * along + np.array([-load, stiffness * at[1]])
        bend = pulled / now * (np.diag([1.0, 0.25]) - np.outer(along, along))
        matrix = 2.0 * area / length * np.outer(along, along) + bend + np.diag([0.0, stiffness])
        np.linalg.cholesky(matrix)  # raises LinAlgError where it is not stable
        if np.abs(off).max() < CLOSE:
            return at
        at = at - np.linalg.solve(matrix, off)
    raise ArithmeticError("no equilibrium")
