"""What cannot be read is refused with the line of the user's source that does it."""

from __future__ import annotations

import dis
import linecache
import sysconfig
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError

OURS = str(Path(__file__).parent)
NUMPY = str(Path(np.__file__).parent)
STANDARD = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
LIBRARIES = (*STANDARD, *{sysconfig.get_path(name) for name in ("purelib", "platlib")})


class TraceError(CpcbenchError):
    """A Python function that cannot be read as a formula; `line` is the line of its source where that shows."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message)


raised: ContextVar[list[BaseException]] = ContextVar("raised")
"""While a function is being read: what went wrong on symbols, also where the function's own `except` hides it."""


class Refused(BaseException):
    """Raised where something cannot be read, past every `except Exception`; who called the function adds the line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        raised.get([]).append(self)


def is_standard(code: CodeType) -> bool:
    """Whether code belongs to Python itself."""
    return code.co_filename.startswith((*STANDARD, "<frozen")) and "site-packages" not in code.co_filename


def refused(reason: str, trouble: BaseException) -> TraceError:
    """The error for the user: why, and where in the user's own source."""
    place = _users_place(trouble.__traceback__)
    if place is None:
        return TraceError(f"the function cannot be read: {reason}")
    code, line = place
    text = linecache.getline(code.co_filename, line).strip()
    shown = f"\n  {Path(code.co_filename).name}, line {line}, in {code.co_name}: {text}"
    return TraceError(f"the function cannot be read: {reason}{shown}", line)


def raised_by_user(trouble: BaseException) -> bool:
    """Whether the user's own code said `raise` (or `assert`), and not something that it called."""
    last = None
    for frame, at, _ in _frames(trouble.__traceback__):
        last = frame, at
    if last is None or last[0].co_filename.startswith((OURS, NUMPY)):
        return False
    code, at = last
    return any(i.offset == at and i.opname == "RAISE_VARARGS" for i in dis.get_instructions(code))


def watch_exceptions(frame: FrameType, event: str, details: Any) -> Any:
    """For `sys.settrace`: keeps what NumPy's functions raise on symbols, before the user's `except` can hide it."""
    if event == "call":
        frame.f_trace_lines = False
        return None if frame.f_code.co_filename.startswith((OURS, NUMPY)) else watch_exceptions
    if event == "exception":
        kind, trouble, traceback = details
        codes = [code for code, _, _ in _frames(traceback)]
        from_numpy = bool(codes) and codes[-1].co_filename.startswith((OURS, NUMPY))
        if issubclass(kind, Exception) and (from_numpy or issubclass(kind, TypeError)):
            raised.get([]).append(trouble)
    return watch_exceptions


def _users_place(traceback: TracebackType | None) -> tuple[CodeType, int] | None:
    """The innermost line outside of libraries, or at least outside of NumPy and of what traces."""
    outside = [(code, line) for code, _, line in _frames(traceback) if not code.co_filename.startswith((OURS, NUMPY))]
    users = [place for place in outside if not place[0].co_filename.startswith(LIBRARIES)]
    return (users or outside)[-1] if outside else None


def _frames(traceback: TracebackType | None) -> Iterator[tuple[CodeType, int, int]]:
    """The code, the place in it and the line of each frame, from the outermost to the innermost."""
    while traceback is not None:
        yield traceback.tb_frame.f_code, traceback.tb_lasti, traceback.tb_lineno
        traceback = traceback.tb_next
