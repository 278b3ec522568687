"""Folders that nobody else can write to: what is run from a folder may be there only if it is such a one."""

from __future__ import annotations

import contextlib
import os
import stat
from functools import lru_cache
from pathlib import Path

SHARED = stat.S_IWGRP | stat.S_IWOTH
ADMINISTRATOR = 0


def make_private(folder: Path) -> str | None:
    """Makes the folder, for the user alone, if it is not there; says why it is not private, None if it is.

    An OSError says that it cannot be made or written to. The path has no links.
    """
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    if (why := objection(missing[-1].parent if missing else folder, inside=bool(missing))) is not None:
        return why
    for place in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster: whose it is, is looked at below
            place.mkdir(mode=0o700)
    if (why := objection(folder)) is None and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PermissionError(f"{folder} cannot be written to")
    return why


def objection(folder: Path, inside: bool = False) -> str | None:
    """Who else could put something into the folder, or another one in its place; None if nobody can.

    Every folder above it counts: whoever can write to one of them can rename what is in it. A folder such as /tmp, in
    which only the owner of a thing can rename it, may be above, and hold what is to be made `inside`.
    """
    if not hasattr(os, "geteuid"):  # elsewhere rights are lists, and a profile is private by default
        return None
    trusted = {ADMINISTRATOR, os.geteuid(), os.stat("/").st_uid}
    for place in (*reversed(folder.parents), folder):
        found = place.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(f"{place} is no folder")
        if found.st_uid not in trusted:
            return f"{place} belongs to another user"
        sticky = found.st_mode & stat.S_ISVTX and (place != folder or inside)
        if _shared(found) and not sticky:
            return f"others can write to {place}"
    return None


def is_mine(found: os.stat_result) -> bool:
    """Whether nobody else could have written this file, as far as its owner and rights tell."""
    if not hasattr(os, "geteuid"):
        return True
    return stat.S_ISREG(found.st_mode) and found.st_uid in (ADMINISTRATOR, os.geteuid()) and not _shared(found)


def _shared(found: os.stat_result) -> bool:
    rights = found.st_mode & SHARED
    return bool(rights) and not (rights == stat.S_IWGRP and _own_group(found.st_gid))


@lru_cache
def _own_group(group: int) -> bool:
    """Whether the user is alone in the group: many systems give each one of the same name, with a right to write."""
    import grp
    import pwd

    try:
        me, them = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return me.pw_gid == group and them.gr_name == me.pw_name and set(them.gr_mem) <= {me.pw_name}
