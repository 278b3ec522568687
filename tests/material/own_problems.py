"""Problems outside the suite whose optima are derived by hand, for both modes of the search; nothing is tuned on them.

Each formula carries the argument for its optimum. Most optima have coordinates that are doubles, so that the value can
be checked at the point itself; where they have none, the point stored lies inside by a hair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpcbench.problems.problem import Problem
from cpcbench.problems.user import parse

HAIR = 1e-9


@dataclass(frozen=True)
class Own:
    """A formula, its lowest faithful value, a point that has it (to 1e-6), and the lowest thin point if any."""

    name: str
    text: str
    bounds: tuple[tuple[float, float], ...]
    value: float
    point: tuple[float, ...]
    traits: str
    thin: tuple[float, tuple[float, ...]] | None = None

    @property
    def problem(self) -> Problem:
        return parse(self.text, list(self.bounds), id=self.name)


@dataclass(frozen=True)
class Simulation:
    """A user's function, which raises or returns NaN where it has no value, with its lowest value."""

    name: str
    function: Callable[[Any], float]
    bounds: tuple[tuple[float, float], ...]
    value: float
    point: tuple[float, ...]
    traits: str


def _box(low: float, high: float, n: int) -> tuple[tuple[float, float], ...]:
    return ((low, high),) * n


def _sum(term: str, n: int, start: int = 1) -> str:
    """The term for i = start, ..., n, where {i} is the number and {j} the next one."""
    return " + ".join(term.format(i=i, j=i + 1) for i in range(start, n + 1))


def budget_edge() -> Own:
    """A linear cost over a curved edge. By the means' inequality x1 + 2 x2 + 3 x3 >= 3 (6 x1 x2 x3)^(1/3) >= 18 where
    x1 x2 x3 >= 36, with equality only for x1 = 2 x2 = 3 x3 = 6."""
    text = "x1 + 2*x2 + 3*x3 + 0*sqrt(x1*x2*x3 - 36)"
    return Own("budget edge", text, _box(0.1, 20, 3), 18.0, (6.0, 3.0, 2.0), "curved edge")


def corner() -> Own:
    """Four terms that are never negative; all vanish only where x1 = 1, x2 = x1^3, x3 = x1 x2 and x4 = x3."""
    text = "sqrt(x1 - 1) + sqrt(x2 - x1^3) + ln(1 + sqrt(x3 - x1*x2)) + (x4 - x3)^0.3"
    return Own("four edges", text, _box(-30, 30, 4), 0.0, (1.0,) * 4, "corner of four conditions, singular")


def tube() -> Own:
    """Neighbours differ by at most 3/16, so x5 - x1 is at most 3/4 and the second square at least 1/16; the first one
    is 0 for x1 = 3. About one point in 10^7 is admissible."""
    text = "(x1 - 3)^2 + (x5 - x1 - 1)^2 + " + _sum("0*sqrt(0.1875 - abs(x{j} - x{i}))", 4)
    point = tuple(3 + 0.1875 * i for i in range(5))
    return Own("tube", text, _box(-10, 10, 5), 0.0625, point, "rare, corner of four conditions")


def patches() -> Own:
    """sin(40/x) >= 0.9 where 40/x is within pi/2 - arcsin(0.9) of pi/2 + 2 pi k; in the box 40/x is at most 80, so the
    smallest such x has k = 12 and 40/x = 25 pi - arcsin(0.9). The last term vanishes for x1 = x2."""
    text = "x1 + x2 + abs(x1 - x2) + 0*sqrt(sin(40/x1) - 0.9) + 0*sqrt(sin(40/x2) - 0.9)"
    lowest = 40 / (25 * math.pi - math.asin(0.9))
    point = (lowest + HAIR,) * 2
    return Own("patches", text, _box(0.5, 20, 2), 2 * lowest, point, "169 parts, the best is the smallest")


