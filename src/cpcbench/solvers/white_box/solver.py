"""The white-box solver: an expression in, its lowest faithful, thin and artefact points out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from cpcbench.clock import OutOfTimeError, look_at_clock, time_limit
from cpcbench.errors import CpcbenchError
from cpcbench.points import Flags, Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.ending import BUDGET_SPENT, BY_CALLBACK, BY_INTERRUPT, TIME_SPENT, Ending
from cpcbench.solvers.white_box.judge import Candidate, Judge
from cpcbench.solvers.white_box.lanes.lane import Task
from cpcbench.solvers.white_box.lanes.processes import SideBySide
from cpcbench.solvers.white_box.lanes.rounds import Lanes, Rounds
from cpcbench.solvers.white_box.limits import Limits, Watch
from cpcbench.solvers.white_box.result import WhiteBoxResult
from cpcbench.solvers.white_box.start import prepare
from cpcbench.solvers.white_box.tuning import PATIENCE, SAME

AT_LEAST = 8
"""Points that are judged although the time is over."""
NOTHING_LOWER = Ending(f"nothing lower was found in {PATIENCE} epochs")


def solve_expression(
    problem: Problem,
    rng: np.random.Generator,
    *,
    seconds: float = 30.0,
    epochs: int | None = None,
    budget: int | None = None,
    watch: Watch | None = None,
    all_optima: bool = True,
    starts: Floats | None = None,
    whole: Flags | None = None,
    workers: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> WhiteBoxResult:
    """Looks for the global minimum of a formula by everything that can be read off it.

    The search ends when the time or the `budget` of evaluations is spent or after so many `epochs`;
    where it is not the time, the same generator gives the same result, and a larger budget no worse one. An
    evaluation is a point at which the formula has been evaluated; `reads` counts the points at which parts of it were
    read. The time begins when the formula is compiled. `starts` are points to begin with, `whole` are variables that
    act by the whole number they are nearest to. `workers` processes are at work at once, with the same result.
    `watch(x, value, evaluations)` is told of improvements that look faithful, and ends the search by
    returning True. Ctrl-C ends it, too; `ending` says what did.
    """
    if not isinstance(problem, Problem):
        raise CpcbenchError(f"solve_expression takes a problem, such as cpcbench.problem('CPC-DF3'), not {problem!r}")
    if not seconds > 0.0 or (epochs is not None and epochs < 1) or (budget is not None and budget < 1):
        given = f"{seconds!r}, {epochs!r} and {budget!r}"
        raise CpcbenchError(f"seconds is positive, epochs is 1 or more and so is budget, not {given}")
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise CpcbenchError(f"the white box takes a number of workers from 1 on, not {workers!r}")
    problem.needs_box("solve_expression")
    none = np.empty((0, problem.dim)), np.zeros(problem.dim, dtype=np.bool_)
    task = Task(problem, none[0] if starts is None else starts, none[1] if whole is None else whole, epochs)
    with np.errstate(all="ignore"):
        prepare(problem, budget)
        return _Solution(task, int(rng.integers(2**63)), Limits(seconds, budget, watch, clock), clock, workers).run(
            all_optima
        )


class _Solution:
    """One call: the rounds, the judgement, the copies."""

    def __init__(self, task: Task, seed: int, limits: Limits, clock: Callable[[], float], workers: int) -> None:
        self.problem, self.limits = task.problem, limits
        self.judge = Judge(task.problem)
        self.best, self._is_to_stop = math.inf, False
        self.ending = BUDGET_SPENT
        self.result = WhiteBoxResult()
        here = Lanes(task, seed, self._improved, clock)
        self._several = SideBySide(workers, task, seed, clock, here) if workers > 1 else None
        self.rounds = Rounds(task.problem, limits, self._several or here)

    def run(self, all_optima: bool) -> WhiteBoxResult:
        try:
            self._work(self._told())
        finally:
            if self._several is not None:
                self._several.close()
        self._work(self._judgements())
        if all_optima and self.result.x is not None:
            with time_limit(self.limits.for_copies):
                self._work(self._optima(self.result.x))
        self._last_resort()
        result, reports = self.result, self.rounds.reports.values()
        result.evaluations, result.undefined = self.rounds.evaluations, sum(report.undefined for report in reports)
        result.reads = sum(report.reads for report in reports)
        result.epochs = sum(report.epochs for report in reports)
        result.seconds = self.limits.seconds
        result.ending = self._ended()
        result.message = f"{result.summary()}; {result.ending.message}"
        return result

    def _told(self) -> Iterator[None]:
        """The rounds; what other processes found is told here."""
        for _ in self.rounds.all():
            for value, x in self.rounds.faithful[-1:]:
                self.limits.stopped |= self._improved(x, value, self.rounds.evaluations)
            yield

    def _improved(self, x: Floats, value: float, evaluations: int) -> bool:
        """Tells the user of what is lower than all before, until he wants to stop; then each lane that asks is to."""
        if value < self.best and not self._is_to_stop:
            self.best = value
            self._is_to_stop = self.limits.tell(x, value, evaluations)
        return self._is_to_stop

    def _work(self, work: Iterator[None]) -> None:
        """Works until done, or a limit is reached, or the user interrupts."""
        try:
            for _ in work:
                pass
        except OutOfTimeError:
            pass
        except KeyboardInterrupt:
            if not self.rounds.begun or self.ending is BY_INTERRUPT:
                raise
            self.limits.stopped, self.ending = True, BY_INTERRUPT

    def _ended(self) -> Ending:
        if self.ending is BY_INTERRUPT:
            return self.ending
        if self.limits.stopped:
            return BY_CALLBACK
        if self.limits.out_of_time:
            return TIME_SPENT
        return NOTHING_LOWER if self.rounds.ended else BUDGET_SPENT

    def _judgements(self) -> Iterator[None]:
        """Judges the lowest points, those first that look faithful; the time may be over, but not by much."""
        reports = list(self.rounds.reports.values())
        for report in reports:
            self.result.take(report.result)
        looks_so = sorted(self.rounds.faithful, key=lambda each: each[0])
        for i, (value, x) in enumerate(looks_so):
            if self.result.value <= value or (i >= AT_LEAST and self.limits.late):
                break
            self.result.offer(self.judge(x))
            yield
        rounded = sorted((report.rounded for report in reports), key=_first)[:1]
        for value, at in rounded:
            if at is not None and not value >= self.result.value:
                self.result.rounded = self.judge.with_rounded_constants(at)
            yield
        others = [x for _, x in sorted(((v, x) for r in reports for v, x in [r.lowest] if x is not None), key=_first)]
        for x in (*others[:1], *(report.thin for report in reports if report.thin is not None)):
            self.result.offer(self.judge(x))
            yield

    def _optima(self, x: Floats) -> Iterator[None]:
        """All faithful points of the lowest value: those found, and their symmetric copies."""
        best = self.result.value
        found = [x, *(point for report in self.rounds.reports.values() for point in report.low[0])]
        near = 1e-6 * (self.problem.upper - self.problem.lower)
        for point in chain(found, self._copies(x)):
            look_at_clock()
            candidate = self.judge(point)
            same = candidate.kind == "faithful" and candidate.value - best <= SAME * max(1.0, abs(best))
            if same and not any((np.abs(other.x - point) <= near).all() for other in self.result.optima):
                self.result.optima.append(candidate)
            yield

    def _copies(self, x: Floats) -> Iterator[Floats]:
        """The symmetric copies of a point; that they are looked for takes long where there are many."""
        from cpcbench.studies.symmetry.multiplicity import multiplicity

        yield from (np.array(image.point) for image in multiplicity(self.problem, x).images)

    def _last_resort(self) -> None:
        """A point that has a value only as this machine rounds is better than none."""
        result = self.result
        if result.x is None and result.thin is None and result.artefact is None:
            found = [report.lowest for report in self.rounds.reports.values() if report.lowest[1] is not None]
            for value, x in sorted(found, key=_first)[:1]:
                if x is not None:
                    result.artefact = Candidate(x, value, math.nan, "artefact")


def _first(pair: tuple[float, Floats | None]) -> float:
    return pair[0]
