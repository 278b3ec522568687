"""The white-box solver: an expression in, its lowest faithful, thin and artefact points out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.clock import OutOfTimeError, look_at_clock, time_limit
from cpcbench.errors import CpcbenchError
from cpcbench.problems.kinds import Kind
from cpcbench.problems.problem import Problem
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.white_box.edges import Edges
from cpcbench.solvers.white_box.hunt import Hunt
from cpcbench.solvers.white_box.judge import Candidate, Floats, Judge
from cpcbench.solvers.white_box.limits import Limits, Watch
from cpcbench.solvers.white_box.settle import Settler
from cpcbench.solvers.white_box.thin import thin_points

PATIENCE = 4
"""Epochs without a lower value, after which the search ends."""

JUDGED = 16
"""Of the lowest points found in doubles, how many are judged by all readings."""

SAME = 1e-9
"""Optima are all points whose value is within this of the lowest, relative above 1."""

SEARCH, FINISH, SETTLE, THIN = 0.6, 0.7, 0.88, 1.0
"""When the stages end, as shares of the time."""


@dataclass
class WhiteBoxResult:
    """What was found; `x` and `value` are the lowest faithful point, NaN and None if there is none.

    `thin` and `artefact` are the lowest points of their kind, if lower than nothing else of it; `optima`
    are all faithful points found whose value is the lowest one within a tolerance, symmetric copies included.
    """

    x: Floats | None = None
    value: float = math.nan
    thin: Candidate | None = None
    artefact: Candidate | None = None
    optima: list[Candidate] = field(default_factory=list)
    evaluations: int = 0
    epochs: int = 0
    seconds: float = 0.0
    message: str = ""

    def offer(self, candidate: Candidate) -> None:
        """Keeps the candidate if it is the lowest of its kind."""
        if candidate.kind == "faithful" and not candidate.value >= self.value:
            self.x, self.value = candidate.x, candidate.value
        elif candidate.kind in ("thin", "artefact"):
            held: Candidate | None = getattr(self, candidate.kind)
            if held is None or candidate.value < held.value:
                setattr(self, candidate.kind, candidate)


def solve_expression(
    problem: Problem,
    rng: np.random.Generator,
    *,
    seconds: float = 30.0,
    epochs: int | None = None,
    budget: int | None = None,
    watch: Watch | None = None,
    all_optima: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> WhiteBoxResult:
    """Looks for the global minimum of a formula by everything that can be read off it.

    The search ends when the time or the `budget` of evaluations is spent or after so many `epochs`;
    where it is not the time, the same generator gives the same result. `watch(x, value, evaluations)`
    is told of improvements in doubles, and ends the search by returning True.
    """
    if not isinstance(problem, Problem):
        raise CpcbenchError(f"solve_expression takes a problem, such as cpcbench.problem('CPC-DF3'), not {problem!r}")
    if not seconds > 0.0 or (epochs is not None and epochs < 1) or (budget is not None and budget < 1):
        given = f"{seconds!r}, {epochs!r} and {budget!r}"
        raise CpcbenchError(f"seconds is positive, epochs is 1 or more and so is budget, not {given}")
    return _Solution(problem, rng, epochs, Limits(seconds, budget, watch, clock)).run(all_optima)


class _Solution:
    """One call: the search, the judgement, the thin sets, the copies."""

    def __init__(self, problem: Problem, rng: np.random.Generator, epochs: int | None, limits: Limits) -> None:
        self.problem, self.rng, self.epochs, self.limits = problem, rng, epochs, limits
        self.judge = Judge(problem)
        self.hunts = [Hunt(problem, rng, limits), Hunt(problem, rng, limits, guarded=True)]
        self.result = WhiteBoxResult()

    def run(self, all_optima: bool) -> WhiteBoxResult:
        self._stage(SEARCH, self._epochs())
        self._stage(FINISH, self._finish())
        self._judge()
        self._stage(SETTLE, self._settlements())
        if self.problem.rule == "ieee":
            self._stage(THIN, self._thin())
        if all_optima and self.result.x is not None:
            with time_limit(self.limits.for_copies), suppress(OutOfTimeError):
                self._optima(self.result.x)
        result = self.result
        result.evaluations, result.epochs = self.limits.evaluations, sum(hunt.epochs for hunt in self.hunts)
        result.seconds = self.limits.seconds
        result.message = _message(result)
        return result

    def _stage(self, share: float, work: Iterable[None]) -> None:
        """Works until done or out of this share of the time."""
        self.limits.stage(share)
        try:
            for _ in work:
                pass
        except OutOfTimeError:
            pass

    def _epochs(self) -> Iterable[None]:
        """Epochs of the plain search, and of a guarded one where the plain one follows an artefact."""
        plain, guarded = self.hunts
        most = math.inf if self.epochs is None else self.epochs
        best, idle = math.inf, 0
        while plain.epochs < most and idle < PATIENCE:
            plain.epoch()
            if len(plain.archive.values) and self.judge(plain.archive.points[0]).kind != "faithful":
                guarded.epoch()
            now = plain.archive.best if not guarded.epochs else guarded.archive.best
            idle = 0 if now < best - SAME * abs(best) or math.isinf(now) else idle + 1
            best = min(best, now)
            yield

    def _finish(self) -> Iterable[None]:
        for hunt in self.hunts:
            hunt.finish()
            yield

    def _low_points(self) -> Iterable[tuple[Hunt, Candidate]]:
        for hunt in self.hunts:
            for x in hunt.archive.points[:JUDGED]:
                yield hunt, self.judge(x)

    def _judge(self) -> None:
        """Judges the lowest points."""
        for _, candidate in self._low_points():
            self.result.offer(candidate)

    def _settlements(self) -> Iterable[None]:
        """Near the lowest points that are not faithful, looks for ones that are."""
        for hunt, candidate in self._low_points():
            if candidate.kind != "faithful" and not candidate.value >= self.result.value:
                kernel = hunt.problem.fast.boxed
                settle = Settler(self.judge, kernel, hunt.edges, self.rng)
                settled = settle(candidate.x, _limit(self.result.value), self.limits.check)
                if settled is not None:
                    self.result.offer(settled)
            yield

    def _thin(self) -> Iterable[None]:
        check, kernel, edges = self.limits.check, self.problem.fast.boxed, None
        for archive in thin_points(self.problem, self.rng, check):
            for x in archive.points[:3]:
                candidate = self.judge(x)
                self.result.offer(candidate)
                if candidate.kind != "thin":
                    edges = edges or Edges(self.problem)
                    limit = math.inf if self.result.thin is None else self.result.thin.value
                    settled = Settler(self.judge, kernel, edges, self.rng, "thin")(candidate.x, limit, check)
                    if settled is not None:
                        self.result.offer(settled)
            yield

    def _optima(self, x: Floats) -> None:
        """All faithful points of the lowest value: those found, and their symmetric copies."""
        best = self.result.value
        found = [x, *(point for hunt in self.hunts for point in hunt.archive.points)]
        near = 1e-6 * (self.problem.upper - self.problem.lower)
        for point in chain(found, self._copies(x)):
            look_at_clock()
            candidate = self.judge(point)
            same = candidate.kind == "faithful" and candidate.value - best <= SAME * max(1.0, abs(best))
            if same and not any((np.abs(other.x - point) <= near).all() for other in self.result.optima):
                self.result.optima.append(candidate)

    def _copies(self, x: Floats) -> Iterator[Floats]:
        """The symmetric copies of a point; that they are looked for takes long where there are many."""
        from cpcbench.studies.symmetry.multiplicity import multiplicity

        yield from (np.array(image.point) for image in multiplicity(self.problem, x).images)


def _limit(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _message(result: WhiteBoxResult) -> str:
    if result.x is None:
        return "no faithful point was found"
    words = [f"lowest faithful value {result.value!r}"]
    kinds: tuple[Kind, ...] = ("thin", "artefact")
    for kind in kinds:
        candidate = getattr(result, kind)
        if candidate is not None and candidate.value < result.value:
            words.append(f"lower still, but {kind}: {candidate.value!r}")
    return "; ".join(words)


def solve(objective: Objective, rng: np.random.Generator, *, seconds: float = 30.0, **settings: Any) -> OptimizeResult:
    """The solver as studies run it; it reads the formula and does not count against a budget of evaluations."""
    left = min(seconds, max(objective.seconds_left - 0.5, 0.5))
    found = solve_expression(objective.problem, rng, seconds=left, **settings)
    if found.x is not None:
        objective(found.x)
    return OptimizeResult(
        x=found.x, fun=found.value, nfev=found.evaluations, success=found.x is not None, message=found.message,
        thin=found.thin, artefact=found.artefact, optima=found.optima,
    )  # fmt: skip


SOLVER = Solver(
    name="cpc-white",
    solve=solve,
    undefined="nan",
    expression=True,
    seconds=45.0,
    summary="reads the formula: conditions, edges, corners, last bits and thin sets",
)
