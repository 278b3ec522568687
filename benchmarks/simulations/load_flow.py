"""How much load a network can carry: losses and what is paid for the load, by Newton's method.

The network of five buses of Stagg and El-Abiad (1968). Beyond the nose of its curve there is no solution, and
Newton's method does not converge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpcbench.points import Floats

Complexes = NDArray[np.complex128]

LINES = (
    (0, 1, 0.02, 0.06, 0.03), (0, 2, 0.08, 0.24, 0.025), (1, 2, 0.06, 0.18, 0.02), (1, 3, 0.06, 0.18, 0.02),
    (1, 4, 0.04, 0.12, 0.015), (2, 3, 0.01, 0.03, 0.01), (3, 4, 0.08, 0.24, 0.025),
)  # fmt: skip
"""From, to, resistance, reactance and half of the charging of each line."""
LOADS = np.array([0.0, 0.2 + 0.1j, 0.45 + 0.15j, 0.4 + 0.05j, 0.6 + 0.1j])
STEPS, CLOSE, LOWEST = 20, 1e-9, 0.5
PAID = 0.5
"""For a unit of load, where a unit of losses costs 1."""

BOUNDS = [(0.95, 1.1), (0.95, 1.1), (0.0, 4.0), (0.5, 8.0), (0.0, 1.5)]
"""Voltage at both generators, power of the second, factor of all loads, and a condenser at the last bus."""


def admittances(condenser: float) -> Complexes:
    y = np.zeros((5, 5), dtype=np.complex128)
    for a, b, r, x, charging in LINES:
        series = 1.0 / complex(r, x)
        y[a, a] += series + 1j * charging
        y[b, b] += series + 1j * charging
        y[a, b] -= series
        y[b, a] -= series
    y[4, 4] += 1j * condenser
    return y


def simulate(x: Floats) -> float:
    first, second, power, factor, condenser = map(float, x)
    voltage = solved(first, second, power, factor, condenser)
    if voltage is None or (np.abs(voltage) < LOWEST).any():
        raise ArithmeticError("the load flow did not converge")
    losses = (voltage * (admittances(condenser) @ voltage).conj()).real.sum()
    return float(losses) - PAID * factor * float(LOADS.real.sum())


def solved(first: float, second: float, power: float, factor: float, condenser: float) -> Complexes | None:
    """The voltages at all buses, by Newton's method from all alike; None where it does not converge."""
    y, wanted = admittances(condenser), -factor * LOADS
    wanted[1] += power
    size, angle = np.array([first, second, 1.0, 1.0, 1.0]), np.zeros(5)
    for _ in range(STEPS):
        voltage = size * np.exp(1j * angle)
        current = y @ voltage
        left = voltage * current.conj() - wanted
        off = np.concatenate([left.real[1:], left.imag[2:]])
        if np.abs(off).max() < CLOSE:
            return np.asarray(voltage)
        unit = voltage / size
        by_angle = 1j * np.diag(voltage) @ (np.diag(current) - y @ np.diag(voltage)).conj()
        by_size = np.diag(voltage) @ (y @ np.diag(unit)).conj() + np.diag(current.conj() * unit)
        rows = [by_angle.real[1:, 1:], by_size.real[1:, 2:]], [by_angle.imag[2:, 1:], by_size.imag[2:, 2:]]
        step = np.linalg.solve(np.block(list(map(list, rows))), -off)
        angle[1:] += step[:4]
        size[2:] += step[4:]
    return None
