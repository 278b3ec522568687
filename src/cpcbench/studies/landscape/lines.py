"""The data of a figure along one variable, with the places where the objective jumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.points import Flags, Floats
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.studies.landscape.grids import anchor, middles, optima_within, over_cells
from cpcbench.studies.landscape.windows import Window, cell_edges, checked_axes, checked_window


@dataclass(frozen=True, eq=False)
class Line:
    """A problem along one variable: `y` at `x`, NaN where undefined; `jump[i]` if f jumps between i and i + 1."""

    problem: Problem
    axis: int
    at: tuple[float, ...]
    window: Window
    x: Floats
    y: Floats
    thin: Flags
    scattered: Floats
    scattered_values: Floats
    jump: Flags
    optima: Floats


def line(
    problem: Problem,
    *,
    axis: int = 0,
    window: Window | None = None,
    at: ArrayLike | None = None,
    resolution: int = 1000,
    rng: Rng = 0,
) -> Line:
    """The problem along one variable, the others those of `at` (as for `landscape`)."""
    (i,) = checked_axes((axis,), problem, 1)
    (side,) = checked_window(None if window is None else (window,), problem, (i,))
    rng = generator_of(rng)
    point = anchor(problem, at, rng)
    edges = cell_edges(side, resolution)
    points, y, thin, found, values = over_cells(problem, point, (i,), [edges], rng)
    optima = optima_within(problem, (i,), (side,))
    jump = _jumps(problem, points, y)
    return Line(problem, i, tuple(point.tolist()), side, middles(edges), y, thin, found[:, i], values, jump, optima)


def _jumps(problem: Problem, points: Floats, values: Floats) -> Flags:
    """Between which neighbours f jumps: halving down to adjacent doubles leaves most of the difference."""
    a, b, fa, fb = points[:-1].copy(), points[1:].copy(), values[:-1].copy(), values[1:].copy()
    whole = np.abs(fb - fa)
    for _ in range(60):
        middle = a / 2 + b / 2
        value = np.asarray(problem(middle))
        left = np.abs(value - fa) >= np.abs(fb - value)  # the half with the larger difference is kept
        b[left], fb[left] = middle[left], value[left]
        a[~left], fa[~left] = middle[~left], value[~left]
    with np.errstate(invalid="ignore"):
        return (whole > 0) & (np.abs(fb - fa) > 0.3 * whole)
