"""Which solver is better: rank-sum tests problem by problem, and average ranks over the problems.

Runs of a problem are ordered by the verified value, thin points and artefacts behind every faithful point,
and behind those the runs that returned nothing admissible, all alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpcbench.experiment.statistics.runs import ARTEFACT, THIN, FloatArray, RunArrays

EXACT = 8
"""Up to this many runs of a solver, p-values are exact if no two runs are alike."""

LEVEL = 0.05
"""Of significance, for wins and losses."""


@dataclass(frozen=True)
class PairTest:
    """A two-sided rank-sum test between two solvers on one problem.

    `effect` is the chance that a run of the first is better than one of the second, ties counted half.
    `p` is the test's p-value, `adjusted` Holm's over all pairs of the problem. `nothing` counts the runs of
    each that returned nothing admissible: they are in the test, as worse than all others.
    """

    problem: str
    n: int
    first: str
    second: str
    runs: tuple[int, int]
    nothing: tuple[int, int]
    effect: float
    p: float
    adjusted: float

    def winner(self, level: float = LEVEL) -> str | None:
        """The solver that is significantly better, if one is."""
        if not self.adjusted < level or self.effect == 0.5:
            return None
        return self.first if self.effect > 0.5 else self.second


@dataclass(frozen=True, eq=False)
class AverageRanks:
    """The ranks of the solvers on each problem, 1 the best, and what Friedman's test says of their averages.

    `ranks` is (problem, solver), for the problems on which all solvers ran; `statistic` and `p` are NaN with
    fewer than three solvers or two problems, or if no problem tells the solvers apart.
    """

    problems: tuple[str, ...]
    ranks: FloatArray
    average: FloatArray
    statistic: float
    p: float


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's adjusted p-values, in the order given."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(stepped)
    return adjusted


def standings(runs: RunArrays, p: int) -> dict[int, NDArray[np.int64]]:
    """For each solver on one problem the places of its runs among all runs there; equal results share a place."""
    cells = {s: runs.cells[p, s] for s in range(len(runs.solvers)) if (p, s) in runs.cells}
    rows = np.concatenate(list(cells.values()))
    nothing = np.isnan(runs.verified[rows])
    group = np.where(nothing, 2, np.isin(runs.kind[rows], (THIN, ARTEFACT)).astype(np.int64))
    value = np.where(nothing, 0.0, runs.verified[rows])
    order = np.lexsort((value, group))
    new = (np.diff(group[order], prepend=-1) != 0) | (value[order] != np.roll(value[order], 1))
    new[0] = True
    places = np.empty(len(rows), dtype=np.int64)
    places[order] = np.cumsum(new)
    ends = np.cumsum([len(part) for part in cells.values()])
    return dict(zip(cells, np.split(places, ends[:-1]), strict=True))


def rank_sum_tests(runs: RunArrays) -> list[PairTest]:
    """Every pair of solvers on every problem on which both ran."""
    made: list[PairTest] = []
    for p, problem in enumerate(runs.problems):
        places = standings(runs, p)
        pairs = list(combinations(places, 2))
        effects, p_values = rank_sums([(places[a], places[b]) for a, b in pairs])
        counts = {s: (len(places[s]), int(np.isnan(runs.verified[runs.cells[p, s]]).sum())) for s in places}
        for (a, b), *found in zip(pairs, effects.tolist(), p_values.tolist(), holm(p_values).tolist(), strict=True):
            names = runs.solvers[a], runs.solvers[b]
            each, nothing = ((counts[a][i], counts[b][i]) for i in (0, 1))
            made.append(PairTest(problem.id, problem.n, *names, each, nothing, *found))
    return made


def rank_sums(pairs: Sequence[tuple[ArrayLike, ArrayLike]]) -> tuple[FloatArray, FloatArray]:
    """Mann and Whitney's test of each pair of samples: the chance that the first is lower, ties counted half, and
    the two-sided p-value.

    The values must be ordered (no NaN). The p-value is exact if a sample has at most 8 values and there are no
    ties, else the normal approximation with corrections for ties and continuity; if all values are equal it is 1.
    """
    from scipy.stats import mannwhitneyu

    effects, p_values = np.full(len(pairs), 0.5), np.ones(len(pairs))
    samples = [(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)) for a, b in pairs]
    alike: dict[tuple[int, int, str], list[int]] = defaultdict(list)
    for i, (a, b) in enumerate(samples):
        distinct = len(np.unique(np.concatenate((a, b))))
        exact = min(len(a), len(b)) <= EXACT and distinct == len(a) + len(b)
        if distinct > 1:
            alike[len(a), len(b), "exact" if exact else "asymptotic"].append(i)
    for (_, _, method), which in alike.items():  # tests of the same shape are made in one call
        first, second = (np.stack([samples[i][side] for i in which]) for side in (0, 1))
        found = mannwhitneyu(first, second, axis=1, method=method)
        effects[which] = 1.0 - found.statistic / (first.shape[1] * second.shape[1])
        p_values[which] = np.minimum(found.pvalue, 1.0)
    return effects, p_values


def average_ranks(runs: RunArrays) -> AverageRanks:
    """Solvers ranked on each problem by the mean place of their runs, the ranks averaged over the problems."""
    from scipy.stats import friedmanchisquare, rankdata

    ranks = np.empty((len(runs.common), len(runs.solvers)))
    for i, p in enumerate(runs.common):
        places = standings(runs, p)
        pooled = rankdata(np.concatenate([places[s] for s in range(len(runs.solvers))]))
        ends = np.cumsum([len(places[s]) for s in range(len(runs.solvers))])
        ranks[i] = rankdata([part.mean() for part in np.split(pooled, ends[:-1])])
    average = ranks.mean(axis=0) if len(ranks) else np.full(len(runs.solvers), np.nan)
    statistic = p_value = np.nan
    if len(runs.solvers) > 2 and len(ranks) > 1 and np.ptp(ranks, axis=1).any():
        statistic, p_value = friedmanchisquare(*ranks.T)
    names = tuple(runs.problems[p].id for p in runs.common)
    return AverageRanks(names, ranks, average, float(statistic), float(p_value))


def wins(runs: RunArrays, tests: list[PairTest], level: float = LEVEL) -> NDArray[np.int64]:
    """Array (solver, solver, 3): on how many problems the first wins against, ties with and loses to the second.

    A win is a significant difference after Holm's correction; everything else that was tested is a tie.
    """
    place = {name: i for i, name in enumerate(runs.solvers)}
    counts = np.zeros((len(place), len(place), 3), dtype=np.int64)
    for test in tests:
        a, b = place[test.first], place[test.second]
        winner = test.winner(level)
        outcome = 1 if winner is None else 0 if winner == test.first else 2
        counts[a, b, outcome] += 1
        counts[b, a, 2 - outcome] += 1
    return counts
