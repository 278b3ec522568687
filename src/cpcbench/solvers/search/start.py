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
from numba.core.dispatcher import Dispatcher

from cpcbench.solvers.search.asking import propose
from cpcbench.solvers.search.state import Floats, Settings, State, new_state
from cpcbench.solvers.search.telling import absorb

PATIENCE = 1.0
"""Seconds of plain steps before it is worth to compile."""


@cache
def plain(made: Any) -> Callable[..., Any]:
    """A compiled function as Python runs it, and all that it calls."""
    function = made.py_func
    used = {name: value for name, value in function.__globals__.items() if name in function.__code__.co_names}
    for name, value in used.items():
        used[name] = plain(value) if isinstance(value, Dispatcher) else value
    return FunctionType(function.__code__, {"__builtins__": builtins, **used}, function.__name__)


class Steps:
    """`propose` and `absorb`: compiled ones where they are on disk, plain ones while they are not."""

    def __init__(self) -> None:
        self._compiled: bool | None = None
        self._compiler: subprocess.Popen[bytes] | None = None
        self._spent = 0.0

    def propose(self, state: State, m: int, out: Floats) -> None:
        self._run(propose, state, m, out)

    def absorb(self, state: State, points: Floats, values: Floats) -> None:
        self._run(absorb, state, points, values)

    def _run(self, made: Any, *args: Any) -> None:
        if self._is_compiled():
            made(*args)
            return
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            plain(made)(*args)
        self._spent += time.perf_counter() - start

    def _is_compiled(self) -> bool:
        if self._compiled is None:
            self._compiled = on_disk()
        if not self._compiled and self._compiler is None and self._spent > PATIENCE:
            self._compiler = _start_compiler()
            self._compiled = self._compiler is None
        if not self._compiled and self._compiler is not None and self._compiler.poll() is not None:
            self._compiled = True  # and if that process failed, this one compiles
        return self._compiled


def _entries() -> list[tuple[Any, tuple[Any, ...]]]:
    """What is called from Python, with the types that it is called with."""
    one = np.zeros(1)
    state, points = new_state(one, one, 0, Settings()), np.zeros((1, 1))
    calls: list[tuple[Any, tuple[Any, ...]]] = [(propose, (state, 1, points)), (absorb, (state, points, one))]
    return [(made, tuple(typeof(argument) for argument in arguments)) for made, arguments in calls]


def on_disk() -> bool:
    """Whether an earlier process has kept what it compiled."""
    return all(made._cache.load_overload(types, made.targetctx) is not None for made, types in _entries())


def compile_all() -> None:
    for made, types in _entries():
        made.compile(types)


def _start_compiler() -> subprocess.Popen[bytes] | None:
    """A process that compiles; it may outlive this one, so that the next finds its work. None if there can be none."""
    command = [sys.executable, "-c", f"from {__name__} import compile_all; compile_all()"]
    nothing = subprocess.DEVNULL
    try:
        return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)  # noqa: S603
    except OSError:
        return None


STEPS = Steps()
