"""How every file is written: whole or not at all, never over a study, and not through a stranger's link."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from cpcbench.errors import CpcbenchError

STUDY = (b"SQLite format 3\0", b"\x37\x7f\x06", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
"""How a study's file begins, and those that SQLite keeps beside it: the log and the journal."""

LINKS = 40
"""Links that are followed one after the other, as many as systems do."""

Name = str | os.PathLike[str]


@contextlib.contextmanager
def replacing(path: Name, *, private: bool = False, durable: bool = True) -> Iterator[BinaryIO]:
    """A stream of bytes that become the file when the block ends; if it fails, an older file stays as it was.

    Until then they are in a file beside it, whose name nobody can guess. A link is kept, and what it points to is
    replaced; a device or a pipe is written to as it is. `private` files can be read by their owner only; those that
    are not `durable` may be lost with the machine's power.
    """
    target = destination(path)
    if target is None:
        with open(path, "wb") as stream:
            yield stream
        return
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        refuse_study(target)
        with _new(part, target, private) as stream:
            yield stream
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        refuse_study(target)
        os.replace(part, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(part)):
            raise type(error)(error.errno, error.strerror, str(path)) from None  # its name, not the one beside it
        raise


def write_bytes(path: Name, content: bytes) -> None:
    with replacing(path) as stream:
        stream.write(content)


def write_text(path: Name, text: str) -> None:
    """As UTF-8."""
    write_bytes(path, text.encode("utf-8"))


def destination(path: Name) -> Path | None:
    """The file that a name stands for, at the end of its links; None if it is no file, but a device or a pipe."""
    place = Path(path)
    for _ in range(LINKS):
        if not place.is_symlink():
            break
        if _foreign(place):
            raise CpcbenchError(f"{place} is a link that another user made: give another name")
        place = place.parent / os.readlink(place)
        if str(place).startswith("/proc/"):  # an open stream of this process, such as /dev/stdout
            return None
    found = _status(place)
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return place if found is None or stat.S_ISREG(found.st_mode) else None


def refuse_study(path: Path) -> None:
    """A study may be what is left of weeks: no file is ever written in its place."""
    if beginning(path).startswith(STUDY) or (path.is_file() and Path(f"{path}-wal").exists()):
        raise CpcbenchError(f"{path} is a study, or a database of another program, and is kept: give another name")


def beginning(path: Path, size: int = 512) -> bytes:
    """The first bytes of a file; none if there is no such file."""
    try:
        with path.open("rb") as stream:
            return stream.read(size)
    except OSError:
        return b""


def _new(part: Path, target: Path, private: bool) -> BinaryIO:
    """The file beside the target, which was not there; with the rights of the one it will replace, or of a new one."""
    found = _status(target)
    rights = 0o600 if private else 0o666 if found is None else stat.S_IMODE(found.st_mode) & 0o777
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(part, flags, rights)  # the user's umask takes from these rights
    if found is not None and hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):
            os.fchmod(handle, rights)
    return os.fdopen(handle, "w+b")


def _status(place: Path) -> os.stat_result | None:
    try:
        return place.lstat()
    except FileNotFoundError:
        return None


def _foreign(link: Path) -> bool:
    """Made by neither the user nor whoever owns the folder; systems do not follow such links in shared folders."""
    if not hasattr(os, "geteuid"):
        return False
    return link.lstat().st_uid not in (os.geteuid(), 0, link.parent.stat().st_uid)
