"""Orders: tasks packed so that they can be made in another process or on another machine."""

from __future__ import annotations

import os
import pickle
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import cast

import cpcbench
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.plan import Task
from cpcbench.problems.problem import Problem
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.registry import solver


@dataclass(frozen=True)
class Order:
    """A task packed: its problem and its solver are bytes, which are opened only where the run is made.

    `limit` is its time limit, the solver's own if it has one. `study` tells the orders of one call of `run` from those
    of others that share a cluster.
    """

    task: Task
    problem: bytes
    solver: bytes
    dim: int
    function: bool
    """The problem is a function: reading a point of it again runs the user's code."""
    limit: float | None
    memory: int | None
    study: str
    path: tuple[str, ...]
    folder: str
    versions: tuple[str, str]

    def opened(self, problem: Problem) -> Task:
        """The task again; the solver is made anew each time, so that it remembers nothing."""
        return replace(self.task, problem=problem, solver=pickle.loads(self.solver))  # noqa: S301 - from our own parent


class Packer:
    """Packs the tasks of one study; each problem and each solver is packed once."""

    def __init__(self, study: str, memory: int | None) -> None:
        self._study, self._memory = study, memory
        self._problems: dict[Problem, bytes] = {}
        self._solvers: dict[str, tuple[bytes, float | None]] = {}

    @cached_property
    def _place(self) -> tuple[tuple[str, ...], str, tuple[str, str]]:
        return tuple(map(os.path.abspath, sys.path)), str(Path.cwd()), versions()

    def __call__(self, task: Task) -> Order:
        p = task.problem
        packed = self._problems.get(p) or self._problems.setdefault(p, pickle.dumps(p))
        method, seconds = self.solver(task)
        limit = task.seconds if task.seconds is not None else seconds
        light = replace(task, problem=cast(Problem, None), solver=None)
        function = isinstance(p, BlackBox)
        return Order(light, packed, method, p.dim, function, limit, self._memory, self._study, *self._place)

    def solver(self, task: Task) -> tuple[bytes, float | None]:
        if task.label not in self._solvers:
            self._solvers[task.label] = _packed(task), solver(task.solver).seconds
        return self._solvers[task.label]


def check_travels(tasks: Sequence[Task]) -> None:
    """What cannot be sent to another process is said before anything is begun."""
    packer = Packer("", None)
    for task in {task.label: task for task in tasks}.values():
        packer.solver(task)
    for p in {task.problem for task in tasks}:
        if isinstance(p, BlackBox):
            pickle.dumps(p)


CANNOT_TRAVEL = "the solver {} cannot be sent to worker processes ({}): define it in a module, or pass workers=0"


def versions() -> tuple[str, str]:
    """What must be the same here and where the runs are made: ours and Python's, whose code objects travel."""
    return cpcbench.__version__, ".".join(platform.python_version_tuple()[:2])


def check_versions(order: Order) -> None:
    for what, there, here in zip(("cpcbench", "Python"), versions(), order.versions, strict=True):
        if there != here:
            raise CpcbenchError(f"the worker on {platform.node()} has {what} {there}, this study {here}")


def _packed(task: Task) -> bytes:
    import cloudpickle

    item = task.solver
    try:
        # A place is found again by its name; what was registered here by hand is not known elsewhere.
        item = _absolute(item) if isinstance(item, str) and ":" in item else solver(item)
        return bytes(cloudpickle.dumps(item))
    except CpcbenchError:
        raise
    except Exception as error:  # pickling calls the object's own code
        raise CpcbenchError(CANNOT_TRAVEL.format(task.label, first_line(error))) from error


def _absolute(place: str) -> str:
    home, _, attribute = place.rpartition(":")
    return f"{Path(home).resolve()}:{attribute}" if home.endswith(".py") else place


def first_line(error: BaseException) -> str:
    """What an error says, or is, in one line."""
    return (str(error).splitlines() or [type(error).__name__])[0]
