"""A worker process: makes one run after the other for the keeper that started it, and ends when the keeper does.

It is started as `python -m cpcbench.experiment.workers.child LIFELINE DIARY`. Messages are pickles with their
length before them, over what are standard input and output at the start.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpcbench.experiment.plan.orders import Order
    from cpcbench.problems.problem import Problem
    from cpcbench.solvers.registry import Solver

_LENGTH = struct.Struct("=8sQ")
_MARK = b"cpcbench"
_LONGEST = 2**34


def send(stream: IO[bytes], message: object) -> None:
    packed = pickle.dumps(message)
    stream.write(_LENGTH.pack(_MARK, len(packed)) + packed)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; EOFError if there is none or if it is not one of ours."""
    try:
        mark, length = _LENGTH.unpack(stream.read(_LENGTH.size))
        if mark != _MARK or length > _LONGEST:
            raise EOFError
        return pickle.loads(stream.read(length))  # noqa: S301 - between our own processes
    except Exception as error:  # half a message, a closed pipe, a pickle that cannot be read
        raise EOFError from error


def main() -> None:
    lifeline, diary = (None if word == "-" else int(word) for word in sys.argv[1:3])
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the keeper's business
    if lifeline is not None:
        _die_with(lifeline)
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, waiting), daemon=True).start()
    worker = _Worker(replies, diary)
    worker.say("ready", os.getpid())
    while True:
        request, *details = waiting.get()
        worker.answer(request, *details)


class _Worker:
    """Answers requests; it is also the listener of the run under way."""

    def __init__(self, replies: IO[bytes], diary: int | None) -> None:
        from cpcbench.experiment.workers.diary import Diary
        from cpcbench.experiment.workers.surroundings import Surroundings, silence

        silence()
        _no_core_files()
        _adopt_orphans()
        self._replies = replies
        self._process = os.getpid()
        self._diary = Diary(diary)
        self._problems: dict[bytes, Problem] = {}
        self._memory: int | None = None
        self._prepared: set[str] = set()
        self._surroundings = Surroundings()

    def say(self, *message: object) -> None:
        if os.getpid() != self._process:  # a solver forked and let its copy run on: only one may answer
            os._exit(0)
        send(self._replies, message)

    def answer(self, request: str, order: Order, *details: Any) -> None:
        try:
            self._answer(request, order, *details)
        except Exception as error:  # a solver may have broken what we use ourselves
            self.say("error", repr(error)[:1000])

    def _answer(self, request: str, order: Order, *details: Any) -> None:
        self._surroundings.restore(order.path, order.folder)
        if request == "load":
            self.say("loaded", self._missing(order))
        elif request == "record":
            self.say("done", self._record(order, *details), False)
        else:
            self._run(order)

    def _missing(self, order: Order) -> str | None:
        """Why the solver cannot be had here. What it compiles is left to its first run: others are made meanwhile."""
        from cpcbench.solvers.registry import solver

        try:
            solver(order.opened(self._problem(order)).solver)
        except BaseException as error:  # a user's module may raise anything while it is imported, and leave
            return repr(error)
        return None

    def _run(self, order: Order) -> None:
        from cpcbench.experiment.workers.execution import attempted, recorded
        from cpcbench.solvers.registry import solver

        given, own = self._problem(order), self._own_problem(order)
        task = order.opened(given)
        method = solver(task.solver)
        self._prepare(method)
        self._memory = order.memory
        outcome = attempted(task, method, self)
        record = recorded(order.opened(own), method, outcome)
        self.say("done", record, self._surroundings.left_behind())

    def _prepare(self, method: Solver) -> None:
        if method.prepare is not None and method.name not in self._prepared:
            method.prepare()
            self._prepared.add(method.name)

    def _record(self, order: Order, outcome: Any, again: bool) -> Any:
        from cpcbench.experiment.workers.execution import recorded
        from cpcbench.solvers.registry import solver

        task = order.opened(self._own_problem(order))
        method = solver(task.solver)
        self.say("reading")  # the time begins: all is loaded, and the user's code comes
        return recorded(task, method, outcome, again=again)

    def _own_problem(self, order: Order) -> Problem:
        if order.problem not in self._problems:
            self._problems[order.problem] = pickle.loads(order.problem)  # noqa: S301 - from our own keeper
        return self._problems[order.problem]

    def _problem(self, order: Order) -> Problem:
        """A copy for the solver, which may damage it; the compiled kernels are shared."""
        copy: Problem = pickle.loads(order.problem)  # noqa: S301 - from our own keeper
        if not order.function:
            copy.__dict__["fast"] = self._own_problem(order).fast
        return copy

    # The listener of the run

    def begun(self) -> None:
        import psutil

        self._diary.begin()
        self.say("begun", psutil.Process().memory_info().rss)
        if self._memory is not None:
            _limit_data(2 * self._memory)

    def improved(self, evaluations: int, undefined: int, value: float, x: bytes) -> None:
        self._diary.note(evaluations, undefined, value, x)

    def ended(self) -> None:
        if self._memory is not None:
            _limit_data(None)
        self.say("ended")


def _read(requests: IO[bytes], waiting: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            waiting.put(receive(requests))
    except EOFError:  # the keeper is gone or wants no more
        if hasattr(os, "killpg"):
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)


def _die_with(lifeline: int) -> None:
    """The kernel kills this whole process group when the keeper's end of the pipe is closed, however it ended.

    That needs no cooperation: it works while compiled code keeps Python from running. Where the
    kernel cannot do it, the thread that reads the requests notices the end of them.
    """
    try:
        import fcntl
    except ImportError:
        return
    if hasattr(fcntl, "F_SETSIG") and os.getpgrp() == os.getpid():
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _no_core_files() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _limit_data(extra: int | None) -> None:
    """On Linux one giant allocation fails at once, as MemoryError; None lifts the limit again."""
    if sys.platform != "linux":
        return
    import resource

    hardest = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = hardest if extra is None else _data_size() + extra
    if hardest != resource.RLIM_INFINITY:
        wanted = min(wanted, hardest)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hardest))


def _data_size() -> int:
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        (kilobytes,) = (line.split()[1] for line in file if line.startswith("VmData:"))
    return int(kilobytes) * 1024


def _adopt_orphans() -> None:
    """On Linux processes that a solver's process leaves behind become ours, so that they are found."""
    if sys.platform == "linux":
        import ctypes

        subreaper = 36  # PR_SET_CHILD_SUBREAPER
        ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0)


if __name__ == "__main__":
    main()
