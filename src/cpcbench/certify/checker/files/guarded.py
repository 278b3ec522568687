"""A file checked in a process of its own, which can be given so much time and memory and no more."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from typing import Any

from cpcbench.certify.checker.checking import About, check
from cpcbench.certify.checker.files import isolated
from cpcbench.certify.checker.files.reading import read
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError, Verdict

SECONDS, MEMORY = 3600.0, 4 << 30
"""What the check of a file may take unless it is said otherwise."""


def check_file(
    path: str | os.PathLike[str],
    *,
    problem: About | None = None,
    workers: int = 1,
    arithmetic: str = "arb",
    seconds: float = math.inf,
) -> Verdict:
    """Whether a file holds a certificate that is a proof of its claim; see `check`."""
    try:
        data = read(path)
    except RejectedError as trouble:
        return Verdict(False, str(trouble), arithmetic=arithmetic)
    except (NotCheckedError, MemoryError) as trouble:
        return Verdict(False, str(trouble) or "the memory ran out", checked=False, arithmetic=arithmetic)
    return check(data, problem=problem, workers=workers, arithmetic=arithmetic, seconds=seconds)


def check_file_apart(
    path: str | os.PathLike[str],
    *,
    problem: About | None = None,
    workers: int = 1,
    arithmetic: str = "arb",
    seconds: float = SECONDS,
    memory: int = MEMORY,
) -> Verdict:
    """The same in a process of its own, which is stopped when the time is over and has only so much memory."""
    started = time.perf_counter()
    child = isolated.start("cpcbench.certify.checker.files.guarded", memory, apart=True)
    asked = {
        "path": os.path.abspath(path), "workers": workers, "arithmetic": arithmetic, "seconds": min(seconds, 1e9),
        "problem": problem if problem is None else _plain(problem),
    }  # fmt: skip
    timer = threading.Timer(min(seconds + 1.0, threading.TIMEOUT_MAX), isolated.stop, (child,))
    timer.start()
    try:
        answer, _ = child.communicate(json.dumps(asked))
    except BaseException:
        isolated.stop(child)
        child.wait()
        raise
    finally:
        timer.cancel()
    try:
        said: dict[str, Any] = json.loads(answer)
    except ValueError:
        over = time.perf_counter() - started > seconds
        reason = "the time was over" if over else "the process that checked it ended early, as if out of memory"
        return Verdict(False, reason, checked=False, seconds=time.perf_counter() - started, arithmetic=arithmetic)
    said["rests_on"] = tuple(said["rests_on"])
    for name in ("lower", "upper"):
        said[name] = {"inf": math.inf, "-inf": -math.inf}.get(said[name], said[name])
    return Verdict(**said)


def _plain(problem: About) -> list[Any]:
    formula, bounds = (problem["formula"], problem["bounds"]) if not isinstance(problem, tuple) else problem
    return [formula, [list(pair) for pair in bounds]]


def main(memory: int = 0) -> None:
    """What the process does: a message on standard input, a verdict on standard output."""
    isolated.limit_memory(memory)
    asked = json.load(sys.stdin)
    problem = None if asked["problem"] is None else tuple(asked["problem"])
    verdict = check_file(
        asked["path"],
        problem=problem,
        workers=asked["workers"],
        arithmetic=asked["arithmetic"],
        seconds=asked["seconds"],
    )
    said = dict(verdict.__dict__)
    for name in ("lower", "upper"):
        said[name] = repr(said[name]) if said[name] in (math.inf, -math.inf) else said[name]
    print(json.dumps(said))
