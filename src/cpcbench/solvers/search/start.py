"""The search begins at once: its steps run as plain Python until they are compiled, with the same results.

What is compiled is kept on disk. Where it is not there yet, a second process compiles it, but only once the plain
steps have taken a while: a short search, or one of a slow function, needs no compiler.
"""

from __future__ import annotations

import builtins
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import typeof
from numba.extending import is_jitted

from cpcbench.readings.doubles.numba_private import is_kept
from cpcbench.solvers.search.asking import propose
from cpcbench.solvers.search.state import State, as_plain, new_state
from cpcbench.solvers.search.telling import absorb
from cpcbench.solvers.search.tuning import Settings

PATIENCE = 1.0
"""Seconds of plain steps before it is worth to compile."""


@cache
def plain(made: Any) -> Callable[..., Any]:
    """A compiled function as Python runs it, and all that it calls."""
    function = made.py_func
    used = {name: value for name, value in function.__globals__.items() if name in function.__code__.co_names}
    for name, value in used.items():
        used[name] = plain(value) if is_jitted(value) else value
    return FunctionType(function.__code__, {"__builtins__": builtins, **used}, function.__name__)


def run_plain(made: Any, first: Any, *others: Any) -> None:
    """A compiled function with its arguments, as Python runs it."""
    with np.errstate(all="ignore"):
        plain(made)(_readable(first) if isinstance(first, State) else first, *others)


_LATEST: list[State] = []


def _readable(state: State) -> State:
    """What plain Python reads instead of the state, made only once for one that is used again."""
    if not _LATEST or _LATEST[0] is not state:
        _LATEST[:] = state, as_plain(state)
    return _LATEST[1]


Entries = Callable[[], list[tuple[Any, tuple[Any, ...]]]]
"""What is called from Python, each with the arguments of a call as examples of their types."""


class Bridged:
    """Runs the entries of a search compiled where they are on disk, and plain while they are not.

    `module` is where another process finds this object, as `STEPS`.
    """

    def __init__(self, entries: Entries, module: str) -> None:
        self._entries, self._module = entries, module
        self._compiled: bool | None = None
        self._compiler: subprocess.Popen[bytes] | None = None
        self._spent = 0.0

    def run(self, made: Any, *args: Any) -> None:
        if self.is_compiled():
            made(*args)
            return
        start = time.perf_counter()
        run_plain(made, *args)
        self._spent += time.perf_counter() - start

    def is_compiled(self) -> bool:
        if self._compiled is None:
            self._compiled = self.on_disk()
        if not self._compiled and self._compiler is None and self._spent > PATIENCE:
            self._compiler = self.start_compiler()
            self._compiled = self._compiler is None
        if not self._compiled and self._compiler is not None and self._compiler.poll() is not None:
            self._compiled = True  # and if that process failed, this one compiles
        return self._compiled

    def on_disk(self) -> bool:
        """Whether an earlier process has kept what it compiled."""
        return all(is_kept(made, tuple(map(typeof, args))) for made, args in self._entries())

    def compile_all(self) -> None:
        """Compiles here and now, or loads what is on disk."""
        for made, args in self._entries():
            made.compile(tuple(map(typeof, args)))

    def start_compiler(self) -> subprocess.Popen[bytes] | None:
        """A process that compiles; it may outlive this one, so that the next finds its work. None if there is none."""
        command = [sys.executable, "-c", f"from {self._module} import STEPS; STEPS.compile_all()"]
        nothing = subprocess.DEVNULL
        try:
            return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)  # noqa: S603
        except OSError:
            return None


def _entries() -> list[tuple[Any, tuple[Any, ...]]]:
    one = np.zeros(1)
    state, points = new_state(one, one, 0, Settings()), np.zeros((1, 1))
    return [(propose, (state, 1, points)), (absorb, (state, points, one))]


STEPS = Bridged(_entries, __name__)
