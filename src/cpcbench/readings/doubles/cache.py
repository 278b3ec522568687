"""The folder of compiled code: where it is, what is in it, and how it stays small.

Code is run as it is found there. So the folder is used only if nobody else can write to it; otherwise, and where none
can be written, a folder of this process alone takes its place, or none.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cpcbench.files import replacing
from cpcbench.readings.doubles.private import is_mine, make_private, objection

VARIABLE = "CPCBENCH_CACHE"
OURS = re.compile(r"[A-Za-z_][\w.]{0,80}-[0-9a-f]{40}\.code")
LEFT = re.compile(r"\.[\w.]+-[0-9a-f]{40}\.code\.([0-9a-f]{16}\.part|claim)")
"""What a process that was killed while it compiled or wrote leaves behind."""

MOST = 500 * 2**20
"""Bytes that are kept; of more, what was not used for longest goes, once a day."""

DAY = 86_400.0
TEMPORARY = "cpcbench-"
"""How the names of temporary folders begin."""

MARK = ".pruned"
DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Place:
    """The folder in use (None: nothing is kept), and why it is not the one that was wanted."""

    folder: Path | None
    trouble: str | None = None


@dataclass(frozen=True)
class Contents:
    """How many compiled functions there are, their bytes, and for how many days the oldest was not used."""

    functions: int
    size: int
    days: float


def wanted_folder() -> Path:
    """$CPCBENCH_CACHE, or the user's cache folder."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("cpcbench")


def place() -> Place:
    """The folder that is used now; worker processes are told of it, so that they share it."""
    found = _place(wanted_folder())
    if found.trouble is not None and found.folder is not None:
        os.environ[VARIABLE] = str(found.folder)
    return found


@lru_cache
def _place(wanted: Path) -> Place:
    try:
        if str(wanted).startswith("~"):
            raise OSError("this user has no home folder")
        folder = Path(os.path.realpath(wanted))
        if _was_temporary(folder):
            return Place(None, f"{wanted} went with the process that made it")
        unsafe = make_private(folder)
    except OSError as error:  # no room, no rights, no home: nothing to be afraid of
        return Place(_temporary(), f"{wanted} cannot be used: {error.strerror or error}")
    if unsafe is None:
        return Place(folder)
    warnings.warn(f"compiled code is not kept in {wanted}, as {unsafe}; see cpcbench cache", stacklevel=2)
    return Place(_temporary(), f"{wanted} is not safe: {unsafe}")


@lru_cache(maxsize=1)
def _temporary() -> Path | None:
    """A folder for this process and those it starts, removed at its end; None if not even that is private."""
    try:
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=TEMPORARY)))
        maker = os.getpid()

        def remove() -> None:
            if os.getpid() == maker:  # and not in a copy of this process
                shutil.rmtree(folder, ignore_errors=True)

        atexit.register(remove)
        return folder if objection(folder) is None else None
    except OSError:
        return None


def _was_temporary(folder: Path) -> bool:
    """Whether it was the temporary folder of a process that has ended: made again, it would never be removed."""
    ours = folder.name.startswith(TEMPORARY) and folder.parent == Path(os.path.realpath(tempfile.gettempdir()))
    return ours and not folder.exists()


def read(name: str) -> bytes | None:
    """What was kept under this name; None if there is nothing, or nothing whole, or nothing to be trusted."""
    folder = place().folder
    if folder is None:
        return None
    path = folder / name
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as stream:
            found = os.fstat(handle)
            content = stream.read() if is_mine(found) else b""
        if time.time() - found.st_mtime > DAY:
            os.utime(path)  # it was used: others are older
    except OSError:
        return None
    data = content[DIGEST:]
    return data if hashlib.sha256(data).digest() == content[:DIGEST] else None


def write(name: str, data: bytes) -> None:
    """Keeps it for later processes, if there is room."""
    folder = place().folder
    if folder is None:
        return
    with contextlib.suppress(OSError):
        with replacing(folder / name, private=True, durable=False) as stream:
            stream.write(hashlib.sha256(data).digest())
            stream.write(data)
        _tidy(folder)


def contents(folder: Path) -> Contents:
    """What is in a folder of compiled code; other files do not count."""
    found = list(_entries(folder))
    oldest = min((used for _, used, _ in found), default=time.time())
    return Contents(len(found), sum(size for _, _, size in found), max(0.0, (time.time() - oldest) / DAY))


def prune(folder: Path, days: float | None = None, most: int | None = None) -> Contents:
    """Removes what was not used for so many days, or does not fit into so many bytes; other files stay.

    What is taken from a running process is compiled again by the next one, and nothing else.
    """
    now, total, removed, freed = time.time(), 0, 0, 0
    for path, used, size in sorted(_entries(folder), key=lambda entry: -entry[1]):
        total += size
        if not (days is not None and now - used >= days * DAY) and not (most is not None and total > most):
            continue
        with contextlib.suppress(OSError):
            path.unlink()
            removed, freed = removed + 1, freed + size
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if LEFT.fullmatch(path.name) and now - path.lstat().st_mtime > DAY:
                path.unlink()
    return Contents(removed, freed, 0.0)


def _tidy(folder: Path) -> None:
    """Once a day, keeps the folder from growing without end."""
    mark = folder / MARK
    if mark.exists() and 0.0 <= time.time() - mark.stat().st_mtime < DAY:
        return
    with replacing(mark, private=True, durable=False):
        pass
    prune(folder, most=MOST)


def _entries(folder: Path) -> Iterator[tuple[Path, float, int]]:
    """Path, time of last use, and bytes of everything compiled."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if OURS.fullmatch(path.name):
            with contextlib.suppress(OSError):  # removed meanwhile
                found = path.lstat()
                yield path, found.st_mtime, found.st_size
