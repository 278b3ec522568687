"""The grey box: a function that cannot be read is watched until points of its domain are found, then searched.

First the black-box search minimises how far the operations inside the function are outside of their domains, which has
a value everywhere, until it is 0; a few times, since the domain may have several parts. What was found is what the
search of the function itself begins with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.entrance.watched import Violation
from cpcbench.points import Points
from cpcbench.solvers.ending import BY_INTERRUPT, INTERRUPTED
from cpcbench.solvers.functions.user_function import UserFunction, Workers
from cpcbench.solvers.search.loop import BUDGET, Watch, search_black_box
from cpcbench.solvers.starts import Known

ENTRIES = 3
"""How often the domain is entered before the function is searched."""

PROBE = 50
"""Evaluations of the first attempt: if none of them tells anything, the function is not watched any more."""

ATTEMPT, LEAST = 0.125, 1000
"""Of the evaluations, and how many at least, for one attempt to enter: what one cannot leave, another need not meet."""

SHARE = 0.5
"""Of the evaluations and of the time at most for entering again, once the domain has been entered."""


def search_grey_box(
    call: tuple[Callable[..., Any], Sequence[Any], Workers],
    box: tuple[Points, Points],
    rng: np.random.Generator,
    *,
    budget: int | None,
    seconds: float | None,
    batch: int | None,
    watch: Watch,
    all_optima: bool,
    known: Known,
) -> OptimizeResult:
    """Enters the domain by what the function's operations tell, then minimises the function."""
    (fun, args, workers), limit = call, budget or BUDGET
    time_left = _Time(seconds)
    inside = known._replace(starts=known.starts[:0])
    spent, stopped, length = 0, False, PROBE
    while len(inside.starts) < ENTRIES and not stopped:
        again = bool(len(inside.starts) or np.isfinite(known.values).any())
        room = (int(SHARE * limit) if again else limit - 1) - spent
        if room < 1 or time_left(SHARE if again else 1.0) == 0.0:
            break
        begin = Known(known.starts if not spent else known.starts[:0], known.points[:0], known.values[:0])
        found = search_black_box(
            UserFunction(Violation(fun), args, workers=workers), box, rng, budget=min(room, length), batch=batch,
            watch=_is_inside, seconds=time_left(SHARE if again else 1.0), all_optima=False, known=begin,
        )  # fmt: skip
        spent, stopped = spent + found.nfev, found.status == INTERRUPTED
        if found.x is None and length == PROBE:  # it fails without a word everywhere: there is nothing to follow
            break
        length = max(int(ATTEMPT * limit), LEAST)
        if found.x is not None and found.fun == 0.0:
            inside = inside._replace(starts=np.vstack([inside.starts, found.x]))
    starts = np.vstack([known.starts, inside.starts])
    told = {"nwatched": spent, "entries": inside.starts, "method": "grey-box"}
    try:
        rest = search_black_box(
            UserFunction(fun, args, workers=workers), box, rng, seconds=time_left(1.0), batch=batch,
            budget=min(limit - spent, max(1, len(starts))) if stopped else limit - spent, all_optima=all_optima,
            watch=lambda x, value, evaluations: watch(x, value, evaluations + spent),
            known=inside._replace(starts=starts),
        )  # fmt: skip
    except BaseException as error:
        if isinstance(found := getattr(error, "result", None), OptimizeResult):
            found.update(nfev=found.nfev + spent, seconds=time_left.taken, **told)
        raise
    rest.update(nfev=rest.nfev + spent, seconds=time_left.taken, **told)
    return BY_INTERRUPT.applied(rest) if stopped else rest


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
