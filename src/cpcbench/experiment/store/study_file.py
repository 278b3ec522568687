"""A study as a file: the writer's lock, connections to read and to write with, and one plain file left at the end.

While a study is written it is in WAL mode, so that it can be read meanwhile and a kill loses nothing
that was committed. A study that was closed is a plain file in rollback mode, which readers open without
making files of their own beside it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import IO

from cpcbench.errors import CpcbenchError

WAIT = 30.0
"""Seconds to wait for another process that is reading or tidying up."""


def for_writing(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=WAIT)


def begin_log(db: sqlite3.Connection) -> None:
    """WAL mode. While others read a plain file it cannot be had: transactions are then as safe, but wait for them."""
    with contextlib.suppress(sqlite3.OperationalError):
        db.execute("PRAGMA journal_mode = WAL")


def end_log(db: sqlite3.Connection) -> None:
    """Makes the study one plain file, unless others have it open: the last of them then takes the log in."""
    with contextlib.suppress(sqlite3.Error):
        db.execute("PRAGMA busy_timeout = 0")
        db.execute("PRAGMA journal_mode = DELETE")


def for_reading(path: Path) -> sqlite3.Connection:
    """A connection that changes no data. It is one that could write where that is allowed: only such a one can
    undo what a killed writer left half done, and removes what it makes beside a study left in WAL mode.

    A folder that cannot be written to has no room for WAL's shared memory: a study without a log beside it is
    then read as the plain file it is.
    """
    place = path.resolve().as_uri()
    db = sqlite3.connect(f"{place}?mode=rw", uri=True, isolation_level=None, timeout=WAIT)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        db.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        db = sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True, isolation_level=None)
    return db


def locked(path: Path) -> IO[bytes]:
    """The lock beside a study's file; held while the handle is open, gone when the process is."""
    try:
        handle = _opened(_lock_file(path))
    except OSError as error:
        raise CpcbenchError(f"cannot write a study at {path}: {error.strerror or error}") from error
    try:
        _take(handle)
    except OSError:
        handle.close()
        raise CpcbenchError(f"another process is writing to {path}") from None
    return handle


def _opened(lock: Path) -> IO[bytes]:
    """Not through a link, which someone else may have put there."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(lock, flags, 0o666), "r+b")


def remove(path: Path) -> None:
    """Takes away a study in which nothing was begun; its lock must be held."""
    for file in (path, _lock_file(path)):
        with contextlib.suppress(OSError):
            file.unlink()


def _lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _take(handle: IO[bytes]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
