"""How fast values fall: median and quartiles of the best value so far, and the values that runs end with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.experiment.statistics.runs import FloatArray, RunArrays
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store

POINTS_A_DECADE = 12
QUARTILES = (0.25, 0.5, 0.75)
COLUMNS = ("problem", "n", "rule", "solver", "evaluations", "trajectory")
FLOOR = 1e-9
"""Gaps to the best value below this (relative above 1) are shown as this: rounding decides on the rest."""


@dataclass(frozen=True, eq=False)
class Fall:
    """A solver on a problem: `gap[q, i]` is a quartile of the runs' gaps to the best value after `x[i]` evaluations.

    It is infinite as long as so many of the runs have seen no value.
    """

    problem: int
    solver: int
    x: FloatArray
    gap: FloatArray


def gaps(values: FloatArray, best: float) -> FloatArray:
    """How far values lie above the best one, relative above 1, at least `FLOOR`; infinite where there is none."""
    above = (np.asarray(values, dtype=np.float64) - best) / max(1.0, abs(best))
    return np.where(np.isnan(above), math.inf, np.maximum(above, FLOOR))


def falls(source: Store | Iterable[RunRecord], runs: RunArrays) -> list[Fall]:
    """The quartiles of every problem and solver that have targets, of the runs that `runs` was gathered from.

    The values are those that the solvers saw on their way; a run that ends keeps its last one.
    """
    places = {(p.id, p.n): i for i, p in enumerate(runs.problems)}
    names = {name: i for i, name in enumerate(runs.solvers)}
    grids = [_grid(runs, p) for p in range(len(runs.problems))]
    seen: dict[tuple[int, int], list[FloatArray]] = {}
    for r in source.records(only=COLUMNS) if isinstance(source, Store) else source:
        if r.rule == runs.rule and runs.with_targets[p := places[r.problem, r.n]]:
            seen.setdefault((p, names[r.solver]), []).append(_so_far(r.trajectory, grids[p]))
    return [
        Fall(p, s, grids[p], gaps(_quartiles(np.array(rows)), runs.problems[p].best))
        for (p, s), rows in sorted(seen.items())
    ]


def _grid(runs: RunArrays, p: int) -> FloatArray:
    """Whole numbers of evaluations up to the longest run on the problem, evenly spaced on a logarithmic axis."""
    top = max(1.0, float(runs.evaluations[runs.problem == p].max(initial=1.0)))
    steps = np.arange(int(POINTS_A_DECADE * math.log10(top)) + 1)
    return np.unique(np.append(np.floor(10.0 ** (steps / POINTS_A_DECADE)), top))


def _so_far(trajectory: Sequence[tuple[int, float]], grid: FloatArray) -> FloatArray:
    """The best value after so many evaluations; infinite before the first."""
    if not trajectory:
        return np.full(len(grid), math.inf)
    at, values = np.array(trajectory, dtype=np.float64).T
    best = np.fmin.accumulate(values)
    where = np.searchsorted(at, grid, side="right")
    return np.where((where > 0) & ~np.isnan(best[where - 1]), best[where - 1], math.inf)


def _quartiles(rows: FloatArray) -> FloatArray:
    """Values that some run has: between an infinite value and another there is none."""
    ordered = np.sort(rows, axis=0)
    return np.array([ordered[math.ceil(q * len(ordered)) - 1] for q in QUARTILES])
