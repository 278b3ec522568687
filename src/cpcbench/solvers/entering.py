"""A domain is entered first, by a measure of how far a point is from it, and then searched.

The black-box search minimises the measure, which has a value where the function has none, until it is 0; a few times,
since the domain may have several parts. What was found is what the search of the function itself begins with.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.readings.doubles.fast import FastReading
from cpcbench.solvers.ending import BY_INTERRUPT, INTERRUPTED
from cpcbench.solvers.functions.repair import Repair, Rooms
from cpcbench.solvers.functions.user_function import UserFunction
from cpcbench.solvers.search.coordinates import Coordinates
from cpcbench.solvers.search.loop import BUDGET, Formula, Watch, search_black_box
from cpcbench.solvers.starts import Known

ENTRIES = 3
"""How often the domain is entered before the function is searched."""

PROBE = 50
"""Evaluations of the first attempt: if none of them tells anything, nothing is measured any more."""

ATTEMPT, LEAST = 0.125, 1000
"""Of the evaluations, and how many at least, for one attempt to enter: what one cannot leave, another need not meet."""

MOVED = 48
"""Chance points that are moved to where constraints hold."""

SHARE = 0.5
"""Of the evaluations and of the time at most for entering again, once the domain has been entered."""


def search_inside(
    measure: Callable[[], UserFunction],
    method: str,
    source: UserFunction | Formula,
    box: tuple[Points, Points],
    rng: np.random.Generator,
    *,
    budget: int | None,
    seconds: float | None,
    batch: int | None,
    watch: Watch,
    all_optima: bool,
    known: Known,
    whole: NDArray[np.bool_] | None = None,
    rooms: Rooms | None = None,
    **settings: Any,
) -> OptimizeResult:
    """Enters the domain by the measure, then minimises what the source evaluates; `settings` are the search's.

    `method` is what the result says it was found by. Where it is known by how much points meet each constraint
    (`rooms`), points that miss some are moved to where all hold, both to enter and in the search.
    """
    brought = None if rooms is None else Repair(rooms, *box, whole)
    limit = budget or BUDGET
    time_left = _Time(seconds)
    inside = known._replace(starts=known.starts[:0] if brought is None else _moved_in(brought, box, whole, rng))
    spent, stopped, length = 0, False, PROBE
    while len(inside.starts) < ENTRIES and not stopped:
        again = bool(len(inside.starts) or np.isfinite(known.values).any())
        room = (int(SHARE * limit) if again else limit - 1) - spent
        if room < 1 or time_left(SHARE if again else 1.0) == 0.0:
            break
        begin = Known(known.starts if not spent else known.starts[:0], known.points[:0], known.values[:0])
        found = search_black_box(
            measure(), box, rng, budget=min(room, length), batch=batch, watch=_is_inside,
            seconds=time_left(SHARE if again else 1.0), all_optima=False, known=begin,
            whole=whole,
        )  # fmt: skip
        spent, stopped = spent + found.nfev, found.status == INTERRUPTED
        if found.x is None and length == PROBE:  # it fails without a word everywhere: there is nothing to follow
            break
        length = max(int(ATTEMPT * limit), LEAST)
        if found.x is not None and found.fun == 0.0:
            inside = inside._replace(starts=np.vstack([inside.starts, found.x]))
    if stopped and source.state is not None:
        source.state.leave()
    starts = np.vstack([known.starts, inside.starts])

    def tell_all(found: OptimizeResult) -> None:
        moving = {} if brought is None else {"nconstraint": brought.computed}
        found.update(nfev=found.nfev + spent, nwatched=spent, **moving, entries=inside.starts, method=method,
                     seconds=time_left.taken)  # fmt: skip

    try:
        rest = search_black_box(
            source, box, rng, seconds=time_left(1.0), batch=batch,
            budget=min(limit - spent, max(1, len(starts))) if stopped else limit - spent, all_optima=all_optima,
            watch=lambda x, value, evaluations: watch(x, value, evaluations + spent),
            known=inside._replace(starts=starts), whole=whole, brought=brought, **settings,
        )  # fmt: skip
    except BaseException as error:
        if isinstance(found := getattr(error, "result", None), OptimizeResult):
            tell_all(found)
        raise
    tell_all(rest)
    return BY_INTERRUPT.applied(rest) if stopped else rest


def rooms_of(problem: Problem) -> Rooms | None:
    """By how much points meet each constraint of a problem; None if nothing is known of that."""
    parts = [part for stated in problem.constraints for part, _ in stated.parts]
    readings = [FastReading(part, problem.lower, problem.upper, problem.rule) for part in parts]

    def rooms(points: Points) -> Points:
        return np.stack([reading.batch(np.ascontiguousarray(points)) for reading in readings], axis=1)

    return rooms if parts else None


def measure_of(problem: Problem) -> Callable[[], UserFunction] | None:
    """By how much points miss the constraints of a problem, all together: 0 where these hold; None if it has none."""
    parts = [part for stated in problem.constraints for part, _ in stated.parts]

    def measured(points: Points) -> Points:
        found = np.zeros(len(points))
        for part in parts:
            found += np.log1p(np.maximum(-evaluate(part, points), 0.0))
        return found

    return partial(UserFunction, measured, vectorized=True) if parts else None


def _moved_in(
    repair: Repair, box: tuple[Points, Points], whole: NDArray[np.bool_] | None, rng: np.random.Generator
) -> Points:
    """A few chance points that could be moved to where all constraints hold."""
    ends = Coordinates(*box, np.zeros(len(box[0]), dtype=bool) if whole is None else whole, repair)
    points = ends.outward(rng.uniform(ends.lower, ends.upper, (MOVED, len(ends.lower))))
    return points[repair.holds(points)][:ENTRIES]


class _Time:
    """What is left of the time, or of a share of it; None without a limit."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._begin = seconds, time.monotonic()

    @property
    def taken(self) -> float:
        return time.monotonic() - self._begin

    def __call__(self, share: float) -> float | None:
        if self._seconds is None:
            return None
        return max(share * self._seconds - self.taken, 0.0)


def _is_inside(x: Points, value: float, evaluations: int) -> bool:  # noqa: ARG001
    """Whether a point of the domain has been found."""
    return value == 0.0
