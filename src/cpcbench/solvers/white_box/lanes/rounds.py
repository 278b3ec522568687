"""Rounds of work: each lane has its share of a round, and after it they tell each other what they found.

Shares and rounds depend on what was done before and on nothing else. So a larger budget goes on where a smaller one
ended; and since lanes do not know of each other within a round, it does not matter which process they run in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from cpcbench.expr.rewriting import unlimited
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.lanes.black_box import BlackBox
from cpcbench.solvers.white_box.lanes.boxes import BoxTree
from cpcbench.solvers.white_box.lanes.herds import Guarded, Herds
from cpcbench.solvers.white_box.lanes.lane import Lane, Low, Report, Task
from cpcbench.solvers.white_box.lanes.near import Near
from cpcbench.solvers.white_box.lanes.refine import Refine, Thin
from cpcbench.solvers.white_box.lanes.tables import Tables
from cpcbench.solvers.white_box.limits import Limits, Watch
from cpcbench.solvers.white_box.tuning import (
    EARLY_SHARES,
    FIRST,
    FIRST_ROUND,
    GROWTH,
    LAST_ROUNDS,
    LONGEST_PIECE,
    LOWER,
    LUCKY,
    SHARES,
    STATED_NEAR,
)

KINDS: tuple[type[Lane], ...] = (Near, Tables, BlackBox, Herds, Guarded, Refine, Thin, BoxTree)


class Grant(NamedTuple):
    """What a lane may do in a round: work, in so many seconds, with so many evaluations at most; what others found."""

    work: float
    seconds: float
    evaluations: float
    before: int
    heard: Low


Clock = Callable[[], float]


class Turns(Protocol):
    """Lanes, by their numbers, have their turns: one alone, or several at once."""

    def turn(self, number: int, grant: Grant) -> Report: ...

    def turns(self, grants: dict[int, Grant]) -> Iterator[tuple[int, Report]]: ...


class Lanes:
    """The lanes of this process."""

    def __init__(self, task: Task, seed: int, watch: Watch | None, clock: Clock) -> None:
        self._task, self._seed, self._watch, self._clock = task, seed, watch, clock
        self._made: dict[int, Lane] = {}

    def turn(self, number: int, grant: Grant) -> Report:
        lane = self._made.get(number)
        if lane is None:
            limits = Limits(watch=self._watch, clock=self._clock)
            lane = KINDS[number](self._task, np.random.default_rng([self._seed, number]), limits)
            self._made[number] = lane
        lane.limits.allow(grant.seconds, grant.evaluations, grant.before)
        with np.errstate(all="ignore"):
            if len(grant.heard[1]):
                lane.hear(*grant.heard)
            try:
                lane.run(grant.work)
            except KeyboardInterrupt:
                if not lane.limits.evaluations and not grant.before:
                    raise
                return replace(lane.report(), interrupted=True)
        return lane.report()

    def turns(self, grants: dict[int, Grant]) -> Iterator[tuple[int, Report]]:
        """One after the other."""
        return ((number, self.turn(number, grant)) for number, grant in grants.items())


class Rounds:
    """All rounds; `reports` are the last ones of the lanes, `faithful` all points that looked so in their turn."""

    def __init__(self, problem: Problem, limits: Limits, turns: Turns) -> None:
        self._limits, self._turns = limits, turns
        stated = bool(unlimited(problem.expression)[1])
        self._shares = {**SHARES, "near": STATED_NEAR} if stated else SHARES
        self._nothing = np.empty((0, problem.dim)), np.empty(0)
        self.reports: dict[int, Report] = {}
        self.faithful: list[tuple[float, Floats]] = []
        self._left = LAST_ROUNDS
        self._low, self._lucky = math.inf, -1  # the lowest value told, and by which lane

    @property
    def begun(self) -> bool:
        """Whether anything was evaluated."""
        return bool(self.evaluations)

    @property
    def evaluations(self) -> int:
        return sum(report.evaluations for report in self.reports.values())

    @property
    def ended(self) -> bool:
        """Whether the herds have found nothing lower for long."""
        return self._left == 0

    def all(self) -> Iterator[None]:
        while not (self._limits.over or self.ended):
            yield from self._round()
            herds = [r for i, r in self.reports.items() if issubclass(KINDS[i], Herds)]
            if herds and all(report.done or report.waits for report in herds) and any(r.done for r in herds):
                self._left -= 1
            if all(report.done for report in self.reports.values()):
                return

    def _round(self) -> Iterator[None]:
        work = max(FIRST_ROUND, GROWTH * sum(report.cost for report in self.reports.values()))
        at_work = [i for i, kind in enumerate(KINDS) if self.evaluations >= kind.begins and not self._is_done(i)]
        table = self._shares if self.evaluations >= FIRST else EARLY_SHARES
        shares = np.array([table[KINDS[i].name] * (LUCKY if i == self._lucky else 1.0) for i in at_work])
        heard = {i: self._heard(i) for i in at_work}
        works = dict(zip(at_work, work * shares / shares.sum(), strict=True))
        if self._limits.evaluations_left >= work + len(at_work) * LONGEST_PIECE:
            grants = {i: Grant(works[i], self._limits.left, math.inf, self._others(i), heard[i]) for i in at_work}
            for number, report in self._turns.turns(grants):
                self._take(number, report)
                yield
            return
        for i in at_work:  # the end is near, and whoever is last has what the others leave
            left = self._limits.evaluations_left
            self._take(i, self._turns.turn(i, Grant(works[i], self._limits.left, left, self._others(i), heard[i])))
            yield
            if self._limits.over:
                return

    def _others(self, number: int) -> int:
        """Evaluations of the other lanes."""
        return self.evaluations - (self.reports[number].evaluations if number in self.reports else 0)

    def _is_done(self, number: int) -> bool:
        return number in self.reports and self.reports[number].done

    def _take(self, number: int, report: Report) -> None:
        self.reports[number] = report
        low = float(report.low[1][0]) if len(report.low[1]) else math.inf
        if low < self._low - LOWER * max(1.0, abs(low)):
            self._lucky = -1 if KINDS[number].grows else number
        self._low = min(self._low, low)
        self.faithful += report.faithful
        self._limits.evaluations = self.evaluations
        self._limits.stopped |= report.stopped
        if report.interrupted:
            raise KeyboardInterrupt

    def _heard(self, number: int) -> Low:
        """What the other lanes have told, the lowest first."""
        told = [report.low for i, report in self.reports.items() if i != number]
        if not told:
            return self._nothing
        points, values = np.concatenate([low[0] for low in told]), np.concatenate([low[1] for low in told])
        order = np.argsort(values, kind="stable")
        return points[order], values[order]
