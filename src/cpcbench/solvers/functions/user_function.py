"""A user's function as the search sees it: a value, or NaN whatever went wrong, in this process or in workers."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.solvers.functions.answers import Answer, Call, answer, said

__all__ = ["Batch", "Floats", "UserFunction", "Workers", "WorkersError", "answer"]

Floats = NDArray[np.float64]
Workers = Union[int, Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]]

PATIENCE = 20
"""Calls that must all fail with an error of the function's own before the function is taken to be wrong."""


class WorkersError(CpcbenchError):
    """The user's own `workers`, something like `map`, failed; not the function."""


class Batch:
    """Points to be evaluated and their values as they come: what is `done` stays, whatever happens then."""

    def __init__(self, points: Points) -> None:
        self.points = points
        self.values = np.full(len(points), np.nan)
        self.done = np.zeros(len(points), dtype=np.bool_)

    def put(self, place: int, value: float) -> None:
        self.values[place] = value
        self.done[place] = True


class UserFunction:
    """Calls a function of one point, or of many with `vectorized`; it may raise, or return what it likes.

    None, NaN, an infinity and a complex number with an imaginary part are undefined values, and so is
    a call that raises, exits, or takes its worker process with it. `failed` counts the calls that did or
    returned no number, `trouble` is the first of their messages. `workers` is a number of processes (-1: one a
    core) or a function like `map`; `at_once` is how many points they evaluate side by side.
    """

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any] = (), *, vectorized: bool = False, workers: Workers = 1
    ) -> None:
        if not callable(function):
            raise CpcbenchError(f"a function of a point is needed, not {function!r}")
        self._call = Call(function, tuple(args))
        self._vectorized = vectorized
        self._map = workers if callable(workers) else None
        self.at_once = _count(workers)
        self._pool: Any = None
        if self.at_once > 1 and not vectorized:
            from cpcbench.solvers.functions.worker_pool import WorkerPool

            self._pool = WorkerPool(self.at_once, self._call)
        else:
            self.at_once = 1
        self.calls = self.failed = self._mistakes = 0
        self.trouble = ""

    def __call__(self, points: Points) -> Floats:
        """The values of some points."""
        batch = Batch(points)
        self.fill(batch)
        return batch.values

    def fill(self, batch: Batch, deadline: float = math.inf) -> None:
        """Evaluates the points of the batch until it is done or the deadline (of `time.monotonic`) has come."""

        def put(place: int, answer: Answer) -> None:
            batch.put(place, answer.value)
            self._count(answer)

        if self._pool is not None:
            self._pool.fill(batch.points, deadline, put)
        else:
            for place, answer in enumerate(self._answers(batch.points)):
                put(place, answer)
                if time.monotonic() >= deadline:
                    break
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

    def _count(self, answer: Answer) -> None:
        self.calls += 1
        if answer.trouble:
            self.failed += 1
            self._mistakes += answer.mistake
            self.trouble = self.trouble or answer.trouble

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None


def _count(workers: Workers) -> int:
    if callable(workers):
        return 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < -1 or workers == 0:
        raise CpcbenchError(
            f"workers is a number of processes from 1 on, -1 for one a core, or like map, not {workers!r}"
        )
    return (os.cpu_count() or 1) if workers == -1 else workers
