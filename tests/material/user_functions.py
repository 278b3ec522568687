"""Functions as users have them: some fail, some return odd things, one is a simulation that blows up."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from typing import Any

import numpy as np


def disc(x: Any) -> float:
    """Defined on a disc only; the minimum -0.5 is at (-0.5, 0), on its edge."""
    return float(x[0] + 0.0 * math.sqrt(0.25 - x[0] ** 2 - x[1] ** 2))


def raises_outside(x: Any) -> float:
    if x[0] + x[1] < 0.5:
        raise RuntimeError("the simulation did not converge")
    return float(x[0] ** 2 + x[1] ** 2)


def odd(x: Any) -> Any:
    """None, an infinity, a complex number, an array of one number: whatever comes."""
    return (None, math.inf, 1j, np.array([x[0] ** 2]), complex(x[0] ** 2, 0.0))[int(abs(x[0]) * 1e6) % 5]


def broken(x: Any) -> float:
    return float(x.no_such_method())


def grows(x: Any) -> float:
    """The end of dy/dt = a y^2 - b, y(0) = 1, by Euler's steps: it blows up for large a, and overflows."""
    a, b = x
    y = 1.0
    for _ in range(200):
        y += 0.01 * (a * y * y - b)
        if abs(y) > 1e6:
            raise OverflowError("the solution left the model's range")
    return float((y - 0.5) ** 2 + 0.01 * (a - 1.0) ** 2)


def many(points: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return points[:, 0] + 0.0 * np.sqrt(0.25 - points[:, 0] ** 2 - points[:, 1] ** 2)


def dies(x: Any) -> float:
    """Takes its process with it where x1 is above 0.5, and is killed from outside where x2 is."""
    if x[0] > 0.5:
        os._exit(7)
    if x[1] > 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(x[0] ** 2 + x[1] ** 2)


def always_dies(x: Any) -> float:
    os._exit(3)


def leaves(x: Any) -> float:
    """A script that ends itself where the model does not converge."""
    if x[0] > 0.0:
        sys.exit(1)
    return float(-x[0])


def hangs(x: Any) -> float:
    if x[0] > 0.5:
        time.sleep(3600.0)
    return float(x[0])


def is_slow(x: Any) -> float:
    time.sleep(0.05)
    return float(x[0] ** 2)
