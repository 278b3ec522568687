"""Runs in worker processes that cannot harm the study: watched, killed when they must be, and replaced."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.orders import CANNOT_TRAVEL, Order, check_versions
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.workers import diary
from cpcbench.experiment.workers.children import LOOK, Child, Stopped, descendants, last_words
from cpcbench.experiment.workers.limits import grace, shown

ATTEMPTS = 2
"""How often a run is made whose process died by itself: it may have been killed from outside."""

SHARE = 0.02
"""Of the time at most, for counting the memory of a solver's own processes."""

_UNLOADABLE = "unloadable"
"""In place of a status: the run cannot even be begun, which is no result of the solver."""


class Keeper:
    """Keeps one child at work, for one thread."""

    def __init__(self) -> None:
        self.study = ""
        self._lock = threading.Lock()
        self._child: Child | None = None

    def make(self, order: Order) -> RunRecord:
        """The run's record, whatever the solver does to its process."""
        with self._lock:
            self.study = order.study
            for _ in range(ATTEMPTS):
                record, end = self._attempt(order)
                if record is not None:
                    return record
                if end.status not in ("crashed", _UNLOADABLE):
                    break
            if end.status == _UNLOADABLE:
                raise CpcbenchError(CANNOT_TRAVEL.format(order.task.label, end.message))
            found, _ = self._attempt(order, end)
            if found is None and order.function:
                found, _ = self._attempt(order, end, again=False)
            if found is None:
                raise CpcbenchError(f"the worker process for {order.task.label} dies before it begins a run")
            return found

    def load(self, order: Order) -> str | None:
        """Why the child cannot have the order's solver; None if it can."""
        with self._lock:
            self.study = order.study
            child = self._ready()
            child.ask("load", order)
            reply = self._next(order, child)
            if reply is None:
                self._drop()
                return "it ends the process that loads it"
            return reply[1]  # type: ignore[no-any-return]

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _attempt(self, order: Order, outcome: Any = None, *, again: bool = True) -> tuple[RunRecord | None, Any]:
        child = self._ready()
        watch = _Watch(order, child)
        child.ask(*(("run", order) if outcome is None else ("record", order, outcome, again)))
        while True:
            reply = self._next(order, child, watch)
            if isinstance(reply, tuple) and reply[0] == "done":
                if reply[2] or watch.grown():
                    self._drop()
                return reply[1], None
            if isinstance(reply, tuple):
                watch.hear(*reply)
                if watch.verdict is None:
                    continue
            status, message = watch.verdict or ("crashed", last_words(child))
            child.kill()
            found = diary.read(child.diary, order.dim, status, message, watch.seconds())
            self._drop()
            return None, found

    def _next(self, order: Order, child: Child, watch: _Watch | None = None) -> Any:
        """The next reply; None if the child is dead or its run has to be ended."""
        while True:
            if order.study in _finished:
                self._drop()
                raise Stopped
            with contextlib.suppress(queue.Empty):
                return child.replies.get(timeout=LOOK)
            if watch is not None and watch.over():
                return None
            if child.process.poll() is not None:  # a process that it left behind may hold the pipe open
                with contextlib.suppress(queue.Empty):
                    return child.replies.get(timeout=LOOK)
                return None

    def _ready(self) -> Child:
        if self._child is not None and self._child.process.poll() is not None:
            self._drop()
        if self._child is None:
            self._child = Child(lambda: self.study in _finished)
        return self._child

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.forget()
            self._child = None


class _Watch:
    """What is known of a run under way, and whether it has gone too far."""

    def __init__(self, order: Order, child: Child) -> None:
        self._order = order
        self._pid = child.process.pid
        self._began: float | None = None
        self._took: float | None = None
        self._reading: float | None = None
        self._size = 0
        self._next_count = 0.0
        self._others = 0
        self.verdict: tuple[str, str] | None = None

    def hear(self, what: str, *details: Any) -> None:
        if what == "begun":
            self._began, self._took = time.monotonic(), None
            (self._size,) = details
        elif what == "ended":
            self._took = self.seconds()
            self._reading = time.monotonic()
        elif what == "reading":
            self._reading = time.monotonic()
        elif what == "error" and self._began is None:
            self.verdict = _UNLOADABLE, str(details[0])
        elif what == "error":
            self.verdict = "failed", f"left its process unfit: {details[0]}"

    def seconds(self) -> float:
        if self._took is not None:
            return self._took
        return 0.0 if self._began is None else time.monotonic() - self._began

    def over(self) -> bool:
        """Whether the run has to be ended; `verdict` then says why."""
        limit, memory = self._order.limit, self._order.memory
        if self._reading is not None and self._order.function and limit is not None:
            if time.monotonic() - self._reading > limit + grace(limit):
                self.verdict = "hung", f"evaluating the answer again did not stop in {limit + grace(limit):g} s"
            return self.verdict is not None
        if self._began is None or self._took is not None:
            return False
        if limit is not None and self.seconds() > limit + grace(limit):
            self.verdict = "hung", f"did not stop: killed {grace(limit):g} s after its limit of {limit:g} s"
        elif memory is not None and (taken := self._taken()) > memory:
            self.verdict = "memory", f"took {shown(taken)} of memory: killed at its limit of {shown(memory)}"
        return self.verdict is not None

    def grown(self) -> bool:
        """Whether the child has kept so much of the run's memory that the next run should have a new one."""
        memory = self._order.memory
        return memory is not None and self._began is not None and self._taken() > memory // 4

    def _taken(self) -> int:
        """Bytes that the child has taken since the run began, with those of the processes it started."""
        import psutil

        try:
            own = int(psutil.Process(self._pid).memory_info().rss)
        except psutil.Error:
            return 0
        now = time.monotonic()
        if now >= self._next_count:
            self._others = sum(map(_size, descendants(self._pid)))
            self._next_count = now + (time.monotonic() - now) / SHARE
        return own - self._size + self._others


def _size(process: Any) -> int:
    with contextlib.suppress(Exception):  # it may have ended meanwhile
        return int(process.memory_info().rss)
    return 0


# One keeper a thread, here and on the workers of a cluster

_mine = threading.local()
_keepers: set[Keeper] = set()
_finished: set[str] = set()
_lock = threading.Lock()


def work(order: Order) -> RunRecord:
    """Makes the run in this thread's child."""
    if order.study in _finished:  # a cluster may hand out what was taken back
        raise Stopped
    check_versions(order)
    return _keeper().make(order)


def check(orders: list[Order]) -> None:
    """Whether the solvers can be had in this thread's child."""
    for order in orders:
        check_versions(order)
        if (error := _keeper().load(order)) is not None:
            raise CpcbenchError(CANNOT_TRAVEL.format(order.task.label, error))


def finish(study: str) -> None:
    """Ends what this process does for the study, with the children that were at it."""
    _finished.add(study)
    for keeper in list(_keepers):
        if keeper.study == study:
            keeper.close()
            with _lock:
                _keepers.discard(keeper)


def _keeper() -> Keeper:
    keeper: Keeper | None = getattr(_mine, "keeper", None)
    if keeper is None or keeper not in _keepers:
        keeper = _mine.keeper = Keeper()
        with _lock:
            _keepers.add(keeper)
    return keeper
