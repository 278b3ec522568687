"""Certificates in files: gzip-compressed JSON, read with limits, and rejected if anything about it is odd."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from typing import Any

from cpcbench.certify.checker.checking import About, Progress, check
from cpcbench.certify.checker.verdict import RejectedError, Verdict

MOST_BYTES = 1 << 30
"""A longer text, once unpacked, is not read."""


def check_file(
    path: str | os.PathLike[str], *, problem: About | None = None, jobs: int = 1, progress: Progress | None = None
) -> Verdict:
    """Whether a file holds a certificate that is a proof of its claim; see `check`."""
    try:
        data = read(path)
    except RejectedError as trouble:
        return Verdict(False, str(trouble))
    return check(data, problem=problem, jobs=jobs, progress=progress)


def read(path: str | os.PathLike[str]) -> Any:
    """The object in a file; raises `RejectedError` if there is none."""
    try:
        with gzip.open(path, "rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise RejectedError(f"there is no file {os.fspath(path)}") from None
    except (OSError, EOFError, zlib.error) as trouble:
        raise RejectedError(f"the file cannot be read as gzip: {trouble}") from None
    if len(raw) > MOST_BYTES:
        raise RejectedError(f"the file holds more than {MOST_BYTES:,} bytes")
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as trouble:
        raise RejectedError(f"the file holds no JSON: {str(trouble)[:200]}") from None


def _no_number(name: str) -> None:
    raise RejectedError(f"{name} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RejectedError("an entry is there twice")
    return found
