"""A user's function as the search sees it: a value, or NaN whatever went wrong, in this process or in workers."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.files import Name
from cpcbench.points import Points
from cpcbench.solvers.functions.answers import Answer, Call, answer, said
from cpcbench.solvers.functions.failures import LATE, Failures
from cpcbench.solvers.functions.log import Log
from cpcbench.solvers.functions.state import State
from cpcbench.solvers.functions.worker_pool import EnoughError, WorkerPool

__all__ = ["Batch", "Floats", "UserFunction", "Workers", "WorkersError", "answer", "number_of_workers"]

Floats = NDArray[np.float64]
Workers = Union[int, Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]]

PATIENCE = 20
"""Calls that must all fail with an error of the function's own before the function is taken to be wrong."""


class WorkersError(CpcbenchError):
    """The user's own `workers`, something like `map`, failed; not the function."""


class Batch:
    """Points to be evaluated and their values as they come: what is `done` stays, whatever happens then.

    `told` is called with the batch after each of them.
    """

    def __init__(self, points: Points, told: Callable[[Batch], None] | None = None) -> None:
        self.points, self._told = points, told
        self.values = np.full(len(points), np.nan)
        self.done = np.zeros(len(points), dtype=np.bool_)

    def put(self, place: int, value: float) -> None:
        self.values[place] = value
        self.done[place] = True
        if self._told is not None:
            self._told(self)


class UserFunction:
    """Calls a function of one point, or of many with `vectorized`; it may raise, or return what it likes.

    None, NaN, an infinity and a complex number with an imaginary part are undefined values, and so is
    a call that raises, exits, or takes its worker process with it. `failed` counts the calls that did or
    returned no number, `trouble` is the first of their messages; `failures` has all undefined values by kind.
    `workers` is a number of processes (-1: one a core) or a function like `map`; `at_once` is how many points they
    evaluate side by side. What `state` has answers for is not evaluated again; the rest is added to it and to `log`.
    """

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any] = (), *, vectorized: bool = False, workers: Workers = 1
    ) -> None:
        if not callable(function):
            raise CpcbenchError(f"a function of a point is needed, not {function!r}")
        self._call = Call(function, tuple(args))
        self._vectorized = vectorized
        self._map = workers if callable(workers) else None
        self.at_once = number_of_workers(workers)
        self._pool: WorkerPool | None = None
        if self.at_once > 1 and not vectorized:
            self._pool = WorkerPool(self.at_once, self._call)
        else:
            self.at_once = 1
        self.calls = self.failed = self._mistakes = 0
        self.trouble = ""
        self.failures = Failures()
        self.log: Log | None = None
        self.state: State | None = None

    def keep(self, log: Name | None, state: Name | None, dim: int, about: dict[str, Any]) -> None:
        """Has every evaluation written to files; `about` says which search this is."""
        try:
            self.state = None if state is None else State(state, dim, about)
            self.log = None if log is None else Log.of_function(log, dim)
        except BaseException:
            self.close()
            raise

    def __call__(self, points: Points) -> Floats:
        """The values of some points."""
        batch = Batch(points)
        self.fill(batch)
        return batch.values

    def fill(self, batch: Batch, deadline: float = math.inf) -> None:
        """Evaluates the points of the batch until it is done or the deadline (of `time.monotonic`) has come."""
        points, places = batch.points, list(range(len(batch.points)))
        if self.state is not None:
            for place, found in self.state.recalled(points):
                self._count(points[place], known := self._read(found))
                batch.put(place, known.value)
            places = np.flatnonzero(~batch.done).tolist()
            points = points[places]
            if not places:
                return

        def put(place: int, answer: Answer) -> None:
            self._take(points[place], answer)
            batch.put(places[place], answer.value)

        if self._pool is not None:
            self._late(self._pool.fill(points, deadline, put))
        else:
            for place, answer in enumerate(self._answers(points)):
                put(place, answer)
                if time.monotonic() >= deadline:
                    break
        self._check_patience()

    def stream(
        self, ask: Callable[[], Points | None], tell: Callable[[Points, float], None], deadline: float = math.inf
    ) -> None:
        """Tells each value as it comes and then asks for the next point, so that no worker waits for another.

        `ask` gives None when there are no more, `tell` may raise `EnoughError`.
        """
        waiting: list[Points] = []

        def refill() -> None:
            while len(waiting) < self.at_once and (point := ask()) is not None:
                waiting.append(point)

        def put(point: Points, answer: Answer) -> None:
            self._take(point, answer)
            self._check_patience()
            tell(point, answer.value)

        def next_point() -> Points | None:
            return waiting.pop(0) if waiting else ask()

        with contextlib.suppress(EnoughError):
            refill()
            while self.state is not None and (found := next(self.state.recalled(waiting), None)) is not None:
                point = waiting.pop(found[0])
                self._count(point, found[1])
                tell(point, found[1].value)
                refill()
            if self._pool is not None:
                self._late(self._pool.stream(next_point, deadline, put))
                return
            while time.monotonic() < deadline and (following := next_point()) is not None:
                put(following, self._call(following.copy()))

    def _take(self, point: Points, answer: Answer) -> None:
        """Written down first: what is in the files need not be evaluated again."""
        for file in (self.state, self.log):
            if file is not None:
                file.add(point, self._written(answer))
        self.calls += 1
        self._mistakes += answer.mistake
        self._count(point, answer)

    def _written(self, answer: Answer) -> Answer:
        """An answer as files have it."""
        return answer

    def _read(self, answer: Answer) -> Answer:
        """An answer that a file had."""
        return answer

    def _late(self, points: list[Points]) -> None:
        for point in points:
            self.failures.add(LATE, point)

    def _check_patience(self) -> None:
        if self._mistakes == self.calls >= PATIENCE:
            raise CpcbenchError(f"the function fails at every point: {self.trouble}")

    def _answers(self, points: Points) -> Iterable[Answer]:
        if self._vectorized:
            yield from self._call.many(points)
        elif self._map is None:
            yield from (self._call(point.copy()) for point in points)
        else:
            yield from self._mapped(self._map, points)

    def _mapped(self, mapping: Callable[..., Iterable[Any]], points: Points) -> Iterable[Answer]:
        count, found = 0, None
        try:
            for count, found in enumerate(mapping(self._call, [point.copy() for point in points]), start=1):
                if count > len(points) or not isinstance(found, Answer):
                    break
                yield found
        except Exception as error:  # a pool of the user's own may break in any way
            raise WorkersError(f"the workers given failed with {said(error)}") from error
        if count != len(points) or not isinstance(found, Answer):
            raise WorkersError(
                f"the workers given do not work like map: {len(points)} points gave other {count} values"
            )

    def _count(self, point: Points, answer: Answer) -> None:
        if answer.trouble:
            self.failed += 1
            self.trouble = self.trouble or answer.trouble
        if answer.error:
            self.failures.add(answer.error, point)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None
        for file in (self.state, self.log):
            if file is not None:
                file.close()


def number_of_workers(workers: Workers) -> int:
    """How many processes are meant; 1 where it is a function."""
    if callable(workers):
        return 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < -1 or workers == 0:
        raise CpcbenchError(
            f"workers is a number of processes from 1 on, -1 for one a core, or like map, not {workers!r}"
        )
    return (os.cpu_count() or 1) if workers == -1 else workers
