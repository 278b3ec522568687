"""The parts of a formula whose vanishing makes it grow or oscillate without end, and values just short of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from cpcbench.certify.upper.balls import rationals
from cpcbench.certify.upper.pinned import Pin
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import constants, postorder
from cpcbench.points import Points
from cpcbench.readings.doubles.arrays import array_values, evaluate
from cpcbench.readings.gradient import derivatives

WHOLE = (-1, -2, -3)
"""The whole exponents that are tried where a varying exponent may allow a negative base."""
SMALLEST, SMALLER, SAMPLES = 1e-36, 1e-6, 100_000
"""Values of a vanishing part that are looked at: down to this, and to this share of what it is here, so many, evenly
in the logarithm."""


@dataclass(frozen=True)
class Vanishing:
    """A part that is to vanish, from which sides, and what must be held exactly besides."""

    node: Expr
    sides: tuple[int, ...]
    held: tuple[Pin, ...] = ()


def vanishing_parts(root: Expr, rule: str) -> Iterator[Vanishing]:
    """What may drive the formula to infinity by vanishing, inner parts first."""
    fixed, exact = constants(root), rationals(root)
    for node in postorder(root):
        if node.op == "ln" and id(node.args[0]) not in fixed:
            yield Vanishing(node.args[0], (1,))
        elif node.op == "div" and id(node.args[1]) not in fixed:
            yield Vanishing(node.args[1], (1, -1))
        elif node.op == "pow" and id(node.args[0]) not in fixed:
            yield from _of_power(node, rule, id(node.args[1]) in fixed, exact.get(id(node.args[1])))


def _of_power(node: Expr, rule: str, constant: bool, exponent: Fraction | None) -> Iterator[Vanishing]:
    base = node.args[0]
    if constant:
        if exponent is None or exponent < 0:
            yield Vanishing(base, (1, -1) if exponent is not None and exponent.denominator == 1 else (1,))
        return
    yield Vanishing(base, (1,))
    if rule == "ieee":
        for whole in WHOLE:
            yield Vanishing(base, (-1, 1), (Pin(node.args[1], Fraction(whole)),))


def small_values(root: Expr, x: Points) -> list[Pin]:
    """Parts that a lower value of the formula has smaller than any double near the point can make them.

    Close to where a part vanishes the doubles are too far apart to choose its value, and the formula
    may oscillate there. Each part is given the value that is best while the point follows it by the shortest way.
    """
    found = []
    for part in {id(v.node): v.node for v in vanishing_parts(root, "strict")}.values():
        here = float(array_values(root, x[:, None])[id(part)][0]) if part.op != "var" else math.nan
        if 0.0 < here < 1e-2:
            value = _best_value(root, part, x, here)
            if value is not None:
                found.append(Pin(part, Fraction(value)))
    return found


def _best_value(root: Expr, part: Expr, x: Points, here: float) -> float | None:
    formula = replaced(root, {id(part): var(len(x))})
    slope = np.array([float(evaluate(s, x[None, :])[0]) for s in derivatives(part, len(x))])
    size = float(slope @ slope)
    if not 0.0 < size < math.inf:
        return None

    def at(logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        small = np.exp(logs)
        moved = x + np.outer(small - here, slope / size)  # the point follows the part, to first order
        rows = np.column_stack([moved, small])
        values = evaluate(formula, rows)
        return np.where(np.isfinite(values), values, np.inf)

    least = min(SMALLEST, SMALLER * here)
    if not least > 0.0:
        return None
    logs = np.linspace(math.log(least), math.log(here), SAMPLES)
    values = at(logs)
    lowest = int(np.argmin(values))
    if not 0 < lowest < SAMPLES - 1 or not values[lowest] < values[-1]:
        return None
    middle, reach = logs[lowest], logs[1] - logs[0]  # the search has a relative tolerance: it is made around 0
    with np.errstate(invalid="ignore"):  # the difference of two infinite values
        best = minimize_scalar(
            lambda t: float(at(np.array([middle + t]))[0]),
            bounds=(-reach, reach),
            method="bounded",
            options={"xatol": 1e-15, "maxiter": 200},
        )
    return float(math.exp(middle + (best.x if best.fun < values[lowest] else 0.0)))
