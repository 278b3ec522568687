"""Formulas outside the suite whose infimum is known by hand, for proofs; the reason stands with each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cpcbench as cpc


@dataclass(frozen=True)
class Known:
    """A formula on a box and its infimum over the reals; -inf if it has none."""

    name: str
    formula: str
    bounds: tuple[tuple[float, float], ...]
    infimum: float
    rule: str = "strict"

    def problem(self) -> cpc.Problem:
        return cpc.parse(self.formula, bounds=list(self.bounds), rule=self.rule)


def _sum(term: str, count: int) -> str:
    """term with {i} and {j} = i + 1 for i = 1 .. count, added up."""
    return " + ".join(f"({term.format(i=i, j=i + 1)})" for i in range(1, count + 1))


KNOWN = (
    # f >= -x1/4 >= -1, with equality at x1 = 4, x2 = 2 or -2, where the root is 0: a corner.
    Known("corner", "sqrt(x1 - x2^2) - x1/4", ((0, 4), (-2, 2)), -1.0),
    # The product of three positive numbers with sum 1 is at most 1/27.
    Known("interior", "-ln(x1*x2*(1 - x1 - x2))", ((0, 1), (0, 1)), math.log(27.0)),
    # The point of the parabola's and the half-plane's intersection nearest to (2, 1) is (1, 1); there both roots are 0.
    Known("two edges", "(x1 - 2)^2 + (x2 - 1)^2 + sqrt(x2 - x1^2) + (2 - x1 - x2)^0.5", ((-3, 3), (-3, 3)), 1.0),
    # With r^2 = x1^2 + x2^2 at least -sqrt(2) r + sqrt(1 - r^2), which falls to -sqrt(2) at r = 1: a curved edge.
    Known("curved edge", "x1 + x2 + sqrt(1 - x1^2 - x2^2)", ((-1, 1), (-1, 1)), -math.sqrt(2.0)),
    # The harmonic mean of two numbers with sum 1 is at most 1/2.
    Known("poles", "1/x1 + 1/(1 - x1)", ((0, 1),), 4.0),
    # exp(ln(x1)) is x1, and 0 is not in the domain: not attained.
    Known("not attained", "exp(ln(x1))", ((0, 1),), 0.0),
    # f >= -x1, and the last interval with sin(x1) >= 0.9 below 30 ends at 9 pi - arcsin(0.9).
    Known("islands", "sqrt(sin(x1) - 0.9) - x1", ((0, 30),), -(9.0 * math.pi - math.asin(0.9))),
    # x - ln(x) is least at 1.
    Known("separable", _sum("x{i} - ln(x{i})", 10), ((0, 4),) * 10, 10.0),
    # The sine under the quotient is at most 1, reached at pi/2, and negative ones are cut off by the root.
    Known("poles of a wave", "1/sqrt(sin(x1))", ((0, 7),), 1.0),
    # x + y >= 2 sqrt(x y) >= 2 where x y >= 1, with equality at x = y = 1: a chain along a curved edge.
    Known("chain of hyperbolas", _sum("x{i} + x{j} + sqrt(x{i}*x{j} - 1)", 19), ((0, 3),) * 20, 38.0),
    # With s = sqrt(x y) at least s^2 - s >= -1/4, at x = y = 1/2 and x = y = -1/2: two optimal paths.
    Known("two paths", _sum("(x{i}^2 + x{j}^2)/2 - sqrt(x{i}*x{j})", 5), ((-2, 2),) * 6, -1.25),
    # cosh(x) >= 1 + x^2/2 and |sin(x y)| <= |x y| <= (x^2 + y^2)/2, so 5 is least, at x = 0: a cycle, no chain.
    Known("cycle", f"{_sum('cosh(x{i})', 5)} + 0.45*({_sum('sin(x{i}*x{j})', 4)} + sin(x5*x1))", ((-2, 3),) * 5, 5.0),
    # The sum under the logarithm is at least 0, and is 0 where every |x_i| = 1.
    Known("outer logarithm", f"-ln(5 - ({_sum('sqrt(x{i}^2 - 1)', 4)}))", ((-3, 3),) * 4, -math.log(5.0)),
)

HARD = (
    # x y (1 - x y) with x y = t is t (1 - t), -2 at the corner t = 2 of the root's edge.
    Known("edge of a product", "x1*x2*(1 - x1*x2) + sqrt(2 - x1*x2)", ((0, 3), (0, 3)), -2.0),
)
"""A whole curve of optima: enclosed, but not tightly."""

UNBOUNDED = (
    # Towards the diagonal the logarithm has no lower bound.
    Known("logarithm", "ln(x1 - x2)", ((0, 1), (0, 1)), -math.inf),
    # So has the sum, whatever the other term does.
    Known("pole", "sqrt(x2) - 1/(x1 - x2^2)", ((0, 4), (0, 1)), -math.inf),
)
