"""What calls of a user's function come to: a value, or NaN whatever went wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points

MISTAKES = (TypeError, NameError, AttributeError, ImportError, SystemExit)
"""Errors that say more of the function than of the point."""


class Answer(NamedTuple):
    """What one call came to: a number (NaN if undefined), and what went wrong if something did."""

    value: float
    trouble: str = ""
    mistake: bool = False


class Call:
    """One call of the user's function, with everything that can go wrong turned into an answer."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function = function
        self.args = args

    def __call__(self, point: Points) -> Answer:
        try:
            returned = self.function(point, *self.args)
        except (Exception, SystemExit) as error:  # a function that fails has no value there
            return Answer(math.nan, said(error), isinstance(error, MISTAKES))
        return answer(returned)

    def many(self, points: Points) -> list[Answer]:
        """Of a function that takes all the points at once."""
        try:
            returned = np.asarray(self.function(points.copy(), *self.args))
        except (Exception, SystemExit) as error:  # as above, for all the points
            return [Answer(math.nan, said(error), isinstance(error, MISTAKES))] * len(points)
        if returned.shape not in ((len(points),), (len(points), 1)):
            text = f"{len(points)} values are expected for as many points, not an array of shape {returned.shape}"
            return [Answer(math.nan, text, mistake=True)] * len(points)
        return [answer(value) for value in returned.reshape(-1)]


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
        return f"{type(error).__name__}: {error}"[:300]
    except Exception:  # an exception's own text may fail
        return type(error).__name__


def _shown(value: Any) -> str:
    try:
        return repr(value)[:80]
    except Exception:  # as above
        return f"an object of type {type(value).__name__}"
