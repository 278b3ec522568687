"""One run of one solver on one problem: what it was given, what it returned, how it ended."""

from __future__ import annotations

import copy
import math
import time
import traceback
import warnings
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.solvers.global_random import GlobalRandom
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import Solver

MOST_OPTIMA = 1000
"""Further optima of a run that are kept."""

LONGEST_MESSAGE = 1000
"""Characters of a solver's message that are kept."""

STATUSES = ("finished", "budget", "time", "hung", "memory", "failed", "crashed")
"""How a run can end, in the order of tables; see `Outcome`."""

FAILED = ("failed", "crashed", "hung", "memory")
"""Endings that say more of the solver's code than of the method."""

BROKEN = ("failed", "crashed")
"""Those of them that an error in the solver, or in what it needs, brought down."""

OUT_OF_TIME = ("time", "hung")

Trajectory = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Outcome:
    """What a run came to.

    `status`: "finished" (the solver returned), "budget" or "time" (it was stopped; its best so far
    counts), "failed" (it raised or returned garbage; `message` says what), "memory" (there was not
    enough). A run in a worker process may also be "hung" (it did not end in time and was killed) or
    "crashed" (it took its process with it). `x` is None if nothing admissible was found. `value` is
    what the solver reported, `optima` further points that it returned as optima.
    """

    status: str
    x: tuple[float, ...] | None
    value: float | None
    evaluations: int
    undefined: int
    seconds: float
    trajectory: Trajectory = field(repr=False)
    message: str = ""
    optima: tuple[tuple[float, ...], ...] = ()


class Listener(Protocol):
    """Hears how a run goes while it goes; a worker process has one."""

    def begun(self) -> None: ...

    def improved(self, evaluations: int, undefined: int, value: float, x: bytes) -> None: ...

    def ended(self) -> None: ...


def run_once(
    problem: Problem,
    solver: Solver,
    seed: np.random.SeedSequence | int,
    *,
    budget: int | None = None,
    seconds: float | None = None,
    listener: Listener | None = None,
) -> Outcome:
    """Runs the solver once; whatever it does is recorded as what it is.

    With a listener this is a worker process, where Ctrl-C never arrives: then a KeyboardInterrupt is
    the solver's own doing and recorded as such.
    """
    objective = _Recorded(
        problem,
        budget=budget if budget is not None else solver.budget,
        undefined=solver.undefined,
        seconds=seconds if seconds is not None else solver.seconds,
    )
    objective._hears = listener
    parameters = _copied(solver.parameters)
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    if listener is not None:
        listener.begun()
    with GlobalRandom(sequence) as shared, warnings.catch_warnings():
        start = time.perf_counter()
        rng = np.random.default_rng(sequence)
        status, found, message = _solve(solver, objective, rng, parameters, own_interrupts=listener is not None)
        duration = time.perf_counter() - start
        drew = shared.used()
    if listener is not None:
        listener.ended()
    x, value, optima = objective.best() if found is None else found
    if drew:
        message = "; ".join(filter(None, (message, f"used the global random state ({', '.join(drew)})")))
    return Outcome(
        status=status,
        x=x,
        value=value,
        evaluations=_whole(objective.evaluations),
        undefined=_whole(objective.undefined_count),
        seconds=duration,
        trajectory=tuple(objective._improvements),
        message=_short(message),
        optima=optima,
    )


Point = tuple[float, ...]
Found = tuple[Point | None, float | None, tuple[Point, ...]]
NOTHING: Found = None, None, ()


def _solve(
    solver: Solver, objective: _Recorded, rng: np.random.Generator, parameters: dict[str, Any], *, own_interrupts: bool
) -> tuple[str, Found | None, str]:
    """Status, what was returned (None: the best so far counts) and message."""
    try:
        result = solver.solve(objective, rng, **parameters)
        return _returned(result, objective.problem.dim)
    except StopRun as stop:
        return str(stop.reason), None, ""
    except MemoryError as error:
        return "memory", None, _said(error)
    except KeyboardInterrupt as error:
        if not own_interrupts:
            raise
        return "failed", None, _said(error)
    except BaseException as error:  # a solver may raise anything, even leave; the study goes on
        return "failed", None, _said(error)


def _returned(result: Any, dim: int) -> tuple[str, Found | None, str]:
    """The point, value and further optima that a solver returned, checked for shape only: they may well be wrong."""
    if result is None:
        return "failed", NOTHING, "garbage returned: None, not an OptimizeResult with x and fun"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = result["x"] if isinstance(result, dict) else result.x
            fun = result["fun"] if isinstance(result, dict) else result.fun
            message = str(getattr(result, "message", ""))
            more = result.get("optima") if isinstance(result, dict) else getattr(result, "optima", None)
            if x is None:
                return "finished", NOTHING, message
            point = _reals(x)
            value = float(_reals(fun).reshape(()))
            others = np.empty((0, dim)) if more is None else _reals(more).reshape(-1, dim)[:MOST_OPTIMA]
    except StopRun:
        raise
    except Exception as error:  # the result is the solver's own code as well
        return "failed", NOTHING, f"garbage returned: {_said(error)}"
    if point.shape != (dim,):
        return "failed", NOTHING, f"garbage returned: x has the shape {point.shape}, not ({dim},)"
    finite = others[np.isfinite(others).all(axis=1)]
    return "finished", (tuple(point.tolist()), value, tuple(map(tuple, finite.tolist()))), message


class _Recorded(Objective):
    """The objective of a recorded run: its box cannot be written to, and its best is kept where solvers do not look."""

    _hears: Listener | None = None

    def __init__(self, problem: Problem, **settings: Any) -> None:
        super().__init__(problem, **settings)
        self.lower, self.upper = _immutable(self.lower), _immutable(self.upper)
        self._improvements: list[tuple[int, float]] = []
        self._best = b""

    def _improve(self, value: float, x: Points, evaluation: int) -> None:
        super()._improve(value, x, evaluation)
        self._best = x.tobytes()
        self._improvements.append((evaluation, float(value)))
        if self._hears is not None:
            self._hears.improved(evaluation, self.undefined_count, float(value), self._best)

    def best(self) -> Found:
        if not self._improvements:
            return NOTHING
        return tuple(np.frombuffer(self._best).tolist()), self._improvements[-1][1], ()


def _immutable(values: Points) -> Points:
    return np.frombuffer(values.tobytes())  # over bytes: not even its flags can make it writable


def _reals(given: Any) -> Points:
    array = np.asarray(given)
    if array.dtype.kind not in "fiuO":  # NumPy would read numbers out of text and drop imaginary parts
        raise TypeError(f"real numbers are needed, not {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def _copied(parameters: dict[str, Any]) -> dict[str, Any]:
    """For this run alone: what it writes into a list must not reach the next one."""
    try:
        return copy.deepcopy(parameters)
    except Exception:  # a parameter may be anything
        return dict(parameters)


def _said(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception_only(error)).strip()
    except Exception:  # its own methods may fail as well
        return f"{type(error).__name__}, which cannot be shown"


def _short(message: str) -> str:
    """A message that can be stored: valid text of a sane length."""
    cut = message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 4] + " ..."
    return cut.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")


def _whole(count: Any) -> int:
    """A count as the solver left it; one that was made nonsense of says nothing."""
    return count if type(count) is int and 0 <= count < 2**63 else 0


def nothing_known(status: str, message: str, seconds: float = math.nan) -> Outcome:
    """The outcome of a run of which only its end is known."""
    return Outcome(status, None, None, 0, 0, seconds, (), _short(message))
