"""A lane: one kind of work with its own count of evaluations, done piece by piece, so that it can be left any time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cpcbench.clock import OutOfTimeError
from cpcbench.points import Flags, Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.evaluations import Counted, Lowest, ThinPart, regular_part
from cpcbench.solvers.white_box.extended import looks_faithful
from cpcbench.solvers.white_box.judge import Judge
from cpcbench.solvers.white_box.limits import Limits
from cpcbench.solvers.white_box.result import WhiteBoxResult
from cpcbench.solvers.white_box.tuning import JUDGEMENT, TOLD

Low = tuple[Floats, Floats]
"""Points and their values."""


@dataclass(frozen=True)
class Task:
    """What all lanes are about: the problem, points to begin with, variables that act by their nearest whole number."""

    problem: Problem
    starts: Floats
    whole: Flags
    epochs: int | None


@dataclass(frozen=True)
class Report:
    """What a lane has done so far; `faithful` are those since the last report."""

    evaluations: int
    undefined: int
    reads: int
    cost: float
    done: bool
    waits: bool
    stopped: bool
    epochs: int
    low: Low
    lowest: tuple[float, Floats | None]
    rounded: tuple[float, Floats | None]
    faithful: list[tuple[float, Floats]]
    result: WhiteBoxResult
    thin: Floats | None
    interrupted: bool = False


class Lane:
    """One kind of work; `work` does it, `hear` takes what others found, `low` is what it tells them."""

    name = "lane"
    begins = 0
    """After so many evaluations of all."""
    grows = False
    """Whether its work takes more and more time, however it is counted: then it has no more of it for being lucky."""

    def __init__(self, task: Task, rng: np.random.Generator, limits: Limits) -> None:
        self.task, self.rng, self.limits = task, rng, limits
        self.problem, self.regular = task.problem, regular_part(task.problem)
        self.box = np.array([self.regular.lower, self.regular.upper])
        self.lowest = Lowest(self.problem, limits)
        self.kernel = Counted(self.regular, limits, self.lowest)
        self.thin = None if self.regular is self.problem else ThinPart(self.problem)
        self.result = WhiteBoxResult()
        self.done = self.waits = False
        self.judge = Judge(self.problem, self._judging)
        self._due, self._told = 0.0, 0
        self._work: Iterator[None] = self.work()
        self.begin()

    def begin(self) -> None:
        """What is needed before anything is heard."""

    def work(self) -> Iterator[None]:
        raise NotImplementedError

    def hear(self, points: Floats, values: Floats) -> None:
        """What others found."""

    def low(self) -> Low:
        """The lowest points, to be told to others."""
        return np.empty((0, self.problem.dim)), np.empty(0)

    @property
    def epochs(self) -> int:
        return 0

    def run(self, cost: float) -> None:
        """Works for so much; what a piece takes too long is taken off the next time."""
        self._due += cost
        self.waits = False
        try:
            while self.limits.cost < self._due and not self.done and not self.waits:
                self.done = next(self._work, self) is self
        except OutOfTimeError:
            self.done = True
        if self.waits:
            self._due = self.limits.cost

    def report(self) -> Report:
        new, self._told = self.lowest.faithful[self._told :], len(self.lowest.faithful)
        limits, thin = self.limits, None if self.thin is None else self.thin.x
        points, values = self.low()
        return Report(
            limits.evaluations, limits.undefined, limits.reads, limits.cost, self.done, self.waits, limits.stopped,
            self.epochs, (points[:TOLD].copy(), values[:TOLD].copy()), (self.lowest.value, self.lowest.x),
            self.lowest.rounded, new, self.result, thin,
        )  # fmt: skip

    def _judging(self) -> None:
        self.limits.other_work += JUDGEMENT

    def values(self, points: Floats) -> Floats:
        out = np.empty(len(points))
        self.kernel(np.ascontiguousarray(points).reshape(-1), out)
        return out

    def faithful_ones(self, points: Floats, values: Floats) -> Low:
        """Those that look faithful."""
        chosen = looks_faithful(self.problem.expression, points, values)
        return points[chosen], values[chosen]
