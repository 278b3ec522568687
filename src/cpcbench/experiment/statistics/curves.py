"""Curves of whole studies: shares of targets over evaluations, performance profiles and data profiles.

Every curve is a step function, continuous from the right: `y[i]` is the share from `x[i]` on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.statistics.runs import FloatArray, RunArrays
from cpcbench.experiment.statistics.success import running_times
from cpcbench.experiment.statistics.targets import SOLVED

POINTS_A_DECADE = 20
COSTS = ("ert", "median")


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve of the solver `name`. `count` is what the shares are of; with none of it there are no points.

    `limit` is the share far right, where nothing more is reached.
    """

    name: str
    x: FloatArray
    y: FloatArray
    count: int
    limit: float

    def at(self, x: ArrayLike) -> FloatArray:
        """The share at x; 0 left of the first point, NaN if the curve has none."""
        where = np.searchsorted(self.x, np.asarray(x, dtype=np.float64), side="right")
        if not len(self.x):
            return np.full(where.shape, np.nan)
        return np.where(where > 0, self.y[where - 1], 0.0)


def ecdf(runs: RunArrays, grid: ArrayLike | None = None) -> list[Curve]:
    """For each solver the share of (problem, target, run) reached after so many evaluations.

    `grid` are the evaluations to show, by default 20 a decade up to the longest run of the study. Each solver's
    share is of what it ran: compare solvers only if they ran on the same problems.
    """
    x = _log_grid(longest(runs)) if grid is None else np.unique(np.asarray(grid, dtype=np.float64))
    return [_steps(name, _hits(runs, s).ravel(), x) for s, name in enumerate(runs.solvers)]


def ecdf_areas(runs: RunArrays) -> FloatArray:
    """The area under each solver's ECDF over the logarithm of the evaluations, from 1 to the study's longest run, as
    a share of the whole: 1 if all is reached at once. Taken from the hits themselves, not from a grid; NaN if there
    is nothing to reach."""
    width = np.log(longest(runs))
    areas = []
    for s in range(len(runs.solvers)):
        hits = _hits(runs, s).ravel()
        left = (width - np.log(hits)) / width if width > 0 else np.isfinite(hits).astype(np.float64)
        areas.append(float(np.clip(left, 0.0, 1.0).mean()) if len(hits) else np.nan)
    return np.array(areas)


def performance_profile(runs: RunArrays, precision: float = SOLVED, cost: str = "ert") -> list[Curve]:
    """Dolan and Moré: for each solver the share of problems it solves at most x times as slowly as the fastest.

    The cost is the expected running time ("ert") or the median of the evaluations of all runs ("median",
    infinite if half of the runs fail). A problem that a solver does not solve counts against it at every x,
    one that nobody solves against all. Only problems on which every solver ran are compared.
    """
    if cost not in COSTS:
        raise CpcbenchError(f"the cost of a profile is one of {', '.join(COSTS)}, not {cost!r}")
    costs = _costs(runs, precision, cost)
    best = costs.min(axis=1, keepdims=True, initial=np.inf)
    with np.errstate(invalid="ignore"):
        ratios = np.where(np.isfinite(costs), costs / best, np.inf)
    x = np.unique(np.append(ratios[np.isfinite(ratios)], 1.0))
    return [_steps(name, ratios[:, s], x) for s, name in enumerate(runs.solvers)]


def data_profile(runs: RunArrays, precision: float = SOLVED) -> list[Curve]:
    """Moré and Wild: for each solver the share of (problem, run) solved within x times n + 1 evaluations.

    n + 1 evaluations are what a simplex gradient costs. Only problems on which every solver ran are compared.
    """
    k = runs.place(precision)
    common = _common(runs)
    size = np.array([p.n + 1.0 for p in runs.problems])
    each = [
        np.concatenate([runs.hits[runs.cells[p, s], k] / size[p] for p in common]) if common else np.empty(0)
        for s in range(len(runs.solvers))
    ]
    x = np.unique(np.concatenate([hits[np.isfinite(hits)] for hits in each]))
    return [_steps(name, hits, np.append(0.0, x)) for name, hits in zip(runs.solvers, each, strict=True)]


def longest(runs: RunArrays) -> float:
    """The most evaluations a run made, at least 1."""
    return float(max(1.0, runs.evaluations.max(initial=1.0)))


def _hits(runs: RunArrays, s: int) -> FloatArray:
    mine: FloatArray = runs.hits[(runs.solver == s) & runs.with_targets[runs.problem]]
    return mine


def _common(runs: RunArrays) -> list[int]:
    return [p for p in runs.common if runs.with_targets[p]]


def _costs(runs: RunArrays, precision: float, cost: str) -> FloatArray:
    """(common problem, solver), infinite where it is not solved."""
    k, common = runs.place(precision), _common(runs)
    if cost == "ert":
        times: FloatArray = running_times(runs, resamples=0).value[common, :, k]
        return times
    return np.array(
        [[np.median(runs.hits[runs.cells[p, s], k]) for s in range(len(runs.solvers))] for p in common]
    ).reshape(len(common), len(runs.solvers))


def _steps(name: str, costs: FloatArray, x: FloatArray) -> Curve:
    if not len(costs):
        return Curve(name, np.empty(0), np.empty(0), 0, np.nan)
    y = np.searchsorted(np.sort(costs), x, side="right") / len(costs)
    return Curve(name, x, y, len(costs), float(np.isfinite(costs).mean()))


def _log_grid(top: float) -> FloatArray:
    """Whole numbers of evaluations, about evenly spaced on a logarithmic axis, the powers of ten among them."""
    steps = np.arange(int(POINTS_A_DECADE * np.log10(top)) + 1)
    return np.unique(np.append(np.floor(10.0 ** (steps / POINTS_A_DECADE)), top))
