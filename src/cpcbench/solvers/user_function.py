"""A user's function as the search sees it: a value, or NaN whatever went wrong, in this process or in workers."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points

Floats = NDArray[np.float64]
Workers = Union[int, Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]]

MISTAKES = (TypeError, NameError, AttributeError, ImportError)
"""Errors that say more of the function than of the point."""

PATIENCE = 20
"""Calls that must all fail with such an error before the function itself is taken to be wrong."""


class Answer(NamedTuple):
    """What one call came to: a number (NaN if undefined), and what went wrong if something did."""

    value: float
    trouble: str = ""
    mistake: bool = False


class UserFunction:
    """Calls a function of one point, or of many with `vectorized`; it may raise, or return what it likes.

    None, NaN, an infinity and a complex number with an imaginary part are undefined values, and so is
    a call that raises. `failed` counts the calls that raised or returned no number, `trouble` is the
    first of their messages. `workers` is a number of processes (-1: one a core) or a function like `map`.
    """

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any] = (), *, vectorized: bool = False, workers: Workers = 1
    ) -> None:
        if not callable(function):
            raise CpcbenchError(f"a function of a point is needed, not {function!r}")
        self._call = _Call(function, tuple(args))
        self._vectorized = vectorized
        self._pool: Any = None
        self._map = self._mapping(workers, vectorized)
        self.calls = self.failed = self._mistakes = 0
        self.trouble = ""

    def __call__(self, points: Points) -> Floats:
        """One value a point, NaN where undefined."""
        if self._vectorized:
            answers = _many(self._call, points)
        else:
            answers = list(self._map(self._call, [point.copy() for point in points]))
        values = np.array([answer.value for answer in answers])
        self.calls += len(answers)
        for answer in answers:
            if answer.trouble:
                self.failed += 1
                self._mistakes += answer.mistake
                self.trouble = self.trouble or answer.trouble
        if self._mistakes == self.calls >= PATIENCE:
            raise CpcbenchError(f"the function fails at every point: {self.trouble}")
        return values

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _mapping(self, workers: Workers, vectorized: bool) -> Callable[..., Iterable[Answer]]:
        if callable(workers):
            return workers
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < -1 or workers == 0:
            raise CpcbenchError(
                f"workers is a number of processes from 1 on, -1 for one a core, or like map, not {workers!r}"
            )
        count = (os.cpu_count() or 1) if workers == -1 else workers
        if count == 1 or vectorized:
            return map
        from concurrent.futures import ProcessPoolExecutor

        self._pool = ProcessPoolExecutor(count, initializer=_receive, initargs=(_packed(self._call),))
        return lambda _, points: self._pool.map(_call_here, points, chunksize=max(1, len(points) // (4 * count)))


class _Call:
    """One call of the user's function, with everything that can go wrong turned into an answer."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function = function
        self.args = args

    def __call__(self, point: Points) -> Answer:
        try:
            returned = self.function(point, *self.args)
        except Exception as error:  # a function that fails has no value there
            return Answer(math.nan, _said(error), isinstance(error, MISTAKES))
        return answer(returned)


def answer(returned: Any) -> Answer:
    """What a returned object is worth as a value."""
    if returned is None:
        return Answer(math.nan)
    try:
        array = np.asarray(returned)
        if array.size != 1 or array.dtype.kind not in "biufc":
            return Answer(math.nan, f"a number is expected, not {_shown(returned)}", mistake=True)
        number = complex(array.reshape(())[()])
    except (TypeError, ValueError, OverflowError):
        return Answer(math.nan, f"a number is expected, not {_shown(returned)}", mistake=True)
    if number.imag != 0.0 or not math.isfinite(number.real):
        return Answer(math.nan)
    return Answer(number.real)


def _many(call: _Call, points: Points) -> list[Answer]:
    try:
        returned = np.asarray(call.function(points.copy(), *call.args))
    except Exception as error:  # as above, for all the points at once
        return [Answer(math.nan, _said(error), isinstance(error, MISTAKES))] * len(points)
    if returned.shape not in ((len(points),), (len(points), 1)):
        text = f"{len(points)} values are expected for as many points, not an array of shape {returned.shape}"
        return [Answer(math.nan, text, mistake=True)] * len(points)
    return [answer(value) for value in returned.reshape(-1)]


def _said(error: Exception) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:300]
    except Exception:  # an exception's own text may fail
        return type(error).__name__


def _shown(value: Any) -> str:
    try:
        return repr(value)[:80]
    except Exception:  # as above
        return f"an object of type {type(value).__name__}"


def _packed(call: _Call) -> bytes:
    import cloudpickle

    try:
        packed: bytes = cloudpickle.dumps(call)
    except Exception as error:  # pickling calls the object's own code
        raise CpcbenchError(f"the function cannot be sent to worker processes ({error}): use workers=1") from error
    return packed


_received: _Call | None = None


def _receive(packed: bytes) -> None:
    import pickle

    global _received  # noqa: PLW0603
    _received = pickle.loads(packed)  # noqa: S301 - from our own parent process


def _call_here(point: Points) -> Answer:
    return Answer(math.nan, "the worker has no function") if _received is None else _received(point)
