"""Sums along chains whose infima are known by hand: edges active, several optimal paths, domains in pieces."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpcbench.expr import Expr, ln, neighbours, sqrt, total, variables


@dataclass(frozen=True)
class ChainProblem:
    """A formula on a box, its infimum over the reals and a point at (or next to) which it is reached."""

    name: str
    root: Expr
    bounds: list[tuple[float, float]]
    infimum: float
    point: npt.NDArray[np.float64]


def gaps(n: int) -> ChainProblem:
    """The product of the steps from 1 down to 0 is largest when they are equal."""
    x = variables(n)
    root = total(-ln(a - b) for _, a, b in neighbours(x))
    return ChainProblem(f"gaps-{n}", root, [(0.0, 1.0)] * n, (n - 1) * math.log(n - 1), np.linspace(1.0, 0.0, n))


def one_step(n: int) -> ChainProblem:
    """A concave price for steps: one step of 1, wherever, is best, and all other steps lie on the domain's edge."""
    x = variables(n)
    root = total(sqrt(b - a) for _, a, b in neighbours(x)) + 2 * x[0] - 2 * x[-1]
    return ChainProblem(f"one-step-{n}", root, [(0.0, 1.0)] * n, -1.0, np.array([0.0] * (n - 1) + [1.0]))


def alternating(n: int) -> ChainProblem:
    """Two optimal paths, 1, -1, 1, ... and its mirror image, in different pieces of the domain."""
    x = variables(n)
    root = total((a * b + 1) ** 2 + ln(a**2) ** 2 for _, a, b in neighbours(x))
    point = np.array([(-1.0) ** i for i in range(n)])
    return ChainProblem(f"alternating-{n}", root, [(-3.0, 4.0)] * n, 0.0, point)


def inside(n: int) -> ChainProblem:
    """A chain inside a decreasing function: its largest value is what counts."""
    x = variables(n)
    root = -ln(20 + total(sqrt(a + b - 1) - (a - b) ** 2 for _, a, b in neighbours(x)))
    point = np.full(n, 2.0)
    return ChainProblem(f"inside-{n}", root, [(0.0, 2.0)] * n, -math.log(20 + (n - 1) * math.sqrt(3.0)), point)


PROBLEMS = [gaps(3)]
SLOW = [gaps(5), alternating(4), alternating(20), inside(5)]
HARD = [gaps(8), one_step(5)]
"""Bounded, but not yet to the last digit."""
