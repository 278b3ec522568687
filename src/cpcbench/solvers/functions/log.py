"""Evaluations in a file: one line of CSV each, written at once, so that a kill loses at most what is under way."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError, shortened
from cpcbench.files import Name, destination, refuse_study
from cpcbench.points import Points, default_names
from cpcbench.solvers.functions.answers import NOT_CALLED, WATCHED, Answer

AFTER = ["value", "error", "seconds"]
"""The columns after the point's."""

MOST_BYTES = 1 << 30
"""A longer file is not read."""

RETURNED = ("returned ", NOT_CALLED, WATCHED)
"""How the error begins where the function did not fail, but returned no finite real number or was not called."""


def read_log(path: Name) -> tuple[Points, Points]:
    """The points and values of a file that `cpcbench.minimize` kept.

    Parameters
    ----------
    path : str or path
        A `log` or a `state` of it.

    Returns
    -------
    points, values : tuple of numpy.ndarray
        For `known=`; NaN for undefined. Calls that only told how far the domain is are left out.

    Raises
    ------
    CpcbenchError
        If the file is no such file.
    """
    with open(path, "rb") as file:
        every = read_lines(path, _read(path, file.fileno()))
        rows = [(point, answer) for point, answer in every if not answer.returned.startswith(WATCHED)]
    if not rows:
        raise CpcbenchError(f"{path} holds no evaluations")
    return np.array([point for point, _ in rows]), np.array([answer.value for _, answer in rows])


class Log:
    """A file that evaluations are added to, a line each; what a kill left of a last line is taken away.

    A new file begins with `head`. What is in an old one is shown to `accept`, which raises if it is something else.
    With `alone` no other process may write to it meanwhile.
    """

    def __init__(self, path: Name, head: str, accept: Callable[[bytes], None], *, alone: bool = False) -> None:
        self._path = path
        target = destination(path)
        if target is not None:
            refuse_study(target)
        reading = os.O_WRONLY if target is None else os.O_RDWR  # None: a device or a pipe
        self._handle = os.open(path, os.O_CREAT | os.O_APPEND | reading, 0o666)
        try:
            if alone:
                _lock(self._handle, path)
            content = b"" if target is None else _read(path, self._handle)
            whole = content[: content.rfind(b"\n") + 1]
            if not head.encode().startswith(content):
                accept(whole)
            if len(whole) < len(content):
                os.ftruncate(self._handle, len(whole))
            if not whole:
                self._write(head)
        except BaseException:
            self.close()
            raise

    @classmethod
    def of_function(cls, path: Name, dim: int) -> Log:
        """The log of a function, which may have been begun by another search."""
        head = columns(dim)

        def accept(content: bytes) -> None:
            if not content.startswith(head.encode()):
                raise CpcbenchError(
                    f"{path} is there already and is no log of a function of {dim} variables: it does not begin with"
                    f" {shortened(head.strip())}"
                )

        return cls(path, head, accept)

    def add(self, point: Points, answer: Answer) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(
            [*map(repr, point.tolist()), repr(answer.value), answer.error, f"{answer.seconds:.6g}"]
        )
        self._write(line.getvalue())

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(self._path)) from None

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def columns(dim: int) -> str:
    """The line above the evaluations."""
    return f"{','.join([*default_names(dim), *AFTER])}\n"


def read_lines(path: Name, content: bytes) -> Iterator[tuple[Points, Answer]]:
    """Each evaluation of a log or a state; a last line that was not finished is left out."""
    lines = content.decode("utf-8", "replace").split("\n")[:-1]
    if lines and lines[0].startswith("{"):
        lines = lines[1:]
    dim = lines[0].count(",") + 1 - len(AFTER) if lines else 0
    if dim < 1 or f"{lines[0]}\n" != columns(dim):
        raise CpcbenchError(f"{path} is no log of evaluations: its columns are x1, x2, ..., {', '.join(AFTER)}")
    for number, line in enumerate(lines[1:], start=2):
        try:
            row: list[Any] = next(csv.reader([line]))
            point, value = np.array(row[:dim], dtype=float), float(row[dim])
            error, seconds = row[dim + 1], float(row[dim + 2])
            if not np.isfinite(point).all() or len(row) != dim + len(AFTER) or math.isinf(value):
                raise ValueError
        except (ValueError, IndexError, StopIteration, csv.Error):
            raise CpcbenchError(f"{path}: evaluation {number - 1} cannot be read: {shortened(line)!r}") from None
        returned = error.startswith(RETURNED)
        yield point, Answer(value, "" if returned else error, returned=error if returned else "", seconds=seconds)


def _read(path: Name, handle: int) -> bytes:
    if os.fstat(handle).st_size > MOST_BYTES:
        raise CpcbenchError(f"{path} is too large to be read here: {MOST_BYTES:,} bytes at most")
    os.lseek(handle, 0, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _lock(handle: int, path: Name) -> None:
    """For this process alone: processes that it starts do not hold the lock when it is gone."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CpcbenchError(f"{path} is in use by another search") from None
    except OSError:  # a file system without locks
        return
