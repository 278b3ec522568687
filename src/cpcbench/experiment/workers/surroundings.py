"""The surroundings of a run in a worker process: what a solver may have changed is put back before the next."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

PAUSE = 0.2
"""Seconds that threads and processes of a solver get to end after it has returned."""


class Surroundings:
    """Remembers the process as it is now."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._path = list(sys.path)
        self._recursion = sys.getrecursionlimit()
        self._errors = np.geterr()
        self._handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        self._umask = os.umask(0o022)
        os.umask(self._umask)
        self._threads = set(threading.enumerate())

    def restore(self, path: Sequence[str], folder: str) -> None:
        """Puts all back; `path` and `folder` are the study's module path and working folder."""
        silence()
        sys.path[:] = [*path, *(own for own in self._path if own not in path)]  # another machine has its own
        with suppress(OSError):  # another machine may not have it
            os.chdir(folder)
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        sys.setrecursionlimit(self._recursion)
        np.seterr(**self._errors)
        os.umask(self._umask)
        sys.settrace(None)
        sys.setprofile(None)
        gc.enable()
        self._restore_signals()

    def _restore_signals(self) -> None:
        for timer in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF"):
            if hasattr(signal, timer):
                signal.setitimer(getattr(signal, timer), 0)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number, handler in self._handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                with suppress(OSError, ValueError):  # some cannot be set at all
                    signal.signal(number, handler)

    def left_behind(self) -> bool:
        """Whether threads or processes of the solver go on: then this process is not fit for another run."""
        import psutil

        for thread in set(threading.enumerate()) - self._threads:
            thread.join(PAUSE)
            if thread.is_alive():
                return True
        try:
            processes = [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]
            return bool(psutil.wait_procs(processes, timeout=PAUSE)[1])
        except psutil.Error:
            return True


def silence() -> None:
    """Standard input and output lead nowhere, for Python and for compiled code alike."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        if descriptor != null:
            os.dup2(null, descriptor)
    if null > 2:
        os.close(null)
    for name, mode, descriptor in (("stdin", "r", 0), ("stdout", "w", 1), ("stderr", "w", 2)):
        stream = open(descriptor, mode, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
