"""The data of figures: a problem over a window of two variables, close up, or projected.

Drawing is elsewhere. Values are those of the compiled kernel, bit for bit; NaN is where the objective is
undefined. What a grid would miss because the domain is thinner than its cells is searched for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.points import Flags, Floats, as_point
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import admissible_points
from cpcbench.studies.landscape.cells import points_in_cells
from cpcbench.studies.landscape.windows import (
    Window,
    Windows,
    cell_edges,
    checked_axes,
    checked_window,
)


@dataclass(frozen=True, eq=False)
class Landscape:
    """A problem over a grid of two variables, the others held fixed or projected away.

    `z[i, j]` is the value at (`x[j]`, `y[i]`), the middle of a cell of the window, NaN where undefined.
    `thin` marks cells that are undefined in the middle and hold an admissible point elsewhere: those are
    `scattered` (one a row, in the order of `thin`'s cells) with their `scattered_values`. `optima` are
    the best-known points whose two coordinates lie in the window, with all their coordinates.
    """

    problem: Problem
    axes: tuple[int, int]
    at: tuple[float, ...]
    window: Windows
    x: Floats
    y: Floats
    z: Floats
    thin: Flags
    scattered: Floats
    scattered_values: Floats
    optima: Floats
    what: str = "f"
    """What the numbers are: f, or something sampled."""
    sliced: bool = True
    """Whether the other coordinates are those of `at`; if not, they are projected away."""
    optima_are: str = "best known"

    @cached_property
    def filled(self) -> Floats:
        """`z`, and in thin cells the value found there: one number for each cell that is not blank."""
        cells = self.z.copy()
        cells[self.thin] = self.scattered_values
        return cells

    @property
    def others(self) -> tuple[int, ...]:
        """The variables that are not drawn."""
        return tuple(i for i in range(self.problem.dim) if i not in self.axes)

    @property
    def on_slice(self) -> Flags:
        """Which of the optima lie on the slice that is drawn, not only above or below it."""
        others = list(self.others)
        same: Flags = np.all(self.optima[:, others] == np.asarray(self.at)[others], axis=1)
        return same


def landscape(
    problem: Problem,
    *,
    window: Windows | None = None,
    axes: tuple[int, int] = (0, 1),
    at: ArrayLike | None = None,
    resolution: int = 200,
    rng: Rng = 0,
    effort: float = 1.0,
) -> Landscape:
    """The problem over a window (by default its box) of two variables; the others are those of `at`.

    `at` is the best-known point if there is one, else an admissible point if one is found. `effort` is the share of
    the usual search for what is thinner than a cell.
    """
    first, second = checked_axes(axes, problem, 2)
    sides = checked_window(window, problem, (first, second))
    rng = generator_of(rng)
    point = anchor(problem, at, rng)
    edges = [cell_edges(side, resolution) for side in sides]
    x, y = (middles(edge) for edge in edges)
    _, z, thin, found, values = over_cells(problem, point, (first, second), edges, rng, effort)
    return Landscape(
        problem, (first, second), tuple(point.tolist()), sides, x, y, z, thin, found[:, [first, second]], values,
        optima_within(problem, (first, second), sides),
    )  # fmt: skip


def zoom(
    problem: Problem,
    *,
    around: ArrayLike | None = None,
    levels: int = 4,
    factor: float = 10.0,
    axes: tuple[int, int] = (0, 1),
    resolution: int = 200,
    rng: Rng = 0,
    effort: float = 1.0,
) -> tuple[Landscape, ...]:
    """The box, and windows around a point (by default the best known) that shrink by `factor` each time."""
    if not levels >= 1 or not factor > 1.0:
        raise CpcbenchError(f"a zoom has at least 1 level and a factor above 1, not {levels} and {factor:g}")
    point = anchor(problem, around, generator_of(rng))
    windows = [zoomed_window(problem, point, axes, factor**-level) for level in range(levels)]
    return tuple(
        landscape(problem, window=w, axes=axes, at=point, resolution=resolution, rng=rng, effort=effort)
        for w in windows
    )


SWEEPS = 3
"""How often the lowest points are refined from large steps to small ones."""


def with_lowest_met(data: Landscape, *, rng: Rng = 0, starts: int = 400) -> Landscape:
    """The landscape with the lowest points met in it as its optima, for a problem without a best-known point.

    The lowest cells are refined by random steps that shrink to the last digits; points as low as the
    lowest, to 1e-5 of the values' spread, are all kept.
    """
    low, high = np.array(data.window).T
    points, values = _lowest_cells(data, starts)
    rng, axes = generator_of(rng), list(data.axes)
    for size in np.tile(10.0 ** np.linspace(-2, -15, 80), SWEEPS):
        tried = np.repeat(points[:, None], 64, axis=1)
        moved = tried[..., axes] + size * (high - low) * rng.normal(size=(len(points), 64, 2))
        tried[..., axes] = np.clip(moved, low, high)
        found = np.asarray(data.problem(tried))
        found[np.isnan(found)] = np.inf  # never the lowest
        best = np.argmin(found, axis=1)
        lower = found[np.arange(len(points)), best] < values
        points[lower], values[lower] = tried[np.arange(len(points)), best][lower], found.min(axis=1)[lower]
    return replace(data, optima=_lowest_apart(points, values, axes, high - low), optima_are="lowest met")


def zoomed_window(problem: Problem, point: ArrayLike, axes: tuple[int, int], share: float) -> Windows:
    """The part of the box around a point whose sides are this share of the box's."""
    middle = as_point(point, problem.dim, problem.names)
    first, second = checked_axes(axes, problem, 2)
    if share >= 1.0:
        return checked_window(None, problem, (first, second))  # type: ignore[no-any-return]

    def side(i: int) -> Window:
        half = (problem.upper[i] / 2 - problem.lower[i] / 2) * share
        return float(max(problem.lower[i], middle[i] - half)), float(min(problem.upper[i], middle[i] + half))

    return side(first), side(second)


def projection(
    problem: Problem,
    *,
    of: str = "least",
    axes: tuple[int, int] = (0, 1),
    window: Windows | None = None,
    resolution: int = 100,
    samples: int = 100_000,
    rng: Rng = 0,
) -> Landscape:
    """Admissible samples projected on two variables: the least value in each cell, or how many (`of="count"`).

    The samples come from random walks (`sampling.points`): blank means not reached, not undefined.
    """
    if of not in ("least", "count"):
        raise CpcbenchError(f"a projection shows 'least' or 'count', not {of!r}")
    first, second = checked_axes(axes, problem, 2)
    sides = checked_window(window, problem, (first, second))
    points = admissible_points(problem, samples, generator_of(rng))
    values = np.asarray(problem(points))
    edges = [cell_edges(side, resolution) for side in sides]
    shape = (len(edges[1]) - 1, len(edges[0]) - 1)
    pairs = points[:, [first, second]]
    inside = np.all([(a <= c) & (c <= b) for (a, b), c in zip(sides, pairs.T, strict=True)], axis=0)
    column, row = (_cell(edge, c[inside]) for edge, c in zip(edges, pairs.T, strict=True))
    z = np.full(shape, np.inf if of == "least" else 0.0)
    if of == "least":
        np.minimum.at(z, (row, column), values[inside])
    else:
        np.add.at(z, (row, column), 1.0)
    z[z == (np.inf if of == "least" else 0.0)] = np.nan
    what = "least f sampled" if of == "least" else "admissible samples"
    x, y = (middles(edge) for edge in edges)
    none = np.zeros(shape, dtype=bool), np.empty((0, 2)), np.empty(0)
    optima = optima_within(problem, (first, second), sides)
    return Landscape(problem, (first, second), (), sides, x, y, z, *none, optima, what, sliced=False)


def anchor(problem: Problem, at: ArrayLike | None, rng: np.random.Generator) -> Floats:
    """The point whose coordinates are kept where they are not drawn."""
    if at is not None:
        return as_point(at, problem.dim, problem.names)
    if problem.best_known is not None:
        return np.array(problem.best_known.points[0])
    middle = problem.lower / 2 + problem.upper / 2
    if problem.dim <= 2:
        return middle
    try:
        return np.array(admissible_points(problem, 1, rng)[0])
    except CpcbenchError:  # none found: the picture will be blank, which is the truth as far as is known
        return middle


def _lowest_cells(data: Landscape, count: int) -> tuple[Floats, Floats]:
    """Points and values of the cells that are lowest among their neighbours, at most so many."""
    cells = np.where(np.isnan(data.filled), np.inf, data.filled)
    padded = np.pad(cells, 1, constant_values=np.inf)
    rows, columns = cells.shape
    around = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    row, column = np.nonzero(np.isfinite(cells) & (cells <= np.min(around, axis=0)))
    order = np.argsort(cells[row, column], kind="stable")[:count]
    row, column = row[order], column[order]
    places = np.stack(np.meshgrid(data.x, data.y), axis=-1)
    places[data.thin] = data.scattered
    points = np.tile(np.asarray(data.at), (len(row), 1))
    points[:, list(data.axes)] = places[row, column]
    return points, cells[row, column]


def _lowest_apart(points: Floats, values: Floats, axes: list[int], sides: Floats) -> Floats:
    """The points as low as the lowest, each once."""
    if len(points) == 0:
        return points
    kept: list[int] = []
    for i in np.flatnonzero(values <= values.min() + 1e-5 * max(np.ptp(values), abs(values.min()))):
        apart = [np.abs((points[i, axes] - points[j, axes]) / sides).max() > 1e-3 for j in kept]
        if all(apart):
            kept.append(int(i))
    return points[kept]


def middles(edges: Floats) -> Floats:
    return edges[:-1] / 2 + edges[1:] / 2


def _cell(edges: Floats, c: Floats) -> npt.NDArray[np.intp]:
    return np.clip(np.searchsorted(edges, c, side="right") - 1, 0, len(edges) - 2)


def over_cells(
    problem: Problem,
    point: Floats,
    axes: Sequence[int],
    edges: Sequence[Floats],
    rng: np.random.Generator,
    effort: float = 1.0,
) -> tuple[Floats, Floats, Flags, Floats, Floats]:
    """The middles of the cells between the edges, the first axis last, and the values there; then what is thin.

    That is which blank cells hold an admissible point, the points and their values.
    """
    middle = np.tile(point, (*(len(edge) - 1 for edge in reversed(edges)), 1))
    lower, upper = middle.copy(), middle.copy()
    for k, (axis, edge) in enumerate(zip(axes, edges, strict=True)):
        column = edge.reshape(-1, *[1] * k)
        middle[..., axis], lower[..., axis], upper[..., axis] = middles(column), column[:-1], column[1:]
    z = np.asarray(problem(middle))
    blank = np.isnan(z)
    points, values = points_in_cells(problem, lower[blank], upper[blank], rng, effort)
    found = ~np.isnan(values)
    thin = np.zeros(blank.shape, dtype=bool)
    thin[blank] = found
    return middle, z, thin, points[found], values[found]


def optima_within(problem: Problem, axes: tuple[int, ...], sides: tuple[Window, ...]) -> Floats:
    if problem.best_known is None:
        return np.empty((0, problem.dim))
    points = problem.best_known.points
    low, high = np.array(sides).T
    drawn = points[:, list(axes)]
    return np.array(points[np.all((low <= drawn) & (drawn <= high), axis=1)])