def keyhole() -> Own:
    """Each arcsine is at least -pi/2, its value at the operand -1; with x3 = 2 that is x2 = 3 - 1/64 and
    x1 = 2 x2 - 1/32. About one point in 10^6 is admissible."""
    text = "arcsin(32*(x1 - x2*x3)) + arcsin(64*(x2 - 1.5*x3)) + (x3 - 2)^2"
    return Own("keyhole", text, _box(-10, 10, 3), -math.pi, (5.9375, 2.984375, 2.0), "rare, curved, singular edges")


def exponent() -> Own:
    """Where x1 >= 2 no term is negative, and all vanish at (2, 1, -1.5). Below 2 the power is real on the slices where
    x2 - x3 is whole (1 to 4 in this box), and negative for the odd ones: at most -27 for 3, with the squares
    2 (1/4)^2 at the nearest point of that slice; at least -3 for 1."""
    text = "(x1 - 2)^(x2 - x3) + (x2 - 1)^2 + (x3 + 1.5)^2"
    bounds = ((-1.0, 4.0), (0.0, 2.0), (-2.0, -0.5))
    thin = -26.875, (-1.0, 1.25, -1.75)
    return Own("whole exponent", text, bounds, 0.0, (2.0, 1.0, -1.5), "thin slices across two variables", thin)


def steep() -> Own:
    """No term is negative; all vanish only for x3 = 1, x1 + x2 = 5 and x1 x2 = 6. A fourth root of a last bit is
    1e-4, so only points that meet both edges to the bit solve it."""
    text = "(x1 + x2 + x3 - 6)^0.25 + (x1*x2 - x3 - 5)^0.25 + (x3 - 1)^2"
    return Own("steep", text, _box(-10, 10, 3), 0.0, (2.0, 3.0, 1.0), "singular edges, two optima")


def isotonic() -> Own:
    """Least squares under an order: pooling adjacent violators of 3, 1, 2, 8, 4, 6, 5, 7 gives the means 2, 23/4 and 7
    of three blocks, with the sums of squares 2, 8.75 and 0. One point in 8! is admissible."""
    targets = (3, 1, 2, 8, 4, 6, 5, 7)
    squares = " + ".join(f"(x{i} - {t})^2" for i, t in enumerate(targets, start=1))
    text = f"{squares} + {_sum('0*sqrt(x{j} - x{i})', 7)}"
    point = (2.0,) * 3 + (5.75,) * 4 + (7.0,)
    return Own("isotonic", text, _box(0, 10, 8), 10.75, point, "8 variables, rare, five edges meet")


def simplex() -> Own:
    """By the means' inequality the product of ten positive numbers of sum at most 1 is at most 10^-10, so the value is
    at least 10 ln 10. One point in 10^7 is admissible."""
    text = f"{_sum('(-ln(x{i}))', 10)} + 0*sqrt(1 - ({_sum('x{i}', 10)}))"
    return Own("simplex", text, _box(-0.1, 1, 10), 10 * math.log(10), (0.1 - HAIR,) * 10, "10 variables, rare")


def lens() -> Own:
    """Two unit balls with centres 0 and (7/4, 0, 0, 0, 0): in both, x2^2 + ... + x5^2 is at most 1 - (7/8)^2 = 15/64,
    so the sum of these four is at least -2 sqrt(15/64), all equal and x1 = 7/8. A few points in 10^6 are admissible."""
    rest = _sum("x{i}^2", 5, 2)
    text = f"{_sum('x{i}', 5, 2)} + 0*sqrt(1 - x1^2 - ({rest})) + 0*sqrt(1 - (x1 - 1.75)^2 - ({rest}))"
    depth = math.sqrt(15) / 8
    point = (0.875, *(-depth / 2 + HAIR,) * 4)
    return Own("lens", text, _box(-2, 3, 5), -2 * depth, point, "5 variables, rare, two curved edges")


