"""Which process compiles what just now: the others wait for its code, and do not make it again.

A claim is a lock on a file in the cache folder, which the system takes back when its process ends, however it ends.
Where there are no such locks every process compiles for itself.
"""

from __future__ import annotations

import contextlib
import os
import time

from cpcbench.readings.doubles.cache import place

LONGEST = 180.0
"""Seconds that a process waits for another at most, and then compiles by itself."""

PAUSE = 0.05

_held: dict[str, int] = {}


def claim(name: str) -> None:
    """Makes this the process that compiles what is kept under the name; first waits for one that does."""
    if name in _held:
        return
    handle = _opened(name)
    if handle is None:
        return
    if _locked(handle):
        _held[name] = handle
    else:
        os.close(handle)


def release(name: str) -> None:
    """What was claimed is there, or was not needed."""
    handle = _held.pop(name, None)
    folder = place().folder
    if handle is None:
        return
    with contextlib.suppress(OSError):
        if folder is not None:
            os.unlink(_path(str(folder), name))  # those who wait have it open, and look for the code then
    os.close(handle)


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f".{name}.claim")


def _opened(name: str) -> int | None:
    folder = place().folder
    if folder is None:
        return None
    with contextlib.suppress(OSError):
        return os.open(_path(str(folder), name), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    return None


def _locked(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError:  # a file system without locks
            return False
        else:
            return True
    return False
