"""Many local searches at once that keep to the domain: mesh-adaptive direct search with random directions.

All searches step together, so that each step is one call of the compiled kernel. Undefined counts as
plus infinity, and a step is taken only if points on the way are admissible too: a search is not meant
to leave the part of the domain it started in (Audet and Dennis 2006 for the method).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.studies.modality.linking import way_is_admissible
from cpcbench.studies.modality.parts import Progress, silent

Indices = npt.NDArray[np.intp]

FIRST_STEP = 1e-3
"""Of the box's sides: the longest step a search takes."""
LAST_STEP = 1e-16
STEPS = 900
ON_THE_WAY = 3


@dataclass(eq=False)
class Searches:
    """Where the searches are, the values there, and the length of their next step as a share of the box's sides."""

    problem: Problem
    points: Floats
    values: Floats
    step: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.step = np.full(len(self.points), FIRST_STEP)


def values_at(problem: Problem, points: Floats) -> Floats:
    """Values, plus infinity where undefined."""
    values = np.asarray(problem(points))
    return np.where(np.isnan(values), np.inf, values)


def shifted(problem: Problem, points: Floats, shares: Floats) -> Floats:
    """Points moved by shares of the box's sides, and kept in the box."""
    half = problem.upper / 2 - problem.lower / 2
    found: Floats = np.clip(points + 2.0 * (shares * half), problem.lower, problem.upper)
    return found


def descend(searches: Searches, rng: np.random.Generator, progress: Progress = silent) -> None:
    """Runs all searches until their steps are shorter than `LAST_STEP`, or for `STEPS` steps."""
    for number in range(STEPS):
        active = np.flatnonzero(searches.step > LAST_STEP)
        if len(active) == 0:
            break
        if number % 100 == 0:
            progress(f"{len(active):,} local searches at step {number}")
        _step(searches, active, rng)


def _step(searches: Searches, active: Indices, rng: np.random.Generator) -> None:
    problem, here = searches.problem, searches.points[active]
    ways = _directions(len(active), problem.dim, rng)
    tried = shifted(problem, here[:, None], searches.step[active][:, None, None] * ways)
    values = values_at(problem, tried)
    best = np.argmin(values, axis=1)
    row = np.arange(len(active))
    there, lowest = tried[row, best], values[row, best]
    better = lowest < searches.values[active]
    better[better] = way_is_admissible(problem, here[better], there[better], ON_THE_WAY)
    won, lost = active[better], active[~better]
    searches.points[won], searches.values[won] = there[better], lowest[better]
    searches.step[won] = np.minimum(2.0 * searches.step[won], FIRST_STEP)
    searches.step[lost] /= 2.0


def _directions(count: int, n: int, rng: np.random.Generator) -> Floats:
    """Both ways along every axis, and along the axes of a frame turned at random (a Householder reflection)."""
    normal = rng.normal(size=(count, n))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    turned = np.eye(n) - 2.0 * normal[:, :, None] * normal[:, None, :]
    axes = np.broadcast_to(np.eye(n), turned.shape)
    return np.concatenate([axes, -axes, turned, -turned], axis=1)
