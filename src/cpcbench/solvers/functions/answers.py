"""What calls of a user's function come to: a value, or NaN whatever went wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points

MISTAKES = (TypeError, NameError, AttributeError, ImportError, SystemExit)
"""Errors that say more of the function than of the point."""


NOT_CALLED = "not called: a constraint is not met"
"""What is said of points at which there was no need to call the function."""

WATCHED = "watched, outside by "
"""What is said of calls that only tell how far a point is from where the function is defined, before the number."""


class Answer(NamedTuple):
    """What one call came to: a number (NaN if undefined), what went wrong if something did, and how long it took.

    `returned` says what came instead of a finite real number, where nothing went wrong.
    """

    value: float
    trouble: str = ""
    mistake: bool = False
    returned: str = ""
    seconds: float = 0.0

    @property
    def error(self) -> str:
        """Why there is no value; empty where there is one."""
        return self.trouble or self.returned


class Call:
    """One call of the user's function, with everything that can go wrong turned into an answer."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function = function
        self.args = args

    def __call__(self, point: Points) -> Answer:
        start = time.perf_counter()
        try:
            returned = self.function(point, *self.args)
        except (Exception, SystemExit) as error:  # a function that fails has no value there
            return Answer(math.nan, said(error), isinstance(error, MISTAKES), seconds=time.perf_counter() - start)
        return answer(returned, time.perf_counter() - start)

    def many(self, points: Points) -> list[Answer]:
        """Of a function that takes all the points at once; each has its share of the time."""
        start = time.perf_counter()
        try:
            returned = np.asarray(self.function(points.copy(), *self.args))
        except (Exception, SystemExit) as error:  # as above, for all the points
            taken = (time.perf_counter() - start) / len(points)
            return [Answer(math.nan, said(error), isinstance(error, MISTAKES), seconds=taken)] * len(points)
        taken = (time.perf_counter() - start) / len(points)
        if returned.shape not in ((len(points),), (len(points), 1)):
            text = f"{len(points)} values are expected for as many points, not an array of shape {returned.shape}"
            return [Answer(math.nan, text, mistake=True, seconds=taken)] * len(points)
        return [answer(value, taken) for value in returned.reshape(-1)]


def answer(returned: Any, seconds: float = 0.0) -> Answer:
    """What a returned object is worth as a value."""
    if isinstance(returned, Answer):
        return returned._replace(seconds=seconds)
    if returned is None:
        return Answer(math.nan, returned="returned None", seconds=seconds)
    try:
        array = np.asarray(returned)
        if array.size != 1 or array.dtype.kind not in "biufc":
            return _no_number(returned, seconds)
        number = complex(array.reshape(())[()])
    except (TypeError, ValueError, OverflowError):
        return _no_number(returned, seconds)
    if number.imag != 0.0 or not math.isfinite(number.real):
        kind = "a complex number" if number.imag != 0.0 else str(number.real).replace("nan", "NaN")
        return Answer(math.nan, returned=f"returned {kind}", seconds=seconds)
    return Answer(number.real, seconds=seconds)


def _no_number(returned: Any, seconds: float) -> Answer:
    return Answer(math.nan, f"a number is expected, not {_shown(returned)}", mistake=True, seconds=seconds)


def packed(item: Any, name: str, otherwise: str) -> bytes:
    """A function as it travels to worker processes; the words are for the error where it cannot."""
    import cloudpickle

    try:
        data: bytes = cloudpickle.dumps(item)
    except Exception as error:  # pickling calls the object's own code
        raise CpcbenchError(f"{name} cannot be sent to worker processes ({error}): {otherwise}") from error
    return data


def said(error: BaseException) -> str:
    try:
        return _line(f"{type(error).__name__}: {error}"[:300])
    except Exception:  # an exception's own text may fail
        return type(error).__name__


def _shown(value: Any) -> str:
    try:
        return _line(repr(value)[:80])
    except Exception:  # as above
        return f"an object of type {type(value).__name__}"


def _line(text: str) -> str:
    """As one line of text, as logs have it."""
    return "".join(c if c.isprintable() else " " for c in text)
