"""Optima that no symmetry gives: lines through known ones, and local searches from sampled points.

The sampled points include the published optima of a problem, where it has any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.limits import checked_budget
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import admissible_points
from cpcbench.studies.symmetry.motions import Motion
from cpcbench.studies.symmetry.multiplicity import orbit

ALONG = 4000
"""Points on each line."""
MOST = 10**9
"""Evaluations that a search may be given: beyond, it would not end in a day."""
KEPT = 30
"""Local minima of a line that are refined, lowest first."""


@dataclass(frozen=True)
class Found:
    """Points as good as the known optimum (one of each orbit, the known one first), and lower ones apart.

    `tolerance` is how near the value had to come; `evaluations` were spent.
    """

    problem: str
    value: float
    tolerance: float
    points: tuple[tuple[float, ...], ...]
    values: tuple[float, ...]
    lower: tuple[tuple[float, ...], ...]
    evaluations: int


def search_optima(
    problem: Problem,
    known: Sequence[float],
    motions: Sequence[Motion] = (),
    *,
    budget: int = 100_000,
    rng: Rng = 0,
    tolerance: float = 1e-9,
) -> Found:
    """Other optima as good as the known one, up to the relative tolerance; a search, so there may be more.

    Two points are the same optimum if each coordinate differs by less than a millionth of the box.
    """
    most = checked_budget(budget, "the budget of the search", most=MOST)
    search = _Search(problem, motions, np.array(known, dtype=float), most, tolerance)
    search.lines()
    search.restarts(generator_of(rng))
    return search.result()


class _Search:
    def __init__(
        self, problem: Problem, motions: Sequence[Motion], known: Floats, budget: int, tolerance: float
    ) -> None:
        self.problem, self.motions, self.budget = problem, motions, budget
        self.value = float(problem(known))
        self.room = tolerance * max(1.0, abs(self.value))
        self.width = problem.upper / 2 - problem.lower / 2
        self.spent = 0
        self.points: list[Floats] = []
        self.values: list[float] = []
        self.lower: list[Floats] = []
        self._images: list[Floats] = []
        self._add(known, self.value)

    def result(self) -> Found:
        return Found(
            self.problem.id,
            self.value,
            self.room,
            tuple(tuple(p.tolist()) for p in self.points),
            tuple(self.values),
            tuple(tuple(p.tolist()) for p in self.lower),
            self.spent,
        )

    def lines(self) -> None:
        """From every optimum, the local minima along each axis."""
        for start in self.points:  # grows while it is read
            for i in range(self.problem.dim):
                if self.spent + ALONG > self.budget:
                    return
                self._line(start, i)

    def _line(self, start: Floats, i: int) -> None:
        line = np.repeat(start[None], ALONG, axis=0)
        line[:, i] = np.linspace(self.problem.lower[i], self.problem.upper[i], ALONG)
        values = np.asarray(self.problem(line))
        self.spent += ALONG
        height = np.where(np.isnan(values), np.inf, values)
        padded = np.concatenate([[np.inf], height, [np.inf]])
        low = np.flatnonzero((height <= padded[:-2]) & (height <= padded[2:]) & np.isfinite(height))
        for k in low[np.argsort(height[low], kind="stable")][:KEPT].tolist():
            self._refine(line[k], [i])

    def restarts(self, rng: np.random.Generator) -> None:
        """Local searches from admissible points, the lowest first."""
        everything = list(range(self.problem.dim))
        while self.spent < self.budget:
            starts = admissible_points(self.problem, 200, rng)
            values = np.asarray(self.problem(starts))
            self.spent += len(starts)
            for start in starts[np.argsort(values, kind="stable")][:20]:  # all are admissible: no NaN among them
                if self.spent >= self.budget:
                    return
                self._refine(start, everything)

    def _refine(self, start: Floats, free: list[int]) -> None:
        """A simplex search in some coordinates, undefined counting as worst."""
        from scipy.optimize import minimize

        def height(z: Floats) -> float:
            x = start.copy()
            x[free] = z
            if not self.problem.in_box(x):
                return float("inf")
            value = float(self.problem(x))
            return float("inf") if np.isnan(value) else value

        size = self.width[free] * 2.0 / ALONG
        simplex = np.vstack([start[free], start[free] + np.diag(size)])
        options = {"initial_simplex": simplex, "xatol": 1e-15, "fatol": 0.0, "maxfev": 300 * len(free)}
        with np.errstate(invalid="ignore"):  # the simplex may stand wholly on undefined ground
            best = minimize(height, start[free], method="Nelder-Mead", options=options)
        self.spent += int(best.nfev)
        point = start.copy()
        point[free] = best.x
        if np.isfinite(best.fun):
            self._add(point, float(best.fun))

    def _add(self, point: Floats, value: float) -> None:
        if value > self.value + self.room or any(self._same(point, other) for other in self._images):
            return
        if value < self.value - self.room:
            if not any(self._same(point, other) for other in self.lower):
                self.lower.append(point)
            return
        self.points.append(point)
        self.values.append(value)
        images, _ = orbit(self.problem, point.tolist(), self.motions)
        self._images += [np.array([float(a) + float(b) * np.pi for a, b in image]) for image in images]

    def _same(self, a: Floats, b: Floats) -> bool:
        return bool((np.abs(a - b) <= 2e-6 * self.width).all())
