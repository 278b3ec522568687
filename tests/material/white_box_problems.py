"""Problems with known optima that are not in the suite, for tests of solvers; no solver is tuned on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cpcbench.problems.problem import Problem
from cpcbench.problems.user import parse


@dataclass(frozen=True)
class Known:
    """A problem, the lowest faithful value (or what it tends to), and the lowest thin one if there is any."""

    problem: Problem
    value: float
    thin: float | None = None


def _chain(n: int) -> str:
    return "(x1 - 0.9)^2 + " + " + ".join(f"sqrt(x{i + 1} - x{i}^2)" for i in range(1, n))


def _islands(n: int) -> str:
    """Each coordinate wants to be -5, which lies between two islands."""
    return " + ".join(f"x{i}^2/100 + x{i}/10 + 0*sqrt(-0.9 - cos(5*x{i}))" for i in range(1, n + 1))


def _needle(n: int) -> str:
    """One in 10^3 a coordinate."""
    return "-(" + " + ".join(f"sqrt(0.01 - (x{i} - {7 * i})^2)" for i in range(1, n + 1)) + ")"


def _squares(n: int) -> str:
    return " + ".join(f"x{i}^2" for i in range(1, n + 1))


_ISLAND = -(7 * math.pi + math.acos(0.9)) / 5

TABLE: list[tuple[str, str, Any, float, float | None]] = [
    ("corner", "sqrt(x1 - x2^2 - 0.1) + sqrt(2*x2 - x1^2 - 0.3)", (-5, 5), 0.0, None),
    ("sliver", "x1 + x2 + 0*sqrt(0.001 - abs(x1*x2 - 1))", [(0.1, 10), (0.1, 10)], 2 * math.sqrt(0.999), None),
    ("needle", _needle(6), (-100, 100), -0.6, None),
    ("thin", "x1^2 + (x2 - 3)^x1", [(0.5, 4), (-4, 4)], 0.25, -334.0),
    ("singular", "(x1 - 0.25)^0.15 + (x2 - x1^2)^0.15 + (x3 - 1)^2", (-2, 2), 0.0, None),
    ("chain", _chain(10), (-2, 2), 0.0, None),
    ("islands", _islands(10), (-10, 10), 10 * (_ISLAND**2 / 100 + _ISLAND / 10), None),
    ("hyperbolas", "x1^2 + x2^2 + 0*sqrt(sin(x1*x2) - 0.999)", (-10, 10), 2 * math.asin(0.999), None),
    ("equations", "(ln(x1 - x2) - 1)^2 + (sqrt(x1*x2 - 1) - 2)^2", (-10, 10), 0.0, None),
    ("ball", "-(x1 + x2 + x3 + x4 + x5) + 0*sqrt(1 - (" + _squares(5) + "))", (-3, 3), -math.sqrt(5), None),
    ("shell", f"x1 + 0*sqrt({_squares(5)} - 4) + 0*sqrt(4.0001 - ({_squares(5)}))", (-20, 20), -(4.0001**0.5), None),
    ("arcsine", "arcsin(x1 + x2) + (x1 - x2)^2", (-50, 50), -math.pi / 2, None),
    ("self power", "x1^x1 + ln(1 + sqrt(x2 - x1))", (-3, 3), math.exp(-1 / math.e), -1.0),
]  # fmt: skip
"""Name, formula, bounds, lowest faithful value (or what it tends to), lowest thin value."""


def known_problems() -> list[Known]:
    """All of them."""
    return [Known(parse(text, bounds, id=name), value, thin) for name, text, bounds, value, thin in TABLE]
