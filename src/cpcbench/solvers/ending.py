"""How a minimisation ended: what `status`, `success` and `message` of its result say."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

FOUND, NOTHING_FOUND, INTERRUPTED, WORKERS_FAILED, RAISED = range(5)


class Ending(NamedTuple):
    """Why it ended. `status` is 0 for an end as planned; 1 is left to results without an admissible point."""

    message: str
    status: int = FOUND

    def applied(self, result: OptimizeResult) -> OptimizeResult:
        """The result with this ending: a success only if the end was planned and something was found."""
        found = result.x is not None
        message = self.message if found else f"no admissible point was found; {self.message}"
        status = self.status or (FOUND if found else NOTHING_FOUND)
        result.update(status=status, success=status == FOUND, message=message)
        return result


BUDGET_SPENT = Ending("the evaluations are spent")
TIME_SPENT = Ending("the time is spent")
BY_CALLBACK = Ending("stopped by the callback")
BY_INTERRUPT = Ending("interrupted: this is the best so far", INTERRUPTED)


def attach(error: BaseException, result: OptimizeResult) -> None:
    """Keeps what was found with an error that ends the minimisation: as `error.result`, and a note that says so."""
    with suppress(Exception):  # an exception class may refuse attributes
        error.result = result  # type: ignore[attr-defined]
        error.add_note(f"what was found until then is this exception's `result`: fun = {result.fun!r}")
