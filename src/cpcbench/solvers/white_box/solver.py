"""The white-box solver: an expression in, its lowest faithful, thin and artefact points out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from cpcbench.clock import OutOfTimeError, look_at_clock, time_limit
from cpcbench.errors import CpcbenchError
from cpcbench.expr.rewriting import unlimited
from cpcbench.points import Flags, Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.ending import BUDGET_SPENT, BY_CALLBACK, BY_INTERRUPT, TIME_SPENT, Ending
from cpcbench.solvers.white_box.archive import Archive
from cpcbench.solvers.white_box.evaluations import Counted, Lowest, ThinPart, regular_part
from cpcbench.solvers.white_box.extended import looks_faithful
from cpcbench.solvers.white_box.first import FirstSearch
from cpcbench.solvers.white_box.hunt import Hunt
from cpcbench.solvers.white_box.judge import Candidate, Judge
from cpcbench.solvers.white_box.limits import Limits, Watch
from cpcbench.solvers.white_box.moves.edges import Edges
from cpcbench.solvers.white_box.moves.lattice import Lattice
from cpcbench.solvers.white_box.result import WhiteBoxResult
from cpcbench.solvers.white_box.settle import Settler
from cpcbench.solvers.white_box.start import prepare
from cpcbench.solvers.white_box.thin import ThinHerd, slices, thin_points
from cpcbench.solvers.white_box.tuning import (
    EARLY,
    FINISH,
    FIRST,
    HELD,
    JUDGED,
    PATIENCE,
    ROUND,
    SAME,
    SEARCH,
    SETTLE,
    STARTS,
    THIN,
)

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
    clock: Callable[[], float] = time.perf_counter,
) -> WhiteBoxResult:
    """Looks for the global minimum of a formula by everything that can be read off it.

    The search ends when the time or the `budget` of evaluations is spent or after so many `epochs`;
    where it is not the time, the same generator gives the same result, and a larger budget no worse one. An
    evaluation is a point at which the formula, its conditions or its edges are read; the time begins when the
    formula is compiled. `starts` are points to begin with, `whole` are variables that act by the whole number they are
    nearest to. `watch(x, value, evaluations)` is told of improvements that look faithful, and ends the search by
    returning True. Ctrl-C ends it, too; `ending` says what did.
    """
    if not isinstance(problem, Problem):
        raise CpcbenchError(f"solve_expression takes a problem, such as cpcbench.problem('CPC-DF3'), not {problem!r}")
    if not seconds > 0.0 or (epochs is not None and epochs < 1) or (budget is not None and budget < 1):
        given = f"{seconds!r}, {epochs!r} and {budget!r}"
        raise CpcbenchError(f"seconds is positive, epochs is 1 or more and so is budget, not {given}")
    problem.needs_box("solve_expression")
    with np.errstate(all="ignore"):
        prepare(problem, first_only=budget is not None and budget <= FIRST)
        return _Solution(problem, rng, epochs, Limits(seconds, budget, watch, clock), starts, whole).run(all_optima)


class _Solution:
    """One call: the search, the judgement, the thin sets, the copies."""

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        epochs: int | None,
        limits: Limits,
        starts: Floats | None,
        whole: Flags | None,
    ) -> None:
        self.problem, self.rng, self.epochs, self.limits = problem, rng, epochs, limits
        self.judge = Judge(problem)
        regular = regular_part(problem)
        self.lowest = Lowest(problem, limits)
        self.kernel = Counted(regular, limits, self.lowest)
        self.thin = None if regular is problem else ThinPart(problem)
        self.first = FirstSearch(regular, rng, self.kernel, self.thin, starts)
        self.starts, self.whole = starts, whole
        self.promising: list[Floats] = []
        self.hunts: list[Hunt] = []
        self.early: Archive | None = None
        self.searching, self.thinning = self._epochs(), self._thin_sets()
        self.best, self.idle = math.inf, 0
        self.ending = BUDGET_SPENT
        self.result = WhiteBoxResult()

    def run(self, all_optima: bool) -> WhiteBoxResult:
        self._stage(self._held(), SEARCH, HELD)
        self._work(self._descents())
        first = self.first.steps(self.limits)
        self._stage(first, SEARCH)
        if self.lowest.x is None:  # a slow machine or a rare domain: what time there is goes to finding any point
            self._stage(first, THIN)
        self._work(self._begin())
        if self.hunts and self.limits.budget is None:
            self._round()
        elif self.hunts:
            self._rounds()
        self._work(self._judgements())
        if all_optima and self.result.x is not None:
            with time_limit(self.limits.for_copies):
                self._work(self._optima(self.result.x))
        self._last_resort()
        result = self.result
        result.evaluations, result.undefined = self.limits.evaluations, self.limits.undefined
        result.epochs = sum(hunt.epochs for hunt in self.hunts)
        result.seconds = self.limits.seconds
        result.ending = self._ended()
        result.message = f"{result.summary()}; {result.ending.message}"
        return result

    def _rounds(self) -> None:
        """Rounds that double the evaluations, whatever the budget is: a larger one only goes on where another ends."""
        begin = FIRST
        while not self.limits.over and not self._nothing_new:
            self._round(begin, begin)
            begin *= 2

    def _round(self, begin: float = 0.0, length: float = math.inf) -> None:
        """All stages in turn, each within its share of the time, or of so many evaluations from the beginning on."""
        works = self.searching, self._finish(), self._settlements(), self.thinning
        for work, time_share, share in zip(works, (SEARCH, FINISH, SETTLE, THIN), ROUND, strict=True):
            if math.isinf(length):
                self._stage(work, time_share)
            else:
                self._stage(work, 1.0, begin + share * length)

    def _stage(self, work: Iterator[None], share: float, most: float = math.inf) -> None:
        """Works until done, or beyond this share of the time or so many evaluations in all; a later round may go on."""
        if not self.limits.beyond(share, most):
            self._work(_until(work, lambda: self.limits.beyond(share, most)))

    def _work(self, work: Iterator[None]) -> None:
        """Works until done, or a limit is reached, or the user interrupts."""
        try:
            for _ in work:
                pass
        except OutOfTimeError:
            pass
        except KeyboardInterrupt:
            if not self.limits.evaluations or self.ending is BY_INTERRUPT:
                raise
            self.limits.stopped, self.ending = True, BY_INTERRUPT

    def _ended(self) -> Ending:
        if self.ending is BY_INTERRUPT:
            return self.ending
        if self.limits.stopped:
            return BY_CALLBACK
        if self.limits.out_of_time:
            return TIME_SPENT
        return NOTHING_LOWER if self._nothing_new else BUDGET_SPENT

    def _descents(self) -> Iterator[None]:
        """With constraints, which may leave next to nothing of the box: descents from anywhere, by their slopes.

        Before them from where descents with whole variables held went lowest.
        """
        regular = regular_part(self.problem)
        count = EARLY if unlimited(self.problem.expression)[1] else 0
        if not count and not self.promising:
            return
        early = Hunt(regular, self.rng, self.limits, self.kernel, self.lowest)
        anywhere = self.rng.uniform(regular.lower, regular.upper, (count, regular.dim))
        for x in (*reversed(self.promising[-STARTS:]), *anywhere):
            early.descend(x)
            self.early = early.archive
            yield

    def _held(self) -> Iterator[None]:
        """Descents of the other variables with whole ones held, at those of the lowest point known and next to it."""
        if self.whole is None or self.whole.all():
            return
        regular = regular_part(self.problem)
        hunt = Hunt(regular, self.rng, self.limits, self.kernel, self.lowest)
        lattice = Lattice(regular.lower, regular.upper, self.whole)
        best, centre = math.inf, self.starts[-1] if self.starts is not None and len(self.starts) else None
        while True:
            points = self.rng.uniform(regular.lower, regular.upper, (STARTS, regular.dim))
            if centre is not None:
                points[0] = centre
            numbers = lattice.next_to(points[0])
            if numbers is None:
                return
            for x in lattice.held(points, numbers):
                end, value = hunt.promise(x)
                if value < best:
                    best, centre = value, end
                    self.promising.append(end)
                yield

    def _begin(self) -> Iterator[None]:
        """The herds begin, their archives with what the first search found."""
        if self.limits.over:
            return
        self.hunts = [
            Hunt(regular_part(self.problem), self.rng, self.limits, self.kernel, self.lowest, guarded)
            for guarded in (False, True)
        ]
        points, values = self.first.elites()
        if self.lowest.x is not None:
            points, values = np.vstack([self.lowest.x, points]), np.append(self.lowest.value, values)
        plain, guarded = self.hunts
        plain.add(points, values)
        if self.early is not None:
            plain.add(self.early.points, self.early.values)
        faithful = looks_faithful(self.problem.expression, points, values)
        guarded.add(points[faithful], values[faithful])
        yield

    @property
    def _nothing_new(self) -> bool:
        """Whether there have been epochs enough."""
        return self.idle >= PATIENCE or (
            self.epochs is not None and sum(hunt.epochs for hunt in self.hunts[:1]) >= self.epochs
        )

    def _epochs(self) -> Iterator[None]:
        """Epochs of the plain search, and of a guarded one where the plain one follows an artefact."""
        plain, guarded = self.hunts
        while not self._nothing_new:
            yield from plain.epoch()
            if len(plain.archive.values) and self.judge(plain.archive.points[0]).kind != "faithful":
                yield from guarded.epoch()
            now = plain.archive.best if not guarded.epochs else guarded.archive.best
            self.idle = 0 if now < self.best - SAME * abs(self.best) or math.isinf(now) else self.idle + 1
            self.best = min(self.best, now)
            yield

    def _finish(self) -> Iterator[None]:
        for hunt in self.hunts:
            yield from hunt.finish()

    def _low_points(self) -> Iterator[tuple[Hunt, Candidate]]:
        for hunt in self.hunts:
            for x in hunt.archive.points[:JUDGED]:
                yield hunt, self.judge(x)

    def _judgements(self) -> Iterator[None]:
        """Judges the lowest points, those first that look faithful; the time may be over, but not by much."""
        for x in reversed(self.lowest.faithful):
            self.result.offer(self.judge(x))
            yield
        others = [] if self.lowest.x is None else [self.lowest.x]
        others += [] if self.thin is None or self.thin.x is None else [self.thin.x]
        for x in others:
            self.result.offer(self.judge(x))
            yield
        for _, candidate in self._low_points():
            self.result.offer(candidate)
            if self.limits.late:
                break
            yield

    def _settlements(self) -> Iterator[None]:
        """Near the lowest points that are not faithful, looks for ones that are."""
        yield from self._judgements()
        for hunt, candidate in self._low_points():
            if candidate.kind != "faithful" and not candidate.value >= self.result.value:
                settle = Settler(self.judge, hunt.kernel, hunt.edges, self.rng)
                yield from self._offered(settle(candidate.x, _limit(self.result.value)))
            yield

    def _offered(self, candidates: Iterator[Candidate | None]) -> Iterator[None]:
        for candidate in candidates:
            if candidate is not None:
                self.result.offer(candidate)
            yield

    def _thin_sets(self) -> Iterator[None]:
        """One slice after the other."""
        if self.thin is None:
            return
        edges = Edges(self.problem, self.limits.take)
        for part in slices(self.problem.expression):
            herd = ThinHerd(self.problem, self.rng, part.bring, self.kernel, self.thin, self.limits.take)
            archive = yield from thin_points(herd, part)
            for x in archive.points[:3]:
                candidate = self.judge(x)
                self.result.offer(candidate)
                if candidate.kind != "thin":
                    limit = math.inf if self.result.thin is None else self.result.thin.value
                    settle = Settler(self.judge, herd.kernel_of_thin_points, edges, self.rng, "thin")
                    yield from self._offered(settle(candidate.x, limit))

    def _optima(self, x: Floats) -> Iterator[None]:
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
            yield

    def _copies(self, x: Floats) -> Iterator[Floats]:
        """The symmetric copies of a point; that they are looked for takes long where there are many."""
        from cpcbench.studies.symmetry.multiplicity import multiplicity

        yield from (np.array(image.point) for image in multiplicity(self.problem, x).images)

    def _last_resort(self) -> None:
        """A point that has a value only as this machine rounds is better than none."""
        result = self.result
        if result.x is None and result.thin is None and result.artefact is None and self.lowest.x is not None:
            result.artefact = Candidate(self.lowest.x, self.lowest.value, math.nan, "artefact")


def _until(work: Iterator[None], enough: Callable[[], bool]) -> Iterator[None]:
    """The work up to where it is enough; it can be gone on with."""
    for _ in work:
        yield
        if enough():
            return


def _limit(value: float) -> float:
    return math.inf if math.isnan(value) else value
