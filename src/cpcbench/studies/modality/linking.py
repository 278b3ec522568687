"""Points joined where the straight way between them is admissible, and the groups that come of it."""

from __future__ import annotations

import numpy as np

from cpcbench.points import Flags, Floats, Places
from cpcbench.problems.problem import Problem

AT_A_TIME = 400_000
"""Probes evaluated in one go."""


def way_is_admissible(problem: Problem, a: Floats, b: Floats, probes: int) -> Flags:
    """For each row whether so many evenly spaced points strictly between `a` and `b` are all admissible.

    A gap narrower than the spacing of the probes goes unseen.
    """
    found = np.empty(len(a), dtype=bool)
    for rows in _portions(len(a), probes):
        found[rows] = np.asarray(problem.admissible(_between(a[rows], b[rows], probes))).all(axis=1)
    return found


def way_values(problem: Problem, a: Floats, b: Floats, probes: int) -> Floats:
    """The values at these points, a row for each pair; NaN where undefined."""
    found = np.empty((len(a), probes))
    for rows in _portions(len(a), probes):
        found[rows] = problem(_between(a[rows], b[rows], probes))
    return found


def groups(count: int, left: Places, right: Places) -> Places:
    """The number of the group of each of `count` things, where `left[i]` and `right[i]` belong together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _between(a: Floats, b: Floats, probes: int) -> Floats:
    share = (np.arange(1, probes + 1) / (probes + 1))[:, None]
    points: Floats = a[:, None, :] * (1.0 - share) + b[:, None, :] * share
    return points


def _portions(count: int, probes: int) -> list[slice]:
    size = max(1, AT_A_TIME // probes)
    return [slice(start, start + size) for start in range(0, count, size)]
