"""Points and boxes at which functions go wrong, and whether what is said of boxes holds at the points in them."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.expr.nodes import Expr, node, var
from cpcbench.intervals.boxes import Boxes
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.requirements import DEMANDS

EDGES = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 8.0, 10.0, 100.0, math.pi / 2, math.pi, 2.0**53, 709.78])
GROUPS = 20
"""Cuts are made with so many limits, each on its share of the boxes."""


def wild(rng: np.random.Generator, count: int, dim: int) -> Floats:
    """Coordinates of four kinds: of ordinary size, of every size, next to edges, and on them."""
    shape = (count, dim)
    kind = rng.integers(0, 8, shape)
    found = rng.uniform(-5.0, 5.0, shape)
    found = np.where(kind == 0, rng.choice([-1.0, 1.0], shape) * 10.0 ** rng.uniform(-300.0, 300.0, shape), found)
    found = np.where(kind == 1, rng.choice([-1.0, 1.0], shape) * 10.0 ** rng.uniform(-12.0, 3.0, shape), found)
    edge = rng.choice(EDGES, shape) * rng.choice([-1.0, 1.0], shape)
    near = edge + rng.integers(-3, 4, shape) * np.spacing(edge)
    return np.where(kind == 2, near, np.where(kind == 3, edge, found))


def boxes(rng: np.random.Generator, count: int, dim: int) -> tuple[Floats, Floats, Floats]:
    """Lower corners, upper corners, and a point in each box, often a corner."""
    a = wild(rng, count, dim)
    width = rng.choice([0.0, 1e-15, 1e-6, 0.1, 1.0, 10.0], (count, dim)) * rng.uniform(0.0, 1.0, (count, dim))
    b = np.where(rng.random((count, dim)) < 0.2, wild(rng, count, dim), a + width * np.maximum(1.0, np.abs(a)))
    low, high = np.minimum(a, b), np.maximum(a, b)
    high = np.minimum(high, 1e307)
    low = np.minimum(low, high)
    inside = np.clip(low / 2 + high / 2 + rng.uniform(-0.5, 0.5, low.shape) * (high / 2 - low / 2) * 2, low, high)
    corner = rng.random(low.shape)
    return low, high, np.where(corner < 0.2, low, np.where(corner < 0.4, high, inside))


def formula_of(op: str, dim: int) -> Expr:
    return node(op, *(var(i) for i in range(dim)))


def outside_of_boxes(problem: Problem, op: str, rng: np.random.Generator, count: int) -> int:
    """How many of so many random boxes have a range, or a state, that is wrong at a point in them."""
    low, high, x = boxes(rng, count, problem.dim)
    least, most, state = Boxes(problem.expression)(low, high)
    values = np.array([problem.reference(point) for point in x])
    below, above = np.nextafter(values, -math.inf), np.nextafter(values, math.inf)  # the real value is between them
    defined = ~np.isnan(values)
    wrong = defined & ((above < least) | (below > most) | (state == 0))
    if DEMANDS[op].relation is not None:  # else a value that is not there is one that is too large
        wrong |= ~defined & (state == 2)
    return int(wrong.sum())


def lost_by_cuts(problem: Problem, rng: np.random.Generator, count: int) -> tuple[int, int]:
    """How many boxes lose, when cut, a point whose value is within the limit; and how many were cut at all."""
    lost = cut = 0
    for sign, root in ((1.0, problem.expression), (-1.0, -problem.expression)):
        reader = Boxes(root)
        for _ in range(GROUPS // 2):
            low, high, x = boxes(rng, count // GROUPS, problem.dim)
            values = sign * np.array([problem.reference(point) for point in x])
            known = values[~np.isnan(values)]
            limit = float(rng.choice(known)) if len(known) else 0.0
            new_low, new_high, alive = reader.cut(low.copy(), high.copy(), limit)
            counts = np.nextafter(values, math.inf) <= limit
            kept = alive & (new_low <= x).all(axis=1) & (x <= new_high).all(axis=1)
            lost += int((counts & ~kept).sum())
            cut += int((~alive | (new_low > low).any(axis=1) | (new_high < high).any(axis=1)).sum())
    return lost, cut
