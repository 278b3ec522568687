"""Problems of our own with known minima, and how far above them a search ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from cpcbench.problems.user import parse
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.solver import solve

Floats = npt.NDArray[np.float64]


def minimised(fun: Callable[[Floats], Floats], lower: Any, upper: Any, budget: int, seed: int, m: int = 48) -> Search:
    search = Search(lower, upper, np.random.default_rng(seed))
    for _ in range(budget // m):
        points = search.ask(m)
        assert (points >= lower).all()
        assert (points <= upper).all()
        search.tell(points, fun(points))
    return search


def least(fun: Callable[[float], float], low: float, high: float) -> float:
    return float(minimize_scalar(fun, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).fun)


TEN = " + ".join(f"(x{i} - 1)^2" for i in range(1, 11)), " + ".join(f"x{i}" for i in range(1, 11))
PROBLEMS = {
    "cusp": ("x1 + x2 + sqrt(x1 - x2^2) + sqrt(x2 - x1^2)", [(-3, 5)] * 2, 0.0),
    "sliver": ("sqrt(0.0001 - (x1*x2 - 1)^2) + (x1 - 2)^2 + (x2 - 0.5)^2", [(-9, 10)] * 2, 2.353e-5),
    "rare": ("-sqrt(0.04 - (x1 - 1.3)^2) - sqrt(0.04 - (x2 + 2.1)^2) - sqrt(0.04 - (x3 - 0.4)^2)", [(-5, 5)] * 3, -0.6),
    "steep corner": ("(x1 - 3)^0.2 + (2 - x2)^0.2 + x1 - x2", [(0, 10)] * 2, 1.0),
    "circle": ("sqrt(x1^2 + x2^2 - 1) + (x1 - 2*x2)^2", [(-30, 20)] * 2, 0.0),
    "ordered": (
        "sqrt(x2 - x1 - 1) + sqrt(x3 - x2 - 1) + sqrt(x4 - x3 - 1) + x1^2 + x2^2 + x3^2 + x4^2",
        [(-20, 20)] * 4,
        5.0,
    ),
    "ten": (
        f"{TEN[0]} + sqrt({TEN[1]} - 5)",
        [(-2, 3)] * 10,
        least(lambda t: 10 * (t - 1) ** 2 + math.sqrt(10 * t - 5), 0.6, 1.0),
    ),
    "islands on a line": (
        "(x1 - 7)^2 + sqrt(cos(x1) - 0.999)",
        [(-100, 100)],
        (7 - 2 * math.pi - math.acos(0.999)) ** 2,
    ),
    "islands": (
        "-sqrt(sin(x1)*sin(x2) - 0.9) - 0.01*x1",
        [(0, 30)] * 2,
        least(lambda t: -math.sqrt(math.cos(t) - 0.9) - 0.01 * (9.5 * math.pi + t), 0.0, 0.14),
    ),
    "ratios": ("sqrt(x2 - 3*x1) + sqrt(x3 - 3*x2) + (x3 - 18)^2", [(-50, 50)] * 3, 0.0),
    "logarithms": ("ln(x1 - 1000*x2)^2 + ln(x2 - 0.001)^2 + x3^2 + sqrt(x3 - x2 + 1)", [(-2000, 3000)] * 3, 0.0),
    "curved edge": ("sqrt(x2 - x1^2) + (x1 - 1)^2 + (x3 - x1*x2)^2", [(-10, 10)] * 3, 0.0),
}
"""Formula, box, least value."""


def above(name: str, budget: int, seed: int) -> float:
    """How far above the stated minimum a search ends, relative above 1."""
    formula, bounds, best = PROBLEMS[name]
    objective = Objective(parse(formula, bounds=[(float(a), float(b)) for a, b in bounds]), budget=budget)
    with suppress(StopRun):
        solve(objective, np.random.default_rng(seed))
    return float(objective.best_value - best) / max(1.0, abs(best))
