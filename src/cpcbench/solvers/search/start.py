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
from cpcbench.solvers.search.state import Floats, State, as_plain, new_state
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


Entry = tuple[Any, tuple[Any, ...]]
"""What is called from Python, and the arguments of a call as examples of their types."""


class Bridged:
    """Runs compiled functions where they are on disk, and plain ones while they are not."""

    def __init__(self, ready: Callable[[], bool], start_compiler: Callable[[], subprocess.Popen[bytes] | None]) -> None:
        self._ready, self._start_compiler = ready, start_compiler
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
            self._compiled = self._ready()
        if not self._compiled and self._compiler is None and self._spent > PATIENCE:
            self._compiler = self._start_compiler()
            self._compiled = self._compiler is None
        if not self._compiled and self._compiler is not None and self._compiler.poll() is not None:
            self._compiled = True  # and if that process failed, this one compiles
        return self._compiled


class Steps(Bridged):
    """`propose` and `absorb`."""

    def __init__(self) -> None:
        super().__init__(lambda: on_disk(), lambda: _start_compiler())  # noqa: PLW0108 - looked up when needed

    def propose(self, state: State, m: int, out: Floats) -> None:
        self.run(propose, state, m, out)

    def absorb(self, state: State, points: Floats, values: Floats) -> None:
        self.run(absorb, state, points, values)


def _entries() -> list[Entry]:
    one = np.zeros(1)
    state, points = new_state(one, one, 0, Settings()), np.zeros((1, 1))
    return [(propose, (state, 1, points)), (absorb, (state, points, one))]


def on_disk() -> bool:
    """Whether an earlier process has kept what it compiled."""
    return all_on_disk(_entries())


def compile_all() -> None:
    compile_entries(_entries())


def all_on_disk(entries: list[Entry]) -> bool:
    return all(is_kept(made, _types(args)) for made, args in entries)


def compile_entries(entries: list[Entry]) -> None:
    for made, args in entries:
        made.compile(_types(args))


def _types(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(typeof(argument) for argument in args)


def _start_compiler() -> subprocess.Popen[bytes] | None:
    return compiler_of(__name__)


def compiler_of(module: str) -> subprocess.Popen[bytes] | None:
    """A process that compiles; it may outlive this one, so that the next finds its work. None if there can be none."""
    command = [sys.executable, "-c", f"from {module} import compile_all; compile_all()"]
    nothing = subprocess.DEVNULL
    try:
        return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)  # noqa: S603
    except OSError:
        return None


STEPS = Steps()