def waves() -> Own:
    """Along the sliver it is cos(3 x) + x/10, whose minima have sin(3 x) = 1/30 and cos(3 x) < 0, which is
    3 x = m pi - arcsin(1/30) for odd m. The lowest in the box has m = -3; at its end -4 the cosine is positive."""
    text = "cos(3*x1) + x1/10 + 0*sqrt(0.01 - abs(x2 - x1^3/8))"
    x = (-3 * math.pi - math.asin(1 / 30)) / 3
    value = -math.sqrt(1 - 1 / 900) + x / 10
    return Own("waves", text, ((-4.0, 4.0), (-8.0, 8.0)), value, (x, x**3 / 8), "sliver with four valleys")


def outpost() -> Own:
    """The operand is positive in exactly one of two disjoint balls: radius 3 about 0, radius 1/4 about (-8, 5, -6). The
    sum of the coordinates is at least -3 sqrt(3) in the first, and -9 - sqrt(3)/4 in the second, which is lower."""
    first, second = "(x1^2 + x2^2 + x3^2 - 9)", "((x1 + 8)^2 + (x2 - 5)^2 + (x3 + 6)^2 - 0.0625)"
    step = 0.25 / math.sqrt(3) - HAIR
    point = (-8 - step, 5 - step, -6 - step)
    text = f"x1 + x2 + x3 + 0*sqrt(-({first}*{second}))"
    value = -9 - math.sqrt(3) / 4
    return Own("outpost", text, _box(-10, 10, 3), value, point, "the smaller of two parts is better, 10^-5")


def stairs() -> Own:
    """Each coordinate must lie in the last 1/128 below a whole number. The nearest such place to 2.5 is 3 - 1/128, with
    the distance 63/128; the other side, just below 2, is 1/2 away. About one point in 2 10^6 is admissible."""
    text = _sum("(x{i} - 2.5)^2", 3) + " + " + _sum("0*sqrt(x{i} - floor(x{i}) - 0.9921875)", 3)
    point = (2.9921875,) * 3
    return Own("stairs", text, _box(-10, 10, 3), 3 * (63 / 128) ** 2, point, "8,000 parts, rare")


def riccati(x: Any) -> float:
    """y' = y^2 - c from y(0) by 100 steps of Euler's method, which raises when y runs away.

    For y(0) up to sqrt(c) nothing runs away; above it the distance grows by a factor of 1.4 a step near c = 4. So the
    least of c/2 + (y(0) - 3)^2 is that of y^2/2 + (y - 3)^2: 3, at y(0) = 2 and c = 4. Points with a smaller value have
    y(0) > 0.65, where c < 0 runs away soon; for c < 1, where the steps leave some slack, the value is above 3.6.
    """
    start, c = float(x[0]), float(x[1])
    y = start
    for _ in range(100):
        y += 0.1 * (y * y - c)
        if abs(y) > 1e6:
            raise OverflowError("the solution ran away")
    return c / 2 + (start - 3) ** 2


def correlations(x: Any) -> float:
    """Six correlations of four variables; Cholesky's method raises where their matrix is not positive definite.

    1' C 1 = 4 + 2 (sum of the six) > 0, so their sum is above -2; the squares vanish where all are -1/3, whose matrix
    is singular, with the sum -2. So -2 is approached and not attained.
    """
    matrix = np.eye(4)
    matrix[np.triu_indices(4, 1)] = x
    np.linalg.cholesky(matrix.T)  # reads the lower triangle
    return float(np.sum(x) + np.sum((np.asarray(x) + 1 / 3) ** 2))


def own_problems() -> list[Own]:
    """The formulas."""
    makers = (
        budget_edge, corner, tube, patches, keyhole, exponent, steep, isotonic, simplex, lens, waves, outpost, stairs,
    )  # fmt: skip
    return [make() for make in makers]


def simulations() -> list[Simulation]:
    """The functions without a formula."""
    near = (-1 / 3 + HAIR,) * 6
    return [
        Simulation("riccati", riccati, ((-5.0, 5.0), (-5.0, 20.0)), 3.0, (2.0, 4.0), "an equation that blows up"),
        Simulation("correlations", correlations, _box(-3, 3, 6), -2.0, near, "a matrix that is not positive definite"),
    ]
