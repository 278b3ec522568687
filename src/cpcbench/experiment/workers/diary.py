"""The diary of a run: each improvement on record at once, so that a run that is killed keeps its best point.

It is a nameless file that a worker writes and its keeper reads: it outlives the worker and nothing else.
"""

from __future__ import annotations

import os
import struct

import numpy as np

from cpcbench.solvers.run import Outcome

_HEAD = struct.Struct("=qqd")


class Diary:
    """The writing side. A solver that closed the file costs itself its diary, nothing more."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._process = os.getpid()
        self._place = 0

    def begin(self) -> None:
        self._place = 0

    def note(self, evaluations: int, undefined: int, value: float, x: bytes) -> None:
        if self._descriptor is None or os.getpid() != self._process:  # a fork that a solver made counts on its own
            return
        try:
            self._place += os.pwrite(self._descriptor, _HEAD.pack(evaluations, undefined, value) + x, self._place)
        except OSError:
            self._descriptor = None


def read(descriptor: int | None, dim: int, status: str, message: str, seconds: float) -> Outcome:
    """The outcome of a run that was ended from outside: what its diary says, up to the last improvement."""
    size = _HEAD.size + 8 * dim
    text = b"" if descriptor is None else os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    entries = [text[at : at + size] for at in range(0, len(text) - size + 1, size)]
    if not entries:
        return Outcome(status, None, None, 0, 0, seconds, (), message)
    heads = [_HEAD.unpack_from(entry) for entry in entries]
    evaluations, undefined, value = heads[-1]
    x = tuple(np.frombuffer(entries[-1][_HEAD.size :]).tolist())
    trajectory = tuple((count, best) for count, _, best in heads)
    return Outcome(status, x, value, evaluations, undefined, seconds, trajectory, message)
