"""Certificates in files: gzip-compressed JSON, read with limits, and rejected if anything about it is odd."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from typing import Any

from cpcbench.certify.checker.ground.fields import DEEPEST
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError

MOST_BYTES = 64 << 20
"""A longer text, once unpacked, is not read."""

MOST_VALUES = 3_000_000
"""Nor one with more numbers, lists and entries, which are what takes memory, or with lists deeper in lists."""

_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def read(path: str | os.PathLike[str]) -> Any:
    """The object in a file; raises `RejectedError` if there is none, `NotCheckedError` if it is too large."""
    try:
        with gzip.open(path, "rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise RejectedError(f"there is no file {os.fspath(path)}") from None
    except (OSError, EOFError, zlib.error) as trouble:
        raise RejectedError(f"the file cannot be read as gzip: {trouble}") from None
    if len(raw) > MOST_BYTES:
        raise NotCheckedError(f"the file holds more than {MOST_BYTES:,} bytes")
    _check_size(raw)
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as trouble:
        raise RejectedError(f"the file holds no JSON: {str(trouble)[:200]}") from None


def _check_size(raw: bytes) -> None:
    """Counts what would have to be built before any of it is."""
    bare = _TEXT.sub(b"", raw)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") > MOST_VALUES:
        raise NotCheckedError(f"the file holds more than {MOST_VALUES:,} values")
    depth = deepest = 0
    for bracket in re.findall(rb"[][{}]", bare):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise NotCheckedError(f"the file has lists more than {DEEPEST} deep in lists")


def _no_number(name: str) -> None:
    raise RejectedError(f"{name} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RejectedError("an entry is there twice")
    return found
