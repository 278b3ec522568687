"""How often and how fast the targets are reached: success rates, expected running times, penalised averages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.statistics.runs import ARTEFACT, THIN, FloatArray, IntArray, RunArrays

CONFIDENCE = 0.95
BLOCK = 32
RESAMPLES = 1000
SEED = 20250101
"""Of the bootstrap: the same study gives the same intervals."""


@dataclass(frozen=True, eq=False)
class SuccessRates:
    """Arrays (problem, solver, precision): runs that reached the target, with a Wilson interval of their share.

    Zero runs where a solver did not run on a problem: the share and its bounds are NaN there, and where the
    problem has no target. `thin` and `artefact` count the runs that ended at the target in such a point; they
    are not among `solved`.
    """

    runs: NDArray[np.int64]
    solved: NDArray[np.int64]
    share: FloatArray
    lower: FloatArray
    upper: FloatArray
    thin: NDArray[np.int64]
    artefact: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RunningTimes:
    """Arrays (problem, solver, precision) of evaluations: infinite where no run reached the target, NaN without runs
    or target. `value` is the expected running time, `lower` to `upper` its bootstrap interval, `par2` the mean with a
    failed run counted as twice its budget (NaN where a failed run had no budget)."""

    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    par2: FloatArray


def wilson(solved: ArrayLike, runs: ArrayLike, confidence: float = CONFIDENCE) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval of a share, elementwise; NaN where there are no runs."""
    from scipy.stats import binomtest

    if not 0.0 < confidence < 1.0:
        raise CpcbenchError(f"the confidence is a number between 0 and 1, such as 0.95, not {confidence!r}")
    counts = np.stack(np.broadcast_arrays(solved, runs), axis=-1)
    pairs, where = np.unique(counts.reshape(-1, 2), axis=0, return_inverse=True)
    bounds = [
        tuple(binomtest(k, n).proportion_ci(confidence, "wilson")) if n else (np.nan, np.nan) for k, n in pairs.tolist()
    ]
    found = np.array(bounds, dtype=np.float64)[where].reshape(counts.shape)
    return found[..., 0], found[..., 1]


def success_rates(runs: RunArrays, confidence: float = CONFIDENCE) -> SuccessRates:
    """The success rate of each solver on each problem for each precision."""
    shape = len(runs.problems), len(runs.solvers), len(runs.precisions)
    counts = {name: np.zeros(shape, dtype=np.int64) for name in ("runs", "solved", "thin", "artefact")}
    apart = np.stack([runs.reached_apart(precision) for precision in runs.precisions], axis=1)
    place = runs.problem, runs.solver
    np.add.at(counts["runs"], place, 1)
    np.add.at(counts["solved"], place, np.isfinite(runs.hits))
    for name, kind in (("thin", THIN), ("artefact", ARTEFACT)):
        np.add.at(counts[name], place, apart & (runs.kind == kind)[:, None])
    usable = np.where(runs.with_targets[:, None, None], counts["runs"], 0)
    lower, upper = wilson(counts["solved"], usable, confidence)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(usable > 0, counts["solved"] / usable, np.nan)
    return SuccessRates(share=share, lower=lower, upper=upper, **counts)


def running_times(runs: RunArrays, confidence: float = CONFIDENCE, resamples: int = RESAMPLES) -> RunningTimes:
    """The expected running time to each target: all evaluations spent, over the number of runs that reached it.

    A run that reaches the target costs the evaluations up to there, another one all that it made. The
    interval is the bootstrap's percentiles over the runs; with one run it has no width and says nothing.
    Without resamples there is no interval.
    """
    shape = len(runs.problems), len(runs.solvers), len(runs.precisions)
    made = {name: np.full(shape, np.nan) for name in ("value", "lower", "upper", "par2")}
    for where, rows in _blocks(runs):
        hits, spent, budget = runs.hits[rows], runs.evaluations[rows][:, :, None], runs.budget[rows][:, :, None]
        reached = np.isfinite(hits)
        costs = np.where(reached, hits, spent)
        made["value"][where] = _over(costs.sum(axis=1), reached.sum(axis=1))
        made["par2"][where] = np.where(reached, hits, 2.0 * budget).mean(axis=1)
        if resamples:
            drawn = _over(_drawn(costs, resamples), _drawn(reached, resamples))
            made["lower"][where], made["upper"][where] = _percentiles(drawn, confidence)
    return RunningTimes(**made)


def _blocks(runs: RunArrays) -> Iterator[tuple[tuple[IntArray, IntArray], IntArray]]:
    """The (problem, solver) cells with targets, many of as many runs at a time: their places, and their runs."""
    by_count: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (p, s), rows in runs.cells.items():
        if runs.with_targets[p]:
            by_count[len(rows)].append((p, s))
    for cells in by_count.values():
        for start in range(0, len(cells), BLOCK):
            block = cells[start : start + BLOCK]
            where = np.array(block, dtype=np.int64)
            yield (where[:, 0], where[:, 1]), np.stack([runs.cells[cell] for cell in block])


def _over(total: FloatArray, successes: NDArray[Any]) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(successes > 0, total / successes, np.inf)


def _drawn(values: NDArray[Any], resamples: int) -> FloatArray:
    """The sums of values (cell, run, target) over resampled runs: (cell, target, resample)."""
    cells, count, targets = values.shape
    flat = values.swapaxes(1, 2).reshape(-1, count).astype(np.float64)  # one product instead of one for each cell
    return (flat @ _resampling(count, resamples)).reshape(cells, targets, resamples)


@lru_cache(maxsize=4)
def _resampling(count: int, resamples: int) -> FloatArray:
    """How often each of `count` runs (down) is drawn in each resample (across)."""
    rng = np.random.default_rng([SEED, count])
    drawn = rng.multinomial(count, np.full(count, 1.0 / count), size=resamples)
    return np.ascontiguousarray(drawn.T, dtype=np.float64)


def _percentiles(drawn: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Of the draws along the last axis, without interpolation: between a number and infinity there is nothing."""
    last = drawn.shape[-1] - 1
    tail = (1.0 - confidence) / 2
    low, high = int(np.floor(tail * last)), int(np.ceil((1.0 - tail) * last))
    ordered = np.partition(drawn, (low, high), axis=-1)
    return ordered[..., low], ordered[..., high]
