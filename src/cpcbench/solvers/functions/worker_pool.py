"""Processes that call a user's function: one that dies or hangs costs the point it was at, never the search."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import pickle
import signal
import time
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

from cpcbench.points import Points
from cpcbench.solvers.functions.answers import Answer, Call, packed, said

CHUNKS = 4
"""Parts that a batch is given out in, for each worker: many, so that none waits long for the others."""

FAREWELL = 1.0
"""Seconds that an idle worker has to end by itself."""


class EnoughError(Exception):
    """Raised by whoever is told answers: no more are needed."""


class WorkerPool:
    """`fill(points, deadline, put)` has every point evaluated and calls `put(i, answer)` as answers come.

    A process that ends is replaced, and the point that it was at has no value. At the deadline (of
    `time.monotonic`) those still at work are killed, and their points stay without an answer: they are returned.
    """

    def __init__(self, count: int, call: Call) -> None:
        self._packed = packed(call, "the function", "use workers=1")
        self._context = multiprocessing.get_context()
        self._count = count
        self._workers: list[_Worker] = []

    def fill(self, points: Points, deadline: float, put: Callable[[int, Answer], None]) -> list[Points]:
        todo = deque(range(len(points)))
        return self._work_through(points, todo, max(1, len(points) // (CHUNKS * self._count)), deadline, put)

    def stream(
        self, ask: Callable[[], Points | None], deadline: float, put: Callable[[Points, Answer], None]
    ) -> list[Points]:
        """Every worker has one point, and another as soon as its answer was put; `ask` gives None when all are out."""
        points: dict[int, Points] = {}
        todo: deque[int] = deque()
        numbers = itertools.count()

        def refill() -> None:
            while len(points) < self._count and (point := ask()) is not None:
                place = next(numbers)
                points[place] = point
                todo.append(place)

        def told(place: int, answer: Answer) -> None:
            put(points.pop(place), answer)
            refill()

        refill()
        try:
            return self._work_through(points, todo, 1, deadline, told)
        except EnoughError:
            self._end(lambda worker: bool(worker.waiting))
            return []

    def _work_through(
        self, points: Any, todo: deque[int], size: int, deadline: float, put: Callable[[int, Answer], None]
    ) -> list[Points]:
        while todo or any(worker.waiting for worker in self._workers):
            self._give_out(points, todo, size)
            busy: dict[Any, _Worker] = {worker.line: worker for worker in self._workers if worker.waiting}
            left = deadline - time.monotonic()
            ready = wait(list(busy), timeout=None if math.isinf(left) else max(left, 0.0))
            for line in ready:
                self._hear(busy[line], todo, put)
            if time.monotonic() >= deadline:
                late = [points[worker.waiting[0]] for worker in self._workers if worker.waiting]
                self._end(lambda worker: bool(worker.waiting))
                return late
        return []

    def _give_out(self, points: Any, todo: deque[int], size: int) -> None:
        for worker in [worker for worker in self._workers if not worker.waiting]:
            if todo and not worker.take(points, [todo.popleft() for _ in range(min(size, len(todo)))]):
                todo.extendleft(reversed(worker.waiting))  # it has died while it was idle
                worker.waiting.clear()
                self._end(lambda other, dead=worker: other is dead)  # type: ignore[misc]
        while todo and len(self._workers) < self._count:
            others = [worker.line for worker in self._workers]
            worker = _Worker(self._context, self._packed, others)
            self._workers.append(worker)
            worker.take(points, [todo.popleft() for _ in range(min(size, len(todo)))])

    def _hear(self, worker: _Worker, todo: deque[int], put: Callable[[int, Answer], None]) -> None:
        try:
            answer = worker.line.recv()
        except (EOFError, OSError):
            place = worker.waiting.popleft()
            todo.extendleft(reversed(worker.waiting))
            worker.waiting.clear()
            self._end(lambda other: other is worker)
            put(place, Answer(math.nan, f"the worker process died ({_status(worker)})", mistake=True))
            return
        put(worker.waiting.popleft(), answer)

    def close(self) -> None:
        self._end(lambda _: True)

    def _end(self, chosen: Callable[[_Worker], bool]) -> None:
        ending = [worker for worker in self._workers if chosen(worker)]
        self._workers = [worker for worker in self._workers if not chosen(worker)]
        for worker in ending:
            worker.line.close()  # to one that waits for points this means the end
        for worker in ending:
            worker.process.join(0.0 if worker.waiting else FAREWELL)
            if worker.process.is_alive():
                worker.process.kill()
            worker.process.join()


class _Worker:
    """One process, the line to it, and which points it has not answered for."""

    def __init__(self, context: Any, packed: bytes, others: list[Connection]) -> None:
        self.line, its_end = context.Pipe()
        # a forked process inherits our ends of the other lines; it closes them, so that they end with us
        inherited = [*others, self.line] if context.get_start_method() == "fork" else []
        self.process = context.Process(target=_work, args=(its_end, packed, inherited))
        self.process.start()
        its_end.close()
        self.waiting: deque[int] = deque()

    def take(self, points: Any, places: list[int]) -> bool:
        """Sends these points; whether the worker is there to take them."""
        self.waiting.extend(places)
        try:
            self.line.send([points[place] for place in places])
        except OSError:
            return False
        return True


def _status(worker: _Worker) -> str:
    code = worker.process.exitcode
    if code is None or code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _work(line: Connection, packed: bytes, inherited: list[Connection]) -> None:
    """The life of a worker process: Ctrl-C is its parent's business, the end of the line is its own end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        other.close()
    call, trouble = _unpacked(packed)
    while True:
        try:
            for point in line.recv():
                line.send(Answer(math.nan, trouble, mistake=True) if call is None else call(point))
        except (EOFError, OSError):
            return


def _unpacked(packed: bytes) -> tuple[Call | None, str]:
    try:
        return pickle.loads(packed), ""  # noqa: S301 - from our own parent process
    except Exception as error:  # unpickling runs the function's own modules
        return None, f"the worker cannot load the function ({said(error)})"
