"""The loop of the black-box search: asks, evaluates and tells until a limit is reached, and never loses what it has."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
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
from cpcbench.solvers.functions.user_function import Batch, UserFunction, WorkersError
from cpcbench.solvers.search.coordinates import MappedSearch, search_in
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.starts import Known

BUDGET = 100_000
"""Evaluations of a function of unknown formula, unless the user says otherwise."""

BATCH = 48
"""Points between two decisions of the search, for budgets that allow for it."""

Watch = Callable[[Points, float, int], bool]


class Formula:
    """A problem's compiled kernel where a user's function could be."""

    at_once, failed, trouble = 1, 0, ""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        _ = problem.fast.kernel  # compiled now: the time begins when points can be evaluated

    def fill(self, batch: Batch, _deadline: float) -> None:
        batch.values[:] = self._problem(batch.points)
        batch.done[:] = True

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
    whole: Points | None = None,
) -> OptimizeResult:
    """Minimises what the source evaluates; an interrupt, or workers that fail, end it with the best so far.

    The box may lack ends, and `whole` says which variables are whole numbers.
    """
    limit = budget or BUDGET
    run = _Run(source, search_in(*box, rng, limit, whole), limit, seconds, _batch(batch, limit, source.at_once), watch)
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
    ) -> None:
        self.search = search
        self._source, self._budget, self._size, self._watch = source, budget, size, watch
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
        while self.evaluations < self._budget:
            before = self._best[0]
            self._round()
            value, x = self._best
            if x is not None and value < before and self._watch(x, value, self.evaluations):
                return BY_CALLBACK
            if time.monotonic() >= self._deadline:
                return TIME_SPENT
        return BUDGET_SPENT

    def _round(self) -> None:
        self._evaluate(self.search.ask(min(self._size, self._budget - self.evaluations)), self.search.tell)
        self.rounds += 1

    def _evaluate(self, points: Points, tell: Callable[[Points, Points], None]) -> None:
        batch = Batch(points)
        try:
            self._source.fill(batch, self._deadline)
        finally:
            self._take(batch.points[batch.done], batch.values[batch.done], tell)

    def _take(self, points: Points, values: Points, tell: Callable[[Points, Points], None]) -> None:
        """The best first: an interrupt that comes while the search learns takes nothing away."""
        self._note(points, values)
        self.evaluations += len(points)
        self.undefined += int(np.isnan(values).sum())
        if len(points):
            tell(points, values)

    def _note(self, points: Points, values: Points) -> None:
        ranked = np.where(np.isfinite(values), values, np.inf)
        if len(ranked) and ranked.min() < self._best[0]:
            place = int(np.argmin(ranked))
            self._best = float(ranked[place]), points[place].copy()

    def result(self, ending: Ending) -> OptimizeResult:
        value, x = self._best
        if x is None and self._source.trouble:
            times = f"the function failed {self._source.failed} times, first with {self._source.trouble}"
            ending = ending._replace(message=f"{ending.message}; {times}")
        return ending.applied(
            OptimizeResult(
                x=None if x is None else x.copy(),
                fun=math.nan if x is None else value,
                nfev=self.evaluations,
                nit=self.rounds,
                nundefined=self.undefined,
                nfailed=self._source.failed,
                seconds=time.monotonic() - self._start,
                method="black-box",
            )
        )


def _batch(given: int | None, budget: int, at_once: int) -> int:
    """Small budgets are spent in small steps, so that each can learn from the ones before; but no worker is idle."""
    if given is None:
        return max(min(BATCH, max(1, budget // 200)), at_once)
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise CpcbenchError(f"a batch is a whole number of points from 1 on, not {given!r}")
    return given
