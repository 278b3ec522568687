"""One worker process seen from outside: starting it, talking to it, and ending it with all it started."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cpcbench
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.workers.child import receive, send
from cpcbench.readings.doubles import cache

LOOK = 0.1
"""Seconds between two looks at a run."""

START = 300.0
"""Seconds a worker process may take to start; a cluster's file system can be slow."""

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS",
    ),
    "1",
)  # fmt: skip


class Stopped(Exception):  # noqa: N818 - not an error: the study was ended
    """The study was ended while the run was under way."""


class Child:
    """One worker process, the pipes to it, and its diary."""

    def __init__(self, stopped: Callable[[], bool] = lambda: False) -> None:
        posix = os.name == "posix"
        self._lifeline: int | None = None
        self._is_ended = False
        self._diary = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the child
        self.diary = self._diary.fileno() if posix else None
        fds = (*os.pipe(), self._diary.fileno()) if posix else ()
        if fds:
            self._lifeline = fds[1]
        words = [str(fds[0]), str(fds[2])] if fds else ["-", "-"]
        with contextlib.ExitStack() as unless_ready:
            unless_ready.callback(self.forget)
            try:
                trouble = unless_ready.enter_context(tempfile.TemporaryFile())
                self.process = subprocess.Popen(  # noqa: S603 - our own interpreter
                    [sys.executable, "-P", "-m", "cpcbench.experiment.workers.child", *words],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=trouble, env=_environment(),
                    start_new_session=True, pass_fds=(fds[0], fds[2]) if fds else (),
                )  # fmt: skip
            except OSError as error:
                raise CpcbenchError(f"a worker process cannot be started: {error}") from error
            finally:
                if fds:
                    os.close(fds[0])
            unless_ready.callback(self.kill)
            self.replies: queue.SimpleQueue[Any] = queue.SimpleQueue()
            threading.Thread(target=self._read, daemon=True).start()
            self._wait_until_ready(trouble, stopped)
            unless_ready.pop_all()
            trouble.close()

    def _wait_until_ready(self, trouble: Any, stopped: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START
        while time.monotonic() < deadline and not stopped():
            with contextlib.suppress(queue.Empty):
                if self.replies.get(timeout=LOOK) is not None:
                    return
                break
        self.kill()
        if stopped():
            raise Stopped
        trouble.seek(0)
        said = trouble.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
        raise CpcbenchError(f"a worker process cannot be started: {said[-1] if said else 'it does not answer'}")

    def _read(self) -> None:
        assert self.process.stdout is not None  # noqa: S101 - asked for above
        with contextlib.suppress(EOFError):
            while True:
                self.replies.put(receive(self.process.stdout))
        self.replies.put(None)

    def ask(self, *request: object) -> None:
        assert self.process.stdin is not None  # noqa: S101 - asked for above
        if self.diary is not None:
            os.ftruncate(self.diary, 0)
        with contextlib.suppress(OSError):  # a dead child is noticed by the end of its replies
            send(self.process.stdin, request)

    def kill(self) -> None:
        """Ends it and whatever it started, now; once, since its number may be another's afterwards."""
        if not self._is_ended:
            for process in descendants(self.process.pid):
                with contextlib.suppress(Exception):  # already gone, or not ours any more
                    process.kill()
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.wait()
            self._is_ended = True
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        self._let_go()

    def forget(self) -> None:
        """What it wrote is not asked for any more."""
        self._let_go()
        self._diary.close()

    def _let_go(self) -> None:
        """Closes the pipe by whose end the child knows that nobody waits for it."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None


def descendants(pid: int) -> list[Any]:
    import psutil

    try:
        return list(psutil.Process(pid).children(recursive=True))
    except psutil.Error:
        return []


def last_words(child: Child) -> str:
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.process.wait(timeout=1.0)
    code = child.process.returncode
    if code is None:
        return "the process that made this run closed its connection"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"the process that made this run died of {signal.Signals(-code).name}"
    return f"the process that made this run died with exit code {code}"


def _environment() -> dict[str, str]:
    """Where the child finds this very cpcbench; libraries use one thread each, as every core has a worker."""
    cache.place()  # where no folder of compiled code can be used, the workers share the temporary one of this process
    home = str(Path(cpcbench.__file__).resolve().parent.parent)
    others = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    return {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join([home, *others])}
