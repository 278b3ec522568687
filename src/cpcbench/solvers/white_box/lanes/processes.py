"""Lanes in several processes, each always in the same one; what they find does not depend on how many there are."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.solvers.white_box.lanes.lane import Report, Task
from cpcbench.solvers.white_box.lanes.rounds import KINDS, Clock, Grant, Lanes

FAREWELL = 1.0
"""Seconds that a process has to end by itself."""


class SideBySide:
    """Lane i is at home in process i modulo their number; the first process is this one."""

    def __init__(self, workers: int, task: Task, seed: int, clock: Clock, here: Lanes) -> None:
        self._here, self._context = here, multiprocessing.get_context()
        self._count = min(workers, len(KINDS))
        self._others: list[tuple[Any, Connection]] = []
        for _ in range(self._count - 1):
            mine, theirs = self._context.Pipe()
            process = self._context.Process(
                target=_serve, args=(theirs, [line for _, line in self._others], task, seed, clock), daemon=True
            )
            process.start()
            theirs.close()
            self._others.append((process, mine))

    def turn(self, number: int, grant: Grant) -> Report:
        """One lane alone."""
        return next(self.turns({number: grant}))[1]

    def turns(self, grants: dict[int, Grant]) -> Iterator[tuple[int, Report]]:
        """All of these lanes at once; their reports in the order of their numbers."""
        for number, grant in grants.items():
            if number % self._count:
                self._line(number).send((number, grant))
        found = {number: self._here.turn(number, grant) for number, grant in grants.items() if not number % self._count}
        for number in grants:
            if number % self._count:
                found[number] = self._answer(number)
        yield from ((number, found[number]) for number in grants)

    def _line(self, number: int) -> Connection:
        return self._others[number % self._count - 1][1]

    def _answer(self, number: int) -> Report:
        try:
            report: Report = self._line(number).recv()
        except EOFError:
            raise CpcbenchError("a process of the white-box search died: use workers=1") from None
        return report

    def close(self) -> None:
        for _, line in self._others:
            line.close()
        for process, _ in self._others:
            process.join(FAREWELL)
            if process.is_alive():
                process.kill()
                process.join()


def _serve(line: Connection, others: list[Connection], task: Task, seed: int, clock: Clock) -> None:
    """Takes turns until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in others:  # which a copy of the first process holds, too, and would keep open
        other.close()
    lanes = Lanes(task, seed, None, clock)
    while True:
        try:
            number, grant = line.recv()
            line.send(lanes.turn(number, grant))
        except (EOFError, OSError):
            return
