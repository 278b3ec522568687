"""Where searches begin: points on many scales, and points at which the parts of the formula are of moderate size.

A parameter of a model may be 1e-19 or 1e13; what matters is what it is multiplied with, added to or raised to. So
each occurrence of a variable in the formula is an operation with another part, and a start sets the variable so that
the operation comes to a moderate number at one of the residuals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder, variables
from cpcbench.points import Floats
from cpcbench.solvers.least_squares.model import Model, Program

SWEEPS = 2
ALIKE = 0.1
"""How often a variable is set near another one."""
SPREAD = 0.8
"""Moderate numbers: their decimal logarithms have this deviation."""


class Starts:
    """Draws starting points for one model."""

    def __init__(self, model: Model, parts: Sequence[Expr]) -> None:
        self._n, self._free = model.n, model.free
        self._scales = np.array(model.scales or [1.0])
        found = {}
        for root in parts:
            for part in postorder(root):
                if len(part.args) == 2:
                    for side in (0, 1):
                        one, other = part.args[side], part.args[1 - side]
                        if one.op == "var" and index(one) not in variables(other):
                            found[part.op, side, index(one), id(other)] = other
        self._uses = {int(j): [(op, side, k) for k, (op, side, i, _) in enumerate(found) if i == j] for j in model.free}
        self._others = Program(list(found.values()))

    def drawn(self, rng: np.random.Generator, count: int) -> Floats:
        """So many points, most of them balanced, some anywhere."""
        points = self._anywhere(rng, count)
        balanced = rng.random(count) < 0.8
        points[balanced] = self._balanced(points[balanced], rng)
        return points

    def _anywhere(self, rng: np.random.Generator, count: int) -> Floats:
        """Around 1, around the constants of the formula and their inverses, and far out."""
        shape = (count, self._n)
        constants = rng.choice(self._scales, shape)
        ways = rng.choice(5, shape, p=[0.3, 0.2, 0.1, 0.2, 0.2])
        size = np.choose(ways, [
            10.0 ** rng.uniform(-2, 2, shape), 10.0 ** rng.uniform(-7, 7, shape), 10.0 ** rng.uniform(-20, 15, shape),
            constants * 10.0 ** rng.normal(0, 0.3, shape), 10.0 ** rng.normal(0, 0.5, shape) / constants,
        ])  # fmt: skip
        made: Floats = size * rng.choice([-1.0, 1.0], shape)
        return made

    def _balanced(self, points: Floats, rng: np.random.Generator) -> Floats:
        with np.errstate(all="ignore"):
            for _ in range(SWEEPS):
                for j in rng.permutation(self._free).tolist():
                    if self._uses[j]:
                        self._balance(points, j, rng)
                    alike = np.flatnonzero(rng.random(len(points)) < ALIKE)
                    others = points[alike, rng.choice(self._free, len(alike))]
                    points[alike, j] = others * np.exp(rng.normal(0.0, 0.1, len(alike)))
        return points

    def _balance(self, points: Floats, j: int, rng: np.random.Generator) -> None:
        others = self._others(points)
        choice = rng.integers(len(self._uses[j]), size=len(points))
        wanted = self._moderate(rng, len(points))
        for k, (op, side, column) in enumerate(self._uses[j]):
            mine = choice == k
            g, t = others[mine, column], wanted[mine]
            new = _solved(op, side, g, t, rng)
            fine = np.isfinite(new)
            points[np.flatnonzero(mine)[fine], j] = new[fine]

    def _moderate(self, rng: np.random.Generator, count: int) -> Floats:
        """Numbers around 1, some from 0.0001 to 100, some as large as the constants of the formula."""
        ways = rng.choice(3, count, p=[0.4, 0.35, 0.25])
        near = 10.0 ** rng.normal(0.0, SPREAD, count)
        size = np.choose(ways, [near, 10.0 ** rng.uniform(-4.0, 2.0, count), near * rng.choice(self._scales, count)])
        made: Floats = size * rng.choice([-1.0, 1.0], count)
        return made


def _solved(op: str, side: int, g: Floats, t: Floats, rng: np.random.Generator) -> Floats:
    """The variable for which the operation with g comes to t; for sums, to a share of g."""
    if op == "mul":
        return t / g
    if op == "div":
        return t * g if side == 0 else g / t
    if op == "pow":
        return np.abs(t) ** (1.0 / g) if side == 0 else t / np.log(np.abs(g))
    share = g * np.where(rng.random(len(g)) < 0.5, t, 10.0 ** rng.uniform(-4, 0, len(g)) * np.sign(t))
    return share - g if op == "add" else g + share
