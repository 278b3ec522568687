"""Which parts of a formula may be held at an exact value at its optimum, and how near a point is to each.

What is under a root or a fractional power (0), in an arcsine (1 or -1), in an absolute value or a constraint (0),
or squared or raised to an even power (0): there a formula has a kink, an edge or a residual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.certify.upper.balls import Balls, ball, rationals
from cpcbench.certify.upper.krawczyk import Box, doubles
from cpcbench.certify.upper.pinned import Pin, Pinned, number
from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import constants, postorder
from cpcbench.readings.gradient import derivatives
from cpcbench.readings.reals.exact import working_precision

BITS = 192
APART = 1e-6
"""Sine of the angle between the slopes of two parts that count as different."""


@dataclass(frozen=True)
class Near:
    """A pin and how far from it a point is, to first order, as a share of the box."""

    pin: Pin
    distance: float


def pins_of(root: Expr) -> list[Pin]:
    """Everything that may be pinned, inner parts first."""
    fixed, exact = constants(root), rationals(root)
    found: dict[tuple[int, Fraction], Pin] = {}
    for node in postorder(root):
        for pin in _pins(node, exact):
            if id(pin.node) not in fixed:
                found.setdefault((id(pin.node), pin.value), pin)
    return list(found.values())


def _pins(node: Expr, exact: dict[int, Fraction]) -> list[Pin]:
    if node.op in ("sqrt", "abs", "given") or (node.op == "mul" and node.args[0] is node.args[1]):
        return [Pin(node.args[0])]
    if node.op in ("arcsin", "arccos"):
        return [Pin(node.args[0], Fraction(1)), Pin(node.args[0], Fraction(-1))]
    if node.op == "arccosh":
        return [Pin(node.args[0], Fraction(1))]
    if node.op == "pow":
        exponent = exact.get(id(node.args[1]))
        odd = exponent is not None and exponent.denominator == 1 and exponent.numerator % 2 == 1
        return [] if odd or (exponent is not None and exponent <= 0) else [Pin(node.args[0])]
    return []


def nearest(pinned: Pinned, box: Box, point: Sequence[Any], rule: str, within: float) -> list[Near]:
    """What is not pinned yet and near, nearest first, nothing that runs along the pins held already."""
    held = {id(pin.node) for pin in pinned.pins}
    inner = {id(pin.node): number(pin.value) for pin in pinned.pins}
    parts = [(pin, replaced(pin.node, inner)) for pin in pins_of(pinned.root) if id(pin.node) not in held]
    rows = [(pin, part, derivatives(part, pinned.dim)) for pin, part in parts]
    width = np.array([high - low for low, high in box])
    with working_precision(BITS):
        reading = Balls(*[e for _, part, slopes in rows for e in (part, *slopes)], rule=rule)
        found = reading.values(point)
        values = [[found[id(part)] - ball(pin.value), *(found[id(s)] for s in slopes)] for pin, part, slopes in rows]
        basis = _basis(pinned, point, rule, width)
    near = []
    for (pin, _, _), line in zip(rows, doubles(values), strict=True):
        distance = _distance(line[0], line[1:] * width, basis)
        if distance <= within:
            near.append(Near(pin, distance))
    return sorted(near, key=lambda n: n.distance)


def _basis(
    pinned: Pinned, point: Sequence[Any], rule: str, width: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64] | None:
    """An orthonormal basis of the slopes of the pins held, in units of the box; None if they are unknown."""
    if not pinned.pins:
        return np.zeros((0, pinned.dim))
    found = Balls(*[s for row in pinned.slopes for s in row], rule=rule).values(point)
    rows = doubles([[found[id(s)] for s in row] for row in pinned.slopes]) * width
    if not np.isfinite(rows).all():
        return None
    size = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    return np.linalg.qr((rows / np.where(size > 0.0, size, 1.0)).T)[0].T


def _distance(value: float, slope: npt.NDArray[np.float64], basis: npt.NDArray[np.float64] | None) -> float:
    size = float(np.linalg.norm(slope))
    if basis is None or not np.isfinite(value) or not np.isfinite(size) or size == 0.0:
        return np.inf
    along = slope - basis.T @ (basis @ slope)
    left = float(np.linalg.norm(along))
    return abs(value) / left if left > APART * size else np.inf
