"""Calls of a user's function that only say how far a point is from where it is defined, in the files of its search."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from cpcbench.solvers.functions.answers import WATCHED, Answer
from cpcbench.solvers.functions.user_function import UserFunction, Workers


class WatchedFunction(UserFunction):
    """What it answers is a distance and no value of the function: log and state, which are those of another source,
    have it as words, and NaN for the value."""

    def __init__(
        self, kept_by: UserFunction, function: Callable[..., Any], args: Sequence[Any] = (), *, workers: Workers = 1
    ) -> None:
        super().__init__(function, args, workers=workers)
        self.log, self.state = kept_by.log, kept_by.state

    def _written(self, answer: Answer) -> Answer:
        return Answer(math.nan, returned=f"{WATCHED}{answer.value!r}", seconds=answer.seconds)

    def _read(self, answer: Answer) -> Answer:
        try:
            return Answer(float(answer.returned.removeprefix(WATCHED)), seconds=answer.seconds)
        except ValueError:
            return answer

    def close(self) -> None:
        """The files stay open: they are the other source's."""
        self.log = self.state = None
        super().close()
