"""The loop of the black-box search: asks, evaluates and tells until a limit is reached, and never loses what it has."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.progress import Line, Tell, silent
from cpcbench.solvers.ending import (
    BUDGET_SPENT,
    BY_CALLBACK,
    BY_INTERRUPT,
    RAISED,
    TIME_SPENT,
    WORKERS_FAILED,
    Ending,
    attach,
)
from cpcbench.solvers.functions.failures import UNDEFINED, Failures, Seen
from cpcbench.solvers.functions.user_function import Batch, UserFunction, WorkersError
from cpcbench.solvers.functions.worker_pool import EnoughError
from cpcbench.solvers.search.coordinates import Brought, MappedSearch, search_in
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.starts import Known

BUDGET = 100_000
"""Evaluations of a function of unknown formula, unless the user says otherwise."""

BATCH = 48
"""Points between two decisions of the search, for budgets that allow for it."""

PAUSE = 0.2
"""Seconds between two words on how far the search is."""

Watch = Callable[[Points, float, int], bool]


class Formula:
    """A problem's compiled kernel where a user's function could be."""

    at_once, failed, trouble, state = 1, 0, "", None

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.failures = Failures()
        _ = problem.fast.kernel  # compiled now: the time begins when points can be evaluated

    def fill(self, batch: Batch, _deadline: float) -> None:
        batch.values[:] = self._problem(batch.points)
        batch.done[:] = True
        undefined = np.isnan(batch.values)
        if undefined.any():
            self.failures.add(UNDEFINED, batch.points[int(np.argmax(undefined))], int(undefined.sum()))

    def close(self) -> None:
        """Nothing is held."""


def search_black_box(
    source: UserFunction | Formula,
    box: tuple[Points, Points],
    rng: np.random.Generator,
    *,
    budget: int | None,
    seconds: float | None,
    batch: int | None,
    watch: Watch,
    all_optima: bool,
    known: Known | None = None,
    asynchronous: bool = False,
    tell: Tell = silent,
    whole: NDArray[np.bool_] | None = None,
    brought: Brought | None = None,
) -> OptimizeResult:
    """Minimises what the source evaluates; an interrupt, or workers that fail, end it with the best so far.

    With `asynchronous` each value is learned from as it comes, and no worker waits for the others. The box may lack
    ends, and `whole` says which variables are whole numbers; points are evaluated where they are `brought`.
    """
    limit = budget or BUDGET
    size = 0 if asynchronous else batch_size(batch, limit, source.at_once)
    run = _Run(source, search_in(*box, rng, limit, whole, brought), limit, seconds, size, watch, tell)
    try:
        ending = run.to_the_end(known)
    except KeyboardInterrupt:
        if not run.evaluations:
            raise
        ending = BY_INTERRUPT
    except BaseException as error:
        attach(error, run.result(Ending(f"ended by {type(error).__name__}", RAISED)))
        raise
    finally:
        source.close()
    result = run.result(ending)
    if all_optima:
        result.optima = run.search.optima()
    return result


class _Run:
    """One minimisation: what is left to do, and the best of all that was evaluated."""

    def __init__(
        self,
        source: UserFunction | Formula,
        search: Search | MappedSearch,
        budget: int,
        seconds: float | None,
        size: int,
        watch: Watch,
        tell: Tell,
    ) -> None:
        self.search = search
        self._source, self._budget, self._size, self._watch = source, budget, size, watch
        self._tell, self._told, self._seen = tell, -math.inf, Seen()
        self._start = time.monotonic()
        self._deadline = math.inf if seconds is None else self._start + seconds
        self._best: tuple[float, Points | None] = math.inf, None
        self.evaluations = self.undefined = self.rounds = 0

    def begin(self, known: Known) -> bool:
        """What is known already, and the points to begin with, as far as the budget goes; whether that is enough."""
        self._note(known.points, known.values)
        self.search.know(known.points, known.values)
        starts = known.starts[: self._budget]
        if len(starts):
            self._evaluate(starts, self.search.know)
        value, x = self._best
        return x is not None and self._watch(x, value, self.evaluations)

    def to_the_end(self, known: Known | None) -> Ending:
        try:
            return self._all_rounds(known)
        except WorkersError as error:
            if not self.evaluations:
                raise
            return Ending(f"{error}: this is the best so far", WORKERS_FAILED)

    def _all_rounds(self, known: Known | None) -> Ending:
        if known is not None and self.begin(known):
            return BY_CALLBACK
        if isinstance(self._source, UserFunction) and not self._size:
            return self._stream(self._source)
        while self.evaluations < self._budget:
            before = self._best[0]
            self._round()
            value, x = self._best
            if x is not None and value < before and self._watch(x, value, self.evaluations):
                return BY_CALLBACK
            if time.monotonic() >= self._deadline:
                return TIME_SPENT
        return BUDGET_SPENT

    def _stream(self, source: UserFunction) -> Ending:
        asked, stopped = self.evaluations, False

        def ask() -> Points | None:
            nonlocal asked
            if asked >= self._budget:
                return None
            asked += 1
            point: Points = self.search.ask(1)[0]
            return point

        def tell(point: Points, value: float) -> None:
            nonlocal stopped
            before = self._best[0]
            self._take(point[None], np.array([value]), self.search.tell)
            self.rounds += 1
            self._show(None)
            best, x = self._best
            if x is not None and best < before and self._watch(x, best, self.evaluations):
                stopped = True
                raise EnoughError

        source.stream(ask, tell, self._deadline)
        return BY_CALLBACK if stopped else BUDGET_SPENT if self.evaluations >= self._budget else TIME_SPENT

    def _round(self) -> None:
        self._evaluate(self.search.ask(min(self._size, self._budget - self.evaluations)), self.search.tell)
        self.rounds += 1

    def _evaluate(self, points: Points, tell: Callable[[Points, Points], None]) -> None:
        batch = Batch(points, None if self._tell is silent else self._show)
        try:
            self._source.fill(batch, self._deadline)
        finally:
            self._take(batch.points[batch.done], batch.values[batch.done], tell)

    def _show(self, batch: Batch | None) -> None:
        """Says how far it is, now and then."""
        now = time.monotonic()
        if self._tell is silent or now < self._told + PAUSE:
            return
        self._told = now
        values = np.empty(0) if batch is None else batch.values[batch.done]
        done, undefined = self.evaluations + len(values), self.undefined + int(np.isnan(values).sum())
        best = min(self._best[0], np.min(values, where=np.isfinite(values), initial=np.inf))
        said = f"best {float(best)!r} after" if math.isfinite(best) else "no value in"
        self._tell(
            Line(f"{said} {done:,} of {self._budget:,} evaluations, {undefined:,} undefined", done, self._budget)
        )

    def _take(self, points: Points, values: Points, tell: Callable[[Points, Points], None]) -> None:
        """The best first: an interrupt that comes while the search learns takes nothing away."""
        self._note(points, values)
        self.evaluations += len(points)
        self.undefined += int(np.isnan(values).sum())
        if len(points):
            tell(points, values)

    def _note(self, points: Points, values: Points) -> None:
        defined = np.isfinite(values)
        self._seen.add(points, defined)
        ranked = np.where(defined, values, np.inf)
        if len(ranked) and ranked.min() < self._best[0]:
            place = int(np.argmin(ranked))
            self._best = float(ranked[place]), points[place].copy()

    def result(self, ending: Ending) -> OptimizeResult:
        value, x = self._best
        if x is None and self._source.trouble:
            times = f"the function failed {self._source.failed} times, first with {self._source.trouble}"
            ending = ending._replace(message=f"{ending.message}; {times}")
        share = (self.evaluations - self.undefined) / self.evaluations if self.evaluations else math.nan
        state = self._source.state
        return ending.applied(
            OptimizeResult(
                x=None if x is None else x.copy(),
                fun=math.nan if x is None else value,
                nfev=self.evaluations,
                nit=self.rounds,
                nundefined=self.undefined,
                nfailed=self._source.failed,
                failures=self._source.failures.all(),
                defined=self._seen.part(share),
                **({} if state is None else {"nrecalled": state.recalls}),
                seconds=time.monotonic() - self._start,
                method="black-box",
            )
        )


def batch_size(given: int | None, budget: int, at_once: int) -> int:
    """Small budgets are spent in small steps, so that each can learn from the ones before; but no worker is idle."""
    if given is None:
        return max(min(BATCH, max(1, budget // 2000)), at_once)
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise CpcbenchError(f"a batch is a whole number of points from 1 on, not {given!r}")
    return given
